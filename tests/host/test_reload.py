"""Reloading: edited code is read anew, the session goes on, and what was before is dead."""

import asyncio
import json

import pytest

from pihost.errors import ExtensionNotReadyError
from pihost.models import ProviderConfigError
from pihost.session import SessionStore
from pihost.session.errors import SessionClosedError
from pihost.testing import ScriptedModel

VERSION = """
KEPT = []
def setup(api):
    KEPT.append(api)
    api.on('session_start', lambda e, c: note(f'{number} start {{e.reason}}'))
    api.on('session_shutdown', lambda e, c: note(f'{number} shutdown {{e.reason}}'))
    api.on_close(lambda: note('{number} closed'))
    api.on('input', lambda e, c: note('{number} heard'))
"""
CAPTURE = """
import builtins
def setup(api):
    note('loaded')
    async def go(arguments, ctx):
        await ctx.reload()
        try:
            api.get_session_name()
        except Exception as fault:
            note(str(fault))
        try:
            ctx.cwd
        except Exception as fault:
            note(str(fault))
    api.register_command('again', handler=go)
"""


async def test_edited_code_runs_in_the_same_session_and_the_old_is_told_once(place, run):
    place.extend("global", "one", VERSION.format(number=1))
    async with place.open() as host:
        await run(host, "ls")
        file = host.session.file
        place.extend("global", "one", VERSION.format(number=2))
        assert await host.reload() == ()
        await run(host, "ls")
        assert host.session.file == file
        assert len(host.session.messages) == 8
    assert place.notes == [
        "1 start startup",
        "1 heard",
        "1 shutdown reload",
        "1 closed",
        "2 start reload",
        "2 heard",
        "2 shutdown quit",
        "2 closed",
    ]
    headers = [line for line in file.read_text().splitlines() if json.loads(line)["type"] == "session"]
    assert len(headers) == 1


async def test_a_module_that_an_extension_imports_is_read_anew_too(place):
    place.write(place.home / "extensions" / "pack" / "part.py", "WORD = 'before'")
    package = "from .part import WORD\ndef setup(api): api.register_command(WORD, handler=print)"
    place.write(place.home / "extensions" / "pack" / "__init__.py", package)
    async with place.open() as host:
        place.write(place.home / "extensions" / "pack" / "part.py", "WORD = 'after_'")
        await host.reload()
        assert "after_" in host.runner.commands()


async def test_what_was_new_or_is_gone_since_is_seen(place):
    file = place.extend("global", "old")
    async with place.open() as host:
        file.unlink()
        place.extend("global", "new")
        await host.reload()
        assert [bound.extension.id for bound in host.extensions] == ["new"]


async def test_faults_of_the_new_load_are_returned_and_what_loaded_is_used(place):
    place.extend("global", "healthy")
    file = place.extend("global", "edited")
    async with place.open() as host:
        file.write_text("1/0")
        (fault,) = await host.reload()
        assert (fault.level, fault.source) == ("error", "edited")
        assert [bound.extension.id for bound in host.extensions] == ["healthy"]
        file.write_text("def setup(api): ...")
        assert await host.reload() == ()


async def test_a_command_may_reload_and_what_it_held_says_what_to_use(place, run):
    place.extend("global", "capture", CAPTURE)
    async with place.open() as host:
        events = await run(host, "/again")
    loaded, again, *messages = place.notes
    assert (loaded, again) == ("loaded", "loaded")
    assert len(messages) == 2
    assert all("reloaded" in message and "api handed to setup()" in message for message in messages)
    assert events[-1].hook_name == "agent_settled"


async def test_f02_the_old_api_raises_from_outside_as_well(place):
    place.extend("global", "one", "def setup(api): api.register_command('x', handler=lambda a, c: api)")
    async with place.open() as host:
        api = host.runner.commands()["x"].handler("", None)
        api.get_session_name()
        await host.reload()
        with pytest.raises(ExtensionNotReadyError, match="reloaded"):
            api.get_session_name()


async def test_listeners_hear_what_happens_after_a_reload(place, run):
    failing = "def setup(api): api.on('input', lambda e, c: 1 / 0)"
    place.extend("global", "failing", failing)
    heard, seen = [], []
    async with place.open(before_start=lambda host: host.subscribe(seen.append)) as host:
        host.on_error(heard.append)
        await host.reload()
        await run(host, "ls")
    assert [one.event for one in heard] == ["input"]
    assert [event.hook_name for event in seen].count("extension_error") == 1


async def test_flags_and_the_model_in_use_hold_after_a_reload(place):
    place.extend(
        "global",
        "flagged",
        "from pihost.models import Model, ProviderConfig\n"
        "def setup(api):\n api.register_flag('word', type='string')\n"
        " api.register_provider('cloud', ProviderConfig(base_url='https://example.com', api='x',"
        " models=[Model(provider='cloud', id='big')]))\n"
        " api.on('session_start', lambda e, c: note(f\"{api.get_flag('word')} {c.model.id}\"))",
    )
    async with place.open(model="cloud/big") as host:
        assert host.set_flags({"word": "given"}) == ()
        await host.session.set_model(host.models.find("recipe"))
        await host.reload()
    assert place.notes == ["None big", "given recipe"]


async def test_a_reload_that_is_cancelled_leaves_no_open_file(place, run):
    file = place.extend("global", "slow")
    async with place.open() as host:
        await run(host, "ls")
        kept = host.session.file
        file.write_text("import asyncio\nasync def setup(api): await asyncio.sleep(60)")
        task = asyncio.create_task(host.reload())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with SessionStore.open(kept, place.cwd) as store:
            assert len(store.messages()) == 4


async def test_the_tools_chosen_and_what_waits_for_the_next_prompt_outlive_a_reload(place, run):
    place.extend(
        "global",
        "one",
        """
from pihost.messages import CustomMessage

def setup(api):
    late = CustomMessage(kind="late", content="at the end")
    api.on("session_shutdown", lambda e, c: api.send_message(late))

    def choose(arguments, ctx):
        api.set_active_tools(["read"])
        api.send_message(CustomMessage(kind="early", content="wait for it"))

    api.register_command("choose", handler=choose)
    api.register_command("tools", handler=lambda a, c: note(" ".join(api.get_active_tools())))
""",
    )
    async with place.open() as host:
        await run(host, "/choose")
        await host.reload()
        await run(host, "/tools")
        await run(host, "read README.md")
        kinds = [getattr(message, "kind", None) for message in host.session.messages]
    assert place.notes == ["read"]
    assert [kind for kind in kinds if kind] == ["early", "late"]


async def test_reloads_at_the_same_time_follow_each_other(place):
    place.extend("global", "one", VERSION.format(number=1))
    async with place.open() as host:
        await asyncio.gather(host.reload(), host.reload(), host.reload())
        assert len(host.extensions) == 1
    starts = [note for note in place.notes if "start" in note]
    ends = [note for note in place.notes if "shutdown" in note]
    assert (len(starts), len(ends)) == (4, 4)
    assert place.notes[0::3] == starts


async def test_closing_during_a_reload_ends_the_session_that_it_brings(place):
    place.extend("global", "one", VERSION.format(number=1))
    async with place.open() as host:
        reloading = asyncio.create_task(host.reload())
        await asyncio.sleep(0)
    await reloading
    assert [note.split(" ", 1)[1] for note in place.notes if "closed" not in note] == [
        "start startup",
        "shutdown reload",
        "start reload",
        "shutdown quit",
    ]


async def test_after_a_reload_that_was_broken_off_nothing_goes_on(place):
    file = place.extend("global", "slow")
    async with place.open() as host:
        file.write_text("import asyncio\nasync def setup(api): await asyncio.sleep(60)")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(host.reload(), 0.05)
        with pytest.raises(SessionClosedError):
            await host.reload()


@pytest.mark.parametrize("change", ["reload", "new_session"])
async def test_what_was_loaded_ends_where_no_session_comes_of_it(place, change):
    place.extend("global", "one", VERSION.format(number=1))
    provider = ScriptedModel()
    async with place.open(providers=(provider,)) as host:
        provider.id = ""
        with pytest.raises(ProviderConfigError):
            await getattr(host, change)()
    assert place.notes.count("1 closed") == 2


@pytest.mark.parametrize("way", ["ctx.{change}()", "asyncio.wait_for(ctx.{change}(), 30)"])
@pytest.mark.parametrize("change", ["reload", "new_session"])
async def test_a_task_of_an_extension_may_ask_for_a_change_and_ends_with_it(place, run, change, way):
    """What it runs in is not ended before the change is done."""
    place.extend(
        "global",
        "one",
        f"""
import asyncio

async def work(ctx):
    await {way.format(change=change)}
    await asyncio.sleep(60)

def setup(api):
    api.on("session_start", lambda e, c: note(e.reason))
    tasks = []
    api.register_command("go", handler=lambda a, ctx: tasks.append(api.create_task(work(ctx))))
    api.register_command("number", handler=lambda a, ctx: note(f"{{len(asyncio.all_tasks())}} tasks"))
""",
    )
    async with place.open() as host:
        await run(host, "/number")
        await run(host, "/go")
        await place.noted("reload" if change == "reload" else "new")
        await asyncio.sleep(0.05)
        await run(host, "/number")
        assert (await host.reload()) == ()
    assert place.notes[1] == place.notes[3]

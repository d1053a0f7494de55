"""Leaving a session: a new one, a fork, one that exists; what is told, and what is dead afterwards."""

import asyncio
import json

import pytest

from pihost.config import NoSession, OpenSession
from pihost.session import (
    EntryNotFoundError,
    SessionClosedError,
    SessionCwdError,
    SessionFileError,
    SessionLockedError,
    SessionStore,
)
from pihost.trust import ProjectTrustStore

LIFE = """
def setup(api):
    name = lambda file: file.name[-10:] if file else None
    api.on('session_start', lambda e, c: note(f'start {e.reason} {name(e.previous_session_file)}'))
    api.on('session_shutdown', lambda e, c: note(f'shutdown {e.reason} {name(e.target_session_file)}'))
    api.on_close(lambda: note('closed'))
"""
REFUSING = """
from pihost.events import Cancel
def setup(api):
    for hook in ('session_before_switch', 'session_before_fork', 'session_before_tree'):
        api.on(hook, lambda e, c: Cancel(reason='stay'))
"""
COMMAND = """
def setup(api):
    async def go(arguments, ctx):
        what, _, argument = arguments.partition(' ')
        change = await getattr(ctx, what)(*argument.split())
        note(f'{what} {change.cancelled} {change.text}')
        for use in (api.get_session_name, lambda: ctx.cwd):
            try:
                note(f'alive {use()}')
            except Exception as fault:
                note(str(fault))
    api.register_command('go', handler=go)
"""


def headers(file):
    return [line for line in map(json.loads, file.read_text().splitlines()) if line["type"] == "session"]


def said(host):
    return [entry for entry in host.session.entries if entry.type == "message"]


def texts(host):
    return [message.text for message in host.session.messages]


async def test_a_new_session_begins_empty_and_the_old_file_stays(place, run):
    async with place.open() as host:
        await run(host, "ls")
        before = host.session.file
        content = before.read_bytes()
        assert not (await host.new_session()).cancelled
        assert (list(host.session.messages), host.session.file != before) == ([], True)
        await run(host, "ls")
        assert len(headers(host.session.file)) == 1
    assert before.read_bytes() == content


async def test_each_change_ends_one_session_and_starts_another(place, run):
    place.extend("global", "life", LIFE)
    async with place.open() as host:
        await run(host, "ls")
        first = host.session.file
        await host.new_session()
        second = host.session.file
        await host.switch_session(first)
        await host.fork(said(host)[0].id)
        fork = host.session.file
    names = [file.name[-10:] for file in (first, second, fork)]
    assert place.notes == [
        "start startup None",
        f"shutdown new {names[1]}",
        "closed",
        f"start new {names[0]}",
        f"shutdown resume {names[0]}",
        "closed",
        f"start resume {names[1]}",
        f"shutdown fork {names[2]}",
        "closed",
        f"start fork {names[0]}",
        "shutdown quit None",
        "closed",
    ]


@pytest.mark.parametrize(("position", "count"), [("at", 2), ("before", 1)])
async def test_a_fork_ends_at_the_entry_or_before_it(place, run, position, count):
    async with place.open() as host:
        await run(host, "ls")
        parent, before = host.session.file, host.session.file.read_bytes()
        change = await host.fork(said(host)[1].id, position)
        assert [m.role for m in host.session.messages] == ["user", "assistant"][:count]
        (header,) = headers(host.session.file)
        assert header["parent_session"] == str(parent)
        assert parent.read_bytes() == before
        assert change.text is None


async def test_a_fork_before_the_users_words_gives_them_back(place, run):
    async with place.open() as host:
        await run(host, "ls")
        change = await host.fork(said(host)[0].id, "before")
        assert (change.text, list(host.session.messages)) == ("ls", [])


async def test_a_fork_keeps_labels_and_model(place, run):
    async with place.open() as host:
        await run(host, "ls")
        first = said(host)[0].id
        host.session.actions.set_label(first, "start")
        host.session.set_thinking_level("high")
        await host.fork(said(host)[1].id)
        assert host.session.store.label(first) == "start"
        assert host.session.state.thinking_level == "off"


async def test_a_fork_leaves_a_parent_that_was_gone_through_as_it_is(place, run):
    async with place.open() as host:
        await run(host, "ls")
        parent, before = host.session.file, host.session.file.read_bytes()
        await host.navigate_tree(said(host)[1].id)
        await host.fork(said(host)[0].id)
        assert parent.read_bytes() == before


async def test_where_a_session_was_left_is_where_it_goes_on(place, run):
    async with place.open() as host:
        await run(host, "ls")
        file = host.session.file
        await host.navigate_tree(said(host)[0].id)
    async with place.open() as host:
        await host.switch_session(file)
        assert texts(host) == ["ls"]


async def test_a_fork_of_a_session_in_memory_is_in_memory_too(place, run):
    async with place.open(session=NoSession()) as host:
        await run(host, "ls")
        await host.fork(said(host)[0].id)
        assert (host.session.file, len(host.session.messages)) == (None, 1)
        await host.new_session()
        assert host.session.file is None
    assert not (place.home / "sessions").exists()


async def test_a_fork_of_nothing_is_refused_and_changes_nothing(place):
    async with place.open() as host:
        session = host.session
        with pytest.raises(EntryNotFoundError, match="no entry 'nope'"):
            await host.fork("nope")
        with pytest.raises(ValueError, match='"before" or "at"'):
            await host.fork("nope", "after")
        assert host.session is session


async def test_whoever_cancels_says_why_and_nothing_changes(place, run):
    place.extend("global", "refusing", REFUSING)
    async with place.open() as host:
        await run(host, "ls")
        session, first = host.session, said(host)[0].id
        with SessionStore.create(place.home / "sessions", place.cwd) as other:
            other.append_message(session.messages[0])
        changes = [
            await host.new_session(),
            await host.fork(first),
            await host.navigate_tree(first),
            await host.switch_session(other.file or next((place.home / "sessions").rglob(f"*{other.id}*"))),
        ]
        assert {(change.cancelled, change.reason) for change in changes} == {(True, "stay")}
        assert host.session is session
        assert session.store.leaf_id != first


@pytest.mark.parametrize("what", ["missing.jsonl", "README.md", ""])
async def test_a_file_that_is_no_session_leaves_everything_as_it_is(place, run, what):
    async with place.open() as host:
        session = host.session
        with pytest.raises(SessionFileError):
            await host.switch_session(place.cwd / what)
        assert host.session is session
        assert (await run(host, "ls"))[-1].hook_name == "agent_settled"


async def test_a_session_that_is_open_elsewhere_is_refused(place, run):
    async with place.open() as one, place.open() as other:
        await run(one, "ls")
        with pytest.raises(SessionLockedError):
            await other.switch_session(one.session.file)


async def test_a_session_whose_directory_is_gone_is_refused(place, run, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    async with place.open(cwd=gone) as host:
        await run(host, "ls")
        file = host.session.file
    gone.rmdir()
    async with place.open() as host:
        with pytest.raises(SessionCwdError, match="gone"):
            await host.switch_session(file)


async def test_switching_to_the_session_under_way_changes_nothing(place, run):
    async with place.open() as host:
        await run(host, "ls")
        session = host.session
        assert not (await host.switch_session(session.file)).cancelled
        assert host.session is session


async def test_a_closed_host_changes_no_session(place):
    async with place.open() as host:
        pass
    for change in (host.new_session, lambda: host.switch_session("x")):
        with pytest.raises(SessionClosedError):
            await change()


@pytest.mark.parametrize("what", ["new_session", "fork", "switch_session"])
async def test_f02_what_was_captured_before_a_change_says_what_to_use(place, run, what):
    place.extend("global", "command", COMMAND)
    async with place.open() as host:
        await run(host, "ls")
        other = host.session.file
        first = said(host)[0].id
        if what == "switch_session":
            await host.new_session()
        argument = {"fork": first, "switch_session": str(other), "new_session": ""}[what]
        events = await run(host, f"/go {what} {argument}")
        assert events[-1].hook_name == "agent_settled"
        await run(host, "ls")
    outcome, *messages = place.notes
    assert outcome.startswith(f"{what} False")
    assert len(messages) == 2
    assert all("another session" in one and "api handed to setup()" in one for one in messages)


async def test_navigating_leaves_the_api_alive(place, run):
    place.extend("global", "command", COMMAND)
    async with place.open() as host:
        await run(host, "ls")
        await run(host, f"/go navigate_tree {said(host)[0].id}")
        assert texts(host) == ["ls"]
    assert place.notes[0] == "navigate_tree False ls"
    assert place.notes[1:] == ["alive None", f"alive {place.cwd}"]


async def test_a_new_session_goes_on_with_the_model_in_use(place, run):
    place.extend(
        "global",
        "models",
        "from pihost.models import Model, ProviderConfig\n"
        "def setup(api): api.register_provider('cloud', ProviderConfig(base_url='https://example.com',"
        " api='x', models=[Model(provider='cloud', id='big')]))",
    )
    async with place.open(model="cloud/big") as host:
        await host.session.set_model(host.models.find("recipe"))
        host.session.set_thinking_level("low")
        await host.new_session()
        assert (host.session.state.model.id, host.session.state.thinking_level) == ("recipe", "low")
        assert [one for one in host.diagnostics if one.level == "error"] == []


async def test_the_models_that_were_offered_are_offered_in_the_next_session_too(place):
    place.extend(
        "global",
        "models",
        "from pihost.models import Model, ProviderConfig\n"
        "def setup(api): api.register_provider('cloud', ProviderConfig(base_url='https://example.com',"
        " api='x', models=[Model(provider='cloud', id=name) for name in ('big', 'small')]))",
    )
    async with place.open(models=["small", "recipe"]) as host:
        for _ in range(2):
            assert [model.ref for model in host.offered_models] == ["cloud/small", "local/recipe"]
            assert host.session.state.model.ref == "cloud/small"
            await host.new_session()
    async with place.open() as host:
        assert [model.id for model in host.offered_models] == ["recipe", "big", "small"]


async def test_a_change_while_a_run_is_under_way_ends_the_run(place, run):
    async with place.open() as host:
        task = asyncio.create_task(run(host, "bash: sleep 30"))
        while len(host.session.messages) < 2:  # noqa: ASYNC110 -- the run sends its events to nobody here
            await asyncio.sleep(0.01)
        await host.new_session()
        await asyncio.wait_for(task, 10)
        assert list(host.session.messages) == []


class TestAnotherProject:
    """F06: the session of another project brings its directory, settings, extensions and trust."""

    @pytest.fixture
    async def other(self, place, place_of, run, tmp_path):
        """A session of another project that has an extension and settings of its own."""
        cwd = tmp_path / "other"
        (cwd / ".acme" / "extensions").mkdir(parents=True)
        (cwd / "HERE.md").write_text("the other project")
        place.write(cwd / ".acme" / "settings.toml", 'default_thinking = "high"')
        code = f"from pathlib import Path\nPath({str(cwd / 'ran')!r}).touch()\ndef setup(api): pass"
        place.write(cwd / ".acme" / "extensions" / "own.py", code)
        async with place.open(cwd=cwd, trust_override=False) as host:
            await run(host, "read HERE.md")
            return host.session.file

    async def test_directory_and_tools_are_those_of_the_session(self, place, run, other):
        async with place.open() as host:
            await host.switch_session(other)
            assert host.cwd == place.cwd.parent / "other"
            events = await run(host, "read HERE.md")
            assert events[-2].messages[-1].text.count("the other project") == 1

    async def test_an_approval_for_this_run_does_not_carry_over(self, place, other):
        async with place.open(trust_override=True) as host:
            await host.switch_session(other)
            assert not host.trust.trusted
            assert any(one.kind == "trust" for one in host.diagnostics)
        assert not (place.cwd.parent / "other" / "ran").exists()

    async def test_a_stored_decision_admits_its_extensions_and_settings(self, place, other):
        ProjectTrustStore(place.home).set(place.cwd.parent / "other", True)
        async with place.open() as host:
            assert [one.extension.id for one in host.extensions] == []
            await host.switch_session(other)
            assert [one.extension.id for one in host.extensions] == ["own"]
            assert host.settings.default_thinking == "high"
        assert (place.cwd.parent / "other" / "ran").exists()

    async def test_going_back_the_approval_for_this_run_holds_again(self, place, run, other):
        place.extend("local", "mine")
        async with place.open(trust_override=True) as host:
            await run(host, "ls")
            first = host.session.file
            await host.switch_session(other)
            await host.switch_session(first)
            assert (host.trust.trusted, host.cwd) == (True, place.cwd)
            assert [one.extension.id for one in host.extensions] == ["mine"]

    async def test_what_was_given_with_e_is_found_from_where_the_user_is(self, place, other):
        place.write("extra.py", "def setup(api): api.register_command('extra', handler=print)")
        async with place.open(session=OpenSession(file=other), extension_paths=["extra.py"]) as host:
            assert host.cwd == place.cwd.parent / "other"
            assert "extra" in host.runner.commands()

    async def test_what_was_given_with_e_is_found_from_there_too(self, place, other):
        place.write("extra.py", "def setup(api): api.register_command('extra', handler=print)")
        async with place.open(extension_paths=["extra.py"]) as host:
            await host.switch_session(other)
            assert "extra" in host.runner.commands()

"""The host's own slash commands, given as prompts."""

import pytest

from pihost.config import NoSession
from pihost.session import SessionStore


@pytest.fixture
def told(run):
    """What a command has to say, and whether it could be carried out."""

    async def give(host, text):
        events = [event for event in await run(host, text) if event.hook_name == "command_output"]
        assert len(events) == 1
        return events[0].text, events[0].is_error

    return give


def said(host):
    return [entry for entry in host.session.entries if entry.type == "message"]


async def test_new_begins_a_session(place, run, told):
    async with place.open() as host:
        await run(host, "ls")
        before = host.session.id
        assert await told(host, "/new") == ("A new session has begun.", False)
        assert host.session.id != before


async def test_name_sets_and_shows(place, told):
    async with place.open() as host:
        assert await told(host, "/name") == ("The session has no name.", False)
        assert await told(host, "/name  my   work ") == ("my work", False)
        assert host.session.name == "my work"


async def test_compact_shows_the_summary(place, run, told):
    async with place.open() as host:
        await run(host, "ls")
        text, failed = await told(host, "/compact")
        assert "the user said: ls" in text
        assert not failed
        assert len(host.session.messages) == 2


async def test_compact_of_nothing_is_an_error(place, told):
    async with place.open() as host:
        text, failed = await told(host, "/compact")
        assert failed
        assert "nothing to compact yet" in text


async def test_tree_shows_every_branch_and_goes_to_an_entry(place, run, told):
    async with place.open() as host:
        await run(host, "ls")
        first = said(host)[0].id
        host.session.actions.set_label(first, "start")
        assert (await told(host, f"/tree {first[:6]}"))[0].endswith("What was said there: ls")
        await run(host, "read README.md")
        text, failed = await told(host, "/tree")
    assert not failed
    lines = text.splitlines()
    assert lines[0].split() == [first, "user", "ls", "[start]"]
    assert [line[0] for line in lines].count("*") == 1
    assert any(line == f"another branch, from {first}:" for line in lines)


async def test_fork_of_a_prompt_goes_on_before_it(place, run, told):
    async with place.open() as host:
        await run(host, "ls")
        await run(host, "read README.md")
        second = said(host)[4].id
        assert second in (await told(host, "/fork"))[0]
        text, failed = await told(host, f"/fork {second}")
        assert (text.endswith("What was said there: read README.md"), failed) == (True, False)
        assert len(host.session.messages) == 4


async def test_resume_goes_by_id_by_file_and_lists_the_others(place, run, told):
    async with place.open() as host:
        await run(host, "ls")
        first, file = host.session.id, host.session.file
        await told(host, "/new")
        assert first[:8] in (await told(host, "/resume"))[0]
        assert (await told(host, f"/resume {first[:8]}"))[1] is False
        assert host.session.id == first
        await told(host, "/new")
        await told(host, f"/resume {file}")
        assert host.session.id == first
        assert (await told(host, "/resume"))[0] == "There is no other session here."


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/resume abcdef01", "There is no session 'abcdef01'"),
        ("/resume missing.jsonl", "no such file"),
        ("/tree nope", "no entry 'nope'"),
        ("/fork nope", "no entry 'nope'"),
    ],
)
async def test_what_is_not_there_is_an_error_that_says_so(place, told, command, message):
    async with place.open(session=NoSession()) as host:
        text, failed = await told(host, command)
        assert failed
        assert message in text


async def test_whoever_is_there_picks(place, run, told, person):
    user = person("2.", "1.", None)
    async with place.open(ui=user) as host:
        await run(host, "ls")
        await run(host, "read README.md")
        await told(host, "/fork")
        assert len(host.session.messages) == 4
        await told(host, "/resume")
        assert len(host.session.messages) == 8
        assert (await told(host, "/resume"))[0] == "Nothing was chosen."
    assert user.asked[0][0] == "Fork before which prompt?"


async def test_an_extensions_refusal_is_told_with_its_reason(place, told):
    code = "from pihost.events import Cancel\ndef setup(api):\n api.on('session_before_switch', lambda e, c: "
    place.extend("global", "guard", code + "Cancel(reason='stay here'))")
    async with place.open() as host:
        text, failed = await told(host, "/new")
        assert failed
        assert "stay here" in text


async def test_a_command_reaches_neither_model_nor_file(place, told):
    async with place.open() as host:
        await told(host, "/tree")
        assert list(host.session.messages) == []
        assert not host.session.file.exists()


async def test_a_session_in_memory_can_resume_a_stored_one(place, run, told):
    with SessionStore.create(place.home / "sessions", place.cwd) as store:
        async with place.open(session=NoSession()) as other:
            await run(other, "ls")
            store.append_message(other.session.messages[0])
        wanted = store.id
    async with place.open(session=NoSession()) as host:
        await told(host, f"/resume {wanted}")
        assert host.session.id == wanted


async def test_extensions_are_shown_as_they_stand(place, run, told):
    place.settings("hook_timing = true")
    place.extend("global", "watch", "def setup(api): api.on('agent_start', lambda e, c: None)")
    place.extend("global", "broken", "1/0")
    async with place.open() as host:
        await run(host, "ls")
        text, failed = await told(host, "/extensions")
    assert not failed
    assert max(map(len, text.splitlines())) <= 80
    watch = text[text.index("watch") :].split()
    assert (watch[:3], "took" in watch) == (["watch", "global", "bound"], True)
    assert "ZeroDivisionError" in text


async def test_reload_reads_changed_files_and_says_what_is_wrong(place, told):
    place.extend("global", "one", "def setup(api): ...")
    async with place.open() as host:
        assert await told(host, "/reload") == ("Every extension was loaded anew.", False)
        place.extend("global", "one", "1/0  # changed")
        text, failed = await told(host, "/reload")
        assert (host.extensions, failed) == ((), False)
    assert "Error: Failed to load extension 'one': ZeroDivisionError" in text


async def test_a_command_of_an_extension_under_the_hosts_name_is_told_and_has_its_long_name(place, run, told):
    place.extend(
        "global", "mine", "def setup(api): api.register_command('name', handler=lambda a, c: note(a))"
    )
    async with place.open() as host:
        (warning,) = [one for one in host.diagnostics if one.kind == "conflict"]
        assert (warning.level, warning.hint) == ("warning", "Call it as /mine:name.")
        await run(host, "/mine:name theirs")
        await told(host, "/name ours")
        assert host.session.name == "ours"
    assert place.notes == ["theirs"]


async def test_commands_that_have_the_names_of_the_hosts_own_are_told_in_one_order(place):
    names = ("tree", "name", "new", "fork", "compact")
    calls = "; ".join(f"api.register_command({name!r}, handler=print)" for name in names)
    place.extend("global", "one", f"def setup(api): {calls}")
    async with place.open() as host:
        told = [one.message.split("/")[-1].split(",")[0] for one in host.diagnostics]
    assert told == sorted(names)

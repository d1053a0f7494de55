"""From open to close: what fires, what ends, what a session goes on with."""

import asyncio
import json

import pytest

from pihost.config import ContinueSession, NewSession, NoSession, OpenSession
from pihost.session import SessionClosedError, SessionCwdError, SessionFileError, SessionLockedError

LIFE = """
def setup(api):
    api.on('session_start', lambda e, c: note(f'start {e.reason}'))
    api.on('session_shutdown', lambda e, c: note(f'shutdown {e.reason}'))
    api.on_close(lambda: note('closed'))
"""


async def test_a_session_starts_and_ends_exactly_once(place):
    place.extend("global", "life", LIFE)
    async with place.open() as host:
        assert place.notes == ["start startup"]
    await host.close()
    await host.close()
    assert place.notes == ["start startup", "shutdown quit", "closed"]


async def test_what_raises_before_the_start_ends_it_without_a_session(place):
    place.extend("global", "life", LIFE)

    def before_start(host):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        async with place.open(before_start=before_start):
            pytest.fail("it started")
    assert place.notes == ["closed"]


async def test_what_raises_inside_ends_the_session_in_order(place):
    place.extend("global", "life", LIFE)
    with pytest.raises(LookupError):
        async with place.open():
            raise LookupError
    assert place.notes == ["start startup", "shutdown quit", "closed"]


async def test_a_start_that_is_cancelled_while_loading_ends_what_loaded(place):
    place.extend("global", "a", LIFE)
    place.extend(
        "global", "slow", "import asyncio\nasync def setup(api):\n note('slow')\n await asyncio.sleep(60)"
    )

    async def start():
        async with place.open():
            pytest.fail("it started")

    task = asyncio.create_task(start())
    await place.noted("slow")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert place.notes == ["slow", "closed"]


async def test_a_start_that_is_cancelled_in_session_start_still_shuts_down(place):
    place.extend("global", "life", LIFE)
    place.extend(
        "global",
        "slow",
        "import asyncio\ndef setup(api):\n"
        " @api.on('session_start')\n async def wait(e, c):\n  note('slow')\n  await asyncio.sleep(60)",
    )

    async def start():
        async with place.open():
            pytest.fail("it started")

    task = asyncio.create_task(start())
    await place.noted("slow")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert place.notes == ["start startup", "slow", "shutdown quit", "closed"]


async def test_a_directory_that_is_not_there_is_the_callers_mistake(place):
    with pytest.raises(NotADirectoryError, match="nowhere"):
        async with place.open(cwd=place.cwd / "nowhere"):
            pytest.fail("it started")


async def test_call_tool_goes_through_the_hooks_and_is_not_part_of_the_conversation(place, answer):
    place.extend("global", "marks", answer("marked"))
    async with place.open() as host:
        result = await host.call_tool("read", {"path": "README.md"})
        wrong = await host.call_tool("read", {"pth": "README.md"})
        unknown = await host.call_tool("raed", {})
        assert host.session.messages == ()
    assert [block.text for block in result.content] == ["# A project\n", "marked"]
    assert wrong.is_error
    assert "path" in wrong.text
    assert unknown.is_error
    assert "read" in unknown.text


async def test_an_extension_may_ask_for_the_end(place, run):
    place.extend("global", "ender", "def setup(api): api.on('agent_end', lambda e, c: c.shutdown())")
    async with place.open() as host:
        assert not host.shutdown_requested
        await run(host, "ls")
        assert host.shutdown_requested


async def test_flags_have_their_values_from_the_session_start_on(place):
    place.extend(
        "global",
        "greeter",
        "def setup(api):\n api.register_flag('greeting-text', type='string', default='hi')\n"
        " note(api.get_flag('greeting-text'))\n"
        " api.on('session_start', lambda e, c: note(api.get_flag('greeting-text')))",
    )
    async with place.open(flags={"greeting-text": "hello"}) as host:
        assert host.diagnostics == ()
    assert place.notes == ["hi", "hello"]


@pytest.mark.parametrize(("flags", "expected"), [({"lowd": True}, "loud"), ({"loud": "x"}, "takes no value")])
async def test_flags_that_nobody_registers_and_wrong_types_are_errors(place, flags, expected):
    place.extend("global", "speaker", "def setup(api): api.register_flag('loud', type='boolean')")
    async with place.open(flags=flags) as host:
        (fault,) = host.diagnostics
    assert (fault.level, fault.kind) == ("error", "option")
    assert expected in f"{fault.message} {fault.hint}"


async def test_two_hosts_of_different_names_do_not_see_each_other(place, place_of, run):
    other = place_of("zeta")
    for one in (place, other):
        name = one.config.app_name
        one.extend("global", "own", f"def setup(api): api.on('input', lambda e, c: note('{name} heard'))")
        one.extend("local", "mine")
    async with place.open(trust_override=True) as first, other.open() as second:
        await run(first, "ls")
        await run(second, "ls")
        assert "zeta --approve" in second.diagnostics[0].hint
        assert first.session.file.is_relative_to(place.home)
        assert second.session.file.is_relative_to(other.home)
    assert place.notes == ["mine loaded", "acme heard"]
    assert other.notes == ["zeta heard"]


async def test_a_session_is_kept_and_gone_on_with(place, run):
    async with place.open(session=NewSession(name="first")) as host:
        await run(host, "ls")
        file = host.session.file
    async with place.open(session=ContinueSession()) as host:
        assert (host.session.file, host.session.name) == (file, "first")
        assert len(host.session.messages) == 4


async def test_where_there_is_none_to_go_on_with_a_new_one_begins(place):
    async with place.open(session=ContinueSession()) as host:
        assert host.session.messages == ()


async def test_a_session_in_memory_leaves_nothing(place, run):
    async with place.open(session=NoSession()) as host:
        await run(host, "ls")
        assert host.session.file is None
    assert not list(place.home.rglob("*.jsonl"))


async def test_f06_a_session_of_another_directory_works_there_with_what_is_there(place, run, tmp_path):
    place.settings('default_thinking = "high"', where="project")
    place.extend("local", "mine")
    async with place.open() as host:
        await run(host, "ls")
        file = host.session.file
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with place.open(cwd=elsewhere, session=OpenSession(file=file), trust_override=True) as host:
        assert host.cwd == place.cwd
        assert host.settings.default_thinking == "high"
        assert [bound.extension.id for bound in host.extensions] == ["mine"]
        assert (await host.call_tool("read", {"path": "README.md"})).text == "# A project\n"


async def test_a_session_whose_directory_is_gone_is_refused_before_anything_runs(place, run, tmp_path):
    place.extend("global", "life", LIFE)
    gone = tmp_path / "gone"
    gone.mkdir()
    async with place.open(cwd=gone) as host:
        await run(host, "ls")
        file = host.session.file
    gone.rmdir()
    place.log.unlink()
    with pytest.raises(SessionCwdError, match=str(gone)):
        async with place.open(session=OpenSession(file=file)):
            pytest.fail("it started")
    assert place.notes == []


async def test_an_empty_file_becomes_a_new_session(place, run):
    file = place.write("empty.jsonl", "")
    async with place.open(session=OpenSession(file=file)) as host:
        await run(host, "ls")
    assert json.loads(file.read_text().splitlines()[0])["cwd"] == str(place.cwd)


async def test_a_file_that_is_no_session_is_refused_and_keeps_its_bytes(place):
    file = place.cwd / "README.md"
    before = file.read_bytes()
    with pytest.raises(SessionFileError, match=r"README\.md"):
        async with place.open(session=OpenSession(file=file)):
            pytest.fail("it started")
    assert file.read_bytes() == before


async def test_a_directory_is_no_session(place):
    with pytest.raises(SessionFileError, match="directory"):
        async with place.open(session=OpenSession(file=place.cwd)):
            pytest.fail("it started")


async def test_the_second_host_on_one_session_is_told(place, run):
    async with place.open() as host:
        await run(host, "ls")
        with pytest.raises(SessionLockedError, match="in use"):
            async with place.open(session=OpenSession(file=host.session.file)):
                pytest.fail("it started")


async def test_a_closed_host_does_not_reload(place):
    async with place.open() as host:
        pass
    with pytest.raises(SessionClosedError):
        await host.reload()


async def test_what_a_closer_starts_ends_with_the_host_too(place):
    place.extend(
        "global",
        "late",
        """
import asyncio

async def work():
    try:
        await asyncio.sleep(60)
    finally:
        note("ended")

def closer(api):
    def close():
        api.create_task(work())
        api.on_close(lambda: note("closed"))
        return asyncio.sleep(0.01)
    return close

def setup(api):
    api.on_close(closer(api))
""",
    )
    async with place.open():
        pass
    assert sorted(place.notes) == ["closed", "ended"]


async def test_an_extension_that_never_stops_starting_something_is_reported_and_left(place):
    place.extend("global", "endless", "def setup(api):\n    def again(): api.on_close(again)\n    again()")
    seen = []
    async with place.open() as host:
        host.on_error(seen.append)
    assert [(one.extension, one.event) for one in seen] == [("endless", "on_close")]


async def test_the_last_one_loaded_is_the_first_one_ended(place):
    """Whichever of them was the first to start something."""
    closer = "def setup(api): api.on_close(lambda: note('{name}'))"
    place.extend(
        "global", "a", "def setup(api): api.on('session_start', lambda e, c: api.on_close(lambda: note('a')))"
    )
    place.extend("global", "b", closer.format(name="b"))
    async with place.open():
        pass
    assert place.notes == ["b", "a"]

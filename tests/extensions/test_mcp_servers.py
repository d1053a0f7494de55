"""MCP servers: who wants them, who runs them, what is told of them."""

import asyncio
import sys

import pytest

from pihost.errors import ExtensionNotReadyError
from pihost.events import McpServerInfo
from pihost.extensions.registrations import RegistrationError

SERVE = {"command": "serve-files"}


class Mounter:
    def __init__(self, fault=None):
        self.calls, self.fault = [], fault

    def mount(self, server):
        self.calls.append(("mount", server.name, server.extension))
        if self.fault:
            raise self.fault

    def unmount(self, name):
        self.calls.append(("unmount", name))


@pytest.fixture
def loaded(load_sources):
    """Load one extension for each function, which is its ``setup``; give each one's API, and the result."""

    async def load(**setups):
        apis = {}

        def run(name, api):
            apis[name] = api
            setups[name](api)

        sys.under_test = run
        try:
            sources = {name: f"import sys\ndef setup(api): sys.under_test({name!r}, api)" for name in setups}
            return apis, await load_sources(**sources)
        finally:
            del sys.under_test

    return load


def nothing(_api):
    pass


def wants(name, config=SERVE):
    return lambda api: api.register_mcp_server(name, config)


def mounts(mounter):
    return lambda api: api.mount_mcp_servers(mounter)


def info(name, state="ready", **fields):
    return McpServerInfo(name=name, state=state, **fields)


async def test_servers_are_mounted_once_the_extensions_are_bound(loaded, bind):
    mounter = Mounter()
    _, result = await loaded(first=wants("a"), runs=mounts(mounter), last=wants("b"))
    assert mounter.calls == []
    bind(result)
    assert mounter.calls == [("mount", "a", "first"), ("mount", "b", "last")]


async def test_one_that_comes_later_is_mounted_at_once_and_goes_again(loaded, bind):
    mounter = Mounter()
    apis, result = await loaded(runs=mounts(mounter), later=nothing)
    bind(result)
    apis["later"].register_mcp_server("a", SERVE)
    apis["later"].unregister_mcp_server("a")
    assert mounter.calls == [("mount", "a", "later"), ("unmount", "a")]


async def test_of_two_of_one_name_the_first_counts_and_the_other_takes_its_place(loaded, bind):
    mounter = Mounter()
    apis, result = await loaded(runs=mounts(mounter), one=wants("a"), two=wants("a"))
    runner = bind(result).runner
    (conflict,) = runner.conflicts()
    assert "MCP server 'a' is registered by 'one'" in conflict.message
    apis["one"].unregister_mcp_server("a")
    assert mounter.calls == [("mount", "a", "one"), ("unmount", "a"), ("mount", "a", "two")]


async def test_a_registration_that_does_not_count_changes_nothing_that_runs(loaded, bind):
    """Nor does taking it back: the one that counts is neither stopped nor started anew."""
    mounter = Mounter()
    apis, result = await loaded(runs=mounts(mounter), one=wants("a"), soft=nothing)
    result.runtime.registry["soft"].replaceable = True
    bind(result)
    apis["soft"].register_mcp_server("a", {"command": "other"})
    apis["soft"].unregister_mcp_server("a")
    assert mounter.calls == [("mount", "a", "one")]


async def test_where_another_steps_aside_its_server_is_stopped_first(loaded, bind):
    mounter = Mounter()
    apis, result = await loaded(runs=mounts(mounter), soft=wants("a"), firm=nothing)
    result.runtime.registry["soft"].replaceable = True
    bind(result)
    apis["firm"].register_mcp_server("a", SERVE)
    assert mounter.calls == [("mount", "a", "soft"), ("unmount", "a"), ("mount", "a", "firm")]


async def test_its_own_server_an_extension_may_change(loaded, bind):
    mounter = Mounter()
    apis, result = await loaded(runs=mounts(mounter), one=wants("a"))
    bind(result)
    apis["one"].register_mcp_server("a", SERVE)
    apis["one"].register_mcp_server("a", {"command": "other"})
    assert mounter.calls == [("mount", "a", "one"), ("unmount", "a"), ("mount", "a", "one")]


async def test_an_extension_that_is_discarded_leaves_no_server_running(loaded, bind):
    mounter = Mounter()
    _, result = await loaded(runs=mounts(mounter), one=wants("a"))
    bind(result)
    await result.runtime.discard(result.runtime.registry["one"], "it was unloaded")
    assert mounter.calls == [("mount", "a", "one"), ("unmount", "a")]


async def test_a_name_that_is_taken_is_refused_in_a_live_session(loaded, bind):
    apis, result = await loaded(one=wants("a"), two=nothing)
    bind(result)
    with pytest.raises(RegistrationError, match="MCP server 'a' is already registered by 'one'"):
        apis["two"].register_mcp_server("a", SERVE)


@pytest.mark.parametrize(
    ("name", "config", "problem"),
    [
        ("", SERVE, "needs a name"),
        ("a b", SERVE, "white space"),
        (5, SERVE, "needs a string"),
        ("a", "serve-files", "needs a mapping"),
        ("a", {}, 'needs a "command" or a "url"'),
        ("a", {"command": "x", "url": "http://127.0.0.1"}, "not both"),
    ],
)
async def test_what_no_server_can_be_made_of_is_refused_at_the_call(loaded, name, config, problem):
    def setup(api):
        with pytest.raises(RegistrationError, match=problem):
            api.register_mcp_server(name, config)

    _, result = await loaded(acme=setup)
    assert result.errors == ()


async def test_a_second_mounter_does_not_load(loaded, bind):
    first, second = Mounter(), Mounter()
    _, result = await loaded(one=mounts(first), two=mounts(second), wants=wants("a"))
    (fault,) = result.errors
    assert (fault.extension, "registered by 'one' already" in fault.error) == ("two", True)
    bind(result)
    assert (first.calls, second.calls) == ([("mount", "a", "wants")], [])


async def test_a_mounter_that_fails_is_reported_and_keeps_nothing_from_working(loaded, bind):
    mounter, faults = Mounter(ValueError("no")), []
    _, result = await loaded(runs=mounts(mounter), wants=wants("a"))
    result.runtime.on_error(faults.append)
    bind(result)
    assert [(fault.extension, fault.event) for fault in faults] == [("runs", "mount_mcp_servers")]


async def test_an_extension_that_fails_to_load_leaves_no_server_and_no_mounter(loaded, bind):
    mounter = Mounter()

    def broken(api):
        wants("a")(api)
        mounts(mounter)(api)
        raise ValueError("no")

    apis, result = await loaded(broken=broken, other=wants("b"))
    bind(result)
    assert [server.name for server in apis["other"].get_mcp_servers()] == ["b"]
    assert mounter.calls == []


async def test_without_a_mounter_they_are_listed_as_stopped_with_what_to_install(loaded, bind):
    apis, result = await loaded(acme=wants("a"))
    bind(result)
    (server,) = apis["acme"].get_mcp_servers()
    assert (server.name, server.state, server.source) == ("a", "stopped", "acme")
    assert "pihost-mcp" in server.error


async def test_what_the_mounter_says_is_told_once_and_listed(loaded, bind):
    apis, result = await loaded(runs=mounts(Mounter()), other=nothing)
    bound = bind(result)
    servers = [info("a", tools=["mcp__a__x"])]
    apis["runs"].set_mcp_servers(servers)
    apis["runs"].set_mcp_servers([info("a", tools=["mcp__a__x"])])
    assert bound.calls == [("tell_mcp_servers", tuple(servers))]
    assert apis["other"].get_mcp_servers() == servers


async def test_nobody_else_may_say_how_they_stand(loaded, bind):
    apis, result = await loaded(runs=mounts(Mounter()), other=nothing)
    bind(result)
    with pytest.raises(RegistrationError, match="are run by 'runs'"):
        apis["other"].set_mcp_servers([])


async def test_nobody_may_where_nobody_runs_them(loaded, bind):
    apis, result = await loaded(other=nothing)
    bind(result)
    with pytest.raises(RegistrationError, match="are run by nobody"):
        apis["other"].set_mcp_servers([])


async def test_asking_waits_until_none_is_starting(loaded, bind):
    apis, result = await loaded(runs=mounts(Mounter()))
    runner = bind(result).runner
    apis["runs"].set_mcp_servers([info("a", "starting"), info("b", "starting")])
    asked = asyncio.create_task(runner.mcp_servers(within=5))
    await asyncio.sleep(0)
    apis["runs"].set_mcp_servers([info("a", "failed"), info("b", "starting")])
    await asyncio.sleep(0.01)
    assert not asked.done()
    apis["runs"].set_mcp_servers([info("a", "failed"), info("b")])
    assert [server.state for server in await asked] == ["failed", "ready"]


async def test_asking_does_not_wait_for_ever(loaded, bind):
    apis, result = await loaded(runs=mounts(Mounter()))
    runner = bind(result).runner
    apis["runs"].set_mcp_servers([info("a", "starting")])
    assert [server.state for server in await runner.mcp_servers(within=0.01)] == ["starting"]


async def test_a_tool_is_taken_back_and_whoever_listens_is_told(loaded, bind):
    def tool(x: str) -> str:
        """Give it back."""
        return x

    apis, result = await loaded(acme=nothing)
    runner, told = bind(result).runner, []
    result.runtime.on_tools_changed(lambda: told.append(sorted(runner.tools())))
    apis["acme"].tool(tool)
    apis["acme"].unregister_tool("tool")
    assert told == [["tool"], []]
    with pytest.raises(RegistrationError, match="is not registered by this extension"):
        apis["acme"].unregister_tool("tool")


async def test_a_server_of_somebody_else_cannot_be_taken_back(loaded):
    apis, _ = await loaded(one=wants("a"), two=nothing)
    with pytest.raises(RegistrationError, match="MCP server 'a' is not registered by this extension"):
        apis["two"].unregister_mcp_server("a")
    with pytest.raises(ExtensionNotReadyError):
        apis["two"].get_mcp_servers()

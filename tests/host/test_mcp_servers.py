"""What a host does for whoever runs MCP servers: directories, events, and word of other tools."""

RUNS = """
from pihost.events import McpServerInfo
from pihost import hookimpl

class Mounter:
    def mount(self, server):
        note(f"mount {server.name}")

    def unmount(self, name): ...

def setup(api):
    api.mount_mcp_servers(Mounter())
    api.register_mcp_server("files", {"command": "serve-files"})
    api.on("session_start", lambda event, ctx: started(api))

def started(api):
    note(" ".join(path.name for path in api.get_config_dirs()))
    api.set_mcp_servers([McpServerInfo(name="files", state="ready", tools=["mcp__files__read"])])

@hookimpl
def mcp_servers_change(event):
    note(" ".join(f"{server.name} {server.state} {server.tools}" for server in event.servers))
"""


async def test_servers_are_mounted_before_the_session_starts_and_a_change_is_told(place):
    place.extend("global", "runs", RUNS)
    async with place.open() as host:
        await host.session.state.background_done()
        (server,) = await host.runner.mcp_servers()
    assert place.notes == ["mount files", "acme-home", "files ready ('mcp__files__read',)"]
    assert (server.name, server.state) == ("files", "ready")


async def test_a_reload_mounts_them_anew(place):
    place.extend("global", "runs", RUNS)
    async with place.open() as host:
        await host.reload()
    assert place.notes.count("mount files") == 2


async def test_the_projects_own_directory_counts_only_where_it_is_trusted(place):
    place.extend("global", "runs", RUNS)
    place.write(place.config.project_dir(place.cwd) / "mcp.json", "{}")
    async with place.open(trust_override=False):
        pass
    async with place.open(trust_override=True):
        pass
    assert [note for note in place.notes if "home" in note] == ["acme-home", "acme-home .acme"]


SWITCH = """
def setup(api):
    api.register_command("only", handler=lambda words, ctx: api.set_active_tools(words.split()))
    api.register_command("add", handler=lambda words, ctx: api.tool(extra, name=words, description="More."))

def extra() -> str:
    return "extra"
"""


async def test_whoever_listens_is_told_of_other_tools_chosen_added_and_after_a_reload(place):
    place.extend("global", "switch", SWITCH)
    async with place.open() as host:
        told = []
        remove = host.on_tools_changed(lambda: told.append(sorted(host.session.state.active_tools())))
        for command in ("/only ls read", "/add more"):
            async for _ in host.session.prompt(command):
                pass
        assert told == [["ls", "read"], ["ls", "read"]]
        await host.reload()
        assert len(told) == 3
        remove()
        await host.reload()
        assert len(told) == 3


async def test_a_call_shows_what_there_is_so_far(place):
    seen = []
    async with place.open() as host:
        result = await host.call_tool("bash", {"command": "echo one"}, on_update=seen.append)
    assert result.text == "one\n"
    assert [update.text for update in seen] == ["one\n"]


async def test_a_tool_that_is_not_active_is_not_there_for_whoever_wants_active_ones(place):
    async with place.open() as host:
        host.session.actions.set_active_tools(["ls"])
        refused = await host.call_tool("read", {"path": "README.md"}, active_only=True)
        done = await host.call_tool("read", {"path": "README.md"})
    assert (refused.is_error, done.is_error) == (True, False)
    assert "read" in refused.text

"""Servers made with the SDK, and pihost as a program: what a user does, from outside."""

import subprocess
import sys
from pathlib import Path

import pihost_guard
import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

SERVER = '''
import sys
from mcp.server import MCPServer

print("starting", file=sys.stderr, flush=True)
server = MCPServer("things")

@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b

server.run("stdio")
'''


@pytest.fixture
def user(program, tmp_path, names_servers):
    """Give the user these servers; the command and the environment to run pihost with."""
    argv, env, _home = program
    home = tmp_path / "user"

    def has(settings="", **servers):
        names_servers(home, servers)
        (home / "settings.toml").write_text(settings)
        return argv, {**env, "PIHOST_HOME": str(home), "COLUMNS": "80"}

    return has


def test_a_prompt_uses_the_tools_of_a_server_made_with_the_sdk(user, project, tmp_path):
    path = tmp_path / "things.py"
    path.write_text(SERVER)
    argv, env = user(things={"command": sys.executable, "args": [str(path)]})
    words = ["-p", 'tool mcp__things__add {"a": 2, "b": 3}']
    done = subprocess.run([*argv, *words], cwd=project, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "5\n", "")


def test_the_sdk_is_imported_only_for_a_server(user, project):
    argv, env = user()
    command = [argv[0], "-X", "importtime", *argv[1:], "-p", "read README.md"]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True)
    imported = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert done.stdout == "# A project\n"
    assert "pihost_mcp._mounts" in imported
    assert imported & {"mcp", "mcp_types", "pydantic", "httpx2", "anyio"} == set()


GUARDED = """
[extension.pihost-guard]
rules = [{ action = "deny", tool = "mcp__things__*", pattern = "*forbidden*" }]
"""


async def test_a_client_reaches_through_pihost_what_a_guard_lets_through(user, project, server, gone):
    """SDK client → ``pihost mcp serve`` → pihost-guard → the tools, those of another server included."""
    argv, env = user(GUARDED, things=server("open('pid', 'w').write(str(os.getpid()))"))
    words = [*argv[1:], "mcp", "serve", "-e", str(Path(pihost_guard.__file__).parent)]
    parameters = StdioServerParameters(command=argv[0], args=words, env=env, cwd=project)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        names = {tool.name for tool in (await session.list_tools()).tools}
        let = await session.call_tool("mcp__things__echo", {"text": "hello"})
        denied = await session.call_tool("mcp__things__echo", {"text": "forbidden"})
        refused = await session.call_tool("bash", {"command": "rm -rf ."})
    assert {"bash", "mcp__things__echo"} <= names
    assert (let.is_error, let.content[0].text) == (False, '{"text": "hello"}')
    assert (denied.is_error, "rules deny" in denied.content[0].text) == (True, True)
    assert (refused.is_error, "looks destructive" in refused.content[0].text) == (True, True)
    assert (project / "README.md").exists()
    await gone((project / "pid").read_text())

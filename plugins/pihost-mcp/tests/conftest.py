"""Clients that speak the protocol by hand, servers in a few lines, and pihost as an installed program."""

import ast
import asyncio
import contextlib
import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from pihost import Host, HostConfig, HostOptions, NoSession
from pihost.testing import write_distribution

PACKAGE = Path(__file__).parents[1] / "src" / "pihost_mcp"
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "by-hand", "version": "1"},
}


class Client:
    """A client that writes and reads lines of JSON, and checks that nothing else comes."""

    def __init__(self, reader, descriptor):
        self._reader, self._descriptor = reader, descriptor
        self._numbers = itertools.count(1)
        self.notifications = []

    def write(self, data):
        os.write(self._descriptor, data)

    def send(self, method, params=None, **more):
        self.write(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, **more}).encode() + b"\n"
        )

    async def next(self):
        line = await asyncio.wait_for(self._reader.readline(), 20)
        return json.loads(line) if line else None

    def ask(self, method, params=None):
        number = next(self._numbers)
        self.send(method, params, id=number)
        return number

    async def answer_to(self, number):
        """The answer to a request; notifications that come before it are kept."""
        while True:
            message = await self.next()
            assert message is not None
            if message.get("id") == number:
                return message
            self.notifications.append(message)

    async def request(self, method, params=None):
        return (await self.answer_to(self.ask(method, params)))["result"]

    async def call(self, name, **arguments):
        return await self.request("tools/call", {"name": name, "arguments": arguments})

    async def initialize(self):
        result = await self.request("initialize", INITIALIZE)
        self.send("notifications/initialized")
        return result

    def hang_up(self):
        os.close(self._descriptor)
        self._descriptor = -1


@contextlib.asynccontextmanager
async def pipe_reader():
    """A descriptor to write to, and a reader of what comes out at the other end."""
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader(limit=1 << 24)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", buffering=0)
    )
    try:
        yield write_end, reader
    finally:
        transport.close()
        os.close(write_end)


@pytest.fixture
def served():
    """Serve a host's tools over two pipes, to a client that has shaken hands."""

    @contextlib.asynccontextmanager
    async def serve(host, *, shake=True):
        from pihost_mcp._serve_stdio import serve_stdio
        from pihost_mcp._serving import ToolServer

        source, to_server = os.pipe()
        async with pipe_reader() as (answers, reader), ToolServer(host).open() as server:
            client = Client(reader, to_server)
            task = asyncio.create_task(serve_stdio(server, source, answers))
            try:
                if shake:
                    await client.initialize()
                yield client, task
            finally:
                if client._descriptor >= 0:
                    client.hang_up()
                await asyncio.wait_for(task, 10)
                os.close(source)

    return serve


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """How to run ``pihost`` with this extension as an installed distribution: argv, environment, home."""
    root = tmp_path_factory.mktemp("installed")
    groups = {
        "pihost.extensions": {"pihost-mcp": "pihost_mcp"},
        "pihost.extensions.cli": {"mcp": "pihost_mcp.cli:command"},
    }
    write_distribution(root / "site", "pihost-mcp", entry_points=groups)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIHOST_")}
    paths = [str(root / "site"), *(path for path in sys.path if path)]
    env = {**kept, "PYTHONPATH": os.pathsep.join(paths), "PIHOST_HOME": str(root / "home"), "NO_COLOR": "1"}
    (root / "home").mkdir()
    return [sys.executable, "-m", "pihost"], env, root / "home"


@pytest.fixture
def project(tmp_path):
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "README.md").write_text("# A project\n")
    return directory


@pytest.fixture
def extension(tmp_path):
    """Write an extension that can ``note`` lines in a file, which the test reads with ``notes``."""
    log = tmp_path / "notes"

    def write(text, name="acme"):
        head = f"def note(text):\n    with open({str(log)!r}, 'a') as file: print(ascii(text), file=file)\n"
        path = tmp_path / f"{name}.py"
        path.write_text(head + text)
        return path

    write.notes = lambda: list(map(ast.literal_eval, log.read_text().splitlines())) if log.exists() else []
    return write


@pytest.fixture
def open_host(project, tmp_path):
    """Open a host in the project, with these extensions only."""

    def open_it(*paths, ui=None, **options):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        config = HostConfig(home=home, entry_point_group="pihost.testing.none")
        chosen = {"session": NoSession(), "extension_paths": paths, **options}
        return Host.open(project, config=config, options=HostOptions(**chosen), ui=ui)

    return open_it


TINY = """
import json, os, signal, sys, threading, time

TOOLS = ["echo"]

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def answer(id, **result):
    say(id=id, result=result)

def text(id, text, **more):
    answer(id, content=[{"type": "text", "text": text}], **more)

def call(id, name, arguments, meta):
    text(id, json.dumps(arguments))

def hear(message): ...

def shake(id, params):
    answer(id, protocolVersion=params["protocolVersion"], capabilities={"tools": {"listChanged": True}},
           serverInfo={"name": "tiny", "version": "1"})

def listed():
    every = [tool if isinstance(tool, dict) else {"name": tool} for tool in TOOLS]
    return [{"inputSchema": {"type": "object"}, **tool} for tool in every]

BODY

for line in sys.stdin:
    message = json.loads(line)
    id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "initialize":
        shake(id, params)
    elif method == "tools/list":
        answer(id, tools=listed())
    elif method == "tools/call":
        call(id, params["name"], params.get("arguments"), params.get("_meta") or {})
    else:
        hear(message)
"""


@pytest.fixture
def server(tmp_path):
    """Write a server, which starts in no time; the entry of ``mcp.json`` that runs it."""
    numbers = itertools.count(1)

    def write(body="", **more):
        path = tmp_path / f"server{next(numbers)}.py"
        path.write_text(TINY.replace("BODY", body))
        return {"command": sys.executable, "args": ["-I", "-S", str(path)], **more}

    return write


@pytest.fixture
def package():
    """Where the extension's package is."""
    return PACKAGE


@pytest.fixture
def mounted(open_host, tmp_path):
    """Open a host whose user has these servers, and wait until none is starting."""

    @contextlib.asynccontextmanager
    async def mount(*paths, wait=True, options=None, **servers):
        write_servers(tmp_path / "home", servers)
        async with open_host(PACKAGE, *paths, **(options or {})) as host:
            if wait:
                await host.runner.mcp_servers(within=20)
            yield host

    return mount


@pytest.fixture
def hasty(monkeypatch):
    """Give servers that do not end by themselves less time than users have."""
    for name in ("_AFTER_CLOSING", "_AFTER_TERM"):
        monkeypatch.setattr(f"pihost_mcp._child.{name}", 0.2)
    monkeypatch.setattr("pihost_mcp._serve_http._GRACE_SECONDS", 0.2)


def write_servers(directory, servers):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "mcp.json").write_text(json.dumps({"mcpServers": servers}))


@pytest.fixture
def names_servers():
    """Write an ``mcp.json`` with these servers in a directory."""
    return write_servers


def is_running(pid):
    """Whether there is a process that is more than a record of how it ended."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


async def until(done, seconds=10):
    """Wait until ``done()`` is true."""
    async with asyncio.timeout(seconds):
        while not done():  # noqa: ASYNC110 -- neither files nor processes send events
            await asyncio.sleep(0.01)


@pytest.fixture
def eventually():
    """Wait until a function says that something is so."""
    return until


@pytest.fixture
def gone():
    """Wait until a process is gone."""
    return lambda pid: until(lambda: not is_running(pid))

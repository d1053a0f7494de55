"""Servers reached over streamable HTTP, by one made with the SDK on a socket of this machine."""

import asyncio
import contextlib

import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pihost_mcp._serve_http import serve_http
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

pytestmark = pytest.mark.usefixtures("hasty")


def make_server():
    """A server; whether its long call was ended is in ``ended``."""
    server = MCPServer("things")
    server.ended = asyncio.Event()

    @server.tool()
    def key(ctx: Context) -> str:
        return ctx.request_context.request.headers.get("x-key", "")

    @server.tool()
    async def wait(ctx: Context) -> str:
        await ctx.report_progress(1, 2, "waiting")
        try:
            await asyncio.sleep(30)
        finally:
            server.ended.set()
        return "waited"

    return server


@pytest.fixture
def things():
    return make_server()


@contextlib.asynccontextmanager
async def serving(server, port=0):
    """Serve it; yields the port."""
    told = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_http(server, port, told.set_result))
    try:
        address = await told
        yield int(address.removesuffix("/mcp").rpartition(":")[2])
    finally:
        task.cancel()
        await asyncio.wait({task})


def at(port, **more):
    return {"url": f"http://127.0.0.1:{port}/mcp", **more}


async def test_its_tools_are_called_with_the_configured_headers(mounted, things, monkeypatch):
    monkeypatch.setenv("ACME_KEY", "s3cret-key")
    async with serving(things) as port, mounted(web=at(port, headers={"x-key": "$ACME_KEY"})) as host:
        assert (await host.call_tool("mcp__web__key", {})).text == "s3cret-key"


async def test_progress_is_shown_and_a_cancelled_call_is_ended(mounted, things, eventually):
    seen = []
    async with serving(things) as port, mounted(web=at(port)) as host:
        call = asyncio.create_task(host.call_tool("mcp__web__wait", {}, on_update=seen.append))
        await eventually(lambda: seen)
        call.cancel()
        await asyncio.wait_for(things.ended.wait(), 5)
    assert seen[0].text == "waiting"


async def test_one_that_is_lost_is_told_and_found_again_by_the_next_call(mounted, things):
    async with contextlib.AsyncExitStack() as stack:
        async with serving(things) as port:
            host = await stack.enter_async_context(mounted(web=at(port)))
            assert not (await host.call_tool("mcp__web__key", {})).is_error
        lost = await host.call_tool("mcp__web__key", {})
        async with serving(make_server(), port):
            results = [await host.call_tool("mcp__web__key", {}) for _ in range(2)]
    assert (lost.is_error, "MCP server 'web'" in lost.text) == (True, True)
    assert [result.is_error for result in results] == [False, False]


async def test_one_that_is_not_there_fails_with_the_reason(mounted):
    async with mounted(web=at(9)) as host:
        (info,) = await host.runner.mcp_servers()
    assert info.state == "failed"
    assert info.error.startswith("cannot be reached: ")


class Refusing:
    def __init__(self, status):
        self._status = status

    def streamable_http_app(self, **_):
        async def refuse(request):
            return Response(f"got {request.headers.get('authorization')}", self._status)

        return Starlette(routes=[Route("/mcp", refuse, methods=["POST", "GET", "DELETE"])])


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, 'needs other "headers": it answers 401 Unauthorized'),
        (500, "it answers 500 Internal Server Error"),
    ],
)
async def test_one_that_refuses_is_told_with_its_answer_and_no_key(mounted, status, said):
    headers = {"authorization": "Bearer s3cret-key"}
    async with serving(Refusing(status)) as port, mounted(web=at(port, headers=headers)) as host:
        (info,) = await host.runner.mcp_servers()
    assert info.state == "failed"
    assert said in info.error
    assert "s3cret" not in info.error


async def test_a_redirect_elsewhere_is_not_followed_with_the_headers(mounted, things):
    class Redirecting(Refusing):
        def streamable_http_app(self, **_):
            async def send_away(request):
                return Response(status_code=307, headers={"location": f"http://localhost:{port}/mcp"})

            return Starlette(routes=[Route("/mcp", send_away, methods=["POST", "GET", "DELETE"])])

    async with serving(things) as port, serving(Redirecting(307)) as other, mounted(web=at(other)) as host:
        (info,) = await host.runner.mcp_servers()
    assert (info.state, "not followed" in info.error) == ("failed", True)


async def test_one_that_never_answers_does_not_hold_up_the_end(mounted):
    loop = asyncio.get_running_loop()

    async def keep(reader, writer):
        await reader.read()
        writer.close()

    async with await asyncio.start_server(keep, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        async with mounted(web=at(port), wait=False):
            await asyncio.sleep(0.1)
            begun = loop.time()
        assert loop.time() - begun < 15

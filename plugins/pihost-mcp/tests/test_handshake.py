"""Servers of every era."""

import pytest

MODERN = """
CACHE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

def shake(id, params):
    say(id=id, error={"code": CODE, "message": "no longer", "data": {"supported": ["2026-07-28"]}})

def hear(message):
    if message["method"] == "server/discover":
        can = {"tools": {"listChanged": True}}
        real(message["id"], supportedVersions=["2026-07-28"], capabilities=can, **CACHE)
    elif message["method"] == "subscriptions/listen":
        global subscription
        subscription = {"io.modelcontextprotocol/subscriptionId": message["id"]}
        say(method="notifications/subscriptions/acknowledged",
            params={"notifications": {"toolsListChanged": True}, "_meta": subscription})

real = answer
def answer(id, **result):
    real(id, **(CACHE if "tools" in result else {"resultType": "complete"}), **result)

def call(id, name, arguments, meta):
    TOOLS.append("more")
    say(method="notifications/tools/list_changed", params={"_meta": subscription})
    text(id, "changed")
"""


@pytest.mark.parametrize("code", [-32022, -32601])
async def test_one_that_no_longer_knows_initialize_is_met_as_it_wants(mounted, server, eventually, code):
    modern = server(MODERN.replace("CODE", str(code)))
    async with mounted(things=modern) as host:
        (info,) = await host.runner.mcp_servers()
        assert (info.state, info.error, info.tools) == ("ready", None, ("mcp__things__echo",))
        assert (await host.call_tool("mcp__things__echo", {})).text == "changed"
        await eventually(lambda: "mcp__things__more" in host.session.tools)


async def test_one_of_the_first_year_is_met_too(mounted, server):
    first = """
def shake(id, params):
    who = {"name": "old", "version": "1"}
    answer(id, protocolVersion="2024-11-05", capabilities={"tools": {}}, serverInfo=who)
"""
    async with mounted(things=server(first)) as host:
        assert (await host.call_tool("mcp__things__echo", {"a": 1})).text == '{"a": 1}'


async def test_one_that_refuses_for_another_reason_is_told_with_it(mounted, server):
    refuses = "def shake(id, params): say(id=id, error={'code': 1, 'message': 'licence expired'})"
    async with mounted(things=server(refuses)) as host:
        (info,) = await host.runner.mcp_servers()
    assert (info.state, info.error) == ("failed", "licence expired")


async def test_one_without_tools_brings_none(mounted, server):
    refuses = """
real = answer

def answer(id, **result):
    if "tools" in result:
        say(id=id, error={"code": -32601, "message": "there are none"})
    else:
        real(id, **result)
"""
    async with mounted(things=server(refuses)) as host:
        (info,) = await host.runner.mcp_servers()
    assert (info.state, info.tools) == ("ready", ())

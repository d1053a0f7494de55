"""What a client is offered and told, by a server in this process over real pipes."""

import asyncio

import pytest

TOOLS = """
import asyncio, os
from pihost import ImageContent, TextContent, ToolDefinition, ToolResult, hookimpl
from pihost.events import ToolCallResult
from pihost.tools import ToolAnnotations

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

async def weather(call_id, params, ctx):
    print("not for the client")
    ctx.on_update(ToolResult.from_text("asking"))
    await asyncio.sleep(0.05)
    data = {"celsius": 21, "city": params["city"]}
    blocks = [TextContent(text="21 degrees"), ImageContent(data="aGVsbG8=", mime_type="image/png")]
    return ToolResult(content=blocks, structured_content=data)

def setup(api):
    api.register_tool(ToolDefinition(
        name="weather", label="Weather", description="How warm it is.", parameters=SCHEMA, execute=weather,
        output_schema={"type": "object", "properties": {"celsius": {"type": "number"}}},
        annotations=ToolAnnotations(read_only=True, open_world=True),
    ))

    @api.tool(description="Choose the tools.")
    async def choose(names: str) -> str:
        api.set_active_tools(names.split())
        return "chosen"

    @api.tool(description="Half a pair.")
    async def half() -> str:
        return "x\\ud800y"

    @api.on("tool_execution_end")
    def ended(event, ctx):
        note(f"end {event.tool_name} {event.result.text}")

@hookimpl
def tool_call(event):
    if event.tool_name == "bash" and "forbidden" in event.input["command"]:
        return ToolCallResult(block=True, reason="not here")
"""


@pytest.fixture
def bench(open_host, extension):
    """A host with the tools of this module."""
    return open_host(extension(TOOLS))


async def test_it_says_who_it_is_and_that_tools_may_change(bench, served):
    async with bench as host, served(host, shake=False) as (client, _):
        result = await client.initialize()
    assert result["serverInfo"]["name"] == "pihost"
    assert result["capabilities"]["tools"] == {"listChanged": True}


async def test_active_tools_are_offered_with_all_that_is_said_of_them(bench, served):
    async with bench as host, served(host) as (client, _):
        tools = {tool["name"]: tool for tool in (await client.request("tools/list"))["tools"]}
    assert set(tools) == set(host.session.state.active_tools())
    weather = tools["weather"]
    assert weather["description"] == "How warm it is."
    assert weather["title"] == "Weather"
    assert weather["inputSchema"]["required"] == ["city"]
    assert weather["outputSchema"]["properties"] == {"celsius": {"type": "number"}}
    assert weather["annotations"]["readOnlyHint"] is True
    assert "destructiveHint" not in weather["annotations"]


async def test_a_result_brings_text_pictures_and_data(bench, served):
    async with bench as host, served(host) as (client, _):
        result = await client.call("weather", city="Ulm")
    assert [block["type"] for block in result["content"]] == ["text", "image"]
    assert result["content"][1]["mimeType"] == "image/png"
    assert result["structuredContent"] == {"celsius": 21, "city": "Ulm"}
    assert not result["isError"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("bash", {"command": "echo forbidden"}, "not here"),
        ("weather", {}, "city"),
        ("nothing", {}, "nothing"),
        ("grep", {"pattern": "x"}, "Unknown tool 'grep'"),
    ],
)
async def test_what_cannot_be_done_is_a_result_that_says_why(bench, served, name, arguments, said):
    async with bench as host, served(host) as (client, _):
        await client.call("choose", names="bash weather choose")
        result = await client.call(name, **arguments)
    assert result["isError"]
    assert said in result["content"][0]["text"]


async def test_updates_are_told_as_progress_to_whoever_asked_for_it(bench, served):
    async with bench as host, served(host) as (client, _):
        params = {"name": "weather", "arguments": {"city": "Ulm"}, "_meta": {"progressToken": "t"}}
        await client.request("tools/call", params)
        told = [one["params"] for one in client.notifications if one["method"] == "notifications/progress"]
        client.notifications.clear()
        await client.call("weather", city="Ulm")
    assert told == [{"progressToken": "t", "progress": 1, "message": "asking"}]
    assert client.notifications == []


async def test_a_cancelled_call_ends_its_program_and_its_hooks_run(
    bench, served, extension, project, gone, eventually
):
    async with bench as host, served(host) as (client, _):
        pid = project / "pid"
        number = client.ask(
            "tools/call", {"name": "bash", "arguments": {"command": f"echo $$ > {pid}; sleep 30"}}
        )
        await eventually(lambda: pid.exists() and pid.read_text())
        client.send("notifications/cancelled", {"requestId": number})
        await gone(pid.read_text())
        assert (await client.request("ping")) == {}
        await eventually(extension.notes)
    assert extension.notes() == ["end bash Tool call aborted."]
    assert client.notifications == []


async def test_other_active_tools_are_told_and_listed(bench, served):
    async with bench as host, served(host) as (client, _):
        await client.request("tools/list")
        await client.call("choose", names="choose weather")
        while {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"} not in client.notifications:
            client.notifications.append(await client.next())
        assert [tool["name"] for tool in (await client.request("tools/list"))["tools"]] == [
            "weather",
            "choose",
        ]


async def test_a_choice_that_changes_nothing_is_not_told(bench, served):
    async with bench as host, served(host) as (client, _):
        tools = [tool["name"] for tool in (await client.request("tools/list"))["tools"]]
        await client.call("choose", names=" ".join(tools))
        await client.request("ping")
    assert client.notifications == []


async def test_where_a_handler_may_change_results_no_data_is_promised(open_host, served, extension):
    patches = "\n@hookimpl\ndef tool_result(event): ...\n"
    async with open_host(extension(TOOLS + patches)) as host, served(host) as (client, _):
        tools = {tool["name"]: tool for tool in (await client.request("tools/list"))["tools"]}
    assert "outputSchema" not in tools["weather"]


async def test_half_a_surrogate_pair_is_sent_as_a_replacement_character(bench, served):
    async with bench as host, served(host) as (client, _):
        result = await client.call("half")
    assert result["content"][0]["text"] == "x\ufffdy"


@pytest.mark.parametrize("line", [b"hello", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b'{"id": 1}'])
async def test_a_line_that_is_no_message_is_answered_with_an_error_and_the_next_one_counts(
    bench, served, line
):
    async with bench as host, served(host) as (client, _):
        client.write(b"\n" + line + b"\n")
        message = await client.next()
        assert (message["id"], message["error"]["code"]) == (None, -32700)
        assert await client.request("ping") == {}


async def test_messages_may_come_one_byte_at_a_time(bench, served):
    async with bench as host, served(host) as (client, _):
        line = b'{"jsonrpc": "2.0", "id": "\xe2\x82\xac", "method": "ping"}\r\n'
        for place in range(len(line)):
            client.write(line[place : place + 1])
            await asyncio.sleep(0)
        assert (await client.next())["id"] == "€"


async def test_hanging_up_ends_the_call_under_way(bench, served, extension, project, eventually):
    async with bench as host, served(host) as (client, task):
        client.ask("tools/call", {"name": "bash", "arguments": {"command": "touch started; sleep 30"}})
        await eventually((project / "started").exists)
        client.hang_up()
        await asyncio.wait_for(task, 5)
    assert extension.notes() == ["end bash Tool call aborted."]


async def test_calls_run_side_by_side(bench, served):
    async with bench as host, served(host) as (client, _):
        slow = client.ask("tools/call", {"name": "bash", "arguments": {"command": "sleep 0.5"}})
        assert (await client.call("bash", command="echo quick"))["content"][0]["text"] == "quick\n"
        assert (await client.answer_to(slow))["result"]["isError"] is False

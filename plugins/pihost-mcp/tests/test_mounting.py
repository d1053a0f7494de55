"""Tools of servers in a session, by servers in processes of their own."""

import asyncio
import json

import pytest
from pihost_mcp._program import DEPTH

from pihost import ImageContent

RICH = """
TOOLS = [
    {"name": "look.up", "title": "Look it up", "description": "Finds things.",
     "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
     "outputSchema": {"type": "object", "properties": {"found": {"type": "integer"}}},
     "annotations": {"readOnlyHint": True, "openWorldHint": True}},
    "bare",
    "fails",
]

def call(id, name, arguments, meta):
    if name == "fails":
        text(id, "no such thing", isError=True)
    elif name == "bare":
        say(id=id, error={"code": -32602, "message": "not like this"})
    else:
        picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
        blocks = [{"type": "text", "text": arguments["what"]}, picture]
        answer(id, content=blocks, structuredContent={"found": 1})
"""


async def test_a_tool_is_offered_with_all_that_its_server_says_of_it(mounted, server):
    async with mounted(things=server(RICH)) as host:
        tool = host.session.state.active_tools()["mcp__things__look_up"]
    assert (tool.label, tool.description) == ("Look it up", "Finds things.")
    assert tool.schema.json_schema["required"] == ["what"]
    assert tool.output_schema["properties"] == {"found": {"type": "integer"}}
    assert (tool.annotations.read_only, tool.annotations.open_world) == (True, True)
    assert tool.annotations.destructive is None


async def test_a_tool_without_a_description_gets_one(mounted, server):
    async with mounted(things=server(RICH)) as host:
        assert host.session.tools["mcp__things__bare"].description == "bare, a tool of the MCP server things."


async def test_a_result_brings_text_pictures_and_data(mounted, server):
    async with mounted(things=server(RICH)) as host:
        result = await host.call_tool("mcp__things__look_up", {"what": "a key"})
    assert (result.text, result.is_error) == ("a key", False)
    assert result.content[1] == ImageContent(data="aGk=", mime_type="image/png")
    assert result.structured_content == {"found": 1}
    assert result.details == {"server": "things", "tool": "look.up"}


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("fails", {}, "no such thing"),
        ("bare", {}, "MCP server 'things': not like this"),
        ("look_up", {}, "'what' is a required property"),
    ],
)
async def test_what_fails_is_a_result_that_says_why(mounted, server, tool, arguments, said):
    async with mounted(things=server(RICH)) as host:
        result = await host.call_tool(f"mcp__things__{tool}", arguments)
    assert result.is_error
    assert said in result.text


SLOW = """
def call(id, name, arguments, meta):
    pause = arguments.pop("pause", 0)
    def progress(number):
        say(method="notifications/progress", params={
            "progressToken": meta["progressToken"], "progress": number, "total": 3, **arguments})
    def work():
        for number in (1, 2, 3):
            progress(number)
            time.sleep(pause)
        text(id, "done")
    threading.Thread(target=work, daemon=True).start()

def hear(message):
    if message["method"] == "notifications/cancelled":
        with open("cancelled", "w") as file: file.write(message["params"]["reason"])
"""


async def test_progress_is_shown_as_updates_and_prolongs_the_time_limit(mounted, server):
    seen = []
    async with mounted(things=server(SLOW, timeout=1.2)) as host:
        result = await host.call_tool(
            "mcp__things__echo", {"pause": 0.5}, on_update=lambda update: seen.append(update.text)
        )
    assert (result.text, seen) == ("done", ["1/3", "2/3", "3/3"])


async def test_a_word_of_progress_is_shown_as_it_is(mounted, server):
    seen = []
    async with mounted(things=server(SLOW)) as host:
        await host.call_tool("mcp__things__echo", {"message": "digging"}, on_update=seen.append)
    assert seen[0].text == "digging"


async def test_a_cancelled_call_is_told_to_the_server(mounted, server, project, eventually):
    seen = []
    async with mounted(things=server(SLOW)) as host:
        slow = host.call_tool("mcp__things__echo", {"pause": 30}, on_update=seen.append)
        call = asyncio.create_task(slow)
        await eventually(lambda: seen)
        call.cancel()
        await asyncio.wait({call})
        await eventually((project / "cancelled").exists)
        assert not (await host.call_tool("mcp__things__echo", {})).is_error


async def test_a_call_without_an_answer_ends_with_its_time_and_the_server_is_told(
    mounted, server, project, eventually
):
    silent = SLOW + "\ndef call(*_): ..."
    async with mounted(things=server(silent, timeout=0.2)) as host:
        result = await host.call_tool("mcp__things__echo", {})
        await eventually((project / "cancelled").exists)
    assert result.is_error
    assert "'echo' went 0.2 s without an answer" in result.text


async def test_other_tools_are_offered_as_soon_as_the_server_says_so(mounted, server, eventually):
    grows = """
def call(id, name, arguments, meta):
    TOOLS[:] = ["echo", "more"] if name == "echo" else ["more"]
    say(method="notifications/tools/list_changed")
    text(id, "changed")
"""
    async with mounted(things=server(grows)) as host:

        def offered():
            return {name for name in host.session.state.active_tools() if name.startswith("mcp")}

        await host.call_tool("mcp__things__echo", {})
        await eventually(lambda: offered() == {"mcp__things__echo", "mcp__things__more"})
        await host.call_tool("mcp__things__more", {})
        await eventually(lambda: offered() == {"mcp__things__more"})


async def test_names_that_fall_together_are_told_apart(mounted, server):
    same = server('TOOLS = ["a b", "a_b"]')
    async with mounted(**{"x y": same, "x_y": same}) as host:
        names = [name for name in host.session.tools if name.startswith("mcp__")]
        results = [(await host.call_tool(name, {})).details for name in names]
    assert len(names) == 4
    assert {(one["server"], one["tool"]) for one in results} == {
        (server, tool) for server in ("x y", "x_y") for tool in ("a b", "a_b")
    }


async def test_every_page_of_a_list_is_read_and_one_without_end_is_given_up(mounted, server):
    pages = """
def listed(): return [{"name": f"t{len(seen)}", "inputSchema": {"type": "object"}}]
seen = []
real = answer
def answer(id, **result):
    if "tools" in result:
        seen.append(id)
        if LAST is None or len(seen) < LAST: result["nextCursor"] = "more"
    real(id, **result)
"""
    async with mounted(three=server("LAST = 3" + pages), endless=server("LAST = None" + pages)) as host:
        endless, three = sorted(await host.runner.mcp_servers(), key=lambda info: info.name)
    assert len(three.tools) == 3
    assert (endless.state, "more than 100 pages" in endless.error) == ("failed", True)


async def test_a_tool_that_another_extension_has_is_left_to_it_and_told(mounted, server, extension):
    other = extension(
        "def setup(api):\n    api.tool(lambda: 'mine', name='mcp__things__echo', description='Mine.')\n"
    )
    async with mounted(other, things=server('TOOLS = ["echo", "free"]')) as host:
        (info,) = await host.runner.mcp_servers()
        assert (await host.call_tool("mcp__things__echo", {})).text == "mine"
    assert info.tools == ("mcp__things__free",)
    assert "'echo' is not offered" in info.error


REGISTERS = """
def setup(api):
    api.register_mcp_server("things", ENTRY)
    api.register_command("drop", handler=lambda words, ctx: api.unregister_mcp_server("things"))
"""


async def test_servers_that_extensions_register_run_until_they_are_taken_back(
    mounted, server, extension, eventually
):
    source = extension(REGISTERS.replace("ENTRY", repr(server())), name="acme")
    async with mounted(source) as host:
        (info,) = await host.runner.mcp_servers()
        assert (info.state, info.source, info.tools) == ("ready", "acme", ("mcp__things__echo",))
        async for _ in host.session.prompt("/drop"):
            pass
        await eventually(lambda: "mcp__things__echo" not in host.session.tools)
        assert await host.runner.mcp_servers() == []


async def test_the_users_file_has_the_last_word_on_a_registered_server(mounted, server, extension):
    source = extension(REGISTERS.replace("ENTRY", repr(server())))
    async with mounted(source, things={"disabled": True}) as host:
        assert await host.runner.mcp_servers() == []
        assert "mcp__things__echo" not in host.session.tools


async def test_a_projects_servers_run_only_where_it_is_trusted(mounted, server, project, names_servers):
    names_servers(
        project / ".pihost", {"own": server("open('ran', 'w')"), "shared": server('TOOLS = ["own"]')}
    )
    shared = server('TOOLS = ["users"]')
    async with mounted(shared=shared, options={"trust_override": False}) as host:
        assert [info.name for info in await host.runner.mcp_servers()] == ["shared"]
        assert "mcp__shared__users" in host.session.tools
    assert not (project / "ran").exists()
    async with mounted(shared=shared, options={"trust_override": True}) as host:
        assert {info.name for info in await host.runner.mcp_servers()} == {"own", "shared"}
        assert "mcp__shared__own" in host.session.tools
    assert (project / "ran").exists()


ENVIRONMENT = """
def call(id, name, arguments, meta):
    text(id, json.dumps({"env": dict(os.environ), "cwd": os.getcwd()}))
"""


async def test_a_server_gets_the_sdks_few_variables_the_configured_ones_and_a_directory(
    mounted, server, project, monkeypatch
):
    monkeypatch.setenv("ACME_TOKEN", "s3cret-token")
    (project / "sub").mkdir()
    entry = server(ENVIRONMENT, env={"TOKEN": "$ACME_TOKEN", "MODE": "${ACME_MODE:-quick}"}, cwd="sub")
    async with mounted(things=entry) as host:
        seen = json.loads((await host.call_tool("mcp__things__echo", {})).text)
    assert (seen["env"]["TOKEN"], seen["env"]["MODE"], seen["env"][DEPTH]) == ("s3cret-token", "quick", "1")
    assert seen["env"].keys() <= {
        *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"),
        *("TOKEN", "MODE", DEPTH),
    }
    assert seen["cwd"] == str(project / "sub")


async def test_a_variables_value_is_shown_nowhere(mounted, server, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("ACME_TOKEN", "s3cret-token")
    leaks = "print('refused', sys.argv[1], os.environ['TOKEN'], file=sys.stderr); sys.exit(1)"
    entry = server(leaks, env={"TOKEN": "$ACME_TOKEN"})
    entry["args"].append("--token=${ACME_TOKEN}")
    async with mounted(things=entry) as host:
        (info,) = await host.runner.mcp_servers()
    log = next(tmp_path.glob("home/data/*/things.log")).read_text()
    assert info.error == "exited with code 1: refused --token=*** ***"
    assert "refused --token=*** ***" in log
    assert "s3cret" not in log + caplog.text


async def test_a_variable_that_is_not_set_is_named(mounted, server):
    async with mounted(things=server(env={"TOKEN": "Bearer $NO_SUCH_TOKEN"})) as host:
        (info,) = await host.runner.mcp_servers()
    assert (info.state, info.error) == ("failed", "needs $NO_SUCH_TOKEN, which is not set")


async def test_a_host_that_seems_to_run_itself_stops_there(mounted, server, monkeypatch):
    monkeypatch.setenv(DEPTH, "3")
    async with mounted(things=server()) as host:
        (info,) = await host.runner.mcp_servers()
    assert "one seems to run itself" in info.error


async def test_messages_may_come_one_byte_at_a_time(mounted, server):
    drips = """
def say(**message):
    for byte in json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\r\\n":
        os.write(1, bytes([byte]))
"""
    async with mounted(things=server(drips)) as host:
        assert (await host.call_tool("mcp__things__echo", {"a": "é"})).text == '{"a": "\\u00e9"}'


async def test_half_a_surrogate_pair_in_a_message_becomes_a_replacement_character(mounted, server):
    async with mounted(things=server("def call(id, *_): text(id, 'x' + chr(0xd800))")) as host:
        assert (await host.call_tool("mcp__things__echo", {})).text == "x\ufffd"


@pytest.mark.usefixtures("hasty")
async def test_a_server_that_is_slow_to_start_holds_nothing_up(mounted, server):
    loop = asyncio.get_running_loop()
    slow = server("time.sleep(30)", start_timeout=0.5)
    begun = loop.time()
    async with mounted(wait=False, slow=slow, quick=server()) as host:
        assert loop.time() - begun < 15
        (slow, quick) = sorted(await host.runner.mcp_servers(within=20), key=lambda info: info.name)[::-1]
    assert (quick.state, slow.state, slow.error) == ("ready", "failed", "did not start within 0.5 s")


async def test_a_prompt_waits_for_servers_that_are_starting(mounted, server):
    late = server("time.sleep(0.4)")
    async with mounted(wait=False, things=late) as host:
        prompt = 'tool mcp__things__echo {"a": 1}'
        events = [event async for event in host.session.prompt(prompt)]
    (result,) = [event.result for event in events if event.hook_name == "tool_execution_end"]
    assert (result.text, result.is_error) == ('{"a": 1}', False)


async def test_faults_of_an_entry_and_of_a_file_are_told_and_the_others_run(
    mounted, server, project, names_servers, caplog
):
    (project / ".pihost").mkdir()
    (project / ".pihost" / "mcp.json").write_text("{")
    async with mounted(bad={"command": 3}, odd=server(comand="x"), options={"trust_override": True}) as host:
        bad, odd = await host.runner.mcp_servers()
    assert (bad.state, bad.error) == ("failed", "'command' must be a text that is not empty")
    assert (odd.state, odd.error) == ("ready", "'comand' means nothing here")
    assert "mcp.json: is not JSON" in caplog.text


async def test_a_person_is_told_in_their_own_window(mounted, caplog):
    from pihost.testing import FakeUI

    ui = FakeUI()
    async with mounted(gone={"command": "no-such-program"}, options={"mode": "interactive", "ui": ui}):
        pass
    assert ui.notices == [("warning", "MCP server 'gone': there is no program 'no-such-program'")]
    assert caplog.text == ""

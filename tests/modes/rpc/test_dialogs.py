"""Questions of extensions travel to the client and its answers back."""

import asyncio

import pytest

ASK = """
from pihost.content import ToolResult
def setup(api):
    async def ask(args, ctx):
        kind, _, seconds = args.partition(" ")
        limit = {"timeout": float(seconds)} if seconds else {}
        if kind == "select":
            answer = await ctx.ui.select("Which?", ["a", "b"], **limit)
        elif kind == "confirm":
            answer = await ctx.ui.confirm("Sure?", "Really?", **limit)
        else:
            answer = await ctx.ui.input("Name?", "nobody", **limit)
        ctx.ui.notify(repr(answer), "warning")
    api.register_command("ask", handler=ask)
"""
AT_START = """
def setup(api):
    @api.on("session_start")
    async def started(event, ctx):
        ctx.ui.set_status("answer", await ctx.ui.input("Who?"))
    @api.on("session_shutdown")
    async def ended(event, ctx):
        assert await ctx.ui.confirm("Save?", "Now?") is False
        (ctx.cwd / "ended").touch()
"""


@pytest.fixture(autouse=True)
def asking(extend):
    extend("ask", ASK)


def said(record):
    """A request without its id."""
    return {name: value for name, value in record.items() if name not in ("type", "id")}


@pytest.mark.parametrize(
    ("kind", "request_", "value", "answer"),
    [
        ("select", {"title": "Which?", "options": ["a", "b"]}, "b", "'b'"),
        ("select", {"title": "Which?", "options": ["a", "b"]}, None, "None"),
        ("confirm", {"title": "Sure?", "message": "Really?"}, True, "True"),
        ("confirm", {"title": "Sure?", "message": "Really?"}, None, "False"),
        ("input", {"title": "Name?", "placeholder": "nobody"}, "me", "'me'"),
        ("input", {"title": "Name?", "placeholder": "nobody"}, None, "None"),
    ],
)
async def test_a_dialog_is_answered_by_its_id(connected, kind, request_, value, answer):
    async with connected() as client:
        client.send(type="prompt", text=f"/ask {kind}")
        request = await client.until(type="extension_ui_request")
        client.send(type="extension_ui_response", id=request["id"], value=value)
        taken = await client.until(type="response", command="extension_ui_response")
        notice = await client.until(type="extension_ui_request")
        await client.until(type="agent_settled")
    assert said(request) == {"method": kind, "timeout": None, **request_}
    assert (taken["id"], taken["success"]) == (request["id"], True)
    assert said(notice) == {"method": "notify", "message": answer, "level": "warning"}


@pytest.mark.parametrize(
    ("kind", "value", "fault"),
    [
        ("select", "c", "ui-1 is answered with one of 'a', 'b', or null"),
        ("select", True, "ui-1 is answered with one of 'a', 'b', or null"),
        ("confirm", "yes", "ui-1 is answered with true, false or null"),
        ("input", False, "ui-1 is answered with a text or null"),
    ],
)
async def test_what_is_no_answer_leaves_the_dialog_open(connected, kind, value, fault):
    async with connected() as client:
        client.send(type="prompt", text=f"/ask {kind}")
        request = await client.until(type="extension_ui_request")
        client.send(type="extension_ui_response", id=request["id"], value=value)
        refused = await client.until(type="response", id=request["id"])
        client.send(type="extension_ui_response", id=request["id"], value=None)
        await client.until(type="agent_settled")
    assert refused["error"] == fault


async def test_an_answer_to_no_dialog_is_an_error(connected):
    async with connected() as client:
        client.send(type="extension_ui_response", id="ui-9", value=True)
        response = await client.until(type="response", id="ui-9")
    assert response["error"] == "no dialog 'ui-9' is open"


async def test_a_dialog_that_times_out_is_dismissed(connected):
    async with connected() as client:
        client.send(type="prompt", text="/ask confirm 0.1")
        request = await client.until(type="extension_ui_request")
        dismissed = await client.until(type="extension_ui_request")
        notice = await client.until(type="extension_ui_request")
        await client.until(type="agent_settled")
    assert request["timeout"] == 0.1
    assert (dismissed["method"], dismissed["id"]) == ("dismiss", request["id"])
    assert notice["message"] == "False"


async def test_other_commands_are_done_while_a_dialog_is_open(connected):
    async with connected() as client:
        client.send(type="prompt", text="/ask confirm")
        request = await client.until(type="extension_ui_request")
        assert (await client.ask(type="get_state"))["data"]["is_idle"] is False
        client.send(type="extension_ui_response", id=request["id"], value=True)
        await client.until(type="agent_settled")


async def test_a_run_that_is_aborted_dismisses_its_dialog(connected):
    async with connected() as client:
        client.send(type="prompt", text="/ask confirm")
        request = await client.until(type="extension_ui_request")
        client.send(type="abort")
        dismissed = await client.until(type="extension_ui_request")
    assert (dismissed["method"], dismissed["id"]) == ("dismiss", request["id"])


async def test_a_client_that_leaves_dismisses_its_dialogs(connected):
    async with connected() as client:
        client.send(type="prompt", text="/ask select")
        await client.until(type="extension_ui_request")
        client.close()
        async with asyncio.timeout(10):
            await client.served
    assert "agent_settled" in client.types()


async def test_an_answer_gets_through_however_many_commands_wait(connected, extend):
    """A session is being changed, which waits for a dialog, and everything else waits for the change."""
    extend(
        "hold",
        "def setup(api):\n"
        " @api.on('session_before_switch')\n"
        " async def hold(event, ctx): await ctx.ui.confirm('Leave?', 'Now?')",
    )
    async with connected() as client:
        client.send(type="new_session", id="new")
        request = await client.until(type="extension_ui_request")
        for number in range(300):
            client.send(type="get_state", id=number)
        client.send(type="extension_ui_response", id=request["id"], value=True)
        assert (await client.until(type="response", id="new"))["success"] is True
        answered = {r["id"]: r["success"] for r in client.seen if r["type"] == "response"}
        while len(answered) < 302:
            record = await client.until(type="response")
            answered[record["id"]] = record["success"]
    assert (answered[0], answered[299]) == (True, False)


async def test_a_dialog_of_the_start_is_answered_before_commands_are_done(connected, extend):
    extend("start", AT_START)
    answered = []

    def answer(client):
        client.send(type="get_state", id="early")
        client.send(type="extension_ui_response", id="ui-1", value="me")
        answered.append(client)

    async with connected(before=answer) as client:
        status = await client.until(type="extension_ui_request", method="set_status")
        await client.until(type="response", id="early")
    assert (status["key"], status["text"]) == ("answer", "me")
    assert answered


async def test_a_dialog_of_the_end_finds_nobody(connected, extend, project):
    extend("start", AT_START)
    async with connected(before=lambda c: c.send(type="extension_ui_response", id="ui-1", value="x")):
        pass
    assert (project / "ended").exists()

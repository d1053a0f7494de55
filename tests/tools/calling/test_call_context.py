import inspect
from types import SimpleNamespace

import pytest

from pihost.content import ToolResult
from pihost.context import ExtensionContext
from pihost.tools.calling.call_context import ToolCallContext

MEMBERS = [name for name in vars(ExtensionContext) if not name.startswith("_")]


class Session:
    """Notes what it is asked for."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        return lambda *_arguments: None


@pytest.mark.parametrize("name", MEMBERS)
def test_everything_of_the_session_is_handed_through(name):
    session = Session()
    member = getattr(ToolCallContext(session), name)
    if inspect.isfunction(vars(ExtensionContext)[name]):
        member()
    assert session.asked == [name]


def test_without_more_there_is_no_call_and_nothing_to_add():
    ctx = ToolCallContext(SimpleNamespace())
    assert (ctx.call_id, dict(ctx.env)) == ("", {})
    ctx.on_update(ToolResult())


async def test_what_belongs_to_the_call_is_its_own():
    async def execute(name, args):
        return ToolResult.from_text(f"{name} {args}")

    seen = []
    ctx = ToolCallContext(
        SimpleNamespace(), call_id="c", env={"A": "1"}, on_update=seen.append, execute_tool=execute
    )
    ctx.on_update(ToolResult.from_text("half"))
    assert (ctx.call_id, ctx.env["A"], seen[0].text) == ("c", "1", "half")
    assert (await ctx.execute_tool("t", {})).text == "t {}"

"""The pipeline with real hooks: what extensions do to a call, and what the model is told of it."""

import asyncio

import attrs
import pytest

from pihost.content import TextContent, ToolCall, ToolResult
from pihost.events import ToolCallResult, ToolResultPatch
from pihost.hooks import HookTable
from pihost.tools.calling.pipeline import call_tool, prepare_call
from pihost.tools.definition import ToolDefinition


@attrs.frozen(kw_only=True)
class Parameters:
    n: int = 0


class Runner:
    """A dispatcher over a hook table, as the host has one."""

    def __init__(self):
        self.errors, self.blocks = [], []
        self.table = HookTable(
            on_error=self.errors.append,
            on_block=lambda extension, event, reason: self.blocks.append((extension, reason)),
            hook_timeout=0.1,
        )

    async def emit(self, event):
        return await self.table.emit(event, None)

    def has_handlers(self, name):
        return self.table.has_handlers(name)


@pytest.fixture
def runner():
    return Runner()


@pytest.fixture
def ran():
    return []


@pytest.fixture
def offered(ran):
    async def execute(call_id, params, ctx):
        ran.append(params.n)
        return ToolResult.from_text(f"n is {params.n}, key is s3cret")

    return {"t": ToolDefinition(name="t", description="T.", parameters=Parameters, execute=execute)}


def call(n=1, call_id="c"):
    return ToolCall(id=call_id, name="t", arguments={"n": n})


async def raises(event, ctx):
    raise RuntimeError("boom")


async def hangs(event, ctx):
    await asyncio.sleep(60)


def answers(value):
    async def answer(event, ctx):
        return value

    return answer


@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final"])
@pytest.mark.parametrize("handler", [raises, hangs, answers("no"), answers({"block": "yes"}), answers(True)])
async def test_a_guard_that_fails_blocks_and_is_named(runner, offered, ran, ctx, hook, handler):
    runner.table.subscribe("guard", hook, handler)
    result = await call_tool(offered, call(), ctx=ctx, hooks=runner)
    assert (result.is_error, ran) == (True, [])
    assert "'guard'" in result.text
    assert runner.blocks[0][0] == "guard"


async def test_arguments_changed_to_what_does_not_fit_name_the_extension(runner, offered, ran, ctx):
    def bad(event, ctx):
        event.input["m"] = 1

    runner.table.subscribe("innocent", "tool_call", answers(None))
    runner.table.subscribe("culprit", "tool_call", bad)
    result = await call_tool(offered, call(), ctx=ctx, hooks=runner)
    assert (result.is_error, ran) == (True, [])
    assert "Extension 'culprit' changed the arguments in tool_call" in result.text
    assert "$.m: unknown" in result.text
    assert "innocent" not in result.text


async def test_the_first_block_ends_the_asking(runner, offered, ran, ctx):
    asked = []
    runner.table.subscribe("a", "tool_call", answers(ToolCallResult(block=True, reason="because")))
    runner.table.subscribe("b", "tool_call", lambda event, ctx: asked.append(event))
    result = await call_tool(offered, call(), ctx=ctx, hooks=runner)
    assert (result.text, ran, asked) == ("because", [], [])


async def test_results_are_changed_in_order(runner, offered, ctx):
    def mask(event, ctx):
        return ToolResultPatch(content=[TextContent(text=event.content[0].text.replace("s3cret", "***"))])

    def append(event, ctx):
        return ToolResultPatch(content=[*event.content, TextContent(text="a line")])

    runner.table.subscribe("mask", "tool_result", mask)
    runner.table.subscribe("append", "tool_result", append)
    runner.table.subscribe("annotate", "tool_result", answers(ToolResultPatch(details={"by": "third"})))
    result = await call_tool(offered, call(), ctx=ctx, hooks=runner)
    assert (result.text, result.details) == ("n is 1, key is ***\na line", {"by": "third"})


@pytest.mark.parametrize("fault", [raises, hangs])
async def test_e09_a_failing_result_handler_marks_that_result_and_no_other(runner, offered, ctx, fault):
    async def second_only(event, ctx):
        return await fault(event, ctx) if event.tool_call_id == "c2" else None

    runner.table.subscribe("broken", "tool_result", second_only)
    prepared = [await prepare_call(offered, call(n, f"c{n}"), ctx=ctx, hooks=runner) for n in (1, 2, 3)]
    first, second, third = await asyncio.gather(*(each.run() for each in prepared))
    assert [first.text, third.text] == ["n is 1, key is s3cret", "n is 3, key is s3cret"]
    assert [first.is_error, second.is_error, third.is_error] == [False, True, False]
    assert "Extension 'broken' failed on this result: " in second.text
    assert [(error.extension, error.event) for error in runner.errors] == [("broken", "tool_result")]


async def test_a_later_handler_cannot_hide_that_one_failed(runner, offered, ctx):
    runner.table.subscribe("broken", "tool_result", raises)
    patch = ToolResultPatch(content=[TextContent(text="fine")], is_error=False)
    runner.table.subscribe("after", "tool_result", answers(patch))
    result = await call_tool(offered, call(), ctx=ctx, hooks=runner)
    assert result.is_error
    assert result.text.startswith("fine\n[Extension 'broken' failed")


async def test_a_wrong_answer_to_a_result_is_reported_and_changes_nothing(runner, offered, ctx):
    runner.table.subscribe("odd", "tool_result", answers("text"))
    result = await call_tool(offered, call(), ctx=ctx, hooks=runner)
    assert (result.text, result.is_error) == ("n is 1, key is s3cret", False)
    assert len(runner.errors) == 1

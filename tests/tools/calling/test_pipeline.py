import asyncio
import threading
from types import MappingProxyType

import attrs
import pytest

from pihost.content import ToolCall, ToolResult
from pihost.events import ToolCallResult
from pihost.tools.calling import aborting
from pihost.tools.calling.pipeline import call_tool, prepare_call
from pihost.tools.definition import ToolDefinition


@attrs.frozen(kw_only=True)
class Say:
    text: str
    words: list[str] = attrs.field(factory=list)


async def echo(call_id, params, ctx):
    return ToolResult.from_text(params.text)


def tool(execute=echo, name="say", **fields):
    return ToolDefinition(name=name, description="Says it.", parameters=Say, execute=execute, **fields)


def tools(*definitions):
    return {definition.name: definition for definition in definitions}


def call(name="say", **arguments):
    return ToolCall(id="c1", name=name, arguments=arguments or {"text": "hi"})


@pytest.fixture
def run(ctx, hooks):
    async def run(execute=echo, arguments=None, **fields):
        sent = ToolCall(id="c1", name="say", arguments={"text": "hi"} if arguments is None else arguments)
        return await call_tool(tools(tool(execute, **fields)), sent, ctx=ctx, hooks=hooks)

    return run


async def test_a_call_without_hooks_returns_the_tools_result(ctx):
    result = await call_tool(tools(tool()), call(text="hello"), ctx=ctx)
    assert (result.text, result.is_error) == ("hello", False)


async def test_events_come_in_order(run, hooks):
    async def nothing(event):
        return None

    for name in ("tool_call", "tool_call_final", "tool_result"):
        hooks.on(name, nothing)

    async def with_update(call_id, params, ctx):
        ctx.on_update(ToolResult.from_text("half"))
        return ToolResult.from_text("whole")

    await run(with_update)
    assert hooks.names == [
        "tool_execution_start",
        "tool_call",
        "tool_call_final",
        "tool_execution_update",
        "tool_result",
        "tool_execution_end",
    ]


async def test_start_and_end_carry_the_arguments_as_sent_and_end_the_result(run, hooks):
    await run(prepare_arguments=lambda sent: {"text": sent["txt"]}, arguments={"txt": "x"})
    start, end = hooks.named("tool_execution_start")[0], hooks.named("tool_execution_end")[0]
    assert start.args == end.args == {"txt": "x"}
    assert (end.result.text, end.is_error) == ("x", False)
    assert end.duration_ms > 0


async def test_a_plain_function_may_be_a_tool(run):
    assert (await run(lambda *_: ToolResult.from_text("plain"))).text == "plain"


async def test_an_unknown_tool_is_an_error_with_near_names_and_both_events(ctx, hooks):
    result = await call_tool(tools(tool()), call("sya"), ctx=ctx, hooks=hooks)
    assert result.is_error
    assert result.text == "Unknown tool 'sya' (did you mean 'say'?). Available tools: say."
    assert hooks.names == ["tool_execution_start", "tool_execution_end"]


async def test_arguments_of_the_wrong_shape_name_path_and_expectation(run, hooks):
    result = await run(arguments={"text": 3, "wrds": []})
    assert result.is_error
    assert "- $.wrds: unknown (did you mean 'words'?)\n- $.text: Expected str, got int" in result.text
    assert hooks.names == ["tool_execution_start", "tool_execution_end"]


async def test_arguments_that_are_no_object_are_an_error(run):
    assert "Expected object, got array" in (await run(arguments=["x"])).text


async def test_a_raising_prepare_is_an_error(run):
    def broken(sent):
        raise KeyError("text")

    assert "KeyError" in (await run(prepare_arguments=broken)).text


async def test_prepare_cannot_change_the_arguments_as_sent(run, hooks):
    def clear(sent):
        sent["words"].append("x")
        return sent

    await run(prepare_arguments=clear, arguments={"text": "", "words": []})
    assert hooks.named("tool_execution_end")[0].args == {"text": "", "words": []}


async def test_a_handlers_patch_reaches_the_tool(run, hooks):
    async def patch(event):
        event.input["text"] = "patched"

    hooks.on("tool_call", patch)
    assert (await run()).text == "patched"


async def test_a_patch_that_does_not_fit_is_an_error_that_blames_the_handler(run, hooks):
    async def patch(event):
        event.input["text"] = 1

    hooks.on("tool_call", patch)
    result = await run()
    assert result.is_error
    assert "An extension changed the arguments in tool_call" in result.text
    assert "$.text: Expected str, got int" in result.text


async def test_a_block_keeps_the_tool_from_running_and_ends_the_run_if_it_says_so(run, hooks):
    ran = []

    async def block(event):
        return ToolCallResult(block=True, reason="not today", terminate=True)

    hooks.on("tool_call", block)
    result = await run(lambda *_: ran.append(1))
    assert (result.text, result.is_error, result.terminate, ran) == ("not today", True, True, [])
    assert hooks.names[-1] == "tool_execution_end"


@pytest.mark.parametrize("answer", ["no", {"block": "yes"}, True])
@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final"])
async def test_an_answer_that_is_none_blocks(run, hooks, hook, answer):
    async def reply(event):
        return answer

    hooks.on(hook, reply)
    result = await run()
    assert result.is_error
    assert "blocked" in result.text


async def test_a_raising_dispatch_blocks(run, hooks):
    async def broken(event):
        raise RuntimeError("boom")

    hooks.on("tool_call", broken)
    result = await run()
    assert (result.text, result.is_error) == ("RuntimeError: boom", True)


async def test_the_final_event_sees_what_will_run_and_cannot_change_it(run, hooks):
    seen = []

    async def patch(event):
        event.input["words"].append("b")

    async def look(event):
        seen.append(event.input)
        with pytest.raises(TypeError):
            event.input["text"] = "evil"
        with pytest.raises(AttributeError):
            event.input["words"].append("evil")

    hooks.on("tool_call", patch)
    hooks.on("tool_call_final", look)

    async def words(call_id, params, ctx):
        return ToolResult.from_text(" ".join(params.words))

    assert (await run(words, arguments={"text": "", "words": ["a"]})).text == "a b"
    assert seen == [{"text": "", "words": ("a", "b")}]


async def test_a_kept_event_changes_nothing_later(run, hooks):
    async def keep(event):
        asyncio.get_running_loop().call_soon(event.input["words"].append, "late")

    async def wait(event):
        await asyncio.sleep(0.01)

    hooks.on("tool_call", keep)
    hooks.on("tool_call_final", wait)

    async def words(call_id, params, ctx):
        return ToolResult.from_text(" ".join(params.words))

    assert (await run(words, arguments={"text": "", "words": ["a"]})).text == "a"


async def test_an_exception_that_cannot_be_told_is_an_error_result(run):
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    async def failing(call_id, params, ctx):
        raise MuteError

    result = await run(failing)
    assert (result.text, result.is_error) == ("MuteError: (its text cannot be made)", True)


@pytest.mark.parametrize("fault", [RuntimeError("boom"), SystemExit(2), asyncio.CancelledError()])
async def test_whatever_a_tool_raises_is_an_error_result(run, hooks, fault):
    async def broken(call_id, params, ctx):
        raise fault

    result = await run(broken)
    assert result.is_error
    assert hooks.names == ["tool_execution_start", "tool_execution_end"]


@pytest.mark.parametrize("answer", [None, "text", ToolResult(content=["text"])])
async def test_what_is_no_result_is_an_error_that_says_so(run, answer):
    result = await run(lambda *_: answer)
    assert result.is_error
    assert "Tool 'say' returned" in result.text


async def test_a_result_handler_has_the_last_word_but_cannot_undo_terminate(run, hooks):
    async def change(event):
        assert event.input == {"text": "hi"}
        return ToolResult.from_text(event.content[0].text + "!")

    hooks.on("tool_result", change)
    result = await run(lambda *_: attrs.evolve(ToolResult.from_text("hi"), terminate=True))
    assert (result.text, result.terminate) == ("hi!", True)
    assert hooks.named("tool_execution_end")[0].result == result


async def test_updates_reach_the_events_in_order_and_late_ones_nobody(run, hooks, updates):
    kept = []

    async def counting(call_id, params, ctx):
        kept.append(ctx)
        for number in range(3):
            ctx.on_update(ToolResult.from_text(str(number)))
        return ToolResult.from_text("done")

    await run(counting)
    kept[0].on_update(ToolResult.from_text("late"))
    await asyncio.sleep(0)
    partial = [event.partial_result.text for event in hooks.named("tool_execution_update")]
    assert partial == ["0", "1", "2"]
    assert [update.text for update in updates][:3] == ["0", "1", "2"]


async def test_a_nested_call_goes_through_the_same_pipeline_with_its_parents_id(ctx, hooks):
    async def outer(call_id, params, context):
        return await context.execute_tool("say", {"text": f"from {context.call_id}"})

    both = tools(tool(), tool(outer, name="outer"))
    result = await call_tool(both, call("outer"), ctx=ctx, hooks=hooks)
    assert result.text == "from c1"
    starts = [(e.tool_call_id, e.parent_tool_call_id) for e in hooks.named("tool_execution_start")]
    ends = [(e.tool_call_id, e.parent_tool_call_id) for e in hooks.named("tool_execution_end")]
    assert starts == [("c1", None), ("c1.1", "c1")]
    assert ends == [("c1.1", "c1"), ("c1", None)]


async def test_an_abort_ends_a_hanging_tool_and_is_a_result(ctx, hooks, run):
    async def hang(call_id, params, context):
        context.signal.abort()
        await asyncio.sleep(60)

    result = await run(hang)
    assert result.is_error
    assert "aborted" in result.text
    assert hooks.names[-1] == "tool_execution_end"


async def test_after_an_abort_nothing_starts(ctx, run):
    ctx.signal.abort()
    assert "aborted" in (await run()).text


async def test_what_an_aborted_tool_still_returns_is_kept(run):
    async def tidy(call_id, params, context):
        context.signal.abort()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return ToolResult.from_text("half of it", is_error=True)

    assert (await run(tidy)).text == "half of it"


async def test_a_tool_that_swallows_the_abort_is_left_behind(run, monkeypatch):
    monkeypatch.setattr(aborting, "GRACE_SECONDS", 0.05)
    left = asyncio.Event()

    async def stubborn(call_id, params, context):
        context.signal.abort()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await left.wait()

    result = await run(stubborn)
    assert "aborted" in result.text
    left.set()
    await asyncio.sleep(0.01)


async def test_cancelling_the_caller_cancels_the_tool_fires_the_end_and_escapes(run, hooks):
    seen = []

    async def hang(call_id, params, context):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    task = asyncio.create_task(run(hang))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["cancelled"]
    assert hooks.names == ["tool_execution_start", "tool_execution_end"]
    assert "aborted" in hooks.events[-1].result.text


async def test_a_cancelled_dialog_fires_the_end(run, hooks):
    async def ask(event):
        await asyncio.sleep(60)

    hooks.on("tool_call", ask)
    task = asyncio.create_task(run())
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert hooks.names == ["tool_execution_start", "tool_call", "tool_execution_end"]


async def test_prepared_calls_run_side_by_side(ctx, hooks):
    meeting = asyncio.Barrier(2)

    async def meet(call_id, params, context):
        await asyncio.wait_for(meeting.wait(), 5)
        return ToolResult.from_text("met")

    offered = tools(tool(meet))
    prepared = [await prepare_call(offered, call(), ctx=ctx, hooks=hooks) for _ in range(2)]
    results = await asyncio.gather(*(each.run() for each in prepared))
    assert [result.text for result in results] == ["met", "met"]


async def test_an_abandoned_call_fires_its_end(ctx, hooks):
    prepared = await prepare_call(tools(tool()), call(), ctx=ctx, hooks=hooks)
    assert (await prepared.abandon()).is_error
    assert hooks.names == ["tool_execution_start", "tool_execution_end"]


async def test_nested_calls_need_a_call(ctx):
    with pytest.raises(RuntimeError, match="no tool call is under way"):
        await ctx.execute_tool("say", {})


async def test_a_call_whose_arguments_are_no_json_object_does_not_run(ctx):
    """Even where the tool asks for nothing: what the model meant is not known."""
    ran = []

    async def run(call_id, params, ctx):
        ran.append(params)
        return ToolResult.from_text("ran")

    free = attrs.evolve(tool(run), parameters={"type": "object"})
    sent = ToolCall(id="c1", name="say", invalid_json='{"text": "h')
    result = await call_tool(tools(free), sent, ctx=ctx)
    assert (result.is_error, ran) == (True, [])
    assert result.text == ("Invalid arguments for tool 'say':\nmust be one JSON object, not '{\"text\": \"h'")


async def test_arguments_that_cannot_be_copied_are_an_error_result(run, hooks):
    """An extension may call a tool with anything."""
    result = await run(arguments={"text": threading.Lock()})
    assert result.is_error
    assert hooks.names == ["tool_execution_start", "tool_execution_end"]


async def test_arguments_may_be_any_mapping(run):
    """Such as those that a handler was shown."""
    assert (await run(arguments=MappingProxyType({"text": "shown"}))).text == "shown"

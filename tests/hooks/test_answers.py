"""How answers combine, hook by hook: what counts, what is passed on, what comes out."""

import attrs
import pytest

from pihost.content import ImageContent, TextContent, ToolResult
from pihost.events import (
    BeforeAgentStartResult,
    ContextResult,
    InputResult,
    MessageEndResult,
    ProjectTrustResult,
    Settle,
    ToolCallResult,
    ToolResultPatch,
    UserBashResult,
)
from pihost.messages import AssistantMessage, CustomMessage, SystemMessage, UserMessage

BLOCK = ToolCallResult(block=True, reason="no")


def answer(value):
    """A handler that answers this."""
    return lambda event, ctx: value


def note(text):
    return CustomMessage(kind="note", content=text)


# notify


async def test_notify_calls_everybody_and_gives_nothing(desk, events):
    seen = []
    desk.on("turn_start", *[lambda event, ctx, n=n: seen.append(n) for n in range(3)])

    assert await desk.emit(events.turn_start) is None
    assert seen == [0, 1, 2]


async def test_notify_reports_an_answer_once(desk, events):
    desk.on("turn_start", answer(True))

    for _ in range(3):
        assert await desk.emit(events.turn_start) is None

    assert [e.error for e in desk.errors] == ["answered True; answers to this hook are ignored"]


# gates


@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final"])
async def test_the_first_block_ends_the_dispatch(desk, events, hook):
    called = []
    desk.on(hook, answer(None), answer(BLOCK), lambda event, ctx: called.append(1))

    assert await desk.emit(getattr(events, hook)) is BLOCK
    assert called == []
    assert desk.blocks == [("b", hook, "no")]


async def test_block_false_is_no_block(desk, events):
    desk.on("tool_call", answer(ToolCallResult(reason="fine", terminate=True)), answer(BLOCK))

    assert await desk.emit(events.tool_call) is BLOCK


async def test_nobody_blocks(desk, events):
    desk.on("tool_call", answer(ToolCallResult()), answer(None))

    assert await desk.emit(events.tool_call) is None
    assert desk.blocks == []


async def test_a_block_without_a_reason_names_the_extension(desk, events):
    desk.on("tool_call", answer(ToolCallResult(block=True)))

    await desk.emit(events.tool_call)

    assert desk.blocks == [("a", "tool_call", "Blocked by extension 'a'")]


async def test_tool_call_patches_arguments_in_place(desk, events):
    desk.on("tool_call", lambda event, ctx: event.input.update(timeout=5))

    await desk.emit(events.tool_call)

    assert events.tool_call.input == {"command": "ls", "timeout": 5}


@pytest.mark.parametrize("wrong", ["no", {"block": "yes"}, True, 0, ToolCallResult(block=True, reason=5)])
@pytest.mark.parametrize("hook", ["tool_call", "tool_call_final"])
async def test_e05_an_answer_of_the_wrong_type_blocks(desk, events, hook, wrong):
    desk.on(hook, answer(wrong))

    result = await desk.emit(getattr(events, hook))

    assert result.block
    assert "extension 'a'" in result.reason
    assert desk.reports == [("a", hook)]
    assert desk.blocks == [("a", hook, result.reason)]


# first


async def test_user_bash_takes_the_first_answer(desk, events):
    mine = UserBashResult(result=ToolResult.from_text("done"))
    desk.on("user_bash", answer(None), answer(mine), answer(UserBashResult(result=ToolResult())))

    assert await desk.emit(events.user_bash) is mine
    assert desk.blocks == []


@pytest.mark.parametrize("wrong", ["ls -l", {"result": None}, UserBashResult(result="text")])
async def test_user_bash_refuses_on_a_wrong_answer(desk, events, wrong):
    desk.on("user_bash", answer(wrong))

    result = await desk.emit(events.user_bash)

    assert result.result.is_error
    assert "extension 'a'" in result.result.text
    assert desk.blocks == [("a", "user_bash", result.result.text)]


async def test_g17_project_trust_passes_on_undecided(desk, events):
    asked = []
    yes = ProjectTrustResult(trusted="yes", remember=True)
    desk.on(
        "project_trust",
        answer(ProjectTrustResult(trusted="undecided")),
        answer(yes),
        lambda event, ctx: asked.append("third"),
    )

    result = await desk.emit(events.project_trust)

    assert (result, result.extension, asked) == (yes, "b", [])


@pytest.mark.parametrize("value", [None, ProjectTrustResult(trusted="undecided"), {"trusted": True}])
async def test_g17_project_trust_without_a_word_is_none(desk, events, value):
    desk.on("project_trust", answer(value))

    assert await desk.emit(events.project_trust) is None
    assert len(desk.errors) == isinstance(value, dict)


# input


async def test_input_left_alone_goes_on(desk, events):
    assert await desk.emit(events.input) == InputResult.continue_()

    desk.on("input", answer(None), answer(InputResult.continue_()))

    assert await desk.emit(events.input) == InputResult.continue_()


async def test_input_is_transformed_step_by_step(desk, events):
    picture = ImageContent(data="", mime_type="image/png")
    desk.on(
        "input",
        lambda event, ctx: InputResult.transform(event.text + "!", [picture]),
        lambda event, ctx: InputResult.transform(event.text + "?", event.images),
    )

    assert await desk.emit(events.input) == InputResult.transform("hello!?", [picture])


async def test_input_handled_ends_the_dispatch(desk, events):
    called = []
    desk.on("input", answer(InputResult.handled()), lambda event, ctx: called.append(1))

    assert await desk.emit(events.input) == InputResult.handled()
    assert called == []


@pytest.mark.parametrize(
    "wrong", ["text", InputResult(action="transform", text=5), InputResult(action="eat")]
)
async def test_a_wrong_input_answer_is_reported_and_ignored(desk, events, wrong):
    desk.on("input", answer(wrong))

    assert await desk.emit(events.input) == InputResult.continue_()
    assert desk.reports == [("a", "input")]


# before_agent_start, agent_before_settle


async def test_before_agent_start_adds_messages_and_keeps_the_last_prompt(desk, events):
    one, two = note("1"), note("2")
    desk.on(
        "before_agent_start",
        lambda event, ctx: BeforeAgentStartResult(message=one, system_prompt=event.system_prompt + "a"),
        lambda event, ctx: BeforeAgentStartResult(message=two),
        lambda event, ctx: BeforeAgentStartResult(system_prompt=event.system_prompt + "b"),
    )

    assert await desk.emit(events.before_agent_start) == ((one, two), "sab")


async def test_before_agent_start_nobody_answers(desk, events):
    assert await desk.emit(events.before_agent_start) == ((), "s")


@pytest.mark.parametrize(
    "wrong", [BeforeAgentStartResult(message="x"), BeforeAgentStartResult(system_prompt=5)]
)
async def test_before_agent_start_ignores_what_does_not_fit(desk, events, wrong):
    desk.on("before_agent_start", answer(wrong))

    assert await desk.emit(events.before_agent_start) == ((), "s")
    assert desk.reports == [("a", "before_agent_start")]


async def test_settle_adds_up_and_goes_on_if_anybody_says_so(desk, events):
    one, two = note("1"), note("2")
    lengths = []

    def second(event, ctx):
        lengths.append(len(event.messages))
        return Settle(messages=[two])

    desk.on("agent_before_settle", answer(Settle(messages=[one], go_on=True)), second)

    assert await desk.emit(events.agent_before_settle) == Settle(messages=[one, two], go_on=True)
    assert lengths == [2]


async def test_settle_takes_only_custom_messages(desk, events):
    desk.on("agent_before_settle", answer(Settle(messages=[UserMessage.from_text("x")], go_on=True)))

    assert await desk.emit(events.agent_before_settle) == Settle()
    assert desk.reports == [("a", "agent_before_settle")]


# context


async def test_context_is_replaced_step_by_step(desk, events):
    desk.on(
        "context",
        lambda event, ctx: ContextResult(messages=[*event.messages, note("1")]),
        answer(None),
        lambda event, ctx: ContextResult(messages=event.messages[1:]),
    )

    (left,) = await desk.emit(events.context)

    assert left.text == "1"


async def test_context_nobody_answers(desk, events):
    assert await desk.emit(events.context) == events.context.messages


async def test_context_takes_only_messages(desk, events):
    desk.on("context", answer(ContextResult(messages=["hello"])))

    assert await desk.emit(events.context) == events.context.messages
    assert desk.reports == [("a", "context")]


async def test_dropping_the_system_message_is_reported(desk, events):
    desk.on("context_with_system", lambda event, ctx: ContextResult(messages=event.messages[1:]))

    messages = await desk.emit(events.context_with_system)

    assert messages == events.context_with_system.messages[1:]
    assert [e.error for e in desk.errors] == ["dropped the system message: the request goes out without it"]


async def test_changing_the_system_message_is_not_reported(desk, events):
    desk.on(
        "context_with_system",
        lambda event, ctx: ContextResult(messages=[SystemMessage(text="t"), *event.messages[1:]]),
    )

    assert (await desk.emit(events.context_with_system))[0].text == "t"
    assert desk.errors == []


# before_provider_request, message_end


async def test_e02_payload_none_leaves_and_an_empty_one_replaces(desk, events):
    desk.on("before_provider_request", lambda event, ctx: {**event.payload, "x": 1}, answer(None))
    assert await desk.emit(events.before_provider_request) == {"model": "m", "x": 1}

    desk.table.subscribe("z", "before_provider_request", answer({}))
    assert await desk.emit(events.before_provider_request) == {}


async def test_a_payload_must_be_a_mapping(desk, events):
    desk.on("before_provider_request", answer([]))

    assert await desk.emit(events.before_provider_request) == {"model": "m"}
    assert desk.errors[0].error == "answered a value of type list; the answer must be Mapping or None"


async def test_e04_message_end_goes_on_after_one_raises(desk, events):
    def broken(event, ctx):
        raise ValueError("boom")

    def shout(event, ctx):
        return MessageEndResult(message=UserMessage.from_text(event.message.text.upper()))

    def twice(event, ctx):
        return MessageEndResult(message=UserMessage.from_text(event.message.text * 2))

    desk.on("message_end", broken, shout, twice)

    assert (await desk.emit(events.message_end)).text == "HELLOHELLO"
    (error,) = desk.errors
    assert (error.extension, error.event, error.error) == ("a", "message_end", "ValueError: boom")
    assert 'raise ValueError("boom")' in error.stack


@pytest.mark.parametrize("wrong", [AssistantMessage(), "text", None])
async def test_message_end_keeps_the_role(desk, events, wrong):
    desk.on("message_end", answer(MessageEndResult(message=wrong)))

    assert await desk.emit(events.message_end) is events.message_end.message
    assert desk.reports == [("a", "message_end")]


# tool_result


async def test_e01_tool_result_masks_appends_and_annotates(desk, events):
    event = attrs.evolve(events.tool_result, content=[TextContent(text="key=s3cret")])

    def mask(event, ctx):
        return ToolResultPatch(
            content=[TextContent(text=b.text.replace("s3cret", "***")) for b in event.content]
        )

    def append(event, ctx):
        return ToolResultPatch(content=[*event.content, TextContent(text="a line")])

    desk.on("tool_result", mask, append, answer(ToolResultPatch(details={"by": "third"})))

    result = await desk.emit(event)

    assert result == ToolResult(
        content=[TextContent(text="key=***"), TextContent(text="a line")], details={"by": "third"}
    )


async def test_e03_tool_result_of_a_failed_tool_can_be_mended(desk, events):
    event = attrs.evolve(events.tool_result, is_error=True)
    desk.on("tool_result", answer(ToolResultPatch(details=1, is_error=False)))

    result = await desk.emit(event)

    assert (result.details, result.is_error) == (1, False)


@pytest.mark.parametrize(
    ("patch", "structured"),
    [
        (ToolResultPatch(), {"a": 1}),
        (ToolResultPatch(details=None), {"a": 1}),
        (ToolResultPatch(content=[]), None),
        (ToolResultPatch(content=[], structured_content={"b": 2}), {"b": 2}),
        (ToolResultPatch(structured_content=None), None),
    ],
)
async def test_new_content_alone_drops_the_structured_one(desk, events, patch, structured):
    desk.on("tool_result", answer(patch))

    result = await desk.emit(attrs.evolve(events.tool_result, structured_content={"a": 1}))

    assert result.structured_content == structured


@pytest.mark.parametrize(
    "wrong", [ToolResultPatch(content="text"), ToolResultPatch(is_error="no"), ToolResult(), {"details": 1}]
)
async def test_a_patch_that_does_not_fit_changes_nothing(desk, events, wrong):
    desk.on("tool_result", answer(wrong))

    assert await desk.emit(events.tool_result) == ToolResult(content=events.tool_result.content)
    assert desk.reports == [("a", "tool_result")]

import pytest

import pihost.events
from pihost.content import TextContent
from pihost.events import BeforeProviderHeadersEvent, MessageEndEvent, TurnEndEvent, TurnStartEvent
from pihost.messages import AssistantMessage, UserMessage
from pihost.session.stream import STREAM_EVENTS, EventStream


class Hooks:
    """A dispatcher that gives one answer to everything."""

    def __init__(self, answer=None):
        self.answer = answer
        self.seen = []

    async def emit(self, event):
        self.seen.append(event)
        return self.answer

    def has_handlers(self, name):
        return name in ("turn_start", "message_end")


TURN = TurnStartEvent(turn_index=0, timestamp=1)


async def test_an_event_of_the_stream_goes_to_hooks_and_listeners():
    hooks, seen = Hooks("answer"), []
    stream = EventStream(hooks)
    stream.subscribe(seen.append)
    assert await stream.emit(TURN) == "answer"
    assert hooks.seen == seen == [TURN]


async def test_an_event_that_nobody_answers_is_not_taken_to_the_hooks():
    hooks, seen = Hooks("answer"), []
    stream = EventStream(hooks)
    stream.subscribe(seen.append)
    event = TurnEndEvent(turn_index=0, message=AssistantMessage())
    assert await stream.emit(event) is None
    assert (hooks.seen, seen) == ([], [event])


async def test_payloads_and_headers_never_reach_listeners():
    seen = []
    stream = EventStream(Hooks())
    stream.subscribe(seen.append)
    await stream.emit(BeforeProviderHeadersEvent(headers={"authorization": "secret"}))
    assert seen == []


@pytest.mark.parametrize(
    ("answer", "text"), [(UserMessage.from_text("changed"), "changed"), (None, "said"), ("odd", "said")]
)
async def test_a_message_is_shown_as_the_handlers_leave_it(answer, text):
    seen = []
    stream = EventStream(Hooks(answer))
    stream.subscribe(seen.append)
    final = await stream.emit(MessageEndEvent(message=UserMessage(content=[TextContent(text="said")])))
    assert (final.text, seen[0].message.text) == (text, text)


async def test_a_listener_may_stop_listening_while_it_is_called():
    seen = []
    stream = EventStream(Hooks())
    unsubscribe = stream.subscribe(lambda event: (seen.append(event), unsubscribe()))
    stream.subscribe(seen.append)
    await stream.emit(TURN)
    await stream.emit(TURN)
    assert seen == [TURN, TURN, TURN]


def test_whether_anybody_answers_is_the_hooks_word():
    stream = EventStream(Hooks())
    assert stream.has_handlers("turn_start")
    assert not stream.has_handlers("turn_end")


def test_every_event_of_the_stream_has_a_class():
    classes = [getattr(pihost.events, name) for name in pihost.events.__all__ if name.endswith("Event")]
    names = {cls.hook_name for cls in classes if cls is not pihost.events.Event}
    assert names >= STREAM_EVENTS

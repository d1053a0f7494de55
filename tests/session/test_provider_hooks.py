import pytest

from pihost.model import Model
from pihost.session._provider_hooks import EventHooks


class Hooks:
    """Answers every event with what ``answer`` makes of it."""

    def __init__(self, answer=lambda _: None, handled=None):
        self.answer = answer
        self.handled = handled
        self.seen = []

    async def emit(self, event):
        self.seen.append(event)
        return self.answer(event)

    def has_handlers(self, name):
        return self.handled is None or name in self.handled


def made(hooks):
    return EventHooks(hooks=hooks, model=Model(provider="p", id="m", api="a"))


async def test_headers_set_to_none_are_removed():
    def change(event):
        event.headers.update(drop=None, add="1")

    headers = {"keep": "0", "drop": "x"}
    await made(Hooks(change)).before_headers(headers)
    assert headers == {"keep": "0", "add": "1"}


async def test_an_empty_payload_replaces_and_none_leaves():
    """E02, at the provider's end."""
    assert await made(Hooks(lambda _: {})).before_request({"a": 1}) == {}
    assert await made(Hooks(lambda _: None)).before_request({"a": 1}) == {"a": 1}


async def test_names_of_response_headers_are_lower_case():
    hooks = Hooks()
    await made(hooks).after_response(429, {"Retry-After": "5"})
    assert (hooks.seen[0].status, hooks.seen[0].headers) == (429, {"retry-after": "5"})


async def test_pieces_of_the_stream_can_only_be_read():
    hooks = Hooks()
    await made(hooks).stream_event({"type": "x"})
    (event,) = hooks.seen
    assert (event.provider, event.api, event.model) == ("p", "a", "m")
    with pytest.raises(TypeError):
        event.data["type"] = "y"


async def test_pieces_nobody_wants_make_no_event():
    hooks = Hooks(handled=())
    await made(hooks).stream_event({"type": "x"})
    assert hooks.seen == []

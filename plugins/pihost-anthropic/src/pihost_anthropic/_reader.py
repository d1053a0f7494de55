"""The events of one answer, as pieces of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pihost.models import Answer, Done, Error, TextDelta, ThinkingDelta, ToolCallDelta, Usage

__all__ = ["REDACTED", "MessagesReader"]

REDACTED = "redacted:"
"""What the signature of a thought begins with that the provider does not show."""

_End = Literal["stop", "length", "tool_use"]
_ENDS: Mapping[str, _End] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_use",
}


class MessagesReader:
    """Reads the events of one answer. Blocks have the provider's numbers."""

    def __init__(self) -> None:
        self._end: str | None = None
        self._complete = False
        self._usage: dict[str, Any] = {}

    def read(self, event: Mapping[str, Any]) -> Iterator[TextDelta | ThinkingDelta | ToolCallDelta]:
        """The pieces in one event.

        Args:
            event: The event.
        """
        match event.get("type"):
            case "message_start":
                self._count((event.get("message") or {}).get("usage"))
            case "content_block_start":
                yield from _begun(event.get("index") or 0, event.get("content_block") or {})
            case "content_block_delta":
                yield from _more(event.get("index") or 0, event.get("delta") or {})
            case "message_delta":
                self._end = (event.get("delta") or {}).get("stop_reason") or self._end
                self._count(event.get("usage"))
            case "message_stop":
                self._complete = True
            case _:  # pings, ends of blocks, and what is yet to come
                pass

    def end(self, answer: Answer) -> Done | Error:
        """The end of the answer.

        Args:
            answer: What has come.
        """
        if not self._complete:
            return Error(message="The server's answer broke off", retryable=True)
        if self._end == "refusal":
            return Error(message="The model declined to answer")
        usage = Usage(
            input=self._usage.get("input_tokens") or 0,
            output=self._usage.get("output_tokens") or 0,
            cache_read=self._usage.get("cache_read_input_tokens") or 0,
            cache_write=self._usage.get("cache_creation_input_tokens") or 0,
        )
        return answer.done(_ENDS.get(self._end or "", "stop"), usage)

    def _count(self, usage: Any) -> None:
        if isinstance(usage, Mapping):
            self._usage.update({name: value for name, value in usage.items() if value is not None})


def _begun(index: int, block: Mapping[str, Any]) -> Iterator[TextDelta | ThinkingDelta | ToolCallDelta]:
    match block.get("type"):
        case "text" if block.get("text"):
            yield TextDelta(index=index, text=block["text"])
        case "tool_use":
            yield ToolCallDelta(index=index, id=block.get("id"), name=block.get("name"))
        case "redacted_thinking":
            yield ThinkingDelta(index=index, text="", signature=REDACTED + (block.get("data") or ""))
        case _:
            pass


def _more(index: int, delta: Mapping[str, Any]) -> Iterator[TextDelta | ThinkingDelta | ToolCallDelta]:
    match delta.get("type"):
        case "text_delta":
            yield TextDelta(index=index, text=delta.get("text") or "")
        case "thinking_delta":
            yield ThinkingDelta(index=index, text=delta.get("thinking") or "")
        case "signature_delta":
            yield ThinkingDelta(index=index, text="", signature=delta.get("signature"))
        case "input_json_delta":
            yield ToolCallDelta(index=index, arguments_json=delta.get("partial_json") or "")
        case _:
            pass

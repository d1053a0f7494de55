"""How many tokens a conversation takes: as providers report it, and estimated where they have not yet."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.content import ImageContent, TextContent, ThinkingContent, ToolCall
from pihost.entries import Entry, MessageEntry
from pihost.jsonlines import encode
from pihost.messages import AssistantMessage, Message, SystemMessage
from pihost.session._conversation import conversation, last_compaction
from pihost.session._tree import of_type

__all__ = ["context_tokens", "estimate"]

_BYTES_PER_TOKEN = 4
_IMAGE_TOKENS = 1200
_MESSAGE_TOKENS = 4
"""What role and framing of a message take."""


def estimate(message: Message) -> int:
    """Tokens of a message, four bytes of UTF-8 each; the same message always takes the same."""
    if isinstance(message, SystemMessage):
        return _MESSAGE_TOKENS + _tokens(message.text)
    return _MESSAGE_TOKENS + sum(map(_block, message.content))


def context_tokens(branch: Sequence[Entry]) -> int:
    """Tokens that the next request of a branch takes.

    What the last answer reported counts for all up to it, system prompt and tools included, unless the
    conversation was compacted since; what came after it is estimated.

    Args:
        branch: Every entry of the branch, oldest first.
    """
    found = last_compaction(branch)
    first = 0 if found is None else found[0]
    for place, answer in of_type(branch, MessageEntry, last_first=True):
        if place < first:
            break
        reported = _reported(answer)
        if reported:
            return reported + sum(estimate(shown.message) for shown in conversation(branch[place + 1 :]))
    return sum(estimate(shown.message) for shown in conversation(branch))


def _reported(entry: MessageEntry) -> int:
    if not isinstance(entry.message, AssistantMessage):
        return 0
    return 0 if entry.message.stop_reason in ("error", "aborted") else entry.message.usage.total


def _block(block: object) -> int:
    if isinstance(block, TextContent | ThinkingContent):
        return _tokens(block.text)
    if isinstance(block, ToolCall):
        return _tokens(block.name) + _size(encode(block.arguments))
    return _IMAGE_TOKENS if isinstance(block, ImageContent) else 0


def _tokens(text: str) -> int:
    return _size(text.encode("utf-8", "surrogatepass"))


def _size(data: bytes) -> int:
    return -(-len(data) // _BYTES_PER_TOKEN)

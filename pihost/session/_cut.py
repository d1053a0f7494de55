"""Where a conversation is cut when it is compacted: what a summary stands for, and the tail that stays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pihost.entries import Entry
from pihost.events import CompactionPreparation
from pihost.messages import AssistantMessage, ToolResultMessage
from pihost.session._conversation import COMPACTION_KIND, Shown, conversation
from pihost.session._tokens import context_tokens, estimate

__all__ = ["is_cut", "prepare_compaction"]


def prepare_compaction(branch: Sequence[Entry], budget: int, *, force: bool) -> CompactionPreparation | None:
    """What compacting a branch would do; ``None`` where there is nothing to gain.

    Args:
        branch: Every entry of the branch, oldest first.
        budget: Tokens that the kept tail may take. It takes more where its last message alone does.
        force: Compact even what would fit into the tail: all but the last run, or all but the last message.
    """
    shown = conversation(branch)
    cut = _cut(shown, budget, force=force)
    if cut is None:
        return None
    return CompactionPreparation(
        messages_to_summarize=[one.message for one in shown[:cut]],
        kept_messages=[one.message for one in shown[cut:]],
        first_kept_entry_id=shown[cut].entry.id,
        tokens_before=context_tokens(branch),
    )


def is_cut(branch: Sequence[Entry], entry_id: str) -> bool:
    """Whether a kept tail may begin with this entry: a message that parts no tool call from its result."""
    shown = conversation(branch)
    return any(shown[place].entry.id == entry_id for place in _cuts(shown))


def _cut(shown: Sequence[Shown], budget: int, *, force: bool) -> int | None:
    cuts = _cuts(shown)
    if not cuts:
        return None
    sizes = [estimate(one.message) for one in shown]
    tails = [*accumulate(reversed(sizes))][::-1]
    if tails[0] <= budget:
        if not force:
            return None
        starts = [place for place in cuts if shown[place].message.role in ("user", "custom")]
        return (starts or cuts)[-1]
    return next((place for place in cuts if tails[place] <= budget), cuts[-1])


def _cuts(shown: Sequence[Shown]) -> list[int]:
    """The places at which a tail may begin. A summary on its own is not worth another one."""
    first = 1 + int(bool(shown) and getattr(shown[0].message, "kind", None) == COMPACTION_KIND)
    inside = _inside_calls(shown)
    return [place for place in range(first, len(shown)) if place not in inside]


def _inside_calls(shown: Sequence[Shown]) -> set[int]:
    """The places between a tool call and its result, those of the results among them."""
    asked: dict[str, int] = {}
    inside: set[int] = set()
    for place, one in enumerate(shown):
        if isinstance(one.message, AssistantMessage):
            asked.update((call.id, place) for call in one.message.tool_calls)
        elif isinstance(one.message, ToolResultMessage):
            asked_at = asked.pop(one.message.tool_call_id, place - 1)
            inside.update(range(asked_at + 1, place + 1))
    return inside

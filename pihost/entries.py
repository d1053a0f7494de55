"""The records of a session file. Each names its parent; the active branch is the path to the leaf."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from pihost._values import Value
from pihost.messages import AssistantMessage, CustomMessage, ToolResultMessage, UserMessage
from pihost.model import ThinkingLevel

__all__ = [
    "CompactionEntry",
    "CustomEntry",
    "CustomMessageEntry",
    "Entry",
    "LabelEntry",
    "MessageEntry",
    "ModelChangeEntry",
    "SessionHeader",
    "SessionInfoEntry",
    "StoredMessage",
    "ThinkingLevelChangeEntry",
]

StoredMessage = UserMessage | AssistantMessage | ToolResultMessage
"""The messages a session keeps; the system prompt is made anew each time."""


def _type_first(_: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """The order in which an entry is encoded: a damaged file is searched for where types stand.

    Slots would be encoded in the order of their names, therefore an entry has none.
    """
    return sorted(fields, key=lambda field: field.name != "type")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionHeader(Value):
    """The first line of a session file.

    Attributes:
        id: The session's id.
        timestamp: When it began, ISO 8601 in UTC.
        cwd: The directory it works in, absolute.
        parent_session: File of the session it was forked from, or ``None``.
        version: Version of the file's format.
    """

    id: str
    timestamp: str
    cwd: str
    parent_session: str | None = None
    version: int = 1
    type: Literal["session"] = attrs.field(default="session", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class _Record(Value):
    """What every entry has.

    Attributes:
        id: Unique in the session.
        parent_id: The entry before it on its branch; ``None`` for the first.
        timestamp: ISO 8601 in UTC.
    """

    id: str
    parent_id: str | None
    timestamp: str


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class MessageEntry(_Record):
    """A message of the conversation."""

    message: StoredMessage
    type: Literal["message"] = attrs.field(default="message", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class CustomMessageEntry(_Record):
    """A message that an extension put into the conversation."""

    message: CustomMessage
    type: Literal["custom_message"] = attrs.field(default="custom_message", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class ModelChangeEntry(_Record):
    """From here on another model answers."""

    provider: str
    model_id: str
    type: Literal["model_change"] = attrs.field(default="model_change", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class ThinkingLevelChangeEntry(_Record):
    """From here on the model thinks at another level."""

    level: ThinkingLevel
    type: Literal["thinking_level_change"] = attrs.field(default="thinking_level_change", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class CompactionEntry(_Record):
    """A summary that takes the place of the conversation before an entry.

    Attributes:
        summary: For the model.
        first_kept_entry_id: The entry on the branch before this one from which on messages stay.
        tokens_before: Tokens of the conversation before, as reported and estimated.
        details: What the writer of the summary wants to keep with it; never sent to the model.
        from_extension: Whether an extension wrote the summary.
    """

    summary: str
    first_kept_entry_id: str
    tokens_before: int = 0
    details: Any = None
    from_extension: bool = False
    type: Literal["compaction"] = attrs.field(default="compaction", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class CustomEntry(_Record):
    """Data kept with the session that no model ever sees.

    Attributes:
        kind: The writer's own name for this kind of data.
        data: JSON-compatible.
    """

    kind: str
    data: Any = None
    type: Literal["custom"] = attrs.field(default="custom", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class LabelEntry(_Record):
    """A name for another entry; ``None`` takes the name away."""

    target_id: str
    label: str | None
    type: Literal["label"] = attrs.field(default="label", init=False)


@attrs.frozen(kw_only=True, slots=False, eq=False, repr=False, field_transformer=_type_first)
class SessionInfoEntry(_Record):
    """The session's name, as of here."""

    name: str
    type: Literal["session_info"] = attrs.field(default="session_info", init=False)


Entry = (
    MessageEntry
    | CustomMessageEntry
    | ModelChangeEntry
    | ThinkingLevelChangeEntry
    | CompactionEntry
    | CustomEntry
    | LabelEntry
    | SessionInfoEntry
)
"""Every kind of entry, told apart by ``type``."""

"""Events of a session's life: start, end, name, model, dialogs."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

import attrs

from pihost.events._base import Event
from pihost.model import Model, ThinkingLevel

__all__ = [
    "DialogKind",
    "ModelSelectEvent",
    "SelectSource",
    "SessionInfoChangedEvent",
    "SessionShutdownEvent",
    "SessionStartEvent",
    "ShutdownReason",
    "StartReason",
    "ThinkingLevelSelectEvent",
    "UiPromptEndEvent",
    "UiPromptStartEvent",
]


StartReason = Literal["startup", "reload", "new", "resume", "fork"]
"""What makes a session start."""

ShutdownReason = Literal["quit", "reload", "new", "resume", "fork"]
"""What makes a session end: the host does, or another start takes its place."""

SelectSource = Literal["startup", "user", "extension", "restore"]
"""Who chose a model; ``"restore"`` is a session that goes on with the one it had."""

DialogKind = Literal["select", "confirm", "input"]
"""What the user is asked for: one of several, a yes or no, a line of text."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionStartEvent(Event):
    """A session is ready: extensions are bound, nothing has been said yet.

    Attributes:
        reason: Why it starts.
        previous_session_file: The file of the session it replaces, if there is one.
    """

    hook_name: ClassVar[str] = "session_start"
    reason: StartReason
    previous_session_file: Path | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionShutdownEvent(Event):
    """A session ends. Fires exactly once for each ``session_start``.

    Attributes:
        reason: Why it ends.
        target_session_file: The file of the session that replaces it, if there is one.
    """

    hook_name: ClassVar[str] = "session_shutdown"
    reason: ShutdownReason
    target_session_file: Path | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionInfoChangedEvent(Event):
    """The session has a new name.

    Attributes:
        name: The name, or ``None`` where it was taken away.
    """

    hook_name: ClassVar[str] = "session_info_changed"
    name: str | None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ModelSelectEvent(Event):
    """Another model will answer from now on.

    Attributes:
        model: The new model.
        previous_model: The one before, if there was one.
        source: Who chose it.
    """

    hook_name: ClassVar[str] = "model_select"
    model: Model
    previous_model: Model | None
    source: SelectSource


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ThinkingLevelSelectEvent(Event):
    """The model will think at another level from now on.

    Attributes:
        level: The new level.
        previous_level: The one before.
    """

    hook_name: ClassVar[str] = "thinking_level_select"
    level: ThinkingLevel
    previous_level: ThinkingLevel


@attrs.frozen(kw_only=True, eq=False, repr=False)
class UiPromptStartEvent(Event):
    """A dialog opens.

    Attributes:
        kind: Which dialog.
        title: What it asks.
    """

    hook_name: ClassVar[str] = "ui_prompt_start"
    kind: DialogKind
    title: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class UiPromptEndEvent(Event):
    """The dialog has closed. Pairs up with ``ui_prompt_start``."""

    hook_name: ClassVar[str] = "ui_prompt_end"
    kind: DialogKind
    title: str

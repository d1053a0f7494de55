"""Events of a session's life: trust, start, end, name, model, dialogs, and what is said to it."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import attrs

from pihost.content import ImageContent, ToolResult
from pihost.events._base import Event
from pihost.model import Model, ThinkingLevel

__all__ = [
    "InputEvent",
    "InputResult",
    "InputSource",
    "ModelSelectEvent",
    "ProjectTrustEvent",
    "ProjectTrustResult",
    "SessionInfoChangedEvent",
    "SessionShutdownEvent",
    "SessionStartEvent",
    "ShellOperations",
    "ThinkingLevelSelectEvent",
    "UiPromptEndEvent",
    "UiPromptStartEvent",
    "UserBashEvent",
    "UserBashResult",
]

StartReason = Literal["startup", "reload", "new", "resume", "fork"]
ShutdownReason = Literal["quit", "reload", "new", "resume", "fork"]
SelectSource = Literal["startup", "user", "extension", "restore"]
DialogKind = Literal["select", "confirm", "input"]
InputSource = Literal["interactive", "rpc", "print", "extension"]
"""Where a text came from."""


@attrs.frozen(kw_only=True)
class ProjectTrustEvent(Event):
    """A project holds resources that need trust, and nobody has decided yet.

    Attributes:
        cwd: The project's directory.
    """

    name: ClassVar[str] = "project_trust"
    cwd: Path


@attrs.frozen(kw_only=True)
class ProjectTrustResult:
    """An extension's word on a project.

    Attributes:
        trusted: ``"yes"``, ``"no"``, or ``"undecided"`` to leave it to the next.
        remember: Whether the word is stored for later starts too.
        extension: Id of the extension whose word it is. The host fills it in, over whatever a handler put
            there; it is no part of what makes two words equal.
    """

    trusted: Literal["yes", "no", "undecided"] = attrs.field(
        validator=attrs.validators.in_(("yes", "no", "undecided"))
    )
    remember: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    extension: str | None = attrs.field(default=None, eq=False)


@attrs.frozen(kw_only=True)
class SessionStartEvent(Event):
    """A session is ready: extensions are bound, nothing has been said yet.

    Attributes:
        reason: Why it starts.
        previous_session_file: The file of the session it replaces, if there is one.
    """

    name: ClassVar[str] = "session_start"
    reason: StartReason
    previous_session_file: Path | None = None


@attrs.frozen(kw_only=True)
class SessionShutdownEvent(Event):
    """A session ends. Fires exactly once for each ``session_start``.

    Attributes:
        reason: Why it ends.
        target_session_file: The file of the session that replaces it, if there is one.
    """

    name: ClassVar[str] = "session_shutdown"
    reason: ShutdownReason
    target_session_file: Path | None = None


@attrs.frozen(kw_only=True)
class SessionInfoChangedEvent(Event):
    """The session has a new name.

    Attributes:
        session_name: The name, or ``None`` where it was taken away.
    """

    name: ClassVar[str] = "session_info_changed"
    session_name: str | None


@attrs.frozen(kw_only=True)
class ModelSelectEvent(Event):
    """Another model will answer from now on.

    Attributes:
        model: The new model.
        previous_model: The one before, if there was one.
        source: Who chose it.
    """

    name: ClassVar[str] = "model_select"
    model: Model
    previous_model: Model | None
    source: SelectSource


@attrs.frozen(kw_only=True)
class ThinkingLevelSelectEvent(Event):
    """The model will think at another level from now on."""

    name: ClassVar[str] = "thinking_level_select"
    level: ThinkingLevel
    previous_level: ThinkingLevel


@attrs.frozen(kw_only=True)
class UiPromptStartEvent(Event):
    """A dialog opens.

    Attributes:
        kind: Which dialog.
        title: What it asks.
    """

    name: ClassVar[str] = "ui_prompt_start"
    kind: DialogKind
    title: str


@attrs.frozen(kw_only=True)
class UiPromptEndEvent(Event):
    """The dialog has closed. Pairs up with ``ui_prompt_start``."""

    name: ClassVar[str] = "ui_prompt_end"
    kind: DialogKind
    title: str


def _images(value: Iterable[ImageContent]) -> tuple[ImageContent, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True)
class InputEvent(Event):
    """Somebody said something to the session; nothing has been made of it yet.

    Attributes:
        text: What they said.
        images: Pictures that came with it.
        source: Where it came from.
        streaming_behavior: How it reaches a run under way; ``None`` where none is.
    """

    name: ClassVar[str] = "input"
    text: str
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)
    source: InputSource = "interactive"
    streaming_behavior: Literal["steer", "follow_up"] | None = None


@attrs.frozen(kw_only=True)
class InputResult:
    """What becomes of an input. Made by ``transform``, ``handled`` or ``continue_``.

    Attributes:
        action: Go on as it is, go on changed, or nothing more is to be done.
        text: The new text, when changed.
        images: The new pictures, when changed.
    """

    action: Literal["continue", "transform", "handled"]
    text: str = ""
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)

    @classmethod
    def transform(cls, text: str, images: Iterable[ImageContent] = ()) -> InputResult:
        """Go on with this text and these pictures instead."""
        return cls(action="transform", text=text, images=images)

    @classmethod
    def handled(cls) -> InputResult:
        """The extension has dealt with it: no later handler and no model sees it."""
        return cls(action="handled")

    @classmethod
    def continue_(cls) -> InputResult:
        """Leave it as it is, like answering ``None``."""
        return cls(action="continue")


@attrs.frozen(kw_only=True)
class UserBashEvent(Event):
    """The user typed a shell command of their own.

    Attributes:
        command: The command line.
        exclude_from_context: Whether the model stays unaware of it.
        cwd: Where it will run.
    """

    name: ClassVar[str] = "user_bash"
    command: str
    exclude_from_context: bool
    cwd: Path


class ShellOperations(Protocol):
    """Another way to run a shell command: in a container, on another machine."""

    def run(self, command: str, *, cwd: Path, env: Mapping[str, str]) -> Awaitable[ToolResult]:
        """Run the command line and give its output as a result."""
        ...


def _exactly_one(instance: UserBashResult, _attribute: Any, _value: object) -> None:
    if (instance.result is None) == (instance.operations is None):
        message = "UserBashResult takes exactly one of result= and operations="
        raise ValueError(message)


@attrs.frozen(kw_only=True)
class UserBashResult:
    """An extension's way with a user's command: its result, or how to run it. Exactly one of the two.

    Attributes:
        result: The command counts as run, with this result.
        operations: Run the command with these.
    """

    result: ToolResult | None = None
    operations: ShellOperations | None = attrs.field(default=None, validator=_exactly_one)

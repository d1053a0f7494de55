"""What is said to a session: prompts, and shell commands of the user's own."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import attrs

from pihost._values import Value
from pihost.content import ImageContent, ToolResult
from pihost.events._base import Event, InputSource

__all__ = [
    "InputEvent",
    "InputResult",
    "ShellOperations",
    "UserBashEvent",
    "UserBashResult",
]


def _images(value: Iterable[ImageContent]) -> tuple[ImageContent, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class InputEvent(Event):
    """Somebody said something to the session; nothing has been made of it yet.

    Attributes:
        text: What they said.
        images: Pictures that came with it.
        source: Where it came from.
        streaming_behavior: How it reaches a run under way; ``None`` where none is.
    """

    hook_name: ClassVar[str] = "input"
    text: str
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)
    source: InputSource = "interactive"
    streaming_behavior: Literal["steer", "follow_up"] | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class InputResult(Value):
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


@attrs.frozen(kw_only=True, eq=False, repr=False)
class UserBashEvent(Event):
    """The user typed a shell command of their own.

    Attributes:
        command: The command line.
        exclude_from_context: Whether the model stays unaware of it.
        cwd: Where it will run.
    """

    hook_name: ClassVar[str] = "user_bash"
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


@attrs.frozen(kw_only=True, eq=False, repr=False)
class UserBashResult(Value):
    """An extension's way with a user's command: its result, or how to run it. Exactly one of the two.

    Attributes:
        result: The command counts as run, with this result.
        operations: Run the command with these.
    """

    result: ToolResult | None = None
    operations: ShellOperations | None = attrs.field(default=None, validator=_exactly_one)

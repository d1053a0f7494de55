"""What a client may ask of a session in rpc mode: one class for each command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import attrs

from pihost.content import ImageContent
from pihost.model import ThinkingLevel

__all__ = [
    "COMMANDS",
    "Abort",
    "Bash",
    "CallTool",
    "Command",
    "CommandId",
    "Compact",
    "FollowUp",
    "Fork",
    "GetAvailableModels",
    "GetCommands",
    "GetExtensions",
    "GetMessages",
    "GetState",
    "NewSession",
    "Position",
    "Prompt",
    "SetModel",
    "SetThinkingLevel",
    "Steer",
    "StreamingBehavior",
    "SwitchSession",
]

CommandId = str | int | None
"""What the client calls a command by; its response bears the same."""

StreamingBehavior = Literal["steer", "follow_up"]
"""When a prompt reaches the run under way: before its next request, or when it would stop."""

Position = Literal["before", "at"]
"""Whether a fork leaves an entry out or ends with it."""


def _images(value: Iterable[ImageContent]) -> tuple[ImageContent, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True)
class Command:
    """Something to be done. Each subclass names its ``type``."""

    type: ClassVar[str]


@attrs.frozen(kw_only=True)
class Prompt(Command):
    """Say something; the response comes as soon as the run has begun, and its events follow.

    Attributes:
        text: What is said. ``/name arguments`` calls a command of an extension.
        images: Pictures that come with it.
        streaming_behavior: How it reaches a run that is under way; without it such a prompt is an error.
    """

    type: ClassVar[str] = "prompt"
    text: str
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)
    streaming_behavior: StreamingBehavior | None = None


@attrs.frozen(kw_only=True)
class Steer(Command):
    """Say something to the run under way, before its next request; without a run it begins one.

    Attributes:
        text: What is said.
        images: Pictures that come with it.
    """

    type: ClassVar[str] = "steer"
    text: str
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)


@attrs.frozen(kw_only=True)
class FollowUp(Command):
    """Say something to the run under way, for when it would stop; without a run it begins one.

    Attributes:
        text: What is said.
        images: Pictures that come with it.
    """

    type: ClassVar[str] = "follow_up"
    text: str
    images: tuple[ImageContent, ...] = attrs.field(default=(), converter=_images)


@attrs.frozen(kw_only=True)
class Abort(Command):
    """End the run, shell commands and tool calls under way; the response comes once it has settled."""

    type: ClassVar[str] = "abort"


@attrs.frozen(kw_only=True)
class GetState(Command):
    """Tell where the session stands."""

    type: ClassVar[str] = "get_state"


@attrs.frozen(kw_only=True)
class GetMessages(Command):
    """Tell the messages of the active branch."""

    type: ClassVar[str] = "get_messages"


@attrs.frozen(kw_only=True)
class NewSession(Command):
    """End this session and begin another in the same directory."""

    type: ClassVar[str] = "new_session"


@attrs.frozen(kw_only=True)
class SwitchSession(Command):
    """End this session and go on with another.

    Attributes:
        path: The other session's file, absolute or from where the server was started.
    """

    type: ClassVar[str] = "switch_session"
    path: str


@attrs.frozen(kw_only=True)
class Fork(Command):
    """End this session and go on with a copy of its branch up to an entry.

    Attributes:
        entry_id: The entry.
        position: Whether the copy ends before it or with it.
    """

    type: ClassVar[str] = "fork"
    entry_id: str
    position: Position = "at"


@attrs.frozen(kw_only=True)
class SetModel(Command):
    """Let another model answer from the next request on.

    Attributes:
        model: ``provider/id``, or a part that fits only one model.
    """

    type: ClassVar[str] = "set_model"
    model: str


@attrs.frozen(kw_only=True)
class GetAvailableModels(Command):
    """Tell the models to choose from: those that ``--models`` names, else every one there is."""

    type: ClassVar[str] = "get_available_models"


@attrs.frozen(kw_only=True)
class SetThinkingLevel(Command):
    """Let the model think at another level from the next request on.

    Attributes:
        level: The level.
    """

    type: ClassVar[str] = "set_thinking_level"
    level: ThinkingLevel


@attrs.frozen(kw_only=True)
class Compact(Command):
    """Put a summary in the place of the older messages.

    Attributes:
        instructions: What the summary should heed.
    """

    type: ClassVar[str] = "compact"
    instructions: str | None = None


@attrs.frozen(kw_only=True)
class Bash(Command):
    """Run a shell command of the user's own.

    Attributes:
        command: The command line.
        exclude_from_context: Whether the model stays unaware of it.
    """

    type: ClassVar[str] = "bash"
    command: str
    exclude_from_context: bool = False


@attrs.frozen(kw_only=True)
class GetCommands(Command):
    """Tell the commands that a prompt can call."""

    type: ClassVar[str] = "get_commands"


@attrs.frozen(kw_only=True)
class GetExtensions(Command):
    """Tell every extension with the state it reached, and what was found wrong."""

    type: ClassVar[str] = "get_extensions"


@attrs.frozen(kw_only=True)
class CallTool(Command):
    """Call one tool through the pipeline, hooks included; the conversation does not see it.

    Attributes:
        name: The tool; it need not be active.
        arguments: Its arguments; wrong ones come back as an error result.
    """

    type: ClassVar[str] = "call_tool"
    name: str
    arguments: Mapping[str, Any] = attrs.field(factory=dict)


COMMANDS: Mapping[str, type[Command]] = {
    kind.type: kind
    for kind in (
        Prompt,
        Steer,
        FollowUp,
        Abort,
        GetState,
        GetMessages,
        NewSession,
        SwitchSession,
        Fork,
        SetModel,
        GetAvailableModels,
        SetThinkingLevel,
        Compact,
        Bash,
        GetCommands,
        GetExtensions,
        CallTool,
    )
}
"""Every command, by its type."""

"""What handlers, tools and commands are handed besides their event: protocols and a few values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import attrs

from pihost._values import Value
from pihost.abort import AbortSignal
from pihost.config import Mode
from pihost.model import Model, ThinkingLevel
from pihost.ui import UI, NoticesOnly, NotifyLevel, NoUI

if TYPE_CHECKING:
    from pihost.content import ToolResult
    from pihost.entries import Entry
    from pihost.messages import Message

__all__ = [
    "UI",
    "AbortSignal",
    "CommandContext",
    "ContextAround",
    "ContextUsage",
    "ExtensionContext",
    "ModelCatalog",
    "NoUI",
    "NoticesOnly",
    "NotifyLevel",
    "SessionChange",
    "SessionReader",
    "ToolContext",
    "TrustContext",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustContext(Value):
    """What a ``project_trust`` handler may use: no session exists yet.

    Attributes:
        cwd: The project's directory.
        mode: How the session will meet its user.
        has_ui: Whether somebody can be asked.
        ui: How to ask them.
    """

    cwd: Path
    mode: Mode
    has_ui: bool
    ui: UI


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContextUsage(Value):
    """How full the model's context is.

    Attributes:
        tokens: Tokens of the conversation: as the last answer reported them, and estimated for what came
            after it; 0 where nothing was said.
        context_window: The model's window in tokens; 0 where there is no limit.
    """

    tokens: int
    context_window: int


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionChange(Value):
    """What came of leaving a session, of forking it, or of going to another of its entries.

    Attributes:
        cancelled: An extension did not want it: nothing has changed.
        reason: Why not.
        text: What the user had said at the entry in question, to be said again in other words; ``None`` where
            it was not the user's.
    """

    cancelled: bool = False
    reason: str | None = None
    text: str | None = None


class SessionReader(Protocol):
    """A session as its readers see it."""

    @property
    def id(self) -> str:
        """The session's id."""
        ...

    @property
    def file(self) -> Path | None:
        """Its file; ``None`` where it is kept in memory."""
        ...

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        ...

    @property
    def cwd(self) -> Path:
        """The directory it works in."""
        ...

    @property
    def entries(self) -> Sequence[Entry]:
        """Every entry, oldest first."""
        ...

    @property
    def leaf_id(self) -> str | None:
        """The entry the next one will follow."""
        ...

    def branch(self) -> Sequence[Entry]:
        """The entries of the active branch, oldest first."""
        ...

    def label(self, entry_id: str) -> str | None:
        """The label of an entry, if it has one."""
        ...

    def messages(self) -> Sequence[Message]:
        """What the next request carries: the messages of the active branch, oldest first.

        Where it was compacted, the summary is the first and stands for all before the messages that stay.
        """
        ...


class ModelCatalog(Protocol):
    """The models there are, as their readers see them."""

    def models(self) -> Sequence[Model]:
        """Every model, by provider in order of registration."""
        ...

    def get(self, provider: str, model_id: str) -> Model | None:
        """The model of that provider and id, if there is one."""
        ...

    def find(self, pattern: str) -> Model:
        """The model that ``pattern`` names: ``provider/id``, an id, or a part that fits only one.

        Raises:
            ModelNotFoundError: nothing fits, or more than one does.
        """
        ...


class ExtensionContext(Protocol):
    """The session around a handler. Reading it after its runtime was replaced raises."""

    @property
    def ui(self) -> UI:
        """How to speak with the user."""
        ...

    @property
    def mode(self) -> Mode:
        """How the session meets its user."""
        ...

    @property
    def has_ui(self) -> bool:
        """Whether somebody can be asked."""
        ...

    @property
    def cwd(self) -> Path:
        """The session's directory."""
        ...

    @property
    def session(self) -> SessionReader:
        """The session's entries, to read."""
        ...

    @property
    def models(self) -> ModelCatalog:
        """The models there are."""
        ...

    @property
    def model(self) -> Model | None:
        """The model that answers now."""
        ...

    @property
    def thinking_level(self) -> ThinkingLevel:
        """How long it may think."""
        ...

    @property
    def signal(self) -> AbortSignal | None:
        """Set when the run under way is to end; ``None`` while none is."""
        ...

    def is_idle(self) -> bool:
        """Whether no run is under way."""
        ...

    def is_project_trusted(self) -> bool:
        """Whether the project's own resources take part."""
        ...

    def abort(self) -> None:
        """End the run under way."""
        ...

    def has_pending_messages(self) -> bool:
        """Whether messages wait for the model."""
        ...

    def shutdown(self) -> None:
        """Ask the host to end in an orderly way once the run under way has settled."""
        ...

    def context_usage(self) -> ContextUsage | None:
        """How full the model's context is; ``None`` where no model is chosen."""
        ...

    def compact(self, instructions: str | None = None) -> None:
        """Ask for a summary in place of the older part of the conversation, before the next request.

        ``session_compact`` or ``session_compact_failed`` tells what came of it.

        Args:
            instructions: What the summary is to pay attention to.
        """
        ...

    def system_prompt(self) -> str:
        """The system prompt of the run under way, else of the next."""
        ...


class ToolContext(ExtensionContext, Protocol):
    """What a tool is handed besides its arguments."""

    @property
    def call_id(self) -> str:
        """Id of this call."""
        ...

    @property
    def env(self) -> Mapping[str, str]:
        """Variables to add to the environment of a program the tool starts."""
        ...

    def on_update(self, partial: ToolResult) -> None:
        """Show what there is so far."""
        ...

    async def execute_tool(self, name: str, args: Mapping[str, Any]) -> ToolResult:
        """Run another tool through the same pipeline, hooks included."""
        ...


class CommandContext(ExtensionContext, Protocol):
    """What a command's handler is handed besides its arguments."""

    async def wait_for_idle(self) -> None:
        """Return once no run is under way."""
        ...

    async def new_session(self) -> SessionChange:
        """Begin a new session in the place of this one. The API and this context are dead afterwards."""
        ...

    async def fork(self, entry_id: str, position: Literal["before", "at"] = "at") -> SessionChange:
        """Go on in a new session with the branch up to an entry; this one stays as it is.

        The API and this context are dead afterwards.
        """
        ...

    async def navigate_tree(self, entry_id: str) -> SessionChange:
        """Go on from another entry of this session."""
        ...

    async def switch_session(self, path: str | Path) -> SessionChange:
        """Go on with the session in a file, in its own directory.

        The API and this context are dead afterwards.
        """
        ...

    async def reload(self) -> None:
        """Discover and load every extension anew."""
        ...


class ContextAround:
    """An ``ExtensionContext`` that shows another one; what is added to it goes into a subclass.

    Args:
        context: The one to show.
    """

    def __init__(self, context: ExtensionContext) -> None:
        self._context = context

    @property
    def ui(self) -> UI:
        """How to speak with the user."""
        return self._context.ui

    @property
    def mode(self) -> Mode:
        """How the session meets its user."""
        return self._context.mode

    @property
    def has_ui(self) -> bool:
        """Whether somebody can be asked."""
        return self._context.has_ui

    @property
    def cwd(self) -> Path:
        """The session's directory."""
        return self._context.cwd

    @property
    def session(self) -> SessionReader:
        """The session's entries, to read."""
        return self._context.session

    @property
    def models(self) -> ModelCatalog:
        """The models there are."""
        return self._context.models

    @property
    def model(self) -> Model | None:
        """The model that answers now."""
        return self._context.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        """How long it may think."""
        return self._context.thinking_level

    @property
    def signal(self) -> AbortSignal | None:
        """Set when the run under way is to end; ``None`` while none is."""
        return self._context.signal

    def is_idle(self) -> bool:
        """Whether no run is under way."""
        return self._context.is_idle()

    def is_project_trusted(self) -> bool:
        """Whether the project's own resources take part."""
        return self._context.is_project_trusted()

    def abort(self) -> None:
        """End the run under way."""
        self._context.abort()

    def has_pending_messages(self) -> bool:
        """Whether messages wait for the model."""
        return self._context.has_pending_messages()

    def shutdown(self) -> None:
        """Ask the host to end in an orderly way once the run under way has settled."""
        self._context.shutdown()

    def context_usage(self) -> ContextUsage | None:
        """How full the model's context is; ``None`` where no model is chosen."""
        return self._context.context_usage()

    def compact(self, instructions: str | None = None) -> None:
        """Ask for a summary in place of the older part of the conversation, before the next request."""
        self._context.compact(instructions)

    def system_prompt(self) -> str:
        """The system prompt of the run under way, else of the next."""
        return self._context.system_prompt()

"""The context that handlers, tools and commands are handed: a view of the session through its runtime."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from pihost.config import Mode
from pihost.context import UI, AbortSignal, ContextUsage, ModelCatalog, SessionReader
from pihost.events import Event
from pihost.extensions._dialogs import AnnouncedUI
from pihost.extensions.actions import ContextActions
from pihost.extensions.runtime import ExtensionRuntime
from pihost.model import Model, ThinkingLevel

__all__ = ["RuntimeContext"]


class RuntimeContext:
    """The ``ExtensionContext`` of a runtime: it always shows what is the case now.

    Using it from another thread, or after the runtime was replaced, raises ``ExtensionNotReadyError``.

    Args:
        runtime: Whose session it shows.
        cwd: The session's directory.
        emit: Fires the events around dialogs.
    """

    def __init__(
        self, runtime: ExtensionRuntime, cwd: Path, emit: Callable[[Event], Awaitable[object]]
    ) -> None:
        self._runtime = runtime
        self._cwd = cwd
        self._emit = emit

    @property
    def ui(self) -> UI:
        """How to speak with the user."""
        return AnnouncedUI(self._reader("ui").get_ui(), emit=self._emit, paused=self._runtime.hooks.paused)

    @property
    def mode(self) -> Mode:
        """How the session meets its user."""
        return self._reader("mode").get_mode()

    @property
    def has_ui(self) -> bool:
        """Whether somebody can be asked."""
        return self._reader("has_ui").has_ui()

    @property
    def cwd(self) -> Path:
        """The session's directory."""
        self._reader("cwd")
        return self._cwd

    @property
    def session(self) -> SessionReader:
        """The session's entries, to read."""
        return self._reader("session").get_session()

    @property
    def models(self) -> ModelCatalog:
        """The models there are."""
        return self._reader("models").get_models()

    @property
    def model(self) -> Model | None:
        """The model that answers now."""
        return self._reader("model").get_model()

    @property
    def thinking_level(self) -> ThinkingLevel:
        """How long it may think."""
        return self._reader("thinking_level").get_thinking_level()

    @property
    def signal(self) -> AbortSignal | None:
        """Set when the run under way is to end; ``None`` while none is."""
        return self._reader("signal").get_signal()

    def is_idle(self) -> bool:
        """Whether no run is under way."""
        return self._reader("is_idle").is_idle()

    def is_project_trusted(self) -> bool:
        """Whether the project's own resources take part."""
        return self._reader("is_project_trusted").is_project_trusted()

    def abort(self) -> None:
        """End the run under way."""
        self._reader("abort").abort()

    def has_pending_messages(self) -> bool:
        """Whether messages wait for the model."""
        return self._reader("has_pending_messages").has_pending_messages()

    def shutdown(self) -> None:
        """Ask the host to end in an orderly way once the run under way has settled."""
        self._reader("shutdown").shutdown()

    def context_usage(self) -> ContextUsage | None:
        """How full the model's context is; ``None`` where no model is chosen."""
        return self._reader("context_usage").context_usage()

    def compact(self, instructions: str | None = None) -> None:
        """Ask for a summary in place of the older part of the conversation, before the next request.

        ``session_compact`` or ``session_compact_failed`` tells what came of it.
        """
        self._reader("compact").compact(instructions)

    def system_prompt(self) -> str:
        """The system prompt of the run under way, else of the next."""
        return self._reader("system_prompt").system_prompt()

    def _reader(self, what: str) -> ContextActions:
        self._runtime.check(f"ctx.{what}")
        return self._runtime.context

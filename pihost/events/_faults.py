"""Events of a session's stream that no hook receives: faults, refusals, retries; nothing can hide them."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import attrs

from pihost.events._base import Event

__all__ = ["ExtensionErrorEvent", "RetryEvent", "ToolBlockedEvent", "TrustRefusedEvent"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExtensionErrorEvent(Event):
    """An extension's code failed.

    Attributes:
        extension: Id of the extension.
        event: What it was doing: a hook's name, ``load``, ``register_provider``, a command's name.
        error: The exception's type and text, or what the host found wrong.
        stack: The traceback, cut to the extension's own frames, or ``None``.
    """

    hook_name: ClassVar[str] = "extension_error"
    extension: str
    event: str
    error: str
    stack: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RetryEvent(Event):
    """A provider's passing error: the same request is tried again.

    Attributes:
        attempt: Number of the attempt to come, from 1.
        max_attempts: How often it is tried again at most.
        delay_seconds: How long it waits first.
        error_message: What went wrong.
    """

    hook_name: ClassVar[str] = "retry"
    attempt: int
    max_attempts: int
    delay_seconds: float
    error_message: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ToolBlockedEvent(Event):
    """An extension refused a tool call.

    Attributes:
        extension: Id of the extension.
        tool_call_id: Id of the call.
        tool_name: The tool.
        reason: What the model was told.
    """

    hook_name: ClassVar[str] = "tool_blocked"
    extension: str
    tool_call_id: str
    tool_name: str
    reason: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustRefusedEvent(Event):
    """The project is not trusted: its own resources take no part.

    Attributes:
        cwd: The project's directory.
        step: The step of the trust chain that decided, 1 to 7.
        reason: Why.
        skipped: The resources that stay out.
    """

    hook_name: ClassVar[str] = "trust_refused"
    cwd: Path
    step: int
    reason: str
    skipped: tuple[Path, ...] = ()

"""What is recorded, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from pihost import ExtensionAPI, ExtensionContext
from pihost.events import (
    SessionShutdownEvent,
    SessionStartEvent,
    ToolCallFinalEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    UserBashEvent,
)
from pihost_audit._log import AuditLog
from pihost_audit._mask import Mask

__all__ = ["setup"]

_LONGEST = 2000
"""Characters of one text that are kept."""


@attrs.frozen(kw_only=True)
class _Config:
    """What the user may set under ``[extension.pihost-audit]``.

    Attributes:
        file: Where the log is; empty for ``audit.jsonl`` in the extension's own directory.
        arguments: Whether the arguments of calls are kept.
        results: Whether the texts of results are kept.
    """

    file: str = ""
    arguments: bool = True
    results: bool = False


class _Recorder:
    def __init__(self, log: AuditLog, config: _Config) -> None:
        self._log = log
        self._config = config
        self._mask = Mask()
        self._ran: set[str] = set()

    def session_start(self, event: SessionStartEvent, ctx: ExtensionContext) -> None:
        """A session has begun: where, and whether its project is trusted."""
        trusted = ctx.is_project_trusted()
        self._write("session_start", ctx, reason=event.reason, mode=ctx.mode, project_trusted=trusted)

    def session_shutdown(self, event: SessionShutdownEvent, ctx: ExtensionContext) -> None:
        """A session has ended."""
        self._write("session_shutdown", ctx, reason=event.reason)

    def user_bash(self, event: UserBashEvent, ctx: ExtensionContext) -> None:
        """The user has typed a command of their own."""
        self._write("user_bash", ctx, command=event.command)

    def call(self, event: ToolExecutionStartEvent, ctx: ExtensionContext) -> None:
        """A tool is called, with the arguments as they were sent."""
        arguments = {"arguments": event.args} if self._config.arguments else {}
        self._write("tool_call", ctx, **_names(event), **arguments)

    def final(self, event: ToolCallFinalEvent, _ctx: ExtensionContext) -> None:
        """No handler has blocked the call: it runs, unless a later one of this hook blocks it."""
        self._ran.add(event.tool_call_id)

    def result(self, event: ToolExecutionEndEvent, ctx: ExtensionContext) -> None:
        """A call has its result; one that was refused never ran."""
        ran = event.tool_call_id in self._ran
        self._ran.discard(event.tool_call_id)
        outcome = "done" if not event.is_error else "failed" if ran else "refused"
        # Why a call was refused is worth keeping; what a tool printed is only on demand.
        keep = self._config.results or outcome == "refused"
        text = {"text": event.result.text} if keep else {}
        self._write(
            "tool_result", ctx, **_names(event), outcome=outcome, duration_ms=event.duration_ms, **text
        )

    def _write(self, kind: str, ctx: ExtensionContext, **fields: Any) -> None:
        record = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "kind": kind,
            "session": ctx.session.id,
            "cwd": str(ctx.cwd),
            **_cut(self._mask.value(fields)),
        }
        self._log.write(record)


def setup(api: ExtensionAPI) -> None:
    """Record what happens. A record that cannot be written is a failure of this extension, and is shown."""
    config = api.get_config(_Config)
    file = Path(config.file).expanduser() if config.file else api.data_dir / "audit.jsonl"
    recorder = _Recorder(AuditLog(file), config)
    api.on("session_start", recorder.session_start)
    api.on("session_shutdown", recorder.session_shutdown)
    api.on("user_bash", recorder.user_bash, tryfirst=True)
    api.on("tool_execution_start", recorder.call)
    api.on("tool_call_final", recorder.final, trylast=True)
    api.on("tool_execution_end", recorder.result)


def _names(event: ToolExecutionStartEvent | ToolExecutionEndEvent) -> dict[str, Any]:
    names = {"tool": event.tool_name, "call": event.tool_call_id}
    return names if event.parent_tool_call_id is None else {**names, "parent": event.parent_tool_call_id}


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}… ({len(value)} characters)"
    if isinstance(value, dict):
        return {name: _cut(item) for name, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value

"""What a command has printed: kept within limits, shown while it runs, put into words at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.content import ToolResult
from pihost.tools.outputs.control import ControlFilter
from pihost.tools.outputs.output import OutputAccumulator, OutputSnapshot, OutputSpillError
from pihost.tools.outputs.truncate import TruncationResult, format_size

__all__ = ["ShellDetails", "ShellOutput", "ShownOutput"]

UPDATE_SECONDS = 0.1
"""Least time between two updates."""

_FULL_OUTPUT_BYTES = 1 << 20


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ShellDetails(Value):
    """Besides the text of a command whose output was cut.

    Attributes:
        truncation: How what is shown relates to the whole.
        full_output_path: The file with all of it; ``None`` where it was lost.
    """

    truncation: TruncationResult
    full_output_path: Path | None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ShownOutput(Value):
    """The output when all is over.

    Attributes:
        text: What the model reads, with a notice where it was cut; empty where nothing was printed.
        details: See the class; ``None`` where nothing was cut.
        full: The output as far as a program gets it.
        full_truncated: Whether there was more than that.
        path: The file with all of it, if there is one.
        lost: Why there is none though there should be.
    """

    text: str
    details: ShellDetails | None
    full: str
    full_truncated: bool
    path: Path | None
    lost: OutputSpillError | None


class ShellOutput:
    """Takes a command's output as it comes.

    Args:
        on_update: Shown what there is so far, at most every tenth of a second.
        fallback_dir: Where long output goes if the temporary directory is refused.
    """

    def __init__(self, on_update: Callable[[ToolResult], None], fallback_dir: Path | None) -> None:
        self._accumulator = OutputAccumulator(
            temp_file_prefix="pihost-bash", text_filter=ControlFilter, fallback_dir=fallback_dir
        )
        self._on_update = on_update
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._next_update = self._loop.time()
        self._line_bytes = 0
        self._ended_line_bytes = 0

    def append(self, data: bytes) -> None:
        """Take the next chunk."""
        self._accumulator.append(data)
        self._measure(data)
        if self._timer is None:
            self._timer = self._loop.call_at(self._next_update, self._update)

    def finish(self) -> ShownOutput:
        """End the stream and say what is to be shown."""
        if self._timer is not None:
            self._timer.cancel()
        lost: OutputSpillError | None = None
        try:
            self._accumulator.close()
        except OutputSpillError as fault:
            lost = fault
        snapshot = self._accumulator.snapshot()
        full, full_truncated = snapshot.content, snapshot.truncation.truncated
        if lost is None:
            try:
                read_back = self._accumulator.read_full_output(_FULL_OUTPUT_BYTES)
                full, full_truncated = read_back.content, read_back.truncated
            except OutputSpillError as fault:
                lost = fault
        return self._shown(snapshot, full, lost, full_truncated=full_truncated)

    def _shown(
        self, snapshot: OutputSnapshot, full: str, lost: OutputSpillError | None, *, full_truncated: bool
    ) -> ShownOutput:
        path = None if lost is not None else snapshot.full_output_path
        details = None
        parts = [snapshot.content] if snapshot.content else []
        if snapshot.truncation.truncated:
            details = ShellDetails(truncation=snapshot.truncation, full_output_path=path)
        if details is not None or lost is not None:
            parts.append(self._notice(snapshot.truncation, path, lost))
        return ShownOutput(
            text="\n\n".join(part.removesuffix("\n") for part in parts) if len(parts) > 1 else "".join(parts),
            details=details,
            full=full,
            full_truncated=full_truncated,
            path=path,
            lost=lost,
        )

    def _notice(self, cut: TruncationResult, path: Path | None, lost: OutputSpillError | None) -> str:
        where = f"Full output: {path}" if lost is None else f"The full output was lost: {lost}"
        last = cut.total_lines
        if not cut.truncated:
            return f"[{where}]"
        if cut.last_line_partial:
            size = self._accumulator.last_line_bytes or self._ended_line_bytes
            shown = f"last {format_size(cut.output_bytes)} of line {last} (line is {format_size(size)})"
        else:
            limit = f" ({format_size(cut.max_bytes)} limit)" if cut.truncated_by == "bytes" else ""
            shown = f"lines {last - cut.output_lines + 1}-{last} of {last}{limit}"
        return f"[Showing {shown}. {where}]"

    def _measure(self, data: bytes) -> None:
        """Keep the length of the last ended line, which the accumulator forgets at the line's end."""
        end = data.rfind(b"\n")
        if end < 0:
            self._line_bytes += len(data)
            return
        before = data.rfind(b"\n", 0, end)
        self._ended_line_bytes = end - before - 1 if before >= 0 else self._line_bytes + end
        self._line_bytes = len(data) - end - 1

    def _update(self) -> None:
        self._timer = None
        self._next_update = self._loop.time() + UPDATE_SECONDS
        snapshot = self._accumulator.snapshot()
        details = None
        if snapshot.truncation.truncated:
            details = ShellDetails(truncation=snapshot.truncation, full_output_path=snapshot.full_output_path)
        self._on_update(ToolResult.from_text(snapshot.content, details=details))

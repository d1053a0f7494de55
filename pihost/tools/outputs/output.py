"""Following the output of a command of any length in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.tools.outputs._decode import FilterFactory, TextFilter, TextStream
from pihost.tools.outputs._full_output import FullOutput, read_back, render
from pihost.tools.outputs._spill import OutputSpillError, SpillFile
from pihost.tools.outputs._tail import Tail
from pihost.tools.outputs.truncate import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_LINES,
    TruncatedBy,
    TruncationResult,
    require_limit,
    truncate_tail,
)

__all__ = ["FullOutput", "OutputAccumulator", "OutputSnapshot", "OutputSpillError", "TextFilter"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OutputSnapshot(Value):
    """What is shown of an output at one moment.

    Attributes:
        content: The tail that is shown.
        truncation: How it relates to the whole output so far.
        full_output_path: The file that has the whole output so far, or ``None`` if there is none.
    """

    content: str
    truncation: TruncationResult
    full_output_path: Path | None


class OutputAccumulator:
    """Follows a byte stream: counts it, keeps its tail to show, and all of it in a file once it is long.

    The file gets the bytes as they came. It is made as soon as the raw bytes, the text's bytes or its lines
    pass a limit, in a directory that belongs to the user alone, and stays when the accumulator is closed.

    A file that cannot be made or written never stops the stream: the first failure is kept in
    ``spill_error``, counting and the tail go on, and ``finish``, ``close`` and
    ``snapshot(persist_if_truncated=True)`` raise it.

    Args:
        max_lines: Most lines to show.
        max_bytes: Most UTF-8 bytes to show.
        temp_file_prefix: How the file's name begins.
        text_filter: Makes a filter that the text goes through before it is counted and shown.
        fallback_dir: Directory for the file if the temporary directory is refused.

    Attributes:
        total_lines: Lines of the text so far.
        total_bytes: UTF-8 bytes of the text so far.
        last_line_bytes: UTF-8 bytes of the line the text ends in; 0 right after a newline.
        spill_error: Why the file does not have the full output, or ``None``.

    Raises:
        ValueError: A limit is negative, or the prefix is more than the start of a name.
    """

    def __init__(
        self,
        *,
        max_lines: int = DEFAULT_MAX_LINES,
        max_bytes: int = DEFAULT_MAX_BYTES,
        temp_file_prefix: str = "pihost-output",
        text_filter: FilterFactory = None,
        fallback_dir: Path | None = None,
    ) -> None:
        require_limit("max_lines", max_lines)
        require_limit("max_bytes", max_bytes)
        if Path(temp_file_prefix).name != temp_file_prefix:
            raise ValueError(
                f"temp_file_prefix is {temp_file_prefix!r}; it must be a name without a directory"
            )
        self.total_lines = 0
        self.total_bytes = 0
        self.last_line_bytes = 0
        self.spill_error: OutputSpillError | None = None
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._prefix = temp_file_prefix
        self._fallback_dir = fallback_dir
        self._make_filter = text_filter
        self._stream = TextStream(text_filter)
        self._tail = Tail(max_bytes)
        self._newlines = 0
        self._raw = bytearray()
        self._spill: SpillFile | None = None
        self._finished = False

    def append(self, data: bytes) -> None:
        """Take the next chunk of the stream. A failing file is kept in ``spill_error``, never raised.

        Raises:
            RuntimeError: The stream was finished.
        """
        if self._finished:
            raise RuntimeError("append() after finish(): the stream has ended")
        self._follow(data, final=False)
        self._store(data)

    def finish(self) -> None:
        """End the stream; what was held back becomes text. Again is harmless.

        Raises:
            OutputSpillError: The file does not have the full output.
        """
        if not self._finished:
            self._finished = True
            self._follow(b"", final=True)
            self._store(b"")
        self._verify_spill()

    def snapshot(self, persist_if_truncated: bool = False) -> OutputSnapshot:  # noqa: FBT001, FBT002 -- pinned
        """Return what is to be shown now.

        Args:
            persist_if_truncated: Whether a cut output must be in its file.

        Raises:
            OutputSpillError: ``persist_if_truncated`` is set and the file does not have the full output.
        """
        if persist_if_truncated:
            self._verify_spill()
        shown = truncate_tail(self._tail.text(), max_lines=self._max_lines, max_bytes=self._max_bytes)
        truncated_by = self._truncated_by(shown)
        truncation = attrs.evolve(
            shown,
            truncated=truncated_by is not None,
            truncated_by=truncated_by,
            total_lines=self.total_lines,
            total_bytes=self.total_bytes,
        )
        path = self._spill.path if self._spill is not None else None
        return OutputSnapshot(content=shown.content, truncation=truncation, full_output_path=path)

    def read_full_output(self, max_bytes: int) -> FullOutput:
        """Read back the output so far, through the filter.

        Args:
            max_bytes: Most bytes to read from the file: of more, both ends are read and a mark between them
                says how many bytes were left out. An output that needed no file is returned whole.

        Raises:
            ValueError: ``max_bytes`` is negative.
            OutputSpillError: The file does not have the full output, or cannot be read.
        """
        require_limit("max_bytes", max_bytes)
        self._require_full_output()
        if self._spill is None:
            return FullOutput(content=render(bytes(self._raw), self._make_filter), truncated=False)
        try:
            return read_back(self._spill.path, max_bytes, self._make_filter)
        except OSError as error:
            raise OutputSpillError(self._spill.path, error.strerror or str(error)) from error

    def close(self) -> None:
        """End the stream if that was not done, and close the file. Again is harmless.

        Raises:
            OutputSpillError: The file does not have the full output.
        """
        self.finish()
        if self._spill is not None:
            self._try(self._spill.close)
        self._require_full_output()

    def _follow(self, data: bytes, *, final: bool) -> None:
        text, newlines = self._stream.feed(data, final=final)
        if newlines:
            self._newlines += newlines
            self.last_line_bytes = len(text) - text.rfind(b"\n") - 1
        else:
            self.last_line_bytes += len(text)
        self.total_lines = self._newlines + (self.last_line_bytes > 0)
        self.total_bytes += len(text)
        self._tail.append(text)

    def _store(self, data: bytes) -> None:
        if self.spill_error is not None:
            return
        try:
            if self._spill is not None:
                self._spill.write(data)
                return
            self._raw += data
            if self._is_over(len(self._raw)):
                self._spill = SpillFile(self._prefix, self._fallback_dir)
                self._spill.write(self._raw)
                self._raw = bytearray()
        except OutputSpillError as error:
            self._fail(error)

    def _is_over(self, raw_bytes: int = 0) -> bool:
        return self.total_lines > self._max_lines or max(self.total_bytes, raw_bytes) > self._max_bytes

    def _truncated_by(self, shown: TruncationResult) -> TruncatedBy | None:
        if not self._is_over():
            return None
        return shown.truncated_by or ("bytes" if self.total_bytes > self._max_bytes else "lines")

    def _verify_spill(self) -> None:
        if self._spill is not None:
            self._try(self._spill.verify)
        self._require_full_output()

    def _require_full_output(self) -> None:
        if self.spill_error is not None:
            raise self.spill_error

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except OutputSpillError as error:
            self._fail(error)

    def _fail(self, error: OutputSpillError) -> None:
        self.spill_error = error
        self._raw = bytearray()
        if self._spill is not None:
            self._spill.discard()
            self._spill = None

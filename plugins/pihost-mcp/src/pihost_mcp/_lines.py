"""Lines out of a stream of bytes, wherever the pieces of it begin and end."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["MAX_LINE_BYTES", "LineSplitter", "LineTooLongError"]

MAX_LINE_BYTES = 64 * 1024 * 1024
"""How long a message may be."""


class LineTooLongError(ValueError):
    """A line does not end.

    Attributes:
        limit: How many bytes it may have.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"a message is longer than {self.limit} bytes"


class LineSplitter:
    """Puts pieces together and gives whole lines, without their end.

    A line ends at a newline and nowhere else; a carriage return before it is dropped.

    Args:
        limit: How many bytes a line may have.
    """

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._bytes = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The lines that end in a piece. All of them must be taken before the next piece is fed.

        Raises:
            LineTooLongError: the line that the piece leaves open is over the limit.
        """
        *ended, rest = piece.split(b"\n")
        for part in ended:
            yield self._whole(part).removesuffix(b"\r")
        if rest:
            self._pieces.append(rest)
            self._bytes += len(rest)
            if self._bytes > self._limit:
                raise LineTooLongError(self._limit)

    def _whole(self, last: bytes) -> bytes:
        if not self._pieces:
            return last
        line = b"".join((*self._pieces, last))
        self._pieces, self._bytes = [], 0
        return line

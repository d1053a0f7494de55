"""What waits to be written: a line, pieces of an answer that will be one, or a count of what was left out."""

from __future__ import annotations

import attrs

from pihost.messages import Delta, TextDelta, ThinkingDelta, ToolCallDelta
from pihost.protocol.records import event_record, line_of
from pihost.protocol.stream import EventsLost, MessageUpdate

__all__ = ["Deltas", "Line", "Loss", "Waiting"]

_AROUND_BYTES = 100
"""What a line takes besides the text of its delta, nearly."""


class Line:
    """A line.

    Attributes:
        size: What it takes, in bytes.
        update_of: See the argument.

    Args:
        line: The line.
        update_of: Id of the tool call that it shows the progress of, if it does.
    """

    def __init__(self, line: bytes, update_of: str | None = None) -> None:
        self._line = line
        self.size = len(line)
        self.update_of = update_of

    def replace(self, line: bytes) -> None:
        """Put another line in its place."""
        self._line = line
        self.size = len(line)

    def taken(self) -> bytes:
        """The line, now that it is to be written."""
        return self._line


class Deltas:
    """Pieces of one block of an answer, which become one.

    Attributes:
        size: What they take, in bytes or nearly so.

    Args:
        delta: The first piece.
    """

    def __init__(self, delta: Delta) -> None:
        self._first = self._last = delta
        self._texts = [_text(delta)]
        self.size = _AROUND_BYTES + len(self._texts[0])

    def join(self, delta: Delta) -> bool:
        """Take in another piece, and say whether it is one of the same block."""
        if type(delta) is not type(self._first) or delta.index != self._first.index:
            return False
        self._last = delta
        self._texts.append(_text(delta))
        self.size += len(self._texts[-1])
        return True

    def taken(self) -> bytes:
        """The line of all pieces."""
        return line_of(event_record(MessageUpdate(delta=self._joined())))

    def _joined(self) -> Delta:
        text = "".join(self._texts)
        if isinstance(self._first, ToolCallDelta):
            return attrs.evolve(self._first, arguments_json=text)
        if isinstance(self._last, ThinkingDelta):  # its signature comes with the last piece
            return attrs.evolve(self._last, text=text)
        return TextDelta(index=self._first.index, text=text)


class Loss:
    """Events that were left out.

    Attributes:
        count: How many.
        size: What the line takes, nearly.
    """

    def __init__(self) -> None:
        self.count = 0
        self.size = 0

    def taken(self) -> bytes:
        """The line that says so."""
        return line_of(event_record(EventsLost(count=self.count)))


Waiting = Line | Deltas | Loss
"""One that waits."""


def _text(delta: Delta) -> str:
    return delta.arguments_json if isinstance(delta, ToolCallDelta) else delta.text

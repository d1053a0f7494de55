"""What an edit asks for, and why it was refused."""

from typing import Literal

import attrs

from pihost.errors import PihostError

__all__ = ["LINES_NAMED", "Edit", "EditError", "EditErrorCode"]

LINES_NAMED = 5
"""Line numbers of occurrences that an error names at most."""

EditErrorCode = Literal["empty_old_text", "not_found", "not_unique", "overlap", "no_change"]


@attrs.frozen
class Edit:
    """One replacement.

    Attributes:
        old_text: The text to replace; it must occur exactly once.
        new_text: What takes its place, as it is: nothing in it has a special meaning.
    """

    old_text: str
    new_text: str


class EditError(PihostError):
    """Edits were refused as a whole; the text is as it was.

    Attributes:
        code: ``empty_old_text``, ``not_found``, ``not_unique``, ``overlap`` or ``no_change``.
        path: The file as the caller named it, or ``""``.
        index: Index of the edit from 0, or ``None`` when there is only one or all are meant.
        count: How many occurrences were found, for ``not_unique``; counting stops at ten thousand.
        lines: Line numbers from 1: of the first occurrences (``not_unique``), of the two regions that
            overlap, or of the place most like ``old_text`` (``not_found``, when one is worth showing).
        similarity: How much that place is like ``old_text``, from 0 to 1, or ``None``.
    """

    def __init__(
        self,
        code: EditErrorCode,
        path: str = "",
        index: int | None = None,
        count: int = 0,
        lines: tuple[int, ...] = (),
        similarity: float | None = None,
    ) -> None:
        super().__init__(code, path, index, count, lines, similarity)
        self.code = code
        self.path = path
        self.index = index
        self.count = count
        self.lines = lines
        self.similarity = similarity

    def __str__(self) -> str:
        where = self.path or "the text"
        field = "old_text" if self.index is None else f"edits[{self.index}].old_text"
        match self.code:
            case "empty_old_text":
                return f"{field} is empty, for {where}. Give the text to replace; `write` makes a new file."
            case "not_found":
                return f"{field} was not found in {where}. {self._closest()}"
            case "not_unique":
                return (
                    f"{field} was found {self.count} times in {where} ({self._places()}). It must occur "
                    "exactly once: add lines around it until it does."
                )
            case "overlap":
                return (
                    f"{field} overlaps with another edit's in {where} ({self._places()}). Merge the two "
                    "into one edit."
                )
            case "no_change":
                return f"The edits leave {where} as it is: new_text equals what is there."

    def _closest(self) -> str:
        if self.similarity is None:
            return "Read the file again and copy the text as it is there."
        place = f"line {self.lines[0]} ({self.similarity:.0%} similar)"
        return f"The closest place is {place}. Copy the text as it is there."

    def _places(self) -> str:
        more = ", …" if self.count > len(self.lines) == LINES_NAMED else ""
        word = "line" if len(self.lines) == 1 else "lines"
        return f"{word} {', '.join(map(str, self.lines))}{more}"

r"""Lines as the tools count them: a line ends at ``"\n"`` and nowhere else."""

import re

__all__ = ["line_number", "line_starts", "split_lines"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NEWLINE = re.compile("\n")


def split_lines(text: str) -> list[str]:
    """The lines with their endings; only the last one may be without."""
    return _LINE.findall(text)


def line_starts(text: str) -> list[int]:
    """Offsets of all line starts, the one after a final newline too."""
    return [0, *(found.end() for found in _NEWLINE.finditer(text))]


def line_number(text: str, offset: int) -> int:
    """The number, from 1, of the line that holds an offset."""
    return text.count("\n", 0, offset) + 1

"""Edit the bytes of a text file so that no byte changes that no edit touches."""

from collections.abc import Sequence

import attrs

from pihost._values import Value
from pihost.tools._edit_types import Edit, EditError
from pihost.tools.editing._diff import TextDiff
from pihost.tools.editing._edit_match import find_regions
from pihost.tools.editing._text_file import decode_text, decode_utf8, find_bom
from pihost.tools.editing._window import find_window

__all__ = ["EditedFile", "edit_bytes"]

_BOM = "\ufeff"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EditedFile(Value):
    """What edits made of a file.

    Attributes:
        data: The new bytes.
        changes: What changed in the text, to be shown.
        path: The file's name, for the patch.
    """

    data: bytes
    changes: TextDiff
    path: str

    @property
    def first_changed_line(self) -> int:
        """Number, from 1, of the first line that differs."""
        return self.changes.first_changed_line

    @property
    def patch(self) -> str:
        r"""A unified diff of the texts with ``"\n"`` as line ending and without byte order mark."""
        return self.changes.unified(self.path)

    @property
    def diff(self) -> str:
        """The changed lines and some around them, with line numbers, to show to somebody."""
        return self.changes.display()


def edit_bytes(data: bytes, edits: Sequence[Edit], *, path: str = "") -> EditedFile:
    r"""Make all edits of a file, or none, by the rules of `apply_edits`.

    The byte order mark, the encoding, each line's own ending, bytes that are not valid UTF-8 and a missing
    final newline stay; new text takes the line endings of what it replaces.

    Args:
        data: The bytes of the file.
        edits: What to replace. ``"\r\n"`` in them is a line ending like any other.
        path: The file's name, for errors and the patch.

    Raises:
        EditError: An edit cannot be made.
        TextDecodeError: The file is not in the encoding that its byte order mark promises.
    """
    bom, encoding = find_bom(data)
    if bom:  # the mark is not part of the text: one that came along in an edit is not a second one
        edits = [Edit(edit.old_text.removeprefix(_BOM), edit.new_text.removeprefix(_BOM)) for edit in edits]
    wanted = [_with_newlines(edit.old_text) for edit in edits]
    window = find_window(data, len(bom), wanted) if encoding == "utf-8" else None
    edited = _edit_window(data, window, edits, path) if window is not None else None
    if edited is not None:
        return edited
    file = decode_text(data)
    regions = find_regions(file.text, edits, path)
    return EditedFile(data=file.replace(regions), changes=TextDiff(file.text, regions), path=path)


def _edit_window(data: bytes, window: tuple[int, int], edits: Sequence[Edit], path: str) -> EditedFile | None:
    """Edit some lines of the file, or none where an edit does not fit: what is said then takes all of it."""
    begin, end = window
    part = decode_utf8(data[begin:end])
    if not all(_with_newlines(edit.old_text) in part.text for edit in edits):
        return None
    try:
        regions = find_regions(part.text, edits, path)
    except EditError:
        return None
    view = memoryview(data)
    new = b"".join([view[:begin], part.replace(regions), view[end:]])
    changes = TextDiff(part.text, regions, lines_before=data.count(b"\n", 0, begin))
    return EditedFile(data=new, changes=changes, path=path)


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")

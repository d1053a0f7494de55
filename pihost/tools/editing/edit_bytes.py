"""Edit the bytes of a text file so that no byte changes that no edit touches."""

from collections.abc import Sequence
from functools import cached_property

import attrs

from pihost.tools._edit_types import Edit
from pihost.tools.editing._diff import TextDiff
from pihost.tools.editing._edit_match import find_regions
from pihost.tools.editing._regions import Region, replace_regions
from pihost.tools.editing._text_file import decode_text

__all__ = ["EditedFile", "edit_bytes"]

_BOM = "\ufeff"


@attrs.frozen(kw_only=True)
class EditedFile:
    r"""What edits made of a file. The texts have ``"\n"`` as line ending and no byte order mark.

    Attributes:
        data: The new bytes.
        old_text: The text before.
        regions: What changed in it, in order.
        path: The file's name, for the patch.
    """

    data: bytes
    old_text: str
    regions: tuple[Region, ...]
    path: str

    @property
    def new_text(self) -> str:
        """The text after."""
        return replace_regions(self.old_text, self.regions)

    @property
    def first_changed_line(self) -> int:
        """Number, from 1, of the first line that differs."""
        return self._changes.first_changed_line

    @property
    def patch(self) -> str:
        """A unified diff that turns `old_text` into `new_text`."""
        return self._changes.unified(self.path)

    @property
    def diff(self) -> str:
        """The changed lines and some around them, with line numbers, to show to somebody."""
        return self._changes.display()

    @cached_property
    def _changes(self) -> TextDiff:
        return TextDiff(self.old_text, self.regions)


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
    file = decode_text(data)
    if file.bom:  # the mark is not part of the text: one that came along in an edit is not a second one
        edits = [Edit(edit.old_text.removeprefix(_BOM), edit.new_text.removeprefix(_BOM)) for edit in edits]
    regions = find_regions(file.text, edits, path)
    return EditedFile(data=file.replace(regions), old_text=file.text, regions=regions, path=path)

"""Replace stretches of a text, each of which must occur exactly once."""

from collections.abc import Mapping, Sequence

from pihost.tools._edit_types import Edit, EditError
from pihost.tools.editing._edit_match import find_regions
from pihost.tools.editing._regions import replace_regions

__all__ = ["Edit", "EditError", "apply_edits"]


def apply_edits(text: str, edits: Sequence[Edit | Mapping[str, str]], *, path: str = "") -> str:
    r"""Make all edits, or none.

    Every ``old_text`` must occur exactly once, and all are looked for in the original, never in another
    one's result. When one of them is not there exactly, all are looked for in a normalised view (NFKC, no
    white space at line ends, plain quotes, dashes and spaces); the lines that they touch then take the
    view's spelling, all others keep their own.

    Args:
        text: The original, with ``"\n"`` as line ending.
        edits: What to replace, as `Edit` or as mappings with ``old_text`` and ``new_text``.
        path: The file's name, for errors.

    Returns:
        The new text.

    Raises:
        EditError: The first fault in this order: an empty ``old_text``; edit by edit, not found or found
            more than once, counted in the normalised view with overlapping places; two that overlap; no
            change.
        TypeError: A mapping with other keys.

    Example:
        >>> apply_edits("a = 1\nb = 2\n", [Edit("b = 2", "b = 3")])
        'a = 1\nb = 3\n'
    """
    asked = [edit if isinstance(edit, Edit) else Edit(**edit) for edit in edits]
    return replace_regions(text, find_regions(text, asked, path))

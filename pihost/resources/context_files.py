"""``AGENTS.md``: standing instructions of the user and of the directories that a project lies in.

They are read whether or not a project is trusted, and are text like any other that a project holds: nothing
in them is run, and the prompt tells the model whose words they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pihost.events import ContextFile
from pihost.paths import canonical
from pihost.resources.documents import DocumentError, read_text
from pihost.tools.outputs.truncate import format_size, truncate_head

__all__ = ["CONTEXT_FILE_NAME", "read_context_files"]

CONTEXT_FILE_NAME = "AGENTS.md"


def read_context_files(cwd: Path, home: Path) -> Iterator[ContextFile | DocumentError]:
    """The user's own file, then those from the root of the repository down to ``cwd``.

    Outside a repository only ``cwd`` itself is looked at: whoever may write to a directory above it is not
    asked for instructions. A link that leads out of the repository is not followed, for it could carry any
    file of the user's to a model.

    Args:
        cwd: The directory worked in.
        home: The user's global directory.

    Yields:
        Each file that is there and says something, or what is wrong with it.
    """
    own = _read(home / CONTEXT_FILE_NAME, within=None)
    if own is not None:
        yield own
    directories = _directories(cwd)
    for directory in directories:
        if directory != home:
            found = _read(directory / CONTEXT_FILE_NAME, within=directories[0])
            if found is not None:
                yield found


def _directories(cwd: Path) -> list[Path]:
    """From the root of the repository to ``cwd``."""
    upwards: list[Path] = []
    for directory in (cwd, *cwd.parents):
        upwards.append(directory)
        if (directory / ".git").exists():
            return upwards[::-1]
    return [cwd]


def _read(path: Path, *, within: Path | None) -> ContextFile | DocumentError | None:
    try:
        if within is not None and not canonical(path).is_relative_to(canonical(within)):
            return DocumentError(path, f"leads out of {within} and is left out")
        text = read_text(path).strip()
    except FileNotFoundError:
        return None
    except DocumentError as fault:
        return fault
    except OSError as fault:
        return DocumentError(path, f"cannot be read ({fault.strerror or fault})")
    if not text:
        return None
    cut = truncate_head(text)
    if cut.truncated:
        shown = f"{cut.output_lines} of {cut.total_lines} lines"
        text = f"{cut.content}\n[Cut: {shown} are shown; the file has {format_size(cut.total_bytes)}]"
    return ContextFile(path=path, text=text)

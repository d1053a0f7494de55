"""``pihost sessions …``: see the stored sessions, read one, export one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pihost.cli._arguments import UsageError
from pihost.cli._group import Group
from pihost.cli._report import report_all
from pihost.cli._session_choice import session_file, sessions_root
from pihost.cli._values import working_directory
from pihost.display import visible
from pihost.tables import table

if TYPE_CHECKING:
    from pihost.session import SessionStore

__all__ = ["command"]


@click.group("sessions", cls=Group, help="See and export stored sessions.")
def command() -> None:
    """The group of the commands below."""


def _add(name: str, callback: Callable[..., Any], params: Iterable[click.Parameter]) -> None:
    command.add_command(click.Command(name, callback=callback, help=callback.__doc__, params=list(params)))


def _list(*, every: bool, as_json: bool) -> None:
    """List the sessions of this directory, those written last first.

    Only the beginning and the end of each file are read. JSON is a list of objects: file, id, cwd, name,
    first_prompt, created, modified, size (bytes), parent_session.
    """
    from pihost.session import list_sessions

    sessions = list_sessions(sessions_root(), None if every else working_directory())
    if as_json:
        from pihost.jsonlines import encode

        sys.stdout.buffer.write(encode(sessions) + b"\n")
        sys.stdout.buffer.flush()
        return
    rows = []
    for one in sessions:
        words = one.name or one.first_prompt
        when = one.modified[:16].replace("T", " ")
        rows.append((one.id[:8], when, f"{words}  ({one.cwd})" if every else words))
    for line in table(rows) if rows else ():
        click.echo(line)


def _show(session: str) -> None:
    """Print what was said in a session: on its active branch, with a mark where other branches part."""
    from pihost.session.readable import transcript

    with _opened(session) as store:
        for line in transcript(store):
            click.echo(visible(line))


def _export(session: str, output: str | None) -> None:
    """Write a session as one HTML page that needs nothing else: no script, no other file, no network.

    The page is readable by nobody but you (mode 0600).
    """
    from pihost.session.export import html_page
    from pihost.trust.private_file import replace_private_file

    with _opened(session) as store:
        page = html_page(store).encode()
        name = f"session-{store.id[:8]}.html"
    if output == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
        return
    file = Path(output or name).absolute()
    _refuse_what_is_no_file(file)
    replace_private_file(file, page)
    click.echo(str(file))


def _refuse_what_is_no_file(path: Path) -> None:
    """Stop where a link, a directory or a device would be replaced by a page.

    Raises:
        UsageError: there is such a thing.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(
            f"{path} is no regular file, and is not replaced",
            "Give the path of a file, or - for standard output.",
        )


def _opened(session: str) -> SessionStore:
    """A session to read; what is wrong with its file is told."""
    from pihost.session import SessionStore

    store = SessionStore.reading(session_file(session))
    report_all(store.warnings)
    return store


_SESSION = click.Argument(["session"], metavar="FILE|ID")

_add(
    "list",
    _list,
    [
        click.Option(["--all", "every"], is_flag=True, help="Those of all directories."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
    ],
)
_add("show", _show, [_SESSION])
_add(
    "export",
    _export,
    [
        _SESSION,
        click.Option(
            ["-o", "--output"], metavar="FILE", help="Where to; - is standard output. [session-ID.html]"
        ),
    ],
)

"""The processes there are and who started whom, to find what a command has left running."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["ProcessRow", "family", "process_rows", "rows_from_proc", "rows_from_ps"]

_PROC = Path("/proc")


class ProcessRow(NamedTuple):
    """One process. Its number may be given again; number and start together are not.

    Attributes:
        pid: Its number.
        parent: That of the process that started it, or took it over.
        group: Its process group.
        session: Its session; 0 where the system does not say.
        started: When it was started, in whatever form the system has.
        dead: It has ended and waits for its parent to notice.
    """

    pid: int
    parent: int
    group: int
    session: int
    started: str
    dead: bool


def process_rows() -> list[ProcessRow]:
    """Every process that can be seen."""
    return list(rows_from_proc() if sys.platform == "linux" else rows_from_ps())


def rows_from_proc() -> Iterator[ProcessRow]:
    """The processes by ``/proc``."""
    for directory in _PROC.iterdir():
        if not directory.name.isdigit():
            continue
        try:
            # The name, in parentheses, may hold anything, parentheses and spaces included.
            fields = (directory / "stat").read_text("latin-1").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended while we looked
        state, parent, group, session = fields[:4]
        yield ProcessRow(
            pid=int(directory.name),
            parent=int(parent),
            group=int(group),
            session=int(session),
            started=fields[19],
            dead=state in {"Z", "X"},
        )


def rows_from_ps() -> Iterator[ProcessRow]:
    """The processes by ``ps``, as POSIX has it."""
    columns = "pid=,ppid=,pgid=,stat=,lstart="
    listing = subprocess.run(
        ["/bin/ps", "-A", "-o", columns], capture_output=True, text=True, check=False, timeout=5
    )
    for line in listing.stdout.splitlines():
        pid, parent, group, state, started = line.split(maxsplit=4)
        yield ProcessRow(int(pid), int(parent), int(group), 0, started, state.startswith("Z"))


def family(rows: Iterable[ProcessRow], leader: int, known: Iterable[ProcessRow] = ()) -> list[ProcessRow]:
    """The living of a process's group and session, and all they have started.

    Args:
        rows: Every process.
        leader: The process; it leads a group and session of its own.
        known: Members found earlier: they count though their parent has ended since.
    """
    rows = list(rows)
    identities = {(row.pid, row.started) for row in known}
    members = {
        row.pid
        for row in rows
        if leader in {row.pid, row.group, row.session} or (row.pid, row.started) in identities
    }
    grown = True
    while grown:
        found = {row.pid for row in rows if row.parent in members} - members
        members |= found
        grown = bool(found)
    return [row for row in rows if row.pid in members and not row.dead]

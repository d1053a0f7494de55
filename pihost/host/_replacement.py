"""The session that takes another's place: where its entries come from, and how its start is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import attrs

from pihost.config import HostOptions, OpenSession
from pihost.host._startup import Startup
from pihost.host._stores import sessions_directory
from pihost.session.errors import SessionFileError
from pihost.session.navigation import said_at
from pihost.session.restore import stored_choices
from pihost.session.store import SessionStore

if TYPE_CHECKING:
    from pihost.entries import Entry
    from pihost.session.agent_session import AgentSession

__all__ = [
    "Fork",
    "existing_store",
    "forked_store",
    "found_from",
    "new_store",
    "options_for",
    "options_for_reload",
    "same_file",
    "session_file",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Fork:
    """A branch that is to become a session of its own.

    Attributes:
        origin: The session it is a branch of.
        entries: The branch, oldest first.
        directory: Where the sessions of all directories are kept.
        text: What the user said at the entry where it was cut; ``None`` where it was not the user.
    """

    origin: SessionStore
    entries: tuple[Entry, ...]
    directory: Path
    text: str | None

    def store(self) -> SessionStore:
        """Make the session."""
        return self.origin.forked(self.entries, self.directory)


def new_store(startup: Startup, session: AgentSession) -> SessionStore:
    """A new session, kept as the one under way is kept.

    Args:
        startup: How the present one was started.
        session: The present one.
    """
    if session.file is None:
        return SessionStore.in_memory(startup.cwd)
    return SessionStore.create(sessions_directory(startup), startup.cwd)


def forked_store(
    startup: Startup, session: AgentSession, entry_id: str, position: Literal["before", "at"]
) -> Fork:
    """The branch up to an entry; nothing is made before ``Fork.store``.

    Args:
        startup: How the present session was started.
        session: The present session.
        entry_id: The entry.
        position: Whether the branch ends with it or before it.

    Raises:
        EntryNotFoundError: there is no such entry.
        ValueError: there is no such position.
    """
    if position not in ("before", "at"):
        message = f'position must be "before" or "at", not {position!r}'
        raise ValueError(message)
    path = session.store.path_to(entry_id)
    return Fork(
        origin=session.store,
        entries=tuple(path if position == "at" else path[:-1]),
        directory=sessions_directory(startup),
        text=said_at(path[-1]),
    )


def session_file(path: str | Path) -> Path:
    """A session's file as the user named it, absolute, ``~`` expanded."""
    return Path(path).expanduser().absolute()


def same_file(one: Path, other: Path) -> bool:
    """Whether both are one file, by whatever way."""
    return os.path.realpath(one) == os.path.realpath(other)


def existing_store(file: Path, cwd: Path) -> SessionStore:
    """The session in a file.

    Args:
        file: The file.
        cwd: The directory to work in where the file is empty.

    Raises:
        SessionError: it cannot be opened as a session.
    """
    if not file.exists():
        raise SessionFileError(file, "there is no such file")
    return SessionStore.open(file, cwd)


def found_from(cwd: Path, options: HostOptions) -> HostOptions:
    """The options, their paths found from where the user is, though the session may have another directory.

    Args:
        cwd: Where the user is.
        options: As they were given.
    """
    if not isinstance(options.session, OpenSession):
        return options
    return attrs.evolve(options, extension_paths=_absolute(options.extension_paths, cwd.absolute()))


def _absolute(paths: Sequence[str], cwd: Path) -> list[str]:
    return [os.path.join(cwd, Path(path).expanduser()) for path in paths]  # noqa: PTH118 -- as the user wrote it


def options_for(opened: Startup, present: Startup, session: AgentSession, store: SessionStore) -> HostOptions:
    """How the start of the session in ``store`` is asked for.

    What decides on the trust of one directory says nothing of another.

    Args:
        opened: How the host was opened.
        present: How the session under way was started.
        session: The session under way.
        store: The session to come; without a model of its own it goes on with the present one.
    """
    model, level = stored_choices(store.branch())
    trusts = opened.options.trust_override
    if store.cwd != opened.cwd and trusts:
        trusts = None
    return attrs.evolve(
        present.options,
        trust_override=trusts,
        extension_paths=_absolute(present.options.extension_paths, present.cwd),
        model=session.state.model.ref if session.state.model is not None and model is None else None,
        thinking=session.state.thinking_level if level is None and model is None else None,
    )


def options_for_reload(startup: Startup) -> HostOptions:
    """The session goes on as it stands, with its own model."""
    return attrs.evolve(startup.options, model=None, thinking=None)

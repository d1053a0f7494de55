"""What can be wrong with a session or with what is asked of it."""

from __future__ import annotations

from pathlib import Path

from pihost.errors import PihostError

__all__ = [
    "CompactionError",
    "EntryNotFoundError",
    "SessionBusyError",
    "SessionClosedError",
    "SessionCwdError",
    "SessionError",
    "SessionFileError",
    "SessionLockedError",
    "SessionNotFoundError",
]


class SessionError(PihostError):
    """The root of every error of a session."""


class SessionFileError(SessionError):
    """A file cannot serve as a session.

    Attributes:
        file: The file.
        reason: Why not.
    """

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(file, reason)
        self.file = file
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file} cannot be opened as a session: {self.reason}"


class SessionLockedError(SessionError):
    """Another process, or another session of this one, has the file open.

    Attributes:
        file: The file.
    """

    hint = "Close the other session, or begin a new one."

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.file = file

    def __str__(self) -> str:
        return f"{self.file} is in use: another session has it open"


class SessionCwdError(SessionError):
    """The directory a session works in is gone.

    Attributes:
        file: The session's file.
        cwd: The directory.
    """

    def __init__(self, file: Path, cwd: Path) -> None:
        super().__init__(file, cwd)
        self.file = file
        self.cwd = cwd

    def __str__(self) -> str:
        return f"The session in {self.file} works in {self.cwd}, which is not a directory any more"


class CompactionError(SessionError):
    """A conversation was not compacted; it stays as it was.

    Attributes:
        reason: Why not.
        aborted: Whether the user or an extension did not want it.
        from_extension: Whether an extension cancelled it, or what it gave could not be used.
    """

    def __init__(self, reason: str, aborted: bool = False, from_extension: bool = False) -> None:  # noqa: FBT001, FBT002 -- parts are positional, so that the error can be pickled
        super().__init__(reason, aborted, from_extension)
        self.reason = reason
        self.aborted = aborted
        self.from_extension = from_extension

    def __str__(self) -> str:
        return f"The conversation was not compacted: {self.reason}"


class EntryNotFoundError(SessionError):
    """A session has no entry of that id.

    Attributes:
        entry_id: The id.
    """

    hint = "/tree lists the entries."

    def __init__(self, entry_id: str) -> None:
        super().__init__(entry_id)
        self.entry_id = entry_id

    def __str__(self) -> str:
        return f"The session has no entry {self.entry_id!r}"


class SessionBusyError(SessionError):
    """Something was asked that has to wait until no run is under way, such as a second run."""

    hint = "Use steer() or follow_up(), or wait until the session is idle."

    def __str__(self) -> str:
        return "The session is at work"


class SessionClosedError(SessionError):
    """Something was asked of a session that has ended."""

    def __str__(self) -> str:
        return "The session has ended"


class SessionNotFoundError(SessionError):
    """No session is meant, or more than one.

    Attributes:
        wanted: How it was named.
        matches: The ids that fit.
    """

    hint = "The command sessions list --all shows those there are."

    def __init__(self, wanted: str, matches: tuple[str, ...] = ()) -> None:
        super().__init__(wanted, matches)
        self.wanted = wanted
        self.matches = matches
        if matches:
            self.hint = f"Give more of its id: {', '.join(matches)}"

    def __str__(self) -> str:
        if self.matches:
            return f"{len(self.matches)} sessions have an id that begins with {self.wanted!r}"
        return f"There is no session {self.wanted!r}"

"""Which session a command line means: a new one, the newest, one by its file or id, one that is picked."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pihost.cli._arguments import UsageError
from pihost.config import (
    ContinueSession,
    ForkSession,
    HostConfig,
    NewSession,
    NoSession,
    OpenSession,
    SessionChoice,
)

if TYPE_CHECKING:
    from pihost.session.listing import SessionSummary

__all__ = ["session_choice", "session_file", "sessions_root"]

_WAYS = {
    "continue_": "--continue",
    "resume": "--resume",
    "session": "--session",
    "fork": "--fork",
    "no_session": "--no-session",
}


def session_choice(values: Mapping[str, Any]) -> SessionChoice:
    """The session that the options choose.

    Raises:
        UsageError: they contradict each other, or nobody can be asked.
        SessionError: it is not there.
    """
    given = [name for name in _WAYS if values[name]]
    if len(given) > 1:
        names = " and ".join(_WAYS[name] for name in given)
        raise UsageError(f"{names} exclude one another", "Give one of them.")
    if values["continue_"]:
        return ContinueSession()
    if values["resume"]:
        return OpenSession(file=_resumed(values["resume"]))
    if values["session"]:
        return OpenSession(file=session_file(values["session"]))
    if values["fork"]:
        return ForkSession(file=session_file(values["fork"]))
    return NoSession() if values["no_session"] else NewSession(name=values["name"])


def session_file(text: str) -> Path:
    """The file that ``text`` names: a path, or the id of a session or its beginning.

    A bare word is a new file only where it ends in ``.jsonl``: a mistyped id makes none.

    Raises:
        SessionNotFoundError: it is an id, and no session has it, or more than one.
    """
    path = Path(text).expanduser().absolute()
    if os.sep in text or path.exists() or text.endswith(".jsonl"):
        return path
    from pihost.session.listing import find_session

    return find_session(sessions_root(), text)


def sessions_root() -> Path:
    """Where the sessions of all directories are kept, by the user's own settings."""
    from pihost.settings import load_settings

    config = HostConfig()
    home = config.resolve_home()
    settings, _faults = load_settings(config, home)
    return settings.session_dir or home / "sessions"


def _resumed(value: str | bool) -> Path:  # noqa: FBT001 -- an option that may stand alone
    from pihost.session.listing import find_session, list_sessions

    root = sessions_root()
    if isinstance(value, str):
        return find_session(root, value)
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "--resume has nobody to ask which session", "Give the session's id: pihost --resume=ID"
        )
    sessions = list_sessions(root, Path.cwd())
    if not sessions:
        raise UsageError(
            "this directory has no session to go on with", "pihost sessions list --all shows all there are."
        )
    return _picked(sessions)


def _picked(sessions: Sequence[SessionSummary]) -> Path:
    """The one that the user names by its number; asked again until it is one.

    Raises:
        UsageError: they give none.
    """
    from pihost.display import escaped

    for number, one in enumerate(sessions, 1):
        words = escaped(" ".join((one.name or one.first_prompt).split()))[:60]
        print(f"{number:3}. {one.id[:8]}  {one.modified[:16]}  {words}", file=sys.stderr)  # noqa: T201 -- the list to pick from
    while True:
        print(f"Which one (1-{len(sessions)})? ", end="", file=sys.stderr, flush=True)  # noqa: T201 -- the question
        answer = sys.stdin.readline()
        if not answer.strip():
            raise UsageError("no session was chosen", "Start without --resume for a new one.")
        if answer.strip().isdecimal() and 1 <= int(answer) <= len(sessions):
            return sessions[int(answer) - 1].file

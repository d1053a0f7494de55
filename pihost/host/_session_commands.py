"""The host's own slash commands, about its sessions and its extensions; the same in every mode."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost.errors import PihostError, describe

if TYPE_CHECKING:
    from pihost.context import UI, SessionChange
    from pihost.events import CommandOutputEvent
    from pihost.session.agent_session import AgentSession
    from pihost.session.commands import SessionControls

__all__ = ["SESSION_COMMANDS", "SessionDesk", "run_session_command"]

SESSION_COMMANDS: Mapping[str, str] = {
    "new": "Begin a new session.",
    "resume": "Go on with another session: /resume [ID or FILE].",
    "tree": "Show the session's branches, or go on from an entry: /tree [ENTRY].",
    "fork": "Go on from an entry in a session of its own: /fork [ENTRY].",
    "compact": "Let a summary take the place of what was said: /compact [WHAT TO MIND].",
    "name": "Show or set the session's name: /name [NAME].",
    "extensions": "Show every extension: how far it got, what it registers, what stopped it.",
    "reload": "Load every extension anew, changed files included.",
}
"""Each command and what it does."""


class _RefusedError(PihostError):
    """A command that cannot be carried out; the text says why."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionDesk:
    """What the commands work on.

    Attributes:
        session: The session in which the command was given.
        controls: What can be asked of the host.
        directory: Where the sessions of all directories are kept.
        ui: How to ask the user; ``None`` where nobody can be asked.
        listing: The extensions as they stand, as the lines of a table.
    """

    session: AgentSession
    controls: SessionControls
    directory: Path
    ui: UI | None
    listing: Callable[[], Iterable[str]]


async def run_session_command(name: str, arguments: str, desk: SessionDesk) -> CommandOutputEvent:
    """Carry out a command.

    Args:
        name: One of ``SESSION_COMMANDS``.
        arguments: What follows it.
        desk: What it works on.

    Returns:
        What to tell the user; a command that cannot be carried out says why.
    """
    from pihost.events import CommandOutputEvent

    try:
        text = await _HANDLERS[name](arguments, desk)
    except (PihostError, OSError) as fault:
        return CommandOutputEvent(command=name, text=describe(fault), is_error=True)
    return CommandOutputEvent(command=name, text=text)


async def _new(_arguments: str, desk: SessionDesk) -> str:
    _accept(await desk.controls.new_session())
    return "A new session has begun."


async def _resume(arguments: str, desk: SessionDesk) -> str:
    from pihost.session.listing import find_session, list_sessions

    if not arguments:
        own = [
            one
            for one in list_sessions(desk.directory, desk.session.parts.cwd)
            if one.file != desk.session.file
        ]
        rows = [f"{one.id[:8]}  {one.modified[:16]}  {one.name or one.first_prompt}" for one in own]
        place = await _picked("Go on with which session?", rows, desk, "There is no other session here.")
        if isinstance(place, str):
            return place
        file = own[place].file
    elif Path(arguments).suffix == ".jsonl":
        file = Path(arguments)
    else:
        file = find_session(desk.directory, arguments)
    _accept(await desk.controls.switch_session(file))
    return f"The session in {file} goes on."


async def _tree(arguments: str, desk: SessionDesk) -> str:
    from pihost.session.readable import tree_lines

    if not arguments:
        return "\n".join(tree_lines(desk.session.store)) or "Nothing was said yet."
    entry_id = _entry(arguments, desk.session)
    change = await desk.controls.navigate_tree(entry_id)
    _accept(change)
    return f"The session goes on from {entry_id}.{_words(change)}"


async def _fork(arguments: str, desk: SessionDesk) -> str:
    from pihost.session.navigation import said_at
    from pihost.session.readable import describe_entry

    store = desk.session.store
    if arguments:
        entry_id = _entry(arguments, desk.session)
    else:
        prompts = [entry for entry in store.branch() if said_at(entry) is not None]
        rows = [f"{entry.id}  {describe_entry(entry)}" for entry in prompts]
        place = await _picked("Fork before which prompt?", rows, desk, "Nothing was said yet.")
        if isinstance(place, str):
            return place
        entry_id = prompts[place].id
    before = said_at(store.path_to(entry_id)[-1]) is not None
    change = await desk.controls.fork(entry_id, "before" if before else "at")
    _accept(change)
    return f"A fork of the session goes on.{_words(change)}"


async def _compact(arguments: str, desk: SessionDesk) -> str:
    entry = await desk.session.compact(arguments or None)
    return f"Compacted what took about {entry.tokens_before} tokens. The summary:\n\n{entry.summary}"


async def _name(arguments: str, desk: SessionDesk) -> str:
    if arguments:
        desk.session.set_name(arguments)
    return desk.session.name or "The session has no name."


async def _extensions(_arguments: str, desk: SessionDesk) -> str:
    return "\n".join(desk.listing())


async def _reload(_arguments: str, desk: SessionDesk) -> str:
    found = await desk.controls.reload()
    faults = [f"{one.level.capitalize()}: {one.message}" for one in found]
    return "\n".join(("Every extension was loaded anew.", *faults))


_HANDLERS: Mapping[str, Callable[[str, SessionDesk], Awaitable[str]]] = {
    "new": _new,
    "resume": _resume,
    "tree": _tree,
    "fork": _fork,
    "compact": _compact,
    "name": _name,
    "extensions": _extensions,
    "reload": _reload,
}


async def _picked(title: str, rows: Sequence[str], desk: SessionDesk, nothing: str) -> int | str:
    """The place of what the user picks; else the text to show them instead."""
    if not rows:
        return nothing
    if desk.ui is None:
        return "\n".join(rows)
    numbered = [f"{number}. {row}" for number, row in enumerate(rows, 1)]
    choice = await desk.ui.select(title, numbered)
    return numbered.index(choice) if choice in numbered else "Nothing was chosen."


def _entry(text: str, session: AgentSession) -> str:
    """The id of the one entry that begins so.

    Raises:
        EntryNotFoundError: there is none, or more than one.
    """
    from pihost.session.errors import EntryNotFoundError

    found = [entry_id for entry_id in session.store.entries.ids if entry_id.startswith(text)]
    if text in found:
        return text
    if len(found) != 1:
        raise EntryNotFoundError(text)
    return found[0]


def _accept(change: SessionChange) -> None:
    """Make sure that nobody cancelled it.

    Raises:
        _RefusedError: an extension did.
    """
    if change.cancelled:
        raise _RefusedError(f"An extension cancelled it: {change.reason or 'it gave no reason'}")


def _words(change: SessionChange) -> str:
    return "" if change.text is None else f" What was said there: {change.text}"

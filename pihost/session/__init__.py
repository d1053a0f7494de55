"""A session: what was said, kept in a file, and the loop in which a model answers and tools run.

Each name is imported from its module when it is first used.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.session.agent_session import AgentSession
    from pihost.session.binding import Surroundings, context_actions, extension_actions
    from pihost.session.errors import (
        CompactionError,
        EntryNotFoundError,
        SessionBusyError,
        SessionClosedError,
        SessionCwdError,
        SessionError,
        SessionFileError,
        SessionLockedError,
        SessionNotFoundError,
    )
    from pihost.session.listing import SessionSummary, find_session, list_sessions
    from pihost.session.parts import SessionParts
    from pihost.session.recipe import RECIPE_MODEL, RecipeProvider
    from pihost.session.restore import restored_model, stored_choices
    from pihost.session.store import SessionStore, read_session
    from pihost.session.stream import STREAM_EVENTS, EventStream

__all__ = [
    "RECIPE_MODEL",
    "STREAM_EVENTS",
    "AgentSession",
    "CompactionError",
    "EntryNotFoundError",
    "EventStream",
    "RecipeProvider",
    "SessionBusyError",
    "SessionClosedError",
    "SessionCwdError",
    "SessionError",
    "SessionFileError",
    "SessionLockedError",
    "SessionNotFoundError",
    "SessionParts",
    "SessionStore",
    "SessionSummary",
    "Surroundings",
    "context_actions",
    "extension_actions",
    "find_session",
    "list_sessions",
    "read_session",
    "restored_model",
    "stored_choices",
]

_MODULES = {
    "RECIPE_MODEL": ".recipe",
    "STREAM_EVENTS": ".stream",
    "AgentSession": ".agent_session",
    "CompactionError": ".errors",
    "EntryNotFoundError": ".errors",
    "EventStream": ".stream",
    "RecipeProvider": ".recipe",
    "SessionBusyError": ".errors",
    "SessionClosedError": ".errors",
    "SessionCwdError": ".errors",
    "SessionError": ".errors",
    "SessionFileError": ".errors",
    "SessionLockedError": ".errors",
    "SessionNotFoundError": ".errors",
    "SessionParts": ".parts",
    "SessionStore": ".store",
    "SessionSummary": ".listing",
    "Surroundings": ".binding",
    "context_actions": ".binding",
    "extension_actions": ".binding",
    "find_session": ".listing",
    "list_sessions": ".listing",
    "read_session": ".store",
    "restored_model": ".restore",
    "stored_choices": ".restore",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)

"""Hooks of what extensions give the model to read."""

from pihost.context import ExtensionContext
from pihost.events import (
    ResourcePaths,
    ResourcesDiscoverEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "resources_discover",
]


@hookspec("collect")
def resources_discover(event: ResourcesDiscoverEvent, ctx: ExtensionContext) -> ResourcePaths | None:
    """Fires right after ``session_start``, before skills and prompt templates are offered.

    Event:
        cwd (Path): The directory the session works in.
        reason (str): ``"startup"``, or ``"reload"`` where everything was loaded anew.

    Returns:
        ``ResourcePaths(skills, prompts)``: files, or directories of files, absolute or relative to the
        extension's own file. ``None`` where it brings none.

    Answers:
        All are gathered, in order. Where two files have one name, the project's counts before the user's,
        and the user's before that of an extension. A path inside the project is left out unless the project
        was trusted.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import ResourcePaths

        @hookimpl
        def resources_discover(event):
            return ResourcePaths(skills=["skills"], prompts=["prompts/review.md"])
    """

"""Hooks of a session's life: trust, start, end, name, model, and what is said to it."""

from pihost.context import ExtensionContext, TrustContext
from pihost.events import (
    InputEvent,
    InputResult,
    ModelSelectEvent,
    ProjectTrustEvent,
    ProjectTrustResult,
    SessionInfoChangedEvent,
    SessionShutdownEvent,
    SessionStartEvent,
    ThinkingLevelSelectEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "input",
    "model_select",
    "project_trust",
    "session_info_changed",
    "session_shutdown",
    "session_start",
    "thinking_level_select",
]


@hookspec("first")
def project_trust(event: ProjectTrustEvent, ctx: TrustContext) -> ProjectTrustResult | None:
    """Fires when a project holds resources that need trust and nobody has decided about them yet.

    Only global, configured and installed extensions are asked, never the project's own. No session exists:
    ``ctx`` is a ``TrustContext`` with ``cwd``, ``mode``, ``has_ui`` and ``ui``.

    Event:
        cwd (Path): The project's directory.

    Returns:
        ``ProjectTrustResult(trusted="yes" | "no" | "undecided", remember=False)``, or ``None`` to pass.
        With ``remember`` the word is stored for later starts.

    Answers:
        The first ``yes`` or ``no`` wins and the others are not asked; ``undecided`` and ``None`` pass on.

    On error:
        Reported; counts as no answer.

    Since: 0.1

    Example::

        from pathlib import Path

        from pihost import hookimpl
        from pihost.events import ProjectTrustResult

        @hookimpl
        def project_trust(event, ctx):
            if event.cwd.is_relative_to(Path.home() / "work"):
                return ProjectTrustResult(trusted="yes")
    """


@hookspec("notify")
def session_start(event: SessionStartEvent, ctx: ExtensionContext) -> None:
    """Fires when a session is ready: every extension is bound and nothing has been said yet.

    Event:
        reason (str): ``"startup"``, ``"reload"``, ``"new"``, ``"resume"`` or ``"fork"``.
        previous_session_file (Path | None): The file of the session it replaces, if there is one.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        async def session_start(event, ctx):
            ctx.ui.set_status("example", f"session started ({event.reason})")
    """


@hookspec("notify")
def session_shutdown(event: SessionShutdownEvent, ctx: ExtensionContext) -> None:
    """Fires exactly once when a session ends: in every mode, on SIGINT and SIGTERM too.

    Event:
        reason (str): ``"quit"``, ``"reload"``, ``"new"``, ``"resume"`` or ``"fork"``.
        target_session_file (Path | None): The file of the session that replaces it, if there is one.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        OPEN_FILES = []

        @hookimpl
        def session_shutdown(event):
            while OPEN_FILES:
                OPEN_FILES.pop().close()
    """


@hookspec("notify")
def session_info_changed(event: SessionInfoChangedEvent, ctx: ExtensionContext) -> None:
    """Fires when the session's name was set or taken away.

    Event:
        name (str | None): The name; ``None`` where it was taken away.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def session_info_changed(event, ctx):
            ctx.ui.set_status("name", event.name)
    """


@hookspec("notify")
def model_select(event: ModelSelectEvent, ctx: ExtensionContext) -> None:
    """Fires when another model will answer from now on.

    Event:
        model (Model): The new model.
        previous_model (Model | None): The one before, if there was one.
        source (str): Who chose it: ``"startup"``, ``"user"``, ``"extension"`` or ``"restore"``.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def model_select(event, ctx):
            ctx.ui.notify(f"now answered by {event.model.id}")
    """


@hookspec("notify")
def thinking_level_select(event: ThinkingLevelSelectEvent, ctx: ExtensionContext) -> None:
    """Fires when the model will think at another level from now on.

    Event:
        level (ThinkingLevel): The new level.
        previous_level (ThinkingLevel): The one before.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def thinking_level_select(event, ctx):
            ctx.ui.set_status("thinking", event.level)
    """


@hookspec("chain")
def input(event: InputEvent, ctx: ExtensionContext) -> InputResult | None:  # noqa: A001 -- the hook's name
    """Fires when somebody said something to the session, before anything is made of it.

    Commands and prompt templates are looked for in what the last handler leaves.

    Event:
        text (str): What they said, as the handlers before left it.
        images (tuple[ImageContent, ...]): Pictures that came with it.
        source (str): Where it came from: ``"interactive"``, ``"rpc"``, ``"print"`` or ``"extension"``.
        streaming_behavior (str | None): ``"steer"`` or ``"follow_up"`` where a run is under way, else
            ``None``.

    Returns:
        ``InputResult.transform(text, images)`` to go on with another text and these pictures only,
        ``InputResult.handled()`` where nothing more is to be done, ``InputResult.continue_()`` or ``None``
        to leave it.

    Answers:
        Each handler sees the text and pictures the ones before it left. ``handled`` ends the dispatch: no
        later handler and no model sees it.

    On error:
        Reported; the value stays as it was and the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import InputResult

        @hookimpl
        def input(event, ctx):
            if event.text == "time?":
                ctx.ui.notify("time to write a test")
                return InputResult.handled()
            if event.text.startswith("?"):
                return InputResult.transform("Explain briefly: " + event.text[1:], event.images)
    """

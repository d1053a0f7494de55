"""Hooks of a run: its beginning, its turns, its end."""

from pihost.context import ExtensionContext
from pihost.events import (
    AgentBeforeSettleEvent,
    AgentEndEvent,
    AgentSettledEvent,
    AgentStartEvent,
    BeforeAgentStartEvent,
    BeforeAgentStartResult,
    Settle,
    TurnEndEvent,
    TurnStartEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "agent_before_settle",
    "agent_end",
    "agent_settled",
    "agent_start",
    "before_agent_start",
    "turn_end",
    "turn_start",
]


@hookspec("chain")
def before_agent_start(event: BeforeAgentStartEvent, ctx: ExtensionContext) -> BeforeAgentStartResult | None:
    """Fires when a prompt is about to start a run, after ``input``.

    Event:
        prompt (str): The prompt.
        images (tuple[ImageContent, ...]): Pictures that came with it.
        system_prompt (str): The system prompt as the handlers before left it.
        system_prompt_options (SystemPromptOptions): What it is made of. Mutable: where no handler answers
            with a system prompt, it is made anew from these.

    Returns:
        ``BeforeAgentStartResult(message=None, system_prompt=None)``, or ``None``.

    Answers:
        The messages of all handlers are put before the model in order. The last system prompt counts, and
        later handlers see it.

    On error:
        Reported; what the handler would have added is missing, and the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import BeforeAgentStartResult
        from pihost.models import CustomMessage

        @hookimpl
        def before_agent_start(event, ctx):
            note = CustomMessage(kind="branch", content="You are on branch main.", display=False)
            return BeforeAgentStartResult(message=note, system_prompt=event.system_prompt + " Be brief.")
    """


@hookspec("notify")
def agent_start(event: AgentStartEvent, ctx: ExtensionContext) -> None:
    """Fires when a run begins.

    Event:
        No fields.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        import time

        from pihost import hookimpl

        STARTED = {}

        @hookimpl
        def agent_start(event):
            STARTED["at"] = time.monotonic()
    """


@hookspec("notify")
def turn_start(event: TurnStartEvent, ctx: ExtensionContext) -> None:
    """Fires when the model is about to be asked.

    Event:
        turn_index (int): Number of the turn in its run, from 0.
        timestamp (int): Milliseconds since the epoch.

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
        def turn_start(event, ctx):
            ctx.ui.set_status("turn", str(event.turn_index + 1))
    """


@hookspec("notify")
def turn_end(event: TurnEndEvent, ctx: ExtensionContext) -> None:
    """Fires when the model has answered and the tools it asked for have run.

    Event:
        turn_index (int): Number of the turn in its run, from 0.
        message (AssistantMessage): The answer.
        tool_results (tuple[ToolResultMessage, ...]): One result for each call, in call order.

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
        def turn_end(event, ctx):
            failed = sum(result.is_error for result in event.tool_results)
            if failed:
                ctx.ui.notify(f"{failed} tool calls failed", "warning")
    """


@hookspec("notify")
def agent_end(event: AgentEndEvent, ctx: ExtensionContext) -> None:
    """Fires when a run has ended. Queued messages may start another.

    Event:
        messages (tuple[Message, ...]): The messages of the run, the prompt first.

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
        def agent_end(event, ctx):
            ctx.ui.set_status("length", f"{len(event.messages)} messages")
    """


@hookspec("chain")
def agent_before_settle(event: AgentBeforeSettleEvent, ctx: ExtensionContext) -> Settle | None:
    """Fires when a run has come to its end, nothing is queued, and it is about to settle.

    Event:
        messages (tuple[Message, ...]): The messages of the run, and what the handlers before added.

    Returns:
        ``Settle(messages=(), go_on=False)``: messages to add, and whether the model is asked again; or
        ``None``.

    Answers:
        The messages of all handlers are added in order, and later handlers see them. The run goes on if
        anybody says so.

    On error:
        Reported; the value stays as it was and the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import Settle
        from pihost.models import CustomMessage

        @hookimpl
        def agent_before_settle(event, ctx):
            if not any(message.role == "tool_result" for message in event.messages):
                return Settle(messages=[CustomMessage(kind="nudge", content="Use the tools.")], go_on=True)
    """


@hookspec("notify")
def agent_settled(event: AgentSettledEvent, ctx: ExtensionContext) -> None:
    """Fires when nothing will continue by itself: the run is over and nothing is queued.

    Event:
        No fields.

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
        def agent_settled(event, ctx):
            ctx.ui.notify("done")
    """

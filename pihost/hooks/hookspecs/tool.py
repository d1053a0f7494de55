"""Hooks of a tool call, from the wish to the result, and of the user's own shell commands."""

from pihost.context import ExtensionContext
from pihost.events import (
    ToolCallEvent,
    ToolCallFinalEvent,
    ToolCallResult,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolResultEvent,
    ToolResultPatch,
    UserBashEvent,
    UserBashResult,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "tool_call",
    "tool_call_final",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_result",
    "user_bash",
]


@hookspec("gate")
def tool_call(event: ToolCallEvent, ctx: ExtensionContext) -> ToolCallResult | None:
    """Fires when a tool is about to run, its arguments checked.

    Event:
        tool_call_id (str): Id of the call.
        tool_name (str): The tool.
        input (dict[str, Any]): The arguments. Mutable: patch them in place; they are checked again before
            the tool runs.
        parent_tool_call_id (str | None): Id of the call that made this one, where a tool calls another.

    Returns:
        ``ToolCallResult(block=False, reason=None, terminate=False)``, or ``None``. With ``block`` the call
        is refused and the model reads ``reason``; with ``terminate`` the run ends too.

    Answers:
        The first block ends the dispatch and stands: no later handler and no wrapper can lift it.
        ``block=False`` is no answer.

    On error:
        Blocks the call, as an answer of another type and running out of time do; always reported.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import ToolCallResult

        @hookimpl
        def tool_call(event, ctx):
            if event.tool_name == "bash" and "rm -rf" in event.input["command"]:
                return ToolCallResult(block=True, reason="rm -rf is not allowed here")
    """


@hookspec("gate")
def tool_call_final(event: ToolCallFinalEvent, ctx: ExtensionContext) -> ToolCallResult | None:
    """Fires after every ``tool_call`` handler, with the arguments the tool will really get.

    Nothing can change them afterwards: a guard that must see what will run answers this one.

    Event:
        tool_call_id (str): Id of the call.
        tool_name (str): The tool.
        input (Mapping[str, Any]): The arguments, to read only.
        parent_tool_call_id (str | None): Id of the call that made this one, where a tool calls another.

    Returns:
        ``ToolCallResult(block=False, reason=None, terminate=False)``, or ``None``. With ``block`` the call
        is refused and the model reads ``reason``; with ``terminate`` the run ends too.

    Answers:
        The first block ends the dispatch and stands: no later handler and no wrapper can lift it.
        ``block=False`` is no answer.

    On error:
        Blocks the call, as an answer of another type and running out of time do; always reported.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import ToolCallResult

        @hookimpl
        def tool_call_final(event):
            if event.tool_name == "write" and ".git/" in event.input["path"]:
                return ToolCallResult(block=True, reason=".git is not to be written to")
    """


@hookspec("notify")
def tool_execution_start(event: ToolExecutionStartEvent, ctx: ExtensionContext) -> None:
    """Fires when a tool call begins: for every call, refused, unknown and nested ones too.

    Event:
        tool_call_id (str): Id of the call.
        tool_name (str): The tool.
        args (Mapping[str, Any]): The arguments as sent.
        parent_tool_call_id (str | None): Id of the call that made this one, where a tool calls another.

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
        def tool_execution_start(event, ctx):
            ctx.ui.set_status("tool", event.tool_name)
    """


@hookspec("notify")
def tool_execution_update(event: ToolExecutionUpdateEvent, ctx: ExtensionContext) -> None:
    """Fires when a running tool shows what it has so far.

    Event:
        tool_call_id (str): Id of the call.
        tool_name (str): The tool.
        args (Mapping[str, Any]): The arguments as sent.
        parent_tool_call_id (str | None): Id of the call that made this one, where a tool calls another.
        partial_result (ToolResult): What there is so far.

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
        def tool_execution_update(event, ctx):
            ctx.ui.set_status("tool", event.partial_result.text[-60:])
    """


@hookspec("notify")
def tool_execution_end(event: ToolExecutionEndEvent, ctx: ExtensionContext) -> None:
    """Fires when a tool call has its result; pairs up with ``tool_execution_start``.

    Event:
        tool_call_id (str): Id of the call.
        tool_name (str): The tool.
        args (Mapping[str, Any]): The arguments as sent.
        parent_tool_call_id (str | None): Id of the call that made this one, where a tool calls another.
        result (ToolResult): The result, after ``tool_result``.
        is_error (bool): The same as in the result.
        duration_ms (float): Milliseconds from start to end.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        SLOW = []

        @hookimpl
        def tool_execution_end(event):
            if event.duration_ms > 10_000:
                SLOW.append((event.tool_name, event.duration_ms))
    """


@hookspec("chain")
def tool_result(event: ToolResultEvent, ctx: ExtensionContext) -> ToolResultPatch | None:
    """Fires when a tool has run, or failed, before anybody else sees the result.

    Event:
        tool_call_id (str): Id of the call.
        tool_name (str): The tool.
        parent_tool_call_id (str | None): Id of the call that made this one, where a tool calls another.
        input (Mapping[str, Any]): The arguments it ran with.
        content (list[TextContent | ImageContent]): What the model will read, as the handlers before left
            it.
        details (Any): What a screen or another program may want besides.
        structured_content (Any): The result as data, where the tool gives it.
        is_error (bool): Whether the call failed.

    Returns:
        ``ToolResultPatch(content, details, structured_content, is_error)`` with what is to change, or
        ``None``. What is not set stays, except that new content without new structured content drops the
        structured content.

    Answers:
        Each handler sees the result the ones before it left.

    On error:
        Reported; the value stays as it was and the handlers after it are called. If the handler raised or ran
        out of time, the result becomes an error in the end, with a line that names the extension.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import ToolResultPatch
        from pihost.tools import TextContent

        @hookimpl
        def tool_result(event, ctx):
            masked = [
                TextContent(text=block.text.replace("s3cret", "***")) if block.type == "text" else block
                for block in event.content
            ]
            return ToolResultPatch(content=masked)
    """


@hookspec("first")
def user_bash(event: UserBashEvent, ctx: ExtensionContext) -> UserBashResult | None:
    """Fires when the user typed a shell command of their own.

    Event:
        command (str): The command line.
        exclude_from_context (bool): Whether the model stays unaware of it.
        cwd (Path): Where it will run.

    Returns:
        ``UserBashResult(result=...)`` where the command counts as run, or
        ``UserBashResult(operations=...)`` to run it in another way; exactly one of the two. ``None``
        passes.

    Answers:
        The first answer wins and the others are not asked.

    On error:
        Refuses the command, as an answer of another type and running out of time do; always reported.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import UserBashResult
        from pihost.tools import ToolResult

        @hookimpl
        def user_bash(event, ctx):
            if event.command == "make release":
                return UserBashResult(result=ToolResult.from_text("releases are made by CI", is_error=True))
    """

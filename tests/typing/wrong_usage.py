"""Mistakes of authors: mypy finds each of them, on the line and with the code that stand beside it."""

from pihost import ExtensionAPI, ExtensionContext, ToolDefinition, hookimpl
from pihost.events import SessionStartEvent, ToolCallEvent, ToolCallResult
from pihost.extensions import CommandContext


@hookimpl
def tool_call(event: ToolCallEvent, ctx: ExtensionContext) -> ToolCallResult | None:
    if event.tool == "bash":  # E: attr-defined
        return ToolCallResult(blocked=True)  # E: call-arg
    ctx.ui.notify(5)  # E: arg-type
    return True  # E: return-value


def setup(api: ExtensionAPI) -> None:
    @api.on("tool_call")  # E: arg-type
    def wrong_event(event: SessionStartEvent, ctx: ExtensionContext) -> None: ...

    @api.on("tool_call")  # E: arg-type
    def wrong_answer(event: ToolCallEvent, ctx: ExtensionContext) -> bool:
        return True

    @api.on("session_start")  # E: arg-type
    def no_context(event: SessionStartEvent) -> None: ...

    def wrong_command(arguments: int, ctx: CommandContext) -> None: ...

    api.register_command("hello", handler=wrong_command)  # E: arg-type
    api.register_flag("loud", type="number")  # E: arg-type
    api.register_comand("x")  # E: attr-defined
    api.register_tool(ToolDefinition(name="n", description="d"))  # E: call-arg

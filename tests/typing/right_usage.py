"""What authors write: mypy finds nothing to say about it."""

from collections.abc import Mapping

import attrs

from pihost import ExtensionAPI, ExtensionContext, TextContent, ToolDefinition, ToolResult, hookimpl
from pihost.events import (
    BeforeProviderRequestEvent,
    SessionStartEvent,
    ToolCallEvent,
    ToolCallResult,
    ToolResultEvent,
    ToolResultPatch,
)
from pihost.extensions import CommandContext
from pihost.tools import ToolContext


@attrs.frozen(kw_only=True)
class Config:
    names: list[str] = attrs.field(factory=list)


@hookimpl
def tool_call(event: ToolCallEvent, ctx: ExtensionContext) -> ToolCallResult | None:
    if event.tool_name == "bash" and ctx.has_ui:
        return ToolCallResult(block=True, reason="no")
    return None


@hookimpl(tryfirst=True)
async def tool_result(event: ToolResultEvent) -> ToolResultPatch:
    return ToolResultPatch(content=[*event.content, TextContent(text="!")])


def setup(api: ExtensionAPI) -> None:
    config = api.get_config(Config)
    api.log.info("names: %s", ", ".join(config.names))

    @api.on("session_start")
    async def started(event: SessionStartEvent, ctx: ExtensionContext) -> None:
        ctx.ui.notify(event.reason)

    @api.on("tool_call", tryfirst=True)
    def guard(event: ToolCallEvent, ctx: ExtensionContext) -> ToolCallResult | None:
        return None

    @api.on("before_provider_request")
    def adapt(event: BeforeProviderRequestEvent, ctx: ExtensionContext) -> Mapping[str, object]:
        return {**event.payload, "seed": 1}

    stop = api.on("session_start", started)
    stop()

    @api.tool(description="Count")
    async def count(text: str, ctx: ToolContext) -> str:
        ctx.on_update(ToolResult.from_text("counting"))
        return str(len(text))

    async def hello(arguments: str, ctx: CommandContext) -> None:
        await ctx.wait_for_idle()

    api.register_command("hello", handler=hello)
    api.register_flag("loud", type="boolean", default=False)
    api.register_tool(ToolDefinition(name="n", description="d", parameters=Config, execute=execute))


async def execute(call_id: str, params: Config, ctx: ToolContext) -> ToolResult:
    return ToolResult.from_text(call_id + params.names[0])

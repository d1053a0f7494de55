"""The tools an agent works with, and what they are made of.

Each name is imported from its module when it is first used, so that one tool does not cost the import of all.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pihost.content import ImageContent, TextContent, ToolCall, ToolResult
    from pihost.context import ToolContext
    from pihost.tools.apply_edits import Edit, EditError, apply_edits
    from pihost.tools.call_context import ToolCallContext
    from pihost.tools.definition import ToolAnnotations, ToolDefinition
    from pihost.tools.mutation_queue import MutationReentryError, file_mutation_queue
    from pihost.tools.output import FullOutput, OutputAccumulator, OutputSnapshot, OutputSpillError
    from pihost.tools.pipeline import call_tool
    from pihost.tools.registry import (
        ToolSettings,
        UnknownToolError,
        all_tool_names,
        create_all_tool_definitions,
        create_coding_tool_definitions,
        create_read_only_tool_definitions,
        create_tool_definition,
    )
    from pihost.tools.truncate import (
        DEFAULT_MAX_BYTES,
        DEFAULT_MAX_LINES,
        GREP_MAX_LINE_LENGTH,
        MiddleTruncation,
        TruncationResult,
        format_size,
        truncate_head,
        truncate_line,
        truncate_middle,
        truncate_tail,
    )

__all__ = [
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MAX_LINES",
    "GREP_MAX_LINE_LENGTH",
    "Edit",
    "EditError",
    "FullOutput",
    "ImageContent",
    "MiddleTruncation",
    "MutationReentryError",
    "OutputAccumulator",
    "OutputSnapshot",
    "OutputSpillError",
    "TextContent",
    "ToolAnnotations",
    "ToolCall",
    "ToolCallContext",
    "ToolContext",
    "ToolDefinition",
    "ToolResult",
    "ToolSettings",
    "TruncationResult",
    "UnknownToolError",
    "all_tool_names",
    "apply_edits",
    "call_tool",
    "create_all_tool_definitions",
    "create_coding_tool_definitions",
    "create_read_only_tool_definitions",
    "create_tool_definition",
    "file_mutation_queue",
    "format_size",
    "truncate_head",
    "truncate_line",
    "truncate_middle",
    "truncate_tail",
]

_MODULES = {
    "DEFAULT_MAX_BYTES": ".truncate",
    "DEFAULT_MAX_LINES": ".truncate",
    "GREP_MAX_LINE_LENGTH": ".truncate",
    "Edit": ".apply_edits",
    "EditError": ".apply_edits",
    "FullOutput": ".output",
    "ImageContent": "..content",
    "MiddleTruncation": ".truncate",
    "MutationReentryError": ".mutation_queue",
    "OutputAccumulator": ".output",
    "OutputSnapshot": ".output",
    "OutputSpillError": ".output",
    "TextContent": "..content",
    "ToolAnnotations": ".definition",
    "ToolCall": "..content",
    "ToolCallContext": ".call_context",
    "ToolContext": "..context",
    "ToolDefinition": ".definition",
    "ToolResult": "..content",
    "ToolSettings": ".registry",
    "TruncationResult": ".truncate",
    "UnknownToolError": ".registry",
    "all_tool_names": ".registry",
    "apply_edits": ".apply_edits",
    "call_tool": ".pipeline",
    "create_all_tool_definitions": ".registry",
    "create_coding_tool_definitions": ".registry",
    "create_read_only_tool_definitions": ".registry",
    "create_tool_definition": ".registry",
    "file_mutation_queue": ".mutation_queue",
    "format_size": ".truncate",
    "truncate_head": ".truncate",
    "truncate_line": ".truncate",
    "truncate_middle": ".truncate",
    "truncate_tail": ".truncate",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

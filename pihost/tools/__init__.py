"""The tools an agent works with, and what they are made of.

Each name is imported from its module when it is first used, so that one tool does not cost the import of all.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.content import ImageContent, TextContent, ToolCall, ToolContentBlock, ToolResult
    from pihost.context import ToolContext
    from pihost.tools.calling.call_context import ToolCallContext
    from pihost.tools.calling.pipeline import call_tool
    from pihost.tools.definition import Execute, PrepareArguments, ToolAnnotations, ToolDefinition
    from pihost.tools.editing.apply_edits import Edit, EditError, apply_edits
    from pihost.tools.names import all_tool_names
    from pihost.tools.outputs.output import FullOutput, OutputAccumulator, OutputSnapshot, OutputSpillError
    from pihost.tools.outputs.truncate import (
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
    from pihost.tools.registry import (
        ToolSettings,
        UnknownToolError,
        create_all_tool_definitions,
        create_coding_tool_definitions,
        create_read_only_tool_definitions,
        create_tool_definition,
    )
    from pihost.tools.schema import ParameterSchema
    from pihost.tools.tool_path import resolve_tool_path
    from pihost.tools.writing.mutation_queue import MutationReentryError, file_mutation_queue

__all__ = [
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MAX_LINES",
    "GREP_MAX_LINE_LENGTH",
    "Edit",
    "EditError",
    "Execute",
    "FullOutput",
    "ImageContent",
    "MiddleTruncation",
    "MutationReentryError",
    "OutputAccumulator",
    "OutputSnapshot",
    "OutputSpillError",
    "ParameterSchema",
    "PrepareArguments",
    "TextContent",
    "ToolAnnotations",
    "ToolCall",
    "ToolCallContext",
    "ToolContentBlock",
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
    "resolve_tool_path",
    "truncate_head",
    "truncate_line",
    "truncate_middle",
    "truncate_tail",
]

_MODULES = {
    "DEFAULT_MAX_BYTES": ".outputs.truncate",
    "DEFAULT_MAX_LINES": ".outputs.truncate",
    "GREP_MAX_LINE_LENGTH": ".outputs.truncate",
    "Edit": ".editing.apply_edits",
    "EditError": ".editing.apply_edits",
    "Execute": ".definition",
    "FullOutput": ".outputs.output",
    "ImageContent": "..content",
    "MiddleTruncation": ".outputs.truncate",
    "MutationReentryError": ".writing.mutation_queue",
    "OutputAccumulator": ".outputs.output",
    "OutputSnapshot": ".outputs.output",
    "OutputSpillError": ".outputs.output",
    "ParameterSchema": ".schema",
    "PrepareArguments": ".definition",
    "TextContent": "..content",
    "ToolAnnotations": ".definition",
    "ToolCall": "..content",
    "ToolCallContext": ".calling.call_context",
    "ToolContentBlock": "..content",
    "ToolContext": "..context",
    "ToolDefinition": ".definition",
    "ToolResult": "..content",
    "ToolSettings": ".registry",
    "TruncationResult": ".outputs.truncate",
    "UnknownToolError": ".registry",
    "all_tool_names": ".names",
    "apply_edits": ".editing.apply_edits",
    "call_tool": ".calling.pipeline",
    "create_all_tool_definitions": ".registry",
    "create_coding_tool_definitions": ".registry",
    "create_read_only_tool_definitions": ".registry",
    "create_tool_definition": ".registry",
    "file_mutation_queue": ".writing.mutation_queue",
    "format_size": ".outputs.truncate",
    "resolve_tool_path": ".tool_path",
    "truncate_head": ".outputs.truncate",
    "truncate_line": ".outputs.truncate",
    "truncate_middle": ".outputs.truncate",
    "truncate_tail": ".outputs.truncate",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)

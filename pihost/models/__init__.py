"""Models: how a provider is asked and answers, and the registry of what there is to ask.

Each name is imported from its module when it is first used.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.content import ImageContent, TextContent, ThinkingContent, ToolCall, ToolContentBlock, Usage
    from pihost.context import AbortSignal
    from pihost.messages import (
        AnswerBlock,
        AssistantMessage,
        CustomMessage,
        Delta,
        Message,
        StopReason,
        SystemMessage,
        TextDelta,
        ThinkingDelta,
        ToolCallDelta,
        ToolResultMessage,
        UserMessage,
    )
    from pihost.model import Model, Route, ThinkingLevel
    from pihost.models.answer import Answer
    from pihost.models.config import ProviderConfig, provider_config
    from pihost.models.errors import ModelNotFoundError, ModelRouteError, ProviderConfigError
    from pihost.models.protocol import (
        Done,
        Error,
        ModelRequest,
        Provider,
        ProviderHooks,
        Start,
        StreamEvent,
        ToolSpec,
    )
    from pihost.models.registry import ModelRegistry, Resolved
    from pihost.models.virtual import RouteRequest, VirtualModel
    from pihost.models.wire import http_error, payload_bytes, plain_call_ids, whole_text

__all__ = [
    "AbortSignal",
    "Answer",
    "AnswerBlock",
    "AssistantMessage",
    "CustomMessage",
    "Delta",
    "Done",
    "Error",
    "ImageContent",
    "Message",
    "Model",
    "ModelNotFoundError",
    "ModelRegistry",
    "ModelRequest",
    "ModelRouteError",
    "Provider",
    "ProviderConfig",
    "ProviderConfigError",
    "ProviderHooks",
    "Resolved",
    "Route",
    "RouteRequest",
    "Start",
    "StopReason",
    "StreamEvent",
    "SystemMessage",
    "TextContent",
    "TextDelta",
    "ThinkingContent",
    "ThinkingDelta",
    "ThinkingLevel",
    "ToolCall",
    "ToolCallDelta",
    "ToolContentBlock",
    "ToolResultMessage",
    "ToolSpec",
    "Usage",
    "UserMessage",
    "VirtualModel",
    "http_error",
    "payload_bytes",
    "plain_call_ids",
    "provider_config",
    "whole_text",
]

_NAMES = {
    "pihost.context": ("AbortSignal",),
    "pihost.content": (
        "ImageContent",
        "TextContent",
        "ThinkingContent",
        "ToolCall",
        "ToolContentBlock",
        "Usage",
    ),
    "pihost.messages": (
        "AnswerBlock",
        "AssistantMessage",
        "CustomMessage",
        "Delta",
        "Message",
        "StopReason",
        "SystemMessage",
        "TextDelta",
        "ThinkingDelta",
        "ToolCallDelta",
        "ToolResultMessage",
        "UserMessage",
    ),
    "pihost.model": ("Model", "Route", "ThinkingLevel"),
    "pihost.models.answer": ("Answer",),
    "pihost.models.config": ("ProviderConfig", "provider_config"),
    "pihost.models.errors": ("ModelNotFoundError", "ModelRouteError", "ProviderConfigError"),
    "pihost.models.protocol": (
        "Done",
        "Error",
        "ModelRequest",
        "Provider",
        "ProviderHooks",
        "Start",
        "StreamEvent",
        "ToolSpec",
    ),
    "pihost.models.registry": ("ModelRegistry", "Resolved"),
    "pihost.models.virtual": ("RouteRequest", "VirtualModel"),
    "pihost.models.wire": ("http_error", "payload_bytes", "plain_call_ids", "whole_text"),
}
__getattr__, __dir__ = lazy_names(
    globals(), {name: module for module, names in _NAMES.items() for name in names}
)

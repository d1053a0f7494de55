"""Every event and every result of a hook. The hookspecs say when each fires and what its answers do.

Each name is imported from its module when it is first used: a run without extensions needs few of them.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.events._base import (
        UNSET,
        Event,
        InputSource,
        Unset,
    )
    from pihost.events._faults import (
        ExtensionErrorEvent,
        RetryEvent,
        ToolBlockedEvent,
        TrustRefusedEvent,
    )
    from pihost.events._input import (
        InputEvent,
        InputResult,
        ShellOperations,
        UserBashEvent,
        UserBashResult,
    )
    from pihost.events._provider import (
        AfterProviderResponseEvent,
        BeforeProviderHeadersEvent,
        BeforeProviderRequestEvent,
        ProviderStreamEventEvent,
    )
    from pihost.events._run import (
        AgentBeforeSettleEvent,
        BeforeAgentStartEvent,
        BeforeAgentStartResult,
        ContextEvent,
        ContextResult,
        ContextWithSystemEvent,
        MessageEndResult,
        Settle,
    )
    from pihost.events._session import (
        ModelSelectEvent,
        SessionInfoChangedEvent,
        SessionShutdownEvent,
        SessionStartEvent,
        ThinkingLevelSelectEvent,
        UiPromptEndEvent,
        UiPromptStartEvent,
    )
    from pihost.events._stream import (
        AgentEndEvent,
        AgentSettledEvent,
        AgentStartEvent,
        MessageEndEvent,
        MessageStartEvent,
        MessageUpdateEvent,
        ToolExecutionEndEvent,
        ToolExecutionStartEvent,
        ToolExecutionUpdateEvent,
        TurnEndEvent,
        TurnStartEvent,
    )
    from pihost.events._system_prompt import (
        SystemPromptOptions,
    )
    from pihost.events._tool import (
        ToolCallEvent,
        ToolCallFinalEvent,
        ToolCallResult,
        ToolResultEvent,
        ToolResultPatch,
    )
    from pihost.events._trust import (
        ProjectTrustEvent,
        ProjectTrustResult,
    )

__all__ = [
    "UNSET",
    "AfterProviderResponseEvent",
    "AgentBeforeSettleEvent",
    "AgentEndEvent",
    "AgentSettledEvent",
    "AgentStartEvent",
    "BeforeAgentStartEvent",
    "BeforeAgentStartResult",
    "BeforeProviderHeadersEvent",
    "BeforeProviderRequestEvent",
    "ContextEvent",
    "ContextResult",
    "ContextWithSystemEvent",
    "Event",
    "ExtensionErrorEvent",
    "InputEvent",
    "InputResult",
    "InputSource",
    "MessageEndEvent",
    "MessageEndResult",
    "MessageStartEvent",
    "MessageUpdateEvent",
    "ModelSelectEvent",
    "ProjectTrustEvent",
    "ProjectTrustResult",
    "ProviderStreamEventEvent",
    "RetryEvent",
    "SessionInfoChangedEvent",
    "SessionShutdownEvent",
    "SessionStartEvent",
    "Settle",
    "ShellOperations",
    "SystemPromptOptions",
    "ThinkingLevelSelectEvent",
    "ToolBlockedEvent",
    "ToolCallEvent",
    "ToolCallFinalEvent",
    "ToolCallResult",
    "ToolExecutionEndEvent",
    "ToolExecutionStartEvent",
    "ToolExecutionUpdateEvent",
    "ToolResultEvent",
    "ToolResultPatch",
    "TrustRefusedEvent",
    "TurnEndEvent",
    "TurnStartEvent",
    "UiPromptEndEvent",
    "UiPromptStartEvent",
    "Unset",
    "UserBashEvent",
    "UserBashResult",
]

_MODULES = {
    "UNSET": "._base",
    "AfterProviderResponseEvent": "._provider",
    "AgentBeforeSettleEvent": "._run",
    "AgentEndEvent": "._stream",
    "AgentSettledEvent": "._stream",
    "AgentStartEvent": "._stream",
    "BeforeAgentStartEvent": "._run",
    "BeforeAgentStartResult": "._run",
    "BeforeProviderHeadersEvent": "._provider",
    "BeforeProviderRequestEvent": "._provider",
    "ContextEvent": "._run",
    "ContextResult": "._run",
    "ContextWithSystemEvent": "._run",
    "Event": "._base",
    "ExtensionErrorEvent": "._faults",
    "InputEvent": "._input",
    "InputResult": "._input",
    "InputSource": "._base",
    "MessageEndEvent": "._stream",
    "MessageEndResult": "._run",
    "MessageStartEvent": "._stream",
    "MessageUpdateEvent": "._stream",
    "ModelSelectEvent": "._session",
    "ProjectTrustEvent": "._trust",
    "ProjectTrustResult": "._trust",
    "ProviderStreamEventEvent": "._provider",
    "RetryEvent": "._faults",
    "SessionInfoChangedEvent": "._session",
    "SessionShutdownEvent": "._session",
    "SessionStartEvent": "._session",
    "Settle": "._run",
    "ShellOperations": "._input",
    "SystemPromptOptions": "._system_prompt",
    "ThinkingLevelSelectEvent": "._session",
    "ToolBlockedEvent": "._faults",
    "ToolCallEvent": "._tool",
    "ToolCallFinalEvent": "._tool",
    "ToolCallResult": "._tool",
    "ToolExecutionEndEvent": "._stream",
    "ToolExecutionStartEvent": "._stream",
    "ToolExecutionUpdateEvent": "._stream",
    "ToolResultEvent": "._tool",
    "ToolResultPatch": "._tool",
    "TrustRefusedEvent": "._faults",
    "TurnEndEvent": "._stream",
    "TurnStartEvent": "._stream",
    "UiPromptEndEvent": "._session",
    "UiPromptStartEvent": "._session",
    "Unset": "._base",
    "UserBashEvent": "._input",
    "UserBashResult": "._input",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)

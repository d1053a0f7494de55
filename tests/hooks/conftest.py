"""A hook table whose reports are kept, and extensions made from source text."""

import textwrap
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from pihost.abort import AbortSignal
from pihost.content import TextContent, ToolResult
from pihost.entries import CompactionEntry
from pihost.events import (
    AfterProviderResponseEvent,
    AgentBeforeSettleEvent,
    AgentEndEvent,
    AgentSettledEvent,
    AgentStartEvent,
    BeforeAgentStartEvent,
    BeforeProviderHeadersEvent,
    BeforeProviderRequestEvent,
    CompactionPreparation,
    ContextEvent,
    ContextWithSystemEvent,
    InputEvent,
    McpServerInfo,
    McpServersChangeEvent,
    MessageEndEvent,
    MessageStartEvent,
    MessageUpdateEvent,
    ModelSelectEvent,
    ProjectTrustEvent,
    ProviderStreamEventEvent,
    ResourcesDiscoverEvent,
    SessionBeforeCompactEvent,
    SessionBeforeForkEvent,
    SessionBeforeSwitchEvent,
    SessionBeforeTreeEvent,
    SessionCompactEvent,
    SessionCompactFailedEvent,
    SessionInfoChangedEvent,
    SessionShutdownEvent,
    SessionStartEvent,
    SessionTreeEvent,
    SystemPromptOptions,
    ThinkingLevelSelectEvent,
    ToolCallEvent,
    ToolCallFinalEvent,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolResultEvent,
    TurnEndEvent,
    TurnStartEvent,
    UiPromptEndEvent,
    UiPromptStartEvent,
    UserBashEvent,
)
from pihost.hooks import HookTable
from pihost.messages import AssistantMessage, SystemMessage, TextDelta, UserMessage
from pihost.model import Model

HELLO = UserMessage.from_text("hello")
CALL = {"tool_call_id": "c1", "tool_name": "bash"}


class Desk:
    """A table and everything it reported."""

    def __init__(self, hook_timeout=None):
        self.errors = []
        self.blocks = []
        self.table = HookTable(
            on_error=self.errors.append,
            on_block=lambda extension, event, reason: self.blocks.append(
                (extension, event.hook_name, reason)
            ),
            hook_timeout=hook_timeout,
        )

    def on(self, event, *handlers, **options):
        """Subscribe each handler for an extension of its own: ``a``, ``b`` and so on."""
        for number, handler in enumerate(handlers):
            self.table.subscribe("abcdefghij"[number], event, handler, **options)

    async def emit(self, event, ctx=None):
        return await self.table.emit(event, ctx)

    def register(self, extension, source, **names):
        return self.table.register(extension, module_from(source, extension, **names))

    @property
    def reports(self):
        return [(e.extension, e.event) for e in self.errors]


def module_from(source, name="extension", **names):
    """A module whose file exists only as text."""
    module = ModuleType(name)
    module.__dict__.update(names)
    code = compile(textwrap.dedent(source), f"/extensions/{name}.py", "exec")
    exec(code, module.__dict__)
    return module


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def quick():
    """A table whose handlers have 50 ms."""
    return Desk(hook_timeout=0.05)


@pytest.fixture
def make_module():
    return module_from


@pytest.fixture
def events():
    """One event for each hook, by name."""
    model = Model(provider="local", id="recipe", name="Recipe")
    compaction = {"id": "c", "parent_id": None, "timestamp": "t", "first_kept_entry_id": "e"}
    preparation = CompactionPreparation(
        messages_to_summarize=[HELLO], kept_messages=[HELLO], first_kept_entry_id="e", tokens_before=9
    )
    tool = {**CALL, "args": {"command": "ls"}}
    made = [
        ProjectTrustEvent(cwd=Path("/p")),
        ResourcesDiscoverEvent(cwd=Path("/p")),
        SessionStartEvent(reason="startup"),
        SessionShutdownEvent(reason="quit"),
        SessionBeforeSwitchEvent(reason="new"),
        SessionBeforeForkEvent(entry_id="e", position="at"),
        SessionBeforeTreeEvent(
            target_id="e", old_leaf_id=None, entries_to_summarize=(), signal=AbortSignal()
        ),
        SessionTreeEvent(new_leaf_id="e", old_leaf_id=None, from_extension=False),
        SessionBeforeCompactEvent(
            preparation=preparation,
            branch_entries=(),
            custom_instructions=None,
            reason="manual",
            signal=AbortSignal(),
        ),
        SessionCompactEvent(
            entry=CompactionEntry(**compaction, summary="s"), reason="manual", from_extension=False
        ),
        SessionCompactFailedEvent(error_message="no", aborted=False, reason="manual", from_extension=False),
        SessionInfoChangedEvent(name="n"),
        ModelSelectEvent(model=model, previous_model=None, source="user"),
        ThinkingLevelSelectEvent(level="high", previous_level="off"),
        InputEvent(text="hello"),
        BeforeAgentStartEvent(prompt="hello", system_prompt="s", system_prompt_options=SystemPromptOptions()),
        AgentStartEvent(),
        TurnStartEvent(turn_index=0, timestamp=1),
        TurnEndEvent(turn_index=0, message=AssistantMessage()),
        AgentEndEvent(messages=[HELLO]),
        AgentBeforeSettleEvent(messages=[HELLO]),
        AgentSettledEvent(),
        ContextEvent(messages=[HELLO]),
        ContextWithSystemEvent(messages=[SystemMessage(text="s"), HELLO]),
        BeforeProviderHeadersEvent(headers={}),
        BeforeProviderRequestEvent(payload={"model": "m"}),
        AfterProviderResponseEvent(status=200, headers={}),
        ProviderStreamEventEvent(provider="p", api="a", model="m", data={}),
        MessageStartEvent(message=HELLO),
        MessageUpdateEvent(message=AssistantMessage(), delta=TextDelta(index=0, text="x")),
        MessageEndEvent(message=HELLO),
        ToolCallEvent(**CALL, input={"command": "ls"}),
        ToolCallFinalEvent(**CALL, input={"command": "ls"}),
        ToolExecutionStartEvent(**tool),
        ToolExecutionUpdateEvent(**tool, partial_result=ToolResult.from_text("x")),
        ToolExecutionEndEvent(**tool, result=ToolResult.from_text("x"), is_error=False, duration_ms=1.0),
        ToolResultEvent(**CALL, input={}, content=[TextContent(text="out")]),
        UserBashEvent(command="ls", exclude_from_context=False, cwd=Path("/p")),
        McpServersChangeEvent(servers=[McpServerInfo(name="files", state="ready", tools=["t"])]),
        UiPromptStartEvent(kind="confirm", title="t"),
        UiPromptEndEvent(kind="confirm", title="t"),
    ]
    return SimpleNamespace(**{event.hook_name: event for event in made})


@pytest.fixture
def wrapper():
    """A module with a wrapper around ``turn_start``."""
    return module_from(
        """
        from pihost import hookimpl

        @hookimpl(wrapper=True)
        def turn_start(event):
            return (yield)
        """
    )


@pytest.fixture
def blocking():
    """A handler that blocks a tool call."""
    from pihost.events import ToolCallResult

    return lambda event, ctx: ToolCallResult(block=True, reason="no")


@pytest.fixture
def module():
    """Make a module of source text."""
    return module_from

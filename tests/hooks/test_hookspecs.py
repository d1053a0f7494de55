"""Every hook, with its exact arguments: what a change here breaks is somebody's extension."""

import pytest

from pihost.hooks import hook_documents
from pihost.hooks.hookspecs import host_specs

DOCUMENTS = {document.name: document for document in hook_documents()}


def pinned(name):
    """Kind, arguments, fields of the event and classes of the answer, as declared."""
    document, spec = DOCUMENTS[name], host_specs()[name]
    fields = " ".join(field.name for field in document.fields)
    return spec.kind, " ".join(spec.arguments), fields, " ".join(document.result)


async def received(desk, event):
    """What a handler of the event is handed."""
    seen = []
    desk.on(event.hook_name, lambda event, ctx: seen.append((event, ctx)))
    await desk.emit(event, "the context")
    return seen


async def test_hook_project_trust(desk, events):
    """Fires when a project holds resources that need trust and nobody has decided about them yet."""
    assert pinned("project_trust") == ("first", "event ctx", "cwd", "ProjectTrustResult")
    assert await received(desk, events.project_trust) == [(events.project_trust, "the context")]


async def test_hook_session_start(desk, events):
    """Fires when a session is ready: every extension is bound and nothing has been said yet."""
    assert pinned("session_start") == ("notify", "event ctx", "reason previous_session_file", "")
    assert await received(desk, events.session_start) == [(events.session_start, "the context")]


async def test_hook_resources_discover(desk, events):
    """Fires right after ``session_start``, before skills and prompt templates are offered."""
    assert pinned("resources_discover") == ("collect", "event ctx", "cwd reason", "ResourcePaths")
    assert await received(desk, events.resources_discover) == [(events.resources_discover, "the context")]


async def test_hook_session_shutdown(desk, events):
    """Fires exactly once when a session ends: in every mode, on SIGINT and SIGTERM too."""
    assert pinned("session_shutdown") == ("notify", "event ctx", "reason target_session_file", "")
    assert await received(desk, events.session_shutdown) == [(events.session_shutdown, "the context")]


async def test_hook_session_before_switch(desk, events):
    """Fires when another session is about to take the place of this one."""
    assert pinned("session_before_switch") == ("gate", "event ctx", "reason target_session_file", "Cancel")
    assert await received(desk, events.session_before_switch) == [
        (events.session_before_switch, "the context")
    ]


async def test_hook_session_before_fork(desk, events):
    """Fires when the branch up to an entry is about to become a session of its own."""
    assert pinned("session_before_fork") == ("gate", "event ctx", "entry_id position", "Cancel")
    assert await received(desk, events.session_before_fork) == [(events.session_before_fork, "the context")]


async def test_hook_session_before_tree(desk, events):
    """Fires when the session is about to go on from another of its entries."""
    fields = "target_id old_leaf_id entries_to_summarize signal"
    assert pinned("session_before_tree") == ("gate", "event ctx", fields, "Cancel TreeSummary")
    assert await received(desk, events.session_before_tree) == [(events.session_before_tree, "the context")]


async def test_hook_session_tree(desk, events):
    """Fires when the session goes on from another of its entries."""
    assert pinned("session_tree") == ("notify", "event ctx", "new_leaf_id old_leaf_id from_extension", "")
    assert await received(desk, events.session_tree) == [(events.session_tree, "the context")]


async def test_hook_session_before_compact(desk, events):
    """Fires when the conversation is about to be compacted, before the model is asked for a summary."""
    fields = "preparation branch_entries custom_instructions reason signal"
    assert pinned("session_before_compact") == ("gate", "event ctx", fields, "Cancel Compaction")
    assert await received(desk, events.session_before_compact) == [
        (events.session_before_compact, "the context")
    ]


async def test_hook_session_compact(desk, events):
    """Fires when the conversation was compacted; the next request carries the summary."""
    assert pinned("session_compact") == ("notify", "event ctx", "entry reason from_extension", "")
    assert await received(desk, events.session_compact) == [(events.session_compact, "the context")]


async def test_hook_session_compact_failed(desk, events):
    """Fires when the conversation could not be compacted, or was not to be. It stays as it was."""
    fields = "error_message aborted reason from_extension"
    assert pinned("session_compact_failed") == ("notify", "event ctx", fields, "")
    assert await received(desk, events.session_compact_failed) == [
        (events.session_compact_failed, "the context")
    ]


async def test_hook_session_info_changed(desk, events):
    """Fires when the session's name was set or taken away."""
    assert pinned("session_info_changed") == ("notify", "event ctx", "name", "")
    assert await received(desk, events.session_info_changed) == [(events.session_info_changed, "the context")]


async def test_hook_model_select(desk, events):
    """Fires when another model will answer from now on."""
    assert pinned("model_select") == ("notify", "event ctx", "model previous_model source", "")
    assert await received(desk, events.model_select) == [(events.model_select, "the context")]


async def test_hook_thinking_level_select(desk, events):
    """Fires when the model will think at another level from now on."""
    assert pinned("thinking_level_select") == ("notify", "event ctx", "level previous_level", "")
    assert await received(desk, events.thinking_level_select) == [
        (events.thinking_level_select, "the context")
    ]


async def test_hook_input(desk, events):
    """Fires when somebody said something to the session, before anything is made of it."""
    assert pinned("input") == ("chain", "event ctx", "text images source streaming_behavior", "InputResult")
    assert await received(desk, events.input) == [(events.input, "the context")]


async def test_hook_before_agent_start(desk, events):
    """Fires when a prompt is about to start a run, after ``input``."""
    fields = "prompt images system_prompt system_prompt_options"
    assert pinned("before_agent_start") == ("chain", "event ctx", fields, "BeforeAgentStartResult")
    assert await received(desk, events.before_agent_start) == [(events.before_agent_start, "the context")]


async def test_hook_agent_start(desk, events):
    """Fires when a run begins."""
    assert pinned("agent_start") == ("notify", "event ctx", "", "")
    assert await received(desk, events.agent_start) == [(events.agent_start, "the context")]


async def test_hook_turn_start(desk, events):
    """Fires when the model is about to be asked."""
    assert pinned("turn_start") == ("notify", "event ctx", "turn_index timestamp", "")
    assert await received(desk, events.turn_start) == [(events.turn_start, "the context")]


async def test_hook_turn_end(desk, events):
    """Fires when the model has answered and the tools it asked for have run."""
    assert pinned("turn_end") == ("notify", "event ctx", "turn_index message tool_results", "")
    assert await received(desk, events.turn_end) == [(events.turn_end, "the context")]


async def test_hook_agent_end(desk, events):
    """Fires when a run has ended. Queued messages may start another."""
    assert pinned("agent_end") == ("notify", "event ctx", "messages", "")
    assert await received(desk, events.agent_end) == [(events.agent_end, "the context")]


async def test_hook_agent_before_settle(desk, events):
    """Fires when a run has come to its end, nothing is queued, and it is about to settle."""
    assert pinned("agent_before_settle") == ("chain", "event ctx", "messages", "Settle")
    assert await received(desk, events.agent_before_settle) == [(events.agent_before_settle, "the context")]


async def test_hook_agent_settled(desk, events):
    """Fires when nothing will continue by itself: the run is over and nothing is queued."""
    assert pinned("agent_settled") == ("notify", "event ctx", "", "")
    assert await received(desk, events.agent_settled) == [(events.agent_settled, "the context")]


async def test_hook_context(desk, events):
    """Fires before each request with the conversation it will carry."""
    assert pinned("context") == ("chain", "event ctx", "messages", "ContextResult")
    assert await received(desk, events.context) == [(events.context, "the context")]


async def test_hook_context_with_system(desk, events):
    """Fires before each request, after ``context``, with the system message first."""
    assert pinned("context_with_system") == ("chain", "event ctx", "messages", "ContextResult")
    assert await received(desk, events.context_with_system) == [(events.context_with_system, "the context")]


async def test_hook_before_provider_headers(desk, events):
    """Fires before a request is sent, with its headers."""
    assert pinned("before_provider_headers") == ("notify", "event ctx", "headers", "")
    assert await received(desk, events.before_provider_headers) == [
        (events.before_provider_headers, "the context")
    ]


async def test_hook_before_provider_request(desk, events):
    """Fires before a request is sent, with its body."""
    assert pinned("before_provider_request") == ("chain", "event ctx", "payload", "Mapping")
    assert await received(desk, events.before_provider_request) == [
        (events.before_provider_request, "the context")
    ]


async def test_hook_after_provider_response(desk, events):
    """Fires when a provider has answered, before the body is read."""
    assert pinned("after_provider_response") == ("notify", "event ctx", "status headers", "")
    assert await received(desk, events.after_provider_response) == [
        (events.after_provider_response, "the context")
    ]


async def test_hook_provider_stream_event(desk, events):
    """Fires for each piece of a provider's answer, as it came."""
    assert pinned("provider_stream_event") == ("notify", "event ctx", "provider api model data", "")
    assert await received(desk, events.provider_stream_event) == [
        (events.provider_stream_event, "the context")
    ]


async def test_hook_message_start(desk, events):
    """Fires when a message begins: whole, or still empty where a model is about to write it."""
    assert pinned("message_start") == ("notify", "event ctx", "message", "")
    assert await received(desk, events.message_start) == [(events.message_start, "the context")]


async def test_hook_message_update(desk, events):
    """Fires each time a model has written more."""
    assert pinned("message_update") == ("notify", "event ctx", "message delta", "")
    assert await received(desk, events.message_update) == [(events.message_update, "the context")]


async def test_hook_message_end(desk, events):
    """Fires when a message is complete and about to be stored."""
    assert pinned("message_end") == ("chain", "event ctx", "message", "MessageEndResult")
    assert await received(desk, events.message_end) == [(events.message_end, "the context")]


async def test_hook_tool_call(desk, events):
    """Fires when a tool is about to run, its arguments checked."""
    fields = "tool_call_id tool_name input parent_tool_call_id"
    assert pinned("tool_call") == ("gate", "event ctx", fields, "ToolCallResult")
    assert await received(desk, events.tool_call) == [(events.tool_call, "the context")]


async def test_hook_tool_call_final(desk, events):
    """Fires after every ``tool_call`` handler, with the arguments the tool will really get."""
    fields = "tool_call_id tool_name input parent_tool_call_id"
    assert pinned("tool_call_final") == ("gate", "event ctx", fields, "ToolCallResult")
    assert await received(desk, events.tool_call_final) == [(events.tool_call_final, "the context")]


async def test_hook_tool_execution_start(desk, events):
    """Fires when a tool call begins: for every call, refused, unknown and nested ones too."""
    fields = "tool_call_id tool_name args parent_tool_call_id"
    assert pinned("tool_execution_start") == ("notify", "event ctx", fields, "")
    assert await received(desk, events.tool_execution_start) == [(events.tool_execution_start, "the context")]


async def test_hook_tool_execution_update(desk, events):
    """Fires when a running tool shows what it has so far."""
    fields = "tool_call_id tool_name args parent_tool_call_id partial_result"
    assert pinned("tool_execution_update") == ("notify", "event ctx", fields, "")
    assert await received(desk, events.tool_execution_update) == [
        (events.tool_execution_update, "the context")
    ]


async def test_hook_tool_execution_end(desk, events):
    """Fires when a tool call has its result; pairs up with ``tool_execution_start``."""
    fields = "tool_call_id tool_name args parent_tool_call_id result is_error duration_ms"
    assert pinned("tool_execution_end") == ("notify", "event ctx", fields, "")
    assert await received(desk, events.tool_execution_end) == [(events.tool_execution_end, "the context")]


async def test_hook_tool_result(desk, events):
    """Fires when a tool has run, or failed, before anybody else sees the result."""
    fields = "tool_call_id tool_name parent_tool_call_id input content details structured_content is_error"
    assert pinned("tool_result") == ("chain", "event ctx", fields, "ToolResultPatch")
    assert await received(desk, events.tool_result) == [(events.tool_result, "the context")]


async def test_hook_user_bash(desk, events):
    """Fires when the user typed a shell command of their own."""
    assert pinned("user_bash") == ("first", "event ctx", "command exclude_from_context cwd", "UserBashResult")
    assert await received(desk, events.user_bash) == [(events.user_bash, "the context")]


async def test_hook_mcp_servers_change(desk, events):
    """Fires when an MCP server came or went, started, failed or stopped, or when its tools changed."""
    assert pinned("mcp_servers_change") == ("notify", "event ctx", "servers", "")
    assert await received(desk, events.mcp_servers_change) == [(events.mcp_servers_change, "the context")]


async def test_hook_ui_prompt_start(desk, events):
    """Fires when a dialog opens. While it is open, no handler runs out of time."""
    assert pinned("ui_prompt_start") == ("notify", "event ctx", "kind title", "")
    assert await received(desk, events.ui_prompt_start) == [(events.ui_prompt_start, "the context")]


async def test_hook_ui_prompt_end(desk, events):
    """Fires when a dialog has closed; pairs up with ``ui_prompt_start``."""
    assert pinned("ui_prompt_end") == ("notify", "event ctx", "kind title", "")
    assert await received(desk, events.ui_prompt_end) == [(events.ui_prompt_end, "the context")]


def test_every_hook_has_a_test_of_its_own():
    missing = [name for name in DOCUMENTS if f"test_hook_{name}" not in globals()]

    assert missing == []


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_every_hook_is_documented_in_the_same_order(name):
    """When, the event's fields, what may be returned, how answers combine, errors, since, an example."""
    doc = DOCUMENTS[name].doc
    sections = ["Fires ", "Event:", "Returns:", "Answers:", "On error:", "Since: 0.1", "Example::"]

    places = [doc.find(section) for section in sections]

    assert places == sorted(places)
    assert -1 not in places


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_every_field_of_the_event_is_documented(name):
    document = DOCUMENTS[name]

    undocumented = [f.name for f in document.fields if f"    {f.name} (" not in document.doc]

    assert undocumented == []

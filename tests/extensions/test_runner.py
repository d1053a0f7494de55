"""The runner: unbound, bound, its context, flags, the question of trust, the end."""

import asyncio
from pathlib import Path

import pytest

from pihost.context import NoUI, TrustContext
from pihost.errors import ExtensionNotReadyError
from pihost.events import (
    AgentEndEvent,
    ProjectTrustEvent,
    ProjectTrustResult,
    SessionStartEvent,
    ToolCallEvent,
    ToolCallResult,
)
from pihost.extensions import BoundExtension, ExtensionRunner, emit_project_trust
from pihost.extensions.runtime import GRACE
from pihost.hooks.protocol import Dispatcher

STARTED = SessionStartEvent(reason="startup")


@pytest.fixture
def unbound(load_sources, tmp_path):
    """A runner of these sources that no session is bound to."""

    async def run(**sources):
        readers = {key: sources.pop(key) for key in ("session_manager", "model_registry") if key in sources}
        result = await load_sources(**sources)
        assert result.errors == ()
        return ExtensionRunner(result.extensions, result.runtime, cwd=tmp_path, **readers)

    return run


async def test_unbound_nothing_is_blocked_and_no_model_is_chosen(unbound):
    runner = await unbound()
    assert (runner.is_project_trusted(), runner.get_model()) == (True, None)


async def test_unbound_it_dispatches(unbound):
    runner = await unbound(
        guard="""
        from pihost.hooks import hookimpl
        from pihost.events import ToolCallResult

        @hookimpl
        def tool_call(event, ctx):
            return ToolCallResult(block=True, reason=f"not in {ctx.cwd.name}, {ctx.mode}, {ctx.has_ui}")
        """
    )
    blocks = []
    runner.on_block(lambda *block: blocks.append(block))
    event = ToolCallEvent(tool_call_id="1", tool_name="bash", input={})
    answer = await runner.emit(event)
    assert isinstance(answer, ToolCallResult)
    assert answer.reason.endswith(", print, False")
    assert [(extension, blocked.tool_name) for extension, blocked, _ in blocks] == [("guard", "bash")]


async def test_it_is_a_dispatcher(unbound):
    runner: Dispatcher = await unbound(acme="def setup(api): api.on('agent_end', print)")
    assert (runner.has_handlers("agent_end"), runner.has_handlers("agent_start")) == (True, False)


async def test_unbound_context_readers_answer_as_if_nobody_were_there(unbound):
    ctx = (await unbound()).create_context()
    assert await ctx.ui.confirm("Go on?", "really") is False
    assert (ctx.model, ctx.signal, ctx.thinking_level, ctx.context_usage()) == (None, None, "off", None)
    assert (ctx.is_idle(), ctx.has_pending_messages(), ctx.system_prompt()) == (True, False, "")


@pytest.mark.parametrize("part", ["session", "models", "abort", "shutdown"])
async def test_unbound_what_needs_a_session_raises(unbound, part):
    ctx = (await unbound()).create_context()
    with pytest.raises(ExtensionNotReadyError, match=f"{part}: Extension runtime not initialized"):
        getattr(ctx, part)()


async def test_a_session_and_models_can_be_shown_without_binding(unbound):
    session, models = object(), object()
    ctx = (await unbound(session_manager=session, model_registry=models)).create_context()
    assert (ctx.session, ctx.models) == (session, models)


async def test_binding_returns_the_bound_extensions_in_their_order(load_sources, bind):
    result = await load_sources(one="def setup(api): pass", two="def setup(api): pass")
    bound = bind(result)
    assert bound.result.errors == ()
    assert bound.result.extensions == tuple(BoundExtension(extension=each) for each in result.extensions)


async def test_a_bound_context_shows_the_session(load_sources, context_actions, extension_actions, tmp_path):
    result = await load_sources(acme="def setup(api): pass")
    runner = ExtensionRunner(result.extensions, result.runtime, cwd=tmp_path)
    ctx = runner.create_context()
    runner.bind_core(extension_actions([], {}), context_actions(get_session=lambda: "session"))
    assert (ctx.mode, ctx.has_ui, ctx.cwd, ctx.session) == ("rpc", True, tmp_path, "session")
    assert (ctx.thinking_level, ctx.is_idle(), ctx.has_pending_messages()) == ("high", False, True)
    assert (ctx.system_prompt(), ctx.models, ctx.is_project_trusted()) == ("You help.", None, False)
    ctx.abort()
    assert ctx.signal.aborted
    assert ctx.shutdown() is None
    assert runner.is_project_trusted() is False


async def test_a_context_captured_before_the_runtime_was_replaced_raises(load_sources, bind):
    ctx = (runner := bind(await load_sources()).runner).create_context()
    runner.invalidate("the extensions were reloaded; use the context that the handler gets")
    runner.invalidate("and again")
    for part in ("ui", "mode", "cwd", "session", "models", "model", "signal"):
        with pytest.raises(ExtensionNotReadyError, match=f"ctx.{part}: the extensions were reloaded; use"):
            getattr(ctx, part)


async def test_a_context_belongs_to_the_event_loops_thread(load_sources, bind):
    ctx = bind(await load_sources()).runner.create_context()
    with pytest.raises(ExtensionNotReadyError, match=r"ctx\.model: .*api\.call_soon\(fn\)"):
        await asyncio.to_thread(lambda: ctx.model)


async def test_a_dialog_is_announced_and_stops_the_clock(
    load_sources, context_actions, extension_actions, tmp_path
):
    """The handler takes longer than the time limit, all of it in the dialog."""
    from pihost.extensions import create_extension_runtime

    class SlowUI(NoUI):
        async def select(self, title, options):
            await asyncio.sleep(0.3)
            return options[0]

    source = """
    def setup(api):
        log = api.register_command("log", handler=lambda arguments, ctx: seen)
        seen = []

        @api.on("session_start")
        async def ask(event, ctx):
            seen.append(await ctx.ui.select("Which?", ["this"]))
            seen.append(await ctx.ui.input("Name?"))

        api.on("ui_prompt_start", lambda event, ctx: seen.append(("start", event.kind, event.title)))
        api.on("ui_prompt_end", lambda event, ctx: seen.append(("end", event.kind, event.title)))
    """
    runtime = create_extension_runtime(hook_timeout=0.1, data_root=tmp_path)
    result = await load_sources(into=runtime, acme=source)
    runner = ExtensionRunner(result.extensions, runtime, cwd=tmp_path)
    ui = SlowUI()
    runner.bind_core(extension_actions([], {}), context_actions(get_ui=lambda: ui))
    errors = []
    runner.on_error(errors.append)
    await runner.emit(STARTED)
    await runner.shutdown(reload=True)
    assert errors == []
    assert runner.commands()["log"].handler("", None) == [
        ("start", "select", "Which?"),
        ("end", "select", "Which?"),
        "this",
        ("start", "input", "Name?"),
        ("end", "input", "Name?"),
        None,
    ]


async def test_notices_need_no_dialog(load_sources, context_actions, extension_actions, tmp_path):
    shown = []

    class LoudUI(NoUI):
        def notify(self, message, level="info"):
            shown.append((message, level))

        def set_status(self, key, text):
            shown.append((key, text))

    result = await load_sources()
    runner = ExtensionRunner((), result.runtime, cwd=tmp_path)
    ui = LoudUI()
    runner.bind_core(extension_actions([], {}), context_actions(get_ui=lambda: ui))
    runner.create_context().ui.notify("Careful", "warning")
    runner.create_context().ui.set_status("acme", "busy")
    assert shown == [("Careful", "warning"), ("acme", "busy")]


async def test_a_handler_that_fails_is_reported_to_every_listener(unbound):
    runner = await unbound(
        bad="def setup(api): api.on('session_start', lambda event, ctx: 1 / 0)",
        good="def setup(api): api.on('session_start', lambda event, ctx: None)",
    )
    first, second = [], []

    def deaf(error):
        raise RuntimeError

    runner.on_error(deaf)
    remove = runner.on_error(first.append)
    runner.on_error(second.append)
    await runner.emit(STARTED)
    remove()
    assert [(error.extension, error.event) for error in first] == [("bad", "session_start")]
    assert "bad.py" in first[0].stack
    assert first == second


async def test_an_agent_end_handler_can_queue_a_message(load_sources, bind):
    result = await load_sources(
        acme="""
        def setup(api):
            api.on("agent_end", lambda event, ctx: api.send_user_message("go on"))
        """
    )
    bound = bind(result)
    await bound.runner.emit(AgentEndEvent(messages=()))
    assert bound.calls == [("send_user_message", "go on", None)]


async def test_a_handler_that_unsubscribes_itself_disturbs_no_dispatch(load_sources, bind):
    result = await load_sources(
        acme="""
        def setup(api):
            seen = []
            api.register_command("seen", handler=lambda arguments, ctx: seen)

            def once(event, ctx):
                seen.append("once")
                stop()

            stop = api.on("agent_end", once)
            api.on("agent_end", lambda event, ctx: seen.append("always"))
        """
    )
    runner = bind(result).runner
    await runner.emit(AgentEndEvent(messages=()))
    await runner.emit(AgentEndEvent(messages=()))
    assert runner.commands()["seen"].handler("", None) == ["once", "always", "always"]


async def test_flag_values_are_checked_against_the_flags_there_are(load_sources, bind):
    result = await load_sources(
        acme="""
        def setup(api):
            api.register_flag("loud", type="boolean")
            api.register_flag("level", type="string", default="low")
        """
    )
    runner = bind(result).runner
    faults = runner.set_flag_values({"lout": True, "loud": "yes", "level": True, "zzz": "x"})
    assert [(fault.level, fault.kind, fault.source) for fault in faults] == [
        ("error", "option", f"--{name}") for name in ("lout", "loud", "level", "zzz")
    ]
    assert [fault.message for fault in faults] == [
        "No extension registers the flag --lout",
        "The flag --loud of extension 'acme' takes no value",
        "The flag --level of extension 'acme' needs a value",
        "No extension registers the flag --zzz",
    ]
    assert [fault.hint for fault in faults] == ["Did you mean --loud?", None, None, None]


TRUST_EVENT = ProjectTrustEvent(cwd=Path("project"))


@pytest.fixture
def ask(load_sources):
    """Ask extensions of these bodies of ``project_trust``; return the word and the errors."""

    async def ask(**bodies):
        source = """
        from pihost.hooks import hookimpl
        from pihost.events import ProjectTrustResult

        @hookimpl
        def project_trust(event, ctx):
            {}
        """
        result = await load_sources(**{name: source.format(body) for name, body in bodies.items()})
        ctx = TrustContext(cwd=Path("project"), mode="print", has_ui=False, ui=NoUI())
        errors = []
        word = await emit_project_trust(result.extensions, TRUST_EVENT, ctx, on_error=errors.append)
        return word, [error.extension for error in errors]

    return ask


async def test_the_first_word_on_trust_wins(ask):
    word, errors = await ask(
        unsure="return ProjectTrustResult(trusted='undecided')",
        broken="raise RuntimeError",
        sure="return ProjectTrustResult(trusted='no')",
        late="return ProjectTrustResult(trusted='yes')",
    )
    assert (word, word.extension, errors) == (ProjectTrustResult(trusted="no"), "sure", ["broken"])


async def test_without_a_word_on_trust_nobody_decides(ask):
    assert await ask(silent="return None") == (None, [])


async def test_without_extensions_nobody_decides():
    ctx = TrustContext(cwd=Path("project"), mode="print", has_ui=False, ui=NoUI())
    assert await emit_project_trust((), TRUST_EVENT, ctx, on_error=print) is None


async def test_a_shutdown_cancels_tasks_and_runs_closers_last_in_first_out(load_sources, bind):
    source = """
    import asyncio

    seen = []

    def setup(api):
        api.on_close(lambda: seen.append("first"))

        async def second():
            await asyncio.sleep(0)
            seen.append("second")

        async def forever():
            try:
                await asyncio.sleep(60)
            finally:
                seen.append("cancelled")

        api.on_close(second)
        api.on("session_start", lambda event, ctx: api.create_task(forever()) and None)
        api.register_command("seen", handler=lambda arguments, ctx: seen)
    """
    bound = bind(await load_sources(acme=source))
    await bound.runner.emit(STARTED)
    await asyncio.sleep(0)
    seen = bound.runner.commands()["seen"].handler("", None)
    await bound.runner.shutdown()
    await bound.runner.shutdown()
    assert seen == ["cancelled", "second", "first"]


async def test_whatever_does_not_end_is_reported_by_id(load_sources, bind, monkeypatch):
    monkeypatch.setattr("pihost.extensions.runtime.GRACE", 0.05)
    source = """
    import asyncio

    def setup(api):
        async def stubborn():
            for _ in range(2):
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    pass

        async def slow():
            await asyncio.sleep(60)

        def broken():
            raise RuntimeError("cannot close")

        api.on_close(slow)
        api.on_close(broken)
        api.on("session_start", lambda event, ctx: tasks.append(api.create_task(stubborn())))
        api.register_command("tasks", handler=lambda arguments, ctx: tasks)

    tasks = []
    """
    bound = bind(await load_sources(acme=source))
    errors = []
    bound.runner.on_error(errors.append)
    await bound.runner.emit(STARTED)
    await asyncio.sleep(0)
    await bound.runner.shutdown()
    assert [(error.extension, error.event, error.error) for error in errors] == [
        ("acme", "create_task", "task 'acme: create_task' did not end within 0.05 s"),
        ("acme", "on_close", "RuntimeError: cannot close"),
        ("acme", "on_close", "setup.<locals>.slow did not end within 0.05 s"),
    ]
    (task,) = bound.runner.commands()["tasks"].handler("", None)
    task.cancel()
    await asyncio.wait([task])


def test_an_extension_gets_five_seconds_to_end():
    assert GRACE == 5.0


@pytest.mark.parametrize(
    ("body", "error"),
    [("1 / 0", "ZeroDivisionError: division by zero"), ("raise SystemExit(3)", "SystemExit: 3")],
)
async def test_what_a_task_raises_is_its_extensions_error(load_sources, bind, body, error):
    source = f"""
    def setup(api):
        async def failing():
            {body}

        api.register_command("fail", handler=lambda arguments, ctx: api.create_task(failing()))
    """
    bound = bind(await load_sources(acme=source))
    errors = []
    bound.runner.on_error(errors.append)
    await asyncio.wait([bound.runner.commands()["fail"].handler("", None)])
    assert [(each.event, each.error) for each in errors] == [("create_task", error)]
    assert "acme.py" in errors[0].stack

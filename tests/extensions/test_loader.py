"""Loading: what works, and the one error that each thing that does not becomes."""

import asyncio
import sys

import pytest

from pihost.errors import ExtensionNotReadyError
from pihost.extensions.loader import load_extensions
from pihost.extensions.runtime import create_extension_runtime


async def test_a_setup_function_registers(load_sources):
    result = await load_sources(
        hello="""
        def setup(api):
            api.register_command("hello", handler=lambda arguments, ctx: None, description="Say hello")

            @api.tool(description="Count the words in a text")
            async def word_count(text: str) -> str:
                return str(len(text.split()))

            api.register_flag("loud", type="boolean", default=False)
            api.on("session_start", lambda event, ctx: None)
        """
    )
    (extension,) = result.extensions
    assert (result.errors, result.warnings) == ((), ())
    assert (list(extension.tools), list(extension.commands), list(extension.flags)) == (
        ["word_count"],
        ["hello"],
        ["loud"],
    )
    assert extension.handlers == ("session_start",)
    assert extension.load_ms > 0


async def test_a_module_with_only_hook_implementations_loads(load_sources):
    result = await load_sources(
        guard="""
        from pihost.hooks import hookimpl

        @hookimpl
        def tool_call(event, ctx):
            return None
        """
    )
    assert result.errors == ()
    assert result.extensions[0].handlers == ("tool_call",)


async def test_c10_setup_may_be_async(load_sources):
    result = await load_sources(
        later="""
        import asyncio

        async def setup(api):
            await asyncio.sleep(0)
            api.register_command("later", handler=print)
        """
    )
    assert list(result.extensions[0].commands) == ["later"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1", "defines neither setup() nor any hook implementation"),
        ("setup = 5", "setup is of type int, not a function; define setup(api)"),
        ("def setup(api, extra): ...", "setup(api, extra) must be callable with one argument: setup(api)"),
        ("def setup(): ...", "setup() must be callable with one argument: setup(api)"),
        ("def setup(api): yield", "setup is a generator, so calling it runs nothing; write it without yield"),
        ("async def setup(api): yield", "setup is a generator, so calling it runs nothing"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import sys\nsys.exit('bye')", "SystemExit: bye"),
        ("def setup(api): raise SystemExit(2)", "SystemExit: 2"),
        ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("def setup(api:", "SyntaxError: '(' was never closed"),
        ("import asyncio\nraise asyncio.CancelledError", "CancelledError"),
        ("raise BaseException('odd')", "BaseException: odd"),
        ("class E(Exception):\n    def __str__(self): return 1/0\nraise E", "E: (its text cannot be made)"),
        (
            "class E(Exception):\n    def __str__(self): raise SystemExit(7)\nraise E",
            "E: (its text cannot be made)",
        ),
        ("def setup(api): api.register_comand('x')", "ExtensionAPI has no 'register_comand' (did you mean"),
        ("def setup(api): api.on('sesion_start', print)", "session_start"),
        ("def setup(api): api.register_tool({'name': 'x'})", "tool needs to be a ToolDefinition, not dict"),
    ],
)
async def test_c10_whatever_goes_wrong_is_one_precise_error(load_sources, source, message):
    """The extension after it loads all the same."""
    result = await load_sources(broken=source, good="def setup(api): pass")
    assert [extension.id for extension in result.extensions] == ["good"]
    (error,) = result.errors
    assert (error.extension, error.event) == ("broken", "load")
    assert message in error.error


async def test_a_hook_implementation_that_was_not_marked_is_pointed_out(load_sources):
    result = await load_sources(guard="def tool_call(event, ctx): ...")
    assert "defines neither setup() nor any hook implementation" in result.errors[0].error
    assert "@hookimpl" in result.errors[0].error


async def test_a_warning_of_the_hooks_reaches_the_result(load_sources):
    result = await load_sources(guard="def setup(api): ...\ndef tool_call(event, ctx): ...")
    (warning,) = result.warnings
    assert (warning.level, warning.kind, warning.source) == ("warning", "load", "guard")
    assert "@hookimpl" in warning.message


async def test_c06_a_failed_load_leaves_nothing_and_the_mended_one_loads(load_sources, runtime):
    text = """
    def setup(api):
        api.register_tool(api_tool())
        api.register_command("c", handler=print)
        api.register_flag("f", type="string")
        api.on("session_start", print)
        api.register_provider("p", None)
        api.events.on("channel", print)
        raise RuntimeError("at the end")

    def api_tool():
        from pihost.tools.definition import ToolDefinition
        return ToolDefinition(name="t", description="d", parameters={"type": "object"}, execute=print)
    """
    failed = await load_sources(acme=text)
    assert failed.extensions == ()
    assert (dict(runtime.registry.tools()), dict(runtime.registry.commands())) == ({}, {})
    assert not runtime.hooks.has_handlers("session_start")
    mended = await load_sources(acme=text.replace("raise RuntimeError", "str"))
    assert [extension.id for extension in mended.extensions] == ["acme"]
    assert list(runtime.registry.tools()) == ["t"]


async def test_a_failed_load_leaves_a_dead_api_that_names_the_extension(load_sources):
    result = await load_sources(acme="def setup(api):\n    import sys\n    sys.kept = api\n    1 / 0")
    api = sys.__dict__.pop("kept")
    assert result.errors[0].error == "ZeroDivisionError: division by zero"
    with pytest.raises(ExtensionNotReadyError, match="Extension 'acme': register_command: loading it failed"):
        api.register_command("late", handler=print)
    with pytest.raises(ExtensionNotReadyError, match="'acme': call_soon: loading it failed"):
        api.call_soon(print)


async def test_what_was_to_be_closed_is_closed_when_the_load_fails(load_sources, tmp_path):
    await load_sources(
        acme=f"""
        from pathlib import Path

        def setup(api):
            api.on_close(lambda: Path({str(tmp_path / "closed")!r}).write_text("yes"))
            raise RuntimeError
        """
    )
    assert (tmp_path / "closed").read_text() == "yes"


async def test_the_stack_shows_the_extensions_frames_only(load_sources):
    result = await load_sources(
        acme="""
        def helper(api):
            api.register_command("", handler=print)

        def setup(api):
            helper(api)
        """
    )
    stack = result.errors[0].stack
    assert "acme.py" in stack
    assert stack.count('File "') == 2
    assert "importlib" not in stack


async def test_the_stack_of_a_missing_import_shows_the_line(load_sources):
    result = await load_sources(acme="import no_such_module")
    assert "import no_such_module" in result.errors[0].stack
    assert "pihost/extensions" not in result.errors[0].stack


async def test_what_the_host_finds_wrong_has_no_stack(load_sources):
    result = await load_sources(acme="setup = 5")
    assert result.errors[0].stack is None


async def test_unknown_hooks_are_judged_after_the_last_extension(load_sources):
    """An extension may answer a hook that one loaded later declares."""
    result = await load_sources(
        answers="""
        from pihost.hooks import hookimpl

        @hookimpl
        def weather(place):
            return "rain"
        """,
        declares="""
        from pihost.hooks import hookspec
        import sys

        @hookspec("collect")
        def weather(place): ...

        def setup(api):
            api.add_hookspecs(sys.modules[__name__])
        """,
    )
    assert result.errors == ()
    assert await result.runtime.hooks.call("weather", {"place": "here"}) == [("answers", "rain")]


async def test_a_misspelt_hook_unloads_its_extension_after_the_pass(load_sources, runtime):
    result = await load_sources(
        acme="""
        from pihost.hooks import hookimpl

        @hookimpl
        def tool_cal(event): ...

        def setup(api):
            api.register_command("c", handler=print)
        """,
        good="def setup(api): pass",
    )
    assert [extension.id for extension in result.extensions] == ["good"]
    assert "tool_call" in result.errors[0].error
    assert dict(runtime.registry.commands()) == {}


async def test_an_id_that_is_loaded_already_is_refused(load_sources):
    await load_sources(acme="def setup(api): pass")
    again = await load_sources(acme="def setup(api): pass")
    assert [error.error for error in again.errors] == ["an extension of this id is loaded already"]


async def test_a_second_pass_adds_to_the_same_runtime(load_sources, runtime):
    first = await load_sources(one="def setup(api): api.register_command('one', handler=print)")
    second = await load_sources(two="def setup(api): api.register_command('two', handler=print)")
    assert first.runtime is second.runtime is runtime
    assert set(runtime.registry.commands()) == {"one", "two", "one:one", "two:two"}


async def test_without_a_runtime_a_new_one_is_made(tmp_path):
    result = await load_extensions([], tmp_path)
    assert (result.extensions, result.errors) == ((), ())
    assert not result.runtime.bound


async def test_what_an_extension_prints_goes_to_stderr(load_sources, capsys):
    await load_sources(acme="print('at import')\ndef setup(api): print('in setup')")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "at import\nin setup\n")


async def test_stdout_can_be_left_alone(write_module, admitted_path, tmp_path, runtime, capsys):
    path = write_module("acme.py", "print('hello')\ndef setup(api): pass")
    await load_extensions([admitted_path(path)], tmp_path, runtime, stdout_to_stderr=False)
    assert capsys.readouterr().out == "hello\n"


async def test_keyboard_interrupt_passes_through_and_leaves_nothing(load_sources, runtime):
    with pytest.raises(KeyboardInterrupt):
        await load_sources(
            acme="def setup(api):\n    api.on('session_start', print)\n    raise KeyboardInterrupt"
        )
    assert not runtime.hooks.has_handlers("session_start")
    assert "acme" not in runtime.registry


async def test_cancellation_passes_through_and_leaves_nothing(load_sources, runtime):
    waiting = asyncio.Event()
    sys.waiting = waiting
    source = """
    import asyncio, sys

    async def setup(api):
        sys.waiting.set()
        await asyncio.sleep(60)
    """
    loading = asyncio.create_task(load_sources(acme=source))
    await waiting.wait()
    del sys.waiting
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert "acme" not in runtime.registry
    assert not [name for name in sys.modules if name.startswith("_pihost_extension_") and "acme" in name]


async def test_a_cancellation_arrives_between_extensions_that_never_wait(load_sources):
    """A load of plain files can be ended too."""
    loading = asyncio.create_task(
        load_sources(
            first="import asyncio\nasyncio.current_task().cancel()\ndef setup(api): pass",
            second="import sys\nsys.second_ran = True\ndef setup(api): pass",
        )
    )
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert not hasattr(sys, "second_ran")


async def test_an_async_setup_that_never_ends_is_one_error(load_sources, tmp_path):
    result = await load_sources(
        create_extension_runtime(hook_timeout=0.05, data_root=tmp_path),
        slow="""
        import asyncio

        async def setup(api):
            await asyncio.sleep(60)
        """,
        fine="def setup(api): ...",
    )
    (error,) = result.errors
    assert error.extension == "slow"
    assert "did not end within 0.05 seconds" in error.error
    assert [extension.id for extension in result.extensions] == ["fine"]


async def test_a_function_named_like_a_hook_that_is_declared_later_is_warned_of(load_sources):
    """Until then the extension answers nothing, and there are no hooks to hold it against."""
    result = await load_sources(
        quiet="""
        def weather(place): ...
        def setup(api): api.register_command("x", handler=print)
        """,
        declaring="""
        import sys
        from pihost import hookspec

        @hookspec("notify")
        def weather(place): "It is asked for."

        def setup(api): api.add_hookspecs(sys.modules[__name__])
        """,
    )
    assert result.errors == ()
    assert [w.source for w in result.warnings if "named like a hook" in w.message] == ["quiet"]


async def test_no_hook_table_is_made_for_what_answers_nothing(load_sources, runtime):
    result = await load_sources(quiet="def setup(api): api.register_command('x', handler=print)")
    assert (result.extensions[0].handlers, runtime.has_hooks) == ((), False)


async def test_an_extension_that_was_discarded_is_not_looked_at_again(load_sources, runtime):
    await load_sources(quiet="def setup(api): api.register_command('x', handler=print)")
    await runtime.discard(runtime.registry["quiet"], "it is loaded anew")
    assert (runtime.hooks.warnings("quiet"), runtime.hooks.handlers("quiet")) == ((), ())

"""The API: when each part may be used, what a registration must be, what an extension has of its own."""

import asyncio
import contextlib
import inspect
import logging
import os
import signal
import stat
import subprocess
import sys
import threading
import types
from pathlib import Path

import attrs
import pytest
from packaging.version import Version

from pihost import _version
from pihost.errors import ExtensionNotReadyError
from pihost.extensions import ExtensionAPI
from pihost.extensions._exec import MOST_BYTES
from pihost.extensions._load_rules import LOAD_TIME
from pihost.extensions._own_config import ExtensionConfigError
from pihost.extensions.registrations import RegistrationError
from pihost.hooks import hookspec
from pihost.messages import CustomMessage
from pihost.model import Model
from pihost.tools.definition import ToolDefinition

PUBLIC = sorted(name for name in dir(ExtensionAPI) if not name.startswith("_"))


@hookspec("notify")
def probe_hook(value): ...


HOOKS = types.ModuleType("hooks_of_acme")
HOOKS.probe_hook = probe_hook


@attrs.frozen
class Settings:
    url: str = "https://example.com"
    retries: int = 3


def nothing(*_):
    """A handler, a tool or a setup that does nothing."""


def some_tool(name="t", **fields):
    defaults = {"description": "Does it", "parameters": {"type": "object"}, "execute": nothing}
    return ToolDefinition(name=name, **(defaults | fields))


def use(api, name):
    """Use a part of the API as an author would, with arguments that fit."""
    arguments = {
        "on": ("session_start", print),
        "register_tool": (some_tool(),),
        "tool": (tool_function,),
        "register_command": ("c",),
        "register_flag": ("f",),
        "get_flag": ("f",),
        "add_hookspecs": (HOOKS,),
        "register_provider": ("p", None),
        "register_native_provider": (None,),
        "register_virtual_model": (None,),
        "register_api": ("a", print),
        "unregister_provider": ("p",),
        "unregister_virtual_model": ("p", "m"),
        "get_config": (Settings,),
        "on_close": (print,),
        "call_soon": (print,),
        "exec": (["true"],),
        "send_message": (CustomMessage(kind="k", content="c"),),
        "send_user_message": ("hello",),
        "append_entry": ("k",),
        "set_label": ("e", "l"),
        "set_session_name": ("n",),
        "set_active_tools": ([],),
        "set_model": (Model(provider="p", id="m"),),
        "set_thinking_level": ("low",),
        "unregister_tool": ("tool_function",),
        "register_mcp_server": ("m", {"command": "serve"}),
        "unregister_mcp_server": ("m",),
        "mount_mcp_servers": (None,),
        "set_mcp_servers": ([],),
    }
    keywords = {"register_command": {"handler": print}, "register_flag": {"type": "string"}}
    if name == "hook":
        return api.hook.anything()
    if name == "create_task":
        return api.create_task(asyncio.sleep(0))
    member = getattr(api, name)
    return member(*arguments.get(name, ()), **keywords.get(name, {})) if callable(member) else member


def tool_function(text: str) -> str:
    """Give it back."""
    return text


@pytest.fixture
def in_setup(load_sources):
    """Run a function as the ``setup`` of extension ``acme``; what it raises is raised."""

    async def run(function):
        raised = []

        def guarded(api):
            try:
                return function(api)
            except Exception as fault:
                raised.append(fault)
                raise

        sys.under_test = guarded
        try:
            result = await load_sources(acme="import sys\ndef setup(api): return sys.under_test(api)")
        finally:
            del sys.under_test
        if raised:
            raise raised[0]
        return result

    return run


@pytest.fixture
def loaded_api(in_setup):
    """The API of a loaded extension, and the load's result."""

    async def load(setup=nothing):
        kept = []
        result = await in_setup(lambda api: (kept.append(api), setup(api))[1])
        return kept[0], result

    return load


def test_c09_every_public_part_of_the_api_has_exactly_one_rule():
    assert sorted(LOAD_TIME) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
async def test_c08_c09_the_rule_of_each_part_holds_while_loading(in_setup, name):
    def setup(api):
        if LOAD_TIME[name] == "legal":
            if name in {"unregister_tool", "unregister_mcp_server"}:
                use(api, {"unregister_tool": "tool"}.get(name, "register_mcp_server"))
            answer = use(api, name)
            if inspect.iscoroutine(answer):
                answer.close()
            return
        message = f"'acme': {name}: Extension runtime not initialized"
        with pytest.raises(ExtensionNotReadyError, match=message):
            use(api, name)

    result = await in_setup(setup)
    assert [extension.id for extension in result.extensions] == ["acme"]


@pytest.mark.parametrize("name", [name for name in PUBLIC if LOAD_TIME[name] == "raises"])
async def test_the_same_rule_holds_between_loading_and_binding(loaded_api, name):
    api, _ = await loaded_api()
    with pytest.raises(ExtensionNotReadyError, match="on session_start"):
        use(api, name)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("send_message", ("next_turn", False)),
        ("send_user_message", ("hello", None)),
        ("append_entry", ("k", None)),
        ("set_label", ("e", "l")),
        ("get_session_name", ()),
        ("set_session_name", ("n",)),
        ("get_active_tools", ()),
        ("get_all_tools", ()),
        ("set_active_tools", ([],)),
        ("get_commands", ()),
        ("get_settings", ()),
        ("get_thinking_level", ()),
        ("set_thinking_level", ("low",)),
        ("get_config_dirs", ()),
    ],
)
async def test_a_bound_action_reaches_the_session(loaded_api, bind, name, call):
    api, result = await loaded_api()
    bound = bind(result, **{name: "the answer"})
    answer = use(api, name)
    ((called, *arguments),) = bound.calls
    assert answer == ("the answer" if name.startswith(("get", "append")) else None)
    assert called == name
    assert tuple(arguments[-len(call) :] if call else arguments) == call


async def test_set_model_is_awaited(loaded_api, bind):
    api, result = await loaded_api()
    bind(result, set_model=True)
    assert await api.set_model(Model(provider="p", id="m")) is True


@pytest.mark.parametrize("name", PUBLIC)
async def test_after_the_runtime_was_replaced_every_part_raises_and_says_what_to_use(loaded_api, bind, name):
    api, result = await loaded_api()
    bind(result).runner.invalidate("the session was replaced; use the API that setup was handed since")
    with pytest.raises(ExtensionNotReadyError, match="use the API that setup was handed since"):
        use(api, name)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "call_soon"])
async def test_from_another_thread_every_part_raises_and_names_call_soon(loaded_api, bind, name):
    api, result = await loaded_api()
    bind(result)

    def elsewhere():
        with pytest.raises(ExtensionNotReadyError, match=r"api\.call_soon\(fn\)"):
            use(api, name)
        return "raised"

    assert await asyncio.to_thread(elsewhere) == "raised"


async def test_call_soon_runs_on_the_event_loop(loaded_api, bind):
    api, result = await loaded_api()
    bind(result)
    threads, done = [], asyncio.Event()

    async def later():
        threads.append(threading.get_ident())
        done.set()

    await asyncio.to_thread(api.call_soon, lambda: threads.append(threading.get_ident()))
    await asyncio.to_thread(api.call_soon, later)
    await done.wait()
    assert threads == [threading.get_ident()] * 2


@pytest.mark.parametrize(
    ("fault", "error"),
    [(ZeroDivisionError("no"), "ZeroDivisionError: no"), (SystemExit(2), "SystemExit: 2")],
)
@pytest.mark.parametrize("later", [True, False])
async def test_what_call_soon_runs_reports_its_failure(loaded_api, bind, fault, error, later):
    api, result = await loaded_api()
    errors, told = [], asyncio.Event()
    runner = bind(result).runner
    runner.on_error(errors.append)
    runner.on_error(lambda _: told.set())

    def fail():
        raise fault

    async def fail_later():
        raise fault

    api.call_soon(fail_later if later else fail)
    await told.wait()
    assert [(each.extension, each.event, each.error) for each in errors] == [("acme", "call_soon", error)]


async def test_a_call_of_a_method_that_does_not_exist_suggests_the_near_name(loaded_api):
    api, _ = await loaded_api()
    with pytest.raises(AttributeError, match=r"has no 'send_mesage' \(did you mean 'send_message'"):
        api.send_mesage("x")
    assert not hasattr(api, "zzz")


@pytest.mark.parametrize(
    ("register", "message"),
    [
        (lambda api: api.register_tool(some_tool(name="")), "tool needs a name without white space, not ''"),
        (lambda api: api.register_tool(some_tool(name=5)), "tool needs a string as its name, not int"),
        (lambda api: api.register_tool(some_tool(description=" ")), "tool 't' needs a description"),
        (lambda api: api.register_tool(some_tool(execute=5)), "tool 't' needs a callable execute, not int"),
        (lambda api: api.register_tool(some_tool(parameters=5)), "tool 't' has unusable parameters"),
        (
            lambda api: api.register_tool(some_tool(parameters={})),
            "tool 't' needs parameters of type \"object\"",
        ),
        (lambda api: api.register_tool(some_tool(parameters={"type": "array"})), "its schema says 'array'"),
        (lambda api: api.register_command("", handler=print), "command needs a name without white space"),
        (lambda api: api.register_command("/c", handler=print), "without the slash that calls it: 'c'"),
        (lambda api: api.register_command("c", handler=5), "needs a callable handler, not int"),
        (lambda api: api.register_command("c", handler=print, complete=5), "'c' needs a callable complete"),
        (lambda api: api.register_flag("--f", type="string"), "registered without the dashes"),
        (lambda api: api.register_flag("f", type="number"), 'needs the type "boolean" or "string"'),
        (lambda api: api.register_flag("f", type="boolean", default="no"), "its default cannot be 'no'"),
        (lambda api: api.register_flag("f", type="string", default=True), "its default cannot be True"),
        (lambda api: api.on("", print), "event needs a name without white space"),
        (lambda api: api.on("session_start", 5), "of 'session_start' needs a callable handler"),
        (lambda api: api.events.on("c", 5), "listener on 'c' needs a callable listener, not int"),
        (lambda api: api.on_close(5), "on_close needs a callable function, not int"),
        (lambda api: api.register_api("a", 5), "wire API 'a' needs a callable implementation, not int"),
    ],
)
async def test_a_wrong_registration_raises_at_once_and_names_the_extension(in_setup, register, message):
    with pytest.raises(RegistrationError) as caught:
        await in_setup(register)
    assert str(caught.value).startswith("Extension 'acme': ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "register",
    [
        lambda api: api.register_tool(some_tool()),
        lambda api: api.register_command("t", handler=print),
        lambda api: api.register_flag("t", type="string"),
    ],
)
async def test_registering_one_name_twice_while_loading_is_a_slip(in_setup, register):
    def setup(api):
        register(api)
        register(api)

    with pytest.raises(RegistrationError, match="'t' is registered twice by this extension"):
        await in_setup(setup)


async def test_a_live_extension_may_replace_its_own_tool(loaded_api, bind):
    api, result = await loaded_api(lambda api: api.register_tool(some_tool()))
    runner = bind(result).runner
    api.register_tool(some_tool(description="Does it better"))
    assert runner.tools()["t"].definition.description == "Does it better"


async def test_get_flag_gives_the_default_until_bound(loaded_api, bind):
    values = []

    def setup(api):
        api.register_flag("level", type="string", default="low")
        values.append(api.get_flag("level"))

    api, result = await loaded_api(setup)
    bound = bind(result)
    assert bound.runner.set_flag_values({"level": "high"}) == ()
    assert [*values, api.get_flag("level"), api.get_flag("other")] == ["low", "high", None]


async def test_a_handler_taken_back_while_loading_is_never_called(loaded_api):
    def setup(api):
        api.on("session_start", print)()
        api.on("session_shutdown", print)

    _, result = await loaded_api(setup)
    assert result.extensions[0].handlers == ("session_shutdown",)


async def test_on_returns_a_function_that_unsubscribes(loaded_api, bind):
    api, result = await loaded_api()
    runner = bind(result).runner
    unsubscribe = api.on("session_start", nothing)
    assert runner.has_handlers("session_start")
    unsubscribe()
    unsubscribe()
    assert not runner.has_handlers("session_start")


async def test_on_is_a_decorator_too(loaded_api):
    def setup(api):
        @api.on("session_start")
        def started(event, ctx): ...

        kept.append(started)

    kept = []
    _, result = await loaded_api(setup)
    assert result.extensions[0].handlers == ("session_start",)
    assert kept[0].__name__ == "started"


async def test_handlers_of_one_extension_run_in_order_of_registration(loaded_api, bind):
    from pihost.events import SessionStartEvent

    order = []

    def noting(name):
        return lambda *_: order.append(name)

    def setup(api):
        for name in ("first", "second"):
            api.on("session_start", noting(name))
        api.on("session_start", noting("tryfirst"), tryfirst=True)

    _, result = await loaded_api(setup)
    await bind(result).runner.emit(SessionStartEvent(reason="startup"))
    assert order == ["tryfirst", "first", "second"]


async def test_get_config_reads_the_extensions_own_settings(loaded_api):
    asked = []
    api, _ = await loaded_api()
    api._runtime.read_config = lambda *arguments: asked.append(arguments) or {"retries": 5}
    assert api.get_config(Settings) == Settings(retries=5)
    assert asked == [("acme", False)]


async def test_get_config_names_every_fault_with_its_place(loaded_api):
    api, _ = await loaded_api()
    api._runtime.read_config = lambda *_: {"retries": "five", "urll": "x"}
    with pytest.raises(ExtensionConfigError) as caught:
        api.get_config(Settings)
    assert caught.value.faults == (
        "expected int, not 'five' @ extension.acme.retries",
        "unknown 'urll' (did you mean 'url'?) @ extension.acme",
    )


async def test_get_config_takes_an_attrs_class_only(loaded_api):
    api, _ = await loaded_api()
    with pytest.raises(TypeError, match="get_config takes an attrs class, not <class 'int'>"):
        api.get_config(int)


async def test_the_data_directory_is_private(loaded_api, tmp_path):
    api, _ = await loaded_api()
    assert api.data_dir == tmp_path / "data" / "acme"
    made = (api.data_dir, api.data_dir.parent)
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700, 0o700]


async def test_log_and_version(loaded_api):
    api, _ = await loaded_api()
    assert api.log is logging.getLogger("pihost.extension.acme")
    assert api.version == Version(_version.__version__)


async def test_exec_runs_a_program_in_the_sessions_directory(loaded_api, tmp_path):
    api, _ = await loaded_api()
    code = "import os, sys; print(os.getcwd()); print(repr(sys.stdin.read())); sys.exit(3)"
    result = await api.exec([sys.executable, "-c", code])
    assert (result.stdout, result.stderr, result.code) == (f"{tmp_path}\n''\n", "", 3)
    assert (result.timed_out, result.truncated) == (False, False)


async def test_exec_keeps_the_two_streams_apart(loaded_api):
    api, _ = await loaded_api()
    result = await api.exec(["sh", "-c", "echo out; echo wrong >&2"])
    assert (result.stdout, result.stderr) == ("out\n", "wrong\n")


async def test_exec_kills_what_takes_too_long_with_all_it_started(loaded_api):
    api, _ = await loaded_api()
    result = await api.exec(["sh", "-c", "echo begun; sleep 60 & wait"], timeout=0.3)
    assert (result.stdout, result.timed_out) == ("begun\n", True)
    assert result.code < 0


def state_of(pid):
    """The state of a process, ``Z`` for one that has ended; ``None`` for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2]
    except FileNotFoundError:
        return None


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks a process up in /proc")
async def test_exec_kills_what_has_left_the_programs_group_too(loaded_api, tmp_path):
    api, _ = await loaded_api()
    pid_file = tmp_path / "pid"
    await api.exec(["sh", "-c", f"setsid sh -c 'echo $$ > {pid_file}; exec sleep 60' & wait"], timeout=0.5)
    await asyncio.sleep(0.1)
    assert state_of(pid_file.read_text().strip()) in (None, "Z")


async def test_exec_leaves_nothing_behind_when_cancelled(loaded_api, tmp_path):
    api, _ = await loaded_api()
    pid_file = tmp_path / "pid"
    running = asyncio.ensure_future(api.exec(["sh", "-c", f"echo $$ > {pid_file}; sleep 60"]))
    while not (pid_file.exists() and pid_file.read_text()):  # noqa: ASYNC110 -- another process writes it
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


@pytest.mark.parametrize("steps", range(12))
async def test_exec_leaves_nothing_behind_whenever_it_is_cancelled(loaded_api, steps):
    """While it starts, too: each number of steps of the loop is another moment."""
    api, _ = await loaded_api()
    marker = f"61.{os.getpid()}{steps}"
    running = asyncio.ensure_future(api.exec(["sh", "-c", f"sleep {marker} & sleep {marker}; true"]))
    for _ in range(steps):
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 10)
    assert _processes_with(marker) == []


def _processes_with(word):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if word.encode() in path.read_bytes():
                found.append(path)
    return found


async def test_exec_is_not_held_up_by_what_the_program_leaves_running(loaded_api):
    """It holds the streams open, and goes on."""
    api, _ = await loaded_api()
    result = await asyncio.wait_for(api.exec(["sh", "-c", "sleep 60 & echo $!"]), 10)
    os.kill(int(result.stdout), signal.SIGKILL)
    assert (result.code, result.timed_out) == (0, False)


LEAVES = """
import asyncio, pathlib
from pihost.extensions._exec import run_program
command = ["sh", "-c", "sleep 60 & echo $!"]
print(asyncio.run(run_program(command, cwd=pathlib.Path("/"), timeout=None)).stdout)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks a process up in /proc")
def test_what_exec_left_running_ends_with_the_host():
    done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, check=True)
    assert state_of(done.stdout.strip()) in (None, "Z")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_exec_keeps_the_beginning_of_each_stream_and_says_that_there_was_more(loaded_api, stream):
    api, _ = await loaded_api()
    code = f"import sys; sys.{stream}.write('a' * ({MOST_BYTES} - 1) + 'bc'); print('end', file=sys.stderr)"
    result = await api.exec([sys.executable, "-c", code])
    kept = getattr(result, stream)
    assert (len(kept), kept[-2:], result.truncated, result.code) == (MOST_BYTES, "ab", True, 0)


async def test_exec_of_a_program_that_is_not_there(loaded_api):
    api, _ = await loaded_api()
    with pytest.raises(FileNotFoundError):
        await api.exec(["no-such-program-here"])


async def test_a_hook_of_the_extensions_own_is_called_by_name(load_sources, bind):
    result = await load_sources(
        acme="""
        import sys
        from pihost.hooks import hookspec

        @hookspec("collect")
        def greet(name): ...

        def setup(api):
            api.add_hookspecs(sys.modules[__name__])
            api.register_command("greet", handler=lambda arguments, ctx: api.hook.greet(name=arguments))
        """,
        polite="""
        from pihost.hooks import hookimpl

        @hookimpl
        async def greet(name):
            return f"Hello {name}"
        """,
    )
    assert result.errors == ()
    handler = bind(result).runner.commands()["greet"].handler
    assert await handler("you", None) == [("polite", "Hello you")]

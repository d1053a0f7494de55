"""Whatever an extension changes of the process while it loads is undone and told, and costs nobody else."""

import asyncio
import builtins
import faulthandler
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from pathlib import Path

import pytest

from pihost.extensions._module_loading import PrivateFinder

CHANGES = {
    "os.chdir('/')": "the working directory",
    "sys.path.insert(0, '/planted')": "sys.path",
    "sys.path.append('/planted')": "sys.path",
    "sys.path[:] = []": "sys.path",
    "sys.path_hooks.insert(0, print)": "sys.path_hooks",
    "sys.meta_path.insert(0, object())": "sys.meta_path",
    "sys.meta_path.pop()": "sys.meta_path",
    "import json; sys.modules['json'] = sys": "sys.modules (json)",
    "import json; del sys.modules['json']": "sys.modules (json)",
    "import json; sys.modules.pop('json'); sys.modules['other'] = sys": "sys.modules (json)",
    "sys.modules['this'] = sys": "sys.modules (this)",
    "sys.modules['pihost.planted'] = sys": "sys.modules (pihost.planted)",
    "import builtins; builtins.open = print": "builtins (open)",
    "import builtins; del builtins.sorted": "builtins (sorted)",
    "sys.stdout = sys.stdin": "the standard streams",
    "sys.stderr = sys.__stderr__ = None": "the standard streams",
    "sys.excepthook = print": "what is done with uncaught exceptions",
    "import threading; threading.excepthook = print": "what is done with uncaught exceptions",
    "import logging; logging.basicConfig(level=1, force=True)": "the logging of the whole program",
    "import logging; logging.root.setLevel(1)": "the logging of the whole program",
    "import logging; logging.disable()": "the logging of the whole program",
    "import warnings; warnings.simplefilter('ignore')": "the filters of warnings",
    "import warnings; warnings.resetwarnings()": "the filters of warnings",
    "import logging; logging.captureWarnings(True)": "the filters of warnings",
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)": "the handling of SIGTERM",
    "import signal; signal.signal(signal.SIGINT, print)": "the handling of SIGINT",
    "sys.setrecursionlimit(5000)": "the interpreter's limits",
    "sys.setswitchinterval(1)": "the interpreter's limits",
    "import gc; gc.disable()": "the garbage collector",
    "import gc; gc.set_threshold(1)": "the garbage collector",
    "import asyncio; asyncio.get_running_loop().set_exception_handler(print)": "the event loop",
    "import asyncio; asyncio.get_running_loop().set_task_factory(print)": "the event loop",
    "import socket; socket.setdefaulttimeout(1)": "the time limit of all sockets",
    "import locale; locale.setlocale(locale.LC_CTYPE, 'POSIX')": "the locale",
    "import asyncio; asyncio.set_event_loop_policy(asyncio.DefaultEventLoopPolicy())": "the event loop",
    "os.umask(0)": "the umask",
    "import faulthandler as f; (f.disable if f.is_enabled() else f.enable)()": "faulthandler",
}


HARMLESS = (
    "import warnings; warnings.filterwarnings('ignore', category=type('Own', (Warning,), {}))",
    "import warnings; warnings.filterwarnings('ignore', message='mine')",
    "import logging; logging.getLogger('acme').addHandler(logging.NullHandler())",
    "class Finder:\n def find_spec(*_): ...\nsys.meta_path.append(Finder)",
    "import builtins; builtins.acme = 1",
    "import xml.dom.minidom",
    "sys.modules['acme_alias'] = sys.modules[__name__]",
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()): print('x')",
    "import signal; signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
)


def shared_state():
    """What the test can see of what is shared, by itself."""
    return {
        "directory": Path.cwd(),
        "imports": (
            sys.path.copy(),
            sys.path_hooks.copy(),
            [one for one in sys.meta_path if one is not PrivateFinder],
        ),
        "json": sys.modules["json"],
        "planted": [name for name in ("this", "pihost.planted") if name in sys.modules],
        "builtins": (builtins.open, builtins.sorted),
        "streams": (sys.stdin, sys.stdout, sys.stderr, sys.__stderr__),
        "hooks": (sys.excepthook, threading.excepthook),
        "logging": (logging.root.handlers.copy(), logging.root.level, logging.root.manager.disable),
        "warnings": (list(warnings.filters), warnings.showwarning),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval()),
        "gc": (gc.isenabled(), gc.get_threshold()),
        "loop": (asyncio.get_running_loop().get_exception_handler(), asyncio.get_event_loop_policy()),
        "sockets": socket.getdefaulttimeout(),
        "locale": locale.setlocale(locale.LC_ALL),
        "umask": os.umask(os.umask(0o077)) and os.umask(0o022),
        "faulthandler": faulthandler.is_enabled(),
    }


@pytest.fixture(autouse=True)
def usual():
    """A recursion limit and a umask to come back to, whatever the tests before left."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def changed_by(load_sources):
    """Load an extension with this code between two others; what is told of it."""

    async def load(code):
        before = shared_state()
        source = f"import os, sys\n{code}\ndef setup(api): api.register_command('x', handler=print)"
        result = await load_sources(first="def setup(api): ...", acme=source, last="def setup(api): ...")
        assert shared_state() == before
        assert len(result.extensions) + len(result.errors) == 3
        return [warning.message for warning in result.warnings if warning.source == "acme"]

    return load


@pytest.mark.parametrize(("code", "noun"), CHANGES.items())
async def test_what_it_changes_is_as_it_was_and_told_once(changed_by, code, noun):
    assert await changed_by(code) == [
        f"Extension 'acme' changed {noun} while it was loading, which was undone"
    ]


async def test_so_it_is_where_loading_fails(changed_by):
    (message,) = await changed_by("os.chdir('/')\nraise SystemExit")
    assert "the working directory" in message


async def test_so_it_is_in_setup(load_sources):
    before = str(Path.cwd())
    result = await load_sources(acme="import os\ndef setup(api): os.chdir('/')")
    assert (str(Path.cwd()), [one.source for one in result.warnings]) == (before, ["acme"])


async def test_everything_it_changes_is_one_warning(changed_by):
    (message,) = await changed_by("import gc; os.chdir('/'); gc.disable(); os.umask(0)")
    assert "changed the working directory, the garbage collector, the umask while" in message


@pytest.mark.parametrize("code", HARMLESS)
async def test_what_harms_nobody_is_left_alone(load_sources, code):
    finders, handler = sys.meta_path.copy(), signal.getsignal(signal.SIGUSR1)
    with warnings.catch_warnings():
        result = await load_sources(acme=f"import sys\n{code}\ndef setup(api): ...")
    sys.meta_path[:] = finders
    signal.signal(signal.SIGUSR1, handler)
    sys.modules.pop("acme_alias", None)
    vars(builtins).pop("acme", None)
    assert (result.errors, result.warnings) == ((), ())


async def test_the_environment_stays_as_it_made_it_and_is_told_by_name(load_sources, monkeypatch):
    monkeypatch.setenv("ACME_GONE", "secret")
    monkeypatch.setenv("ACME_NEW", "before")
    source = "import os\nos.environ['ACME_NEW'] = 'secret'\ndel os.environ['ACME_GONE']\ndef setup(api): ..."
    (warning,) = (await load_sources(acme=source)).warnings
    assert warning.message == (
        "Extension 'acme' changed the environment (ACME_GONE, ACME_NEW) while it was loading, "
        "which stays so for the whole process"
    )
    assert os.environ["ACME_NEW"] == "secret"


async def test_neighbours_found_through_the_search_path_are_each_extensions_own(load_paths, write_module):
    source = """
    import sys
    sys.path.insert(0, {!r})
    import helpers

    def setup(api):
        api.register_command(helpers.NAME, handler=print)
    """
    for name in ("one", "two"):
        folder = write_module(f"{name}/helpers.py", f"NAME = {name!r}").parent
        entry = write_module(f"{name}_main.py", source.format(str(folder)))
        result = await load_paths(entry)
        assert list(result.extensions[0].commands) == [name]
        assert "sys.modules (helpers), sys.path" in result.warnings[0].message
    assert "helpers" not in sys.modules


async def test_what_it_imports_in_the_usual_way_stays_imported(load_sources):
    sys.modules.pop("this", None)
    result = await load_sources(
        acme="import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()): import this\n"
        "def setup(api): ..."
    )
    assert (result.warnings, sys.modules.pop("this").__name__) == ((), "this")


async def test_what_cannot_be_undone_is_told_and_the_rest_is_undone(load_sources, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    source = f"import os\nos.chdir('/')\nos.rmdir({str(gone)!r})\nos.umask(0)\ndef setup(api): ..."
    (warning,) = (await load_sources(acme=source)).warnings
    assert "changed the umask while" in warning.message
    assert "what cannot be undone (FileNotFoundError" in warning.message


async def test_what_refuses_to_be_compared_is_put_back_too(changed_by):
    code = "class Odd:\n def __eq__(self, other): raise ValueError('no')\nsys.excepthook = Odd()"
    (message,) = await changed_by(code)
    assert "uncaught exceptions while" in message


async def test_what_others_do_while_its_setup_waits_is_theirs(load_sources, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sys.waiting = asyncio.Event()
    source = "import sys\nasync def setup(api): await sys.waiting.wait()"
    loading = asyncio.create_task(load_sources(acme=source))
    await asyncio.sleep(0.01)
    os.chdir("/")
    sys.waiting.set()
    del sys.waiting
    assert ((await loading).warnings, str(Path.cwd())) == ((), "/")


async def test_between_two_waits_of_its_setup_it_is_undone_as_well(load_sources):
    source = """
    import asyncio, os

    async def setup(api):
        await asyncio.sleep(0)
        os.chdir("/")
        await asyncio.sleep(0)
        api.register_command(os.getcwd().replace("/", "x"), handler=print)
    """
    before = str(Path.cwd())
    result = await load_sources(acme=source)
    assert list(result.extensions[0].commands) == [before.replace("/", "x")]
    assert "the working directory" in result.warnings[0].message


async def test_of_many_extensions_those_of_one_turn_are_looked_at_together(load_sources):
    sources = {f"e{number:02}": "def setup(api): ..." for number in range(41)}
    before = Path.cwd()
    result = await load_sources(**sources | {"e07": "import os\nos.chdir('/')\ndef setup(api): ..."})
    (warning,) = result.warnings
    assert Path.cwd() == before
    assert warning.message.startswith("One of 'e")
    assert "changed the working directory while it was loading, which was undone" in warning.message


async def test_of_many_extensions_one_that_fails_is_looked_at_at_once(load_sources):
    sources = {f"e{number:02}": "def setup(api): ..." for number in range(41)}
    broken = "import os\nos.umask(0)\nraise OSError"
    result = await load_sources(**{"a": broken} | sources)
    assert [one.source for one in result.warnings] == ["a"]


async def test_nothing_is_said_of_a_collector_that_was_off_for_the_start_and_turned_on(changed_by):
    gc.disable()
    try:
        assert await changed_by("import gc; gc.enable()") == []
    finally:
        gc.enable()

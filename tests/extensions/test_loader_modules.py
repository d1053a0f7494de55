"""Modules of extensions: private names, relative imports, nothing left behind, changed code read anew."""

import importlib
import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pihost.extensions._module_loading import NEIGHBOURHOODS


def private_modules():
    return {name for name in sys.modules if name.startswith("_pihost_extension_")}


def saying(text):
    return f"def setup(api): api.register_command({text!r}, handler=print)"


async def commands_of(load, *paths, **fields):
    result = await load(*paths, **fields)
    assert result.errors == ()
    return [name for extension in result.extensions for name in extension.commands]


async def test_extensions_named_like_the_standard_library_hide_nothing(write_module, load_paths):
    package = write_module("json/__init__.py", saying("json")).parent
    single = write_module(
        "email.py", "import json, email\njson.dumps\nemail.message_from_string\n" + saying("email")
    )
    before = sys.modules["json"]
    assert await commands_of(load_paths, package, single) == ["json", "email"]
    assert sys.modules["json"] is importlib.import_module("json") is before


@pytest.mark.parametrize("packaged", [True, False])
async def test_c04_two_files_of_one_name_each_use_their_own_neighbour(
    write_module, load_sources, admitted_path, runtime, tmp_path, packaged
):
    from pihost.extensions.loader import load_extensions

    admitted = []
    for name in ("p1", "p2"):
        if packaged:
            write_module(f"{name}/__init__.py", "")
        write_module(f"{name}/_util.py", f"NAME = {name!r}")
        source = "from ._util import NAME\ndef setup(api): api.register_command(NAME, handler=print)"
        admitted.append(admitted_path(write_module(f"{name}/main.py", source), id=name))
    result = await load_extensions(admitted, tmp_path, runtime)
    assert [list(extension.commands) for extension in result.extensions] == [["p1"], ["p2"]]


@pytest.mark.parametrize("named", ["multi", "multi/__init__.py"])
async def test_relative_imports_of_a_package_work(write_module, load_paths, tmp_path, named):
    write_module(
        "multi/__init__.py",
        "from .helpers import name\nfrom .sub import util\n" + saying("x").replace("'x'", "name"),
    )
    write_module("multi/helpers.py", "from .sub.util import name")
    write_module("multi/sub/__init__.py", "")
    write_module("multi/sub/util.py", "from .. import sub\nname = 'deep'")
    assert await commands_of(load_paths, tmp_path / named, id="multi") == ["deep"]


async def test_a_module_of_a_package_may_look_up_to_its_parent(write_module, load_paths):
    write_module("pkg/__init__.py", "NAME = 'top'")
    write_module("pkg/inner/__init__.py", "")
    entry = write_module("pkg/inner/entry.py", "from .. import NAME\n" + saying("x").replace("'x'", "NAME"))
    assert await commands_of(load_paths, entry) == ["top"]


async def test_a_file_name_need_not_be_an_identifier(write_module, load_paths):
    assert await commands_of(load_paths, write_module("my-own.ext.py", saying("odd"))) == ["odd"]


async def test_an_import_in_a_handler_finds_its_neighbour_later(write_module, load_paths, bind):
    write_module("_late.py", "VALUE = 7")
    source = """
    def setup(api):
        api.register_command("late", handler=run)

    def run(arguments, ctx):
        from ._late import VALUE
        return VALUE
    """
    result = await load_paths(write_module("acme.py", source))
    assert bind(result).runner.commands()["late"].handler("", None) == 7


async def test_the_import_path_stays_as_it_is(load_sources):
    before = list(sys.path)
    await load_sources(acme="import no_such_module", good="def setup(api): pass")
    assert sys.path == before


async def test_a_failed_import_leaves_no_module(write_module, load_paths):
    before = private_modules()
    write_module("pkg/helpers.py", "X = 1")
    write_module("pkg/__init__.py", "from . import helpers\nraise RuntimeError('late')")
    result = await load_paths(write_module("pkg/__init__.py", "from . import helpers\n1 / 0").parent)
    assert result.errors[0].error == "ZeroDivisionError: division by zero"
    assert private_modules() == before


async def test_a_failed_setup_leaves_no_module(load_sources):
    before = private_modules()
    await load_sources(acme="def setup(api): 1 / 0")
    assert private_modules() == before


async def test_a_file_that_went_away_is_an_error_that_names_it(load_paths, tmp_path):
    result = await load_paths(tmp_path / "gone.py")
    assert "gone.py" in result.errors[0].error


async def test_the_file_is_known_by_the_path_the_user_wrote(write_module, load_paths, tmp_path):
    real = write_module("real/acme.py", "def setup(api): 1 / 0").parent
    (tmp_path / "link").symlink_to(real)
    result = await load_paths(tmp_path / "link" / "acme.py")
    assert str(tmp_path / "link" / "acme.py") in result.errors[0].stack


async def test_edited_code_is_read_anew_within_the_same_second(
    write_module, load_paths, runtime, monkeypatch
):
    """Bytecode alone would not show it: same size, same second."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = write_module(
        "pkg/__init__.py", "from .part import NAME\n" + saying("x").replace("'x'", "NAME")
    ).parent
    for name in ("one", "two", "six"):
        part = write_module("pkg/part.py", f"NAME = {name!r}")
        os.utime(part, (1_900_000_000, 1_900_000_000))
        assert await commands_of(load_paths, path) == [name]
        await runtime.discard(runtime.registry["pkg"], "it is loaded anew")


async def test_bytecode_of_code_at_rest_is_kept(write_module, load_paths, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = write_module("acme.py", saying("x"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    await load_paths(path)
    assert list(path.parent.glob("__pycache__/acme.*.pyc"))


@pytest.fixture
async def kept(write_module, load_paths, runtime, monkeypatch):
    """The path of an extension that was loaded and discarded, and the path of its bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = write_module("acme.py", saying("one"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert await commands_of(load_paths, path) == ["one"]
    await runtime.discard(runtime.registry["acme"], "it is loaded anew")
    return path, next(path.parent.glob("__pycache__/acme.*.pyc"))


async def test_bytecode_is_what_is_loaded_while_its_source_is_as_it_was(kept, load_paths):
    path, _ = kept
    path.write_text(saying("two"))  # of the same size
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert await commands_of(load_paths, path) == ["one"]


@pytest.mark.parametrize("changed", [("two", 1_000_000_001), ("three", 1_000_000_000)])
async def test_bytecode_of_another_time_or_size_is_passed_over(kept, load_paths, changed):
    path, (text, time) = kept[0], changed
    path.write_text(saying(text))
    os.utime(path, (time, time))
    assert await commands_of(load_paths, path) == [text]


@pytest.mark.parametrize("head", [b"", b"\0" * 16, b"\0\0\0\0"])
async def test_bytecode_of_another_python_is_passed_over(kept, load_paths, head):
    path, bytecode = kept
    bytecode.write_bytes(head + bytecode.read_bytes()[len(head) :] if head else b"")
    assert await commands_of(load_paths, path) == ["one"]


async def test_the_code_of_a_moved_file_names_its_new_place(kept, load_paths):
    """Its bytecode moves along and still fits: only the name of the file in it is another."""
    path, _ = kept
    moved = path.parent.rename(path.parent.with_name("elsewhere")) / path.name
    await load_paths(moved)
    setup = next(m for n, m in sys.modules.items() if n.endswith(".acme") and "extension_" in n).setup
    assert setup.__code__.co_filename == str(moved)


async def test_a_directory_that_became_a_package_is_one_at_the_next_load(write_module, load_paths, runtime):
    path = write_module("pkg/acme.py", saying("x"))
    await load_paths(path)
    await runtime.discard(runtime.registry["acme"], "it is loaded anew")
    write_module("pkg/__init__.py", "NAME = 'of the package'")
    write_module("pkg/acme.py", "from . import NAME\n" + saying("x").replace("'x'", "NAME.split()[0]"))
    assert await commands_of(load_paths, path) == ["of"]


async def test_a_file_that_imports_no_neighbour_is_one_module(write_module, load_paths):
    path = write_module("alone.py", saying("alone"))
    before = private_modules()
    await commands_of(load_paths, path)
    (name,) = private_modules() - before
    assert name.endswith(".alone")


async def test_what_is_known_of_a_neighbourhood_goes_with_its_extension(write_module, load_paths, runtime):
    write_module("beside.py", "NAME = 'beside'")
    path = write_module("main.py", "from . import beside\n" + saying("x").replace("'x'", "beside.NAME"))
    before = set(NEIGHBOURHOODS)
    assert await commands_of(load_paths, path) == ["beside"]
    (root,) = set(NEIGHBOURHOODS) - before
    assert NEIGHBOURHOODS[root] == str(path.parent)
    await runtime.shutdown(reload=False)
    assert (set(NEIGHBOURHOODS), importlib.util.find_spec(root)) == (before, None)


async def test_a_shutdown_forgets_private_modules(load_sources, runtime):
    before = private_modules()
    await load_sources(acme="def setup(api): pass")
    assert private_modules() != before
    await runtime.shutdown(reload=False)
    assert private_modules() == before


@pytest.fixture
def load_entry_point(write_module, load_paths, tmp_path, monkeypatch):
    """Load ``<module>:<attributes>`` of a distribution whose only module has this source."""
    monkeypatch.syspath_prepend(tmp_path)

    async def load(source, entry_point="acme_dist"):
        write_module("acme_dist.py", source)
        return await load_paths(
            Path("acme_dist"),
            id="acme",
            path=None,
            entry_point=entry_point,
            distribution="acme",
            version="1.0",
        )

    yield load
    sys.modules.pop("acme_dist", None)


INSTANCE = """
from pihost.hooks import hookimpl

class Plugin:
    pihost_replaceable = True

    @hookimpl
    def tool_call(self, event): ...

    def setup(self, api):
        api.register_command("c", handler=print)

plugin = Plugin()

class Outer:
    inner = plugin
"""


@pytest.mark.parametrize(
    ("entry_point", "source", "handlers"),
    [
        ("acme_dist", saying("c"), ()),
        ("acme_dist:setup", saying("c"), ()),
        ("acme_dist:setup [extra]", saying("c"), ()),
        ("acme_dist:Plugin", INSTANCE, ("tool_call",)),
        ("acme_dist:plugin", INSTANCE, ("tool_call",)),
        ("acme_dist:Outer.inner", INSTANCE, ("tool_call",)),
    ],
)
async def test_an_entry_point_may_be_a_module_a_function_a_class_or_an_instance(
    load_entry_point, entry_point, source, handlers
):
    result = await load_entry_point(source, entry_point)
    assert result.errors == ()
    (extension,) = result.extensions
    assert (list(extension.commands), extension.handlers) == (["c"], handlers)
    assert extension.replaceable is bool(handlers)


@pytest.mark.parametrize(
    ("entry_point", "source", "message"),
    [
        (
            "acme_dist:thing",
            "thing = 5",
            "the entry point is of type int; it should be a module, a setup function",
        ),
        ("acme_dist:thing", "thing = None", "the entry point is of type NoneType; it should be"),
        ("acme_dist:thing", "thing = {}", "the entry point is of type dict; it should be"),
        (
            "acme_dist:Thing",
            "class Thing:\n def __init__(self, x): ...",
            "the class Thing cannot be made without",
        ),
        ("acme_dist:Thing", "class Thing:\n def __init__(self): 1 / 0", "ZeroDivisionError"),
        ("acme_dist:Thing", "class Thing: ...", "defines neither setup() nor any hook implementation"),
        (
            "acme_dist:Thing",
            "class Thing:\n def setup(self): ...",
            "must be callable with one argument: setup(api)",
        ),
        ("acme_dist:nothing", "", "has no attribute 'nothing'"),
        ("acme_gone", "", "No module named 'acme_gone'"),
    ],
)
async def test_any_other_entry_point_is_an_error_that_says_what_it_should_be(
    load_entry_point, entry_point, source, message
):
    result = await load_entry_point(source, entry_point)
    assert result.extensions == ()
    assert message in result.errors[0].error
    assert "acme_dist" not in sys.modules


async def test_modules_of_an_entry_point_stay_until_a_reload(load_entry_point, runtime):
    """Another host in this process may use them."""
    await load_entry_point(saying("c"))
    await runtime.shutdown(reload=False)
    assert "acme_dist" in sys.modules
    await runtime.shutdown(reload=True)
    assert "acme_dist" not in sys.modules


async def test_what_was_imported_before_the_extension_outlives_it(load_entry_point, write_module):
    write_module("acme_dist.py", "")
    before = importlib.import_module("acme_dist")
    result = await load_entry_point("thing = 5", "acme_dist:thing")
    assert result.errors
    assert sys.modules["acme_dist"] is before


INTERRUPTED = """
import asyncio, sys
from pathlib import Path
from pihost.extensions.admission import Admitted
from pihost.extensions.candidate import Candidate, Source
from pihost.extensions.loader import load_extensions

path = Path(sys.argv[1])
admitted = Admitted(candidate=Candidate(id="slow", source=Source.GLOBAL, path=path, resolved=path))
asyncio.run(load_extensions([admitted], path.parent))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_ctrl_c_interrupts_an_import_that_blocks(write_module):
    path = write_module("slow.py", "import time, sys\nprint('here', flush=True)\ntime.sleep(60)")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED), str(path)], stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stderr.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=20)[1]
    assert process.returncode != 0

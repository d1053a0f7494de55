"""Faults of loading and of registrations that users hit, each under its own name."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pihost.config import OpenSession

BAD_PROVIDER = """
from pihost.models import Model, ProviderConfig

def setup(api):
    api.register_provider("cloud", {wrong})
    {then}

def good(api):
    model = Model(provider="cloud", id="big")
    api.register_provider("cloud", ProviderConfig(base_url="https://example.com", api="x", models=[model]))
"""
CLAIM = """
def setup(api):
    @api.tool(description="Say who")
    def who(text: str) -> str:
        return {0!r}
    api.register_command("greet", handler=lambda a, c: {0!r})
    api.register_flag("loud", type="string", default={0!r})
"""


def ids(host):
    return [bound.extension.id for bound in host.extensions]


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--help",), 0), (("extensions", "list"), 0), (("extensions", "disable", "broken"), 0)],
)
def test_c01_what_manages_extensions_works_and_names_the_broken_one(place_of, words, code):
    place = place_of("pihost")
    place.extend("global", "broken", "import no_such_module")
    exit_code, out, err = place.program(*words)
    assert exit_code == code
    assert "broken" in out + err
    assert "Traceback" not in err


@pytest.mark.parametrize("mode", [("-p",), ("--mode", "json"), ("--mode", "text")])
def test_c02_a_path_that_is_not_there_is_reported_exactly_once(place_of, mode):
    code, out, err = place_of("pihost").program("-e", "missing.py", *mode, "ls")
    assert (code, out) == (1, "")
    assert err.count("missing.py") == 1


async def test_c02_so_it_is_where_the_host_is_embedded(place):
    async with place.open(extension_paths=("missing.py",)) as host:
        (fault,) = host.diagnostics
    assert (fault.level, fault.message.count("missing.py")) == ("error", 1)


async def test_c03_leaving_at_import_and_in_a_hook_is_that_extensions_error(place, run):
    place.extend("global", "import_time", "raise SystemExit(0)")
    place.extend(
        "global", "hook_time", "import sys\ndef setup(api): api.on('input', lambda e, c: sys.exit(2))"
    )
    heard = []
    async with place.open(before_start=lambda host: host.on_error(heard.append)) as host:
        assert [one.source for one in host.diagnostics] == ["import_time"]
        await run(host, "read README.md")
        assert host.session.messages[-1].text == "# A project\n"
    assert [(one.extension, one.event, one.error) for one in heard] == [
        ("hook_time", "input", "SystemExit: 2")
    ]


def test_c03_an_interrupt_during_a_load_interrupts(place_of):
    place = place_of("pihost")
    place.extend("global", "slow", "import time\nnote('begun')\ntime.sleep(60)\ndef setup(api): ...")
    env = {**os.environ, "PIHOST_HOME": str(place.home), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "pihost", "-p", "ls"]
    with subprocess.Popen(command, cwd=place.cwd, env=env, stderr=subprocess.PIPE) as process:
        while not place.notes:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"")


async def test_c04_packages_of_one_shape_each_run_their_own(place, tmp_path):
    for name in ("p1", "p2"):
        place.write(tmp_path / name / "__init__.py", "")
        place.write(tmp_path / name / "_util.py", f"NAME = {name!r}")
        entry = "from ._util import NAME\ndef setup(api): api.register_command(NAME, handler=print)"
        place.write(tmp_path / name / "main.py", entry)
    paths = [tmp_path / name / "main.py" for name in ("p1", "p2")]
    async with place.open(extension_paths=paths) as host:
        assert [list(bound.extension.commands) for bound in host.extensions] == [["p1"], ["p2"]]


async def test_c06_what_failed_loads_under_its_name_once_it_is_mended(place):
    file = place.extend("global", "acme", CLAIM.format("acme") + "    raise OSError('at the end')")
    async with place.open() as host:
        parts = (host.runner.tools(), host.runner.commands(), host.runner.flags())
        assert (ids(host), *map(dict, parts)) == ([], {}, {}, {})
        assert "who" not in host.session.tools
        file.write_text(CLAIM.format("acme"))
        assert (await host.reload(), ids(host)) == ((), ["acme"])
        assert (await host.call_tool("who", {"text": ""})).text == "acme"


async def test_d01_the_path_given_supersedes_the_installed_release(place, install, monkeypatch):
    install("mine", "1 / 0")
    monkeypatch.setenv("ACME_DISABLE_INSTALLED", "0")
    place.write("mine/__init__.py", "def setup(api): ...")
    async with place.open(extension_paths=("./mine",)) as host:
        assert (ids(host), host.diagnostics) == (["mine"], ())
        bound, superseded = host.report().extensions
    assert (bound.state, bound.path) == ("bound", str(place.cwd / "mine"))
    assert (superseded.source, superseded.version, superseded.state) == ("installed", "1.0", "discovered")
    assert "superseded" in superseded.reason


async def test_d02_one_rule_for_tools_commands_and_flags_and_both_paths_in_the_message(place):
    files = [place.extend("global", name, CLAIM.format(name)) for name in ("first", "second")]
    async with place.open() as host:
        assert ids(host) == ["first", "second"]
        messages = [one.message for one in host.diagnostics if one.kind == "conflict"]
        assert (await host.call_tool("who", {"text": ""})).text == "first"
        assert host.runner.commands()["greet"].extension == host.runner.flags()["loud"].extension == "first"
    assert len(messages) == 3
    assert all(str(file) in message for file in files for message in messages)


@pytest.mark.parametrize("wrong", ["{}", "{'api': 'x'}", "None", "{'base_url': 'https://example.com'}"])
async def test_d05_a_wrong_provider_leaves_nothing_and_a_good_one_is_usable(place, wrong):
    place.extend("global", "bad", BAD_PROVIDER.format(wrong=wrong, then=""))
    place.extend("global", "good", BAD_PROVIDER.format(wrong="{}", then="good(api)"))
    async with place.open(model="cloud/big") as host:
        faults = [(one.level, one.kind, one.source) for one in host.diagnostics]
        assert host.session.state.model.ref == "cloud/big"
        assert [model.ref for model in host.models.models() if model.provider == "cloud"] == ["cloud/big"]
    assert faults == [("error", "registration", "bad"), ("error", "registration", "good")]


async def test_d07_a_tool_of_a_disabled_extension_is_not_offered_and_refused(place, run):
    place.extend("global", "maker", CLAIM.format("maker"))
    async with place.open() as host:
        await run(host, 'tool who {"text": ""}')
        file = host.session.file
        assert host.session.messages[-1].text == "maker"
    place.settings('disabled = ["maker"]')
    async with place.open(session=OpenSession(file=file)) as host:
        assert "who" not in host.session.tools
        assert any(message.role == "tool_result" for message in host.session.messages)
        result = await host.call_tool("who", {"text": ""})
    assert result.is_error
    assert "who" in result.text

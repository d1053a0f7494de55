"""A guard that no longer guards is always said to."""

import os
from pathlib import Path

import pytest

from pihost.config import HostOptions
from pihost.extensions import Candidate, Dropped, ExtensionRunner, Source, admit
from pihost.extensions.guards import lost_guards
from pihost.host import Host

GUARD = """
from pihost.hooks import hookimpl

pihost_replaceable = True

@hookimpl
def tool_call(event): ...

def setup(api):
    api.register_command("same", handler=print)
"""
PLAIN = "def setup(api):\n    api.register_command('same', handler=print)\n"


@pytest.fixture
def warnings_on(tmp_path):
    """What is said of an extension with this code that was not admitted."""

    def warnings(path, cause="disabled"):
        candidate = Candidate(id="acme", source=Source.GLOBAL, path=path, resolved=path)
        return [one.message for one in lost_guards([Dropped(candidate=candidate, reason="out", cause=cause)])]

    return warnings


@pytest.mark.parametrize("cause", ["disabled", "superseded"])
def test_a_guard_that_is_left_out_is_a_warning_that_names_its_hooks(write_module, warnings_on, cause):
    (message,) = warnings_on(write_module("acme.py", "api.on('tool_call_final', f)"), cause)
    assert message.endswith("its code names tool_call_final, so what it guards is not guarded")


@pytest.mark.parametrize("cause", ["untrusted", "no_extensions", "incompatible"])
def test_what_stays_out_for_other_reasons_has_been_reported_already(write_module, warnings_on, cause):
    assert warnings_on(write_module("acme.py", GUARD), cause) == []


@pytest.mark.parametrize("text", [PLAIN, "tool_call_id = my_tool_call = 1", ""])
def test_an_extension_that_names_no_guarding_hook_is_none(write_module, warnings_on, text):
    assert warnings_on(write_module("acme.py", text)) == []


def test_every_module_of_a_package_is_searched(write_module, warnings_on):
    package = write_module("acme/__init__.py", "from .deep import rules").parent
    write_module("acme/deep/rules.py", "def project_trust(event): ...")
    assert "names project_trust" in warnings_on(package)[0]


def test_a_link_that_leads_in_a_circle_hides_no_guard(write_module, warnings_on):
    package = write_module("acme/__init__.py", "").parent
    (package / "circle.py").symlink_to("circle.py")
    write_module("acme/rules.py", "tool_call")
    (warning,) = warnings_on(package)
    assert "tool_call" in warning


def test_a_deep_package_is_searched_to_its_end(write_module, warnings_on, monkeypatch):
    package = write_module("acme/__init__.py", "").parent
    monkeypatch.chdir(package)
    for _level in range(1200):
        Path("d").mkdir()
        os.chdir("d")
    module = Path("a.py")
    module.write_text("def project_trust(event): ...")
    found = warnings_on(package)
    module.unlink()
    for _level in range(1200):  # what clears temporary files away does not go so deep
        os.chdir("..")
        Path("d").rmdir()
    assert "names project_trust" in found[0]


def test_a_file_that_is_gone_guards_nothing(tmp_path, warnings_on):
    assert warnings_on(tmp_path / "gone.py") == []


async def test_an_installed_guard_that_is_superseded_is_named(write_module, monkeypatch):
    """It is looked for where an import would find it, and not imported."""
    monkeypatch.syspath_prepend(write_module("acme_rules.py", GUARD + "1 / 0").parent)
    path = write_module("mine/acme.py", PLAIN)
    given = [
        Candidate(id="acme@installed", name="acme", source=Source.INSTALLED, entry_point="acme_rules"),
        Candidate(id="acme", source=Source.CONFIGURED, path=path, resolved=path, explicit=True),
    ]
    (warning,) = lost_guards(admit(given, trusted=True).dropped)
    assert (warning.level, warning.source) == ("warning", "acme@installed")
    assert "names tool_call" in warning.message


async def test_a_guard_that_is_overridden_is_said_to_be_one(load_sources, tmp_path):
    result = await load_sources(guard=GUARD, plain=PLAIN)
    runner = ExtensionRunner(result.extensions, result.runtime, cwd=tmp_path)
    (warning,) = runner.conflicts()
    assert (warning.level, warning.source) == ("warning", "guard")
    assert warning.message.endswith("'guard' answers tool_call, which it goes on doing")


async def test_a_start_warns_of_it(tmp_path, nobodys_home, write_module):
    extension = nobodys_home / ".pihost" / "extensions" / "acme.py"
    extension.parent.mkdir(parents=True)
    extension.write_text(GUARD)
    (nobodys_home / ".pihost" / "settings.toml").write_text('disabled = ["acme"]')
    async with Host.open(tmp_path, options=HostOptions()) as host:
        assert ["'acme'" in one.message for one in host.diagnostics] == [True]

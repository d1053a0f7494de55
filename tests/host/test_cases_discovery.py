"""Faults of discovery and of distributions that users hit, each under its own name."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from pihost import Host
from pihost.config import HostOptions

LOADED = "def setup(api): note(__name__.rpartition('.')[2])"


@pytest.fixture
def distribution(tmp_path, monkeypatch, place):
    """Write a real distribution into a directory of the import path; its extension notes that it loaded."""

    def write(name, *, site="site", version="1.0", suffix="dist-info", requires=(), entry_points=None):
        folder = tmp_path / site
        module = name.lower().replace("-", "_").replace(".", "_")
        stem = f"{module}-{version}" if suffix == "dist-info" else module
        info = folder / f"{stem}.{suffix}"
        info.mkdir(parents=True)
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {one}" for one in requires]
        (info / ("METADATA" if suffix == "dist-info" else "PKG-INFO")).write_text("\n".join(lines) + "\n")
        text = f"{name} = {module}\n" if entry_points is None else entry_points
        (info / "entry_points.txt").write_text(f"[acme.extensions]\n{text}")
        code = place.extend("elsewhere", "logger", LOADED).read_text()
        (folder / f"{module}.py").write_text(code)
        monkeypatch.delitem(sys.modules, module, raising=False)
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("ACME_DISABLE_INSTALLED", "0")
        return info

    return write


def ids(host):
    return [bound.extension.id for bound in host.extensions]


def said(host):
    return [f"{one.level}: {one.message}" for one in host.diagnostics]


async def test_a01_linked_directories_load_once_and_show_the_path_the_user_wrote(place, tmp_path):
    real = tmp_path / "real"
    place.write(real / "one.py", "1 / 0")
    place.write(tmp_path / "pack" / "__init__.py", "def setup(api): api.register_command('x', handler=print)")
    (real / "pack").symlink_to(tmp_path / "pack")
    (place.home / "extensions").symlink_to(real)
    async with place.open() as host:
        rows = {row.id: row for row in host.report().extensions}
    assert {name: row.state for name, row in rows.items()} == {"one": "admitted", "pack": "bound"}
    assert rows["pack"].path == str(place.home / "extensions" / "pack")
    assert str(place.home / "extensions" / "one.py") in rows["one"].stack


@pytest.mark.parametrize("text", ["{0}", "{0}/", "{1}/../extensions/pack", "{2}", "{0}/__init__.py"])
async def test_a02_one_extension_by_two_routes_loads_once_in_the_first_place(place, tmp_path, text):
    place.extend("global", "pack/__init__", "def setup(api): note('pack')")
    place.extend("global", "last")
    folder, link = place.home / "extensions" / "pack", tmp_path / "alias"
    link.symlink_to(folder)
    (place.home / "other").mkdir()
    place.settings(f"extensions = [{text.format(folder, place.home / 'other', link)!r}]")
    async with place.open() as host:
        assert (ids(host), said(host)) == (["last", "pack"], [])
    assert place.notes.count("pack") == 1


@pytest.mark.parametrize("route", ["automatic", "settings", "explicit", "installed"])
async def test_a03_only_the_entry_of_a_package_loads_by_every_route(place, tmp_path, distribution, route):
    folder = place.home / "extensions" if route == "automatic" else tmp_path / "multis"
    place.write(folder / "multi" / "helpers.py", "from .sub.util import WORD")
    place.write(folder / "multi" / "sub" / "util.py", "WORD = 'related'")
    place.write(folder / "multi" / "sub" / "__init__.py", "")
    entry = "from .helpers import WORD\ndef setup(api): api.register_command(WORD, handler=print)"
    place.write(folder / "multi" / "__init__.py", entry)
    if route == "installed":
        distribution("multi", site="multis")
        (folder / "multi.py").unlink()
    if route == "settings":
        place.settings(f"extensions = [{str(folder / 'multi')!r}]")
    paths = (folder / "multi",) if route == "explicit" else ()
    async with place.open(extension_paths=paths) as host:
        assert (ids(host), said(host)) == (["multi"], [])
        assert "related" in host.runner.commands()


@pytest.mark.parametrize("created", [("z", "a", "m", "B", "é"), ("é", "B", "m", "a", "z")])
async def test_a05_the_order_is_that_of_the_names_however_they_were_created(place, created):
    for name in created:
        place.extend("global", name)
        place.extend("local", f"own_{name}")
    async with place.open(trust_override=True) as host:
        in_order = ["B", "a", "m", "z", "é"]
        assert ids(host) == [*(f"own_{name}" for name in in_order), *in_order]


async def test_a07_a_tilde_expands_and_entries_are_meant_from_the_file_that_holds_them(
    place_of, nobodys_home, monkeypatch
):
    place = place_of("pihost")
    shutil.copytree(place.home, nobodys_home / "x")
    monkeypatch.setenv("PIHOST_HOME", "~/x")
    for folder, name in ((nobodys_home / "x", "users"), (place.cwd / ".pihost", "projects")):
        place.write(folder / "settings.toml", f'extensions = ["./{name}"]')
        place.write(folder / name / f"{name}.py", "def setup(api): ...")
    place.write("sub/file", "")
    monkeypatch.chdir(place.cwd / "sub")
    async with Host.open("..", options=HostOptions(trust_override=True)) as host:
        assert (ids(host), said(host)) == (["users", "projects"], [])


async def test_a08_names_of_the_standard_library_stay_the_standard_librarys(place_of):
    place = place_of("pihost")
    for name in ("json/__init__", "email", "tomllib", "dataclasses"):
        place.extend("global", name)
    code, out, err = place.program("--mode", "json", "read README.md")
    assert (code, err) == (0, "")
    assert all(json.loads(line) for line in out.splitlines())
    assert place.notes[0].endswith("loaded")


async def test_b01_a_linked_library_directory_counts_once(place, distribution, tmp_path, monkeypatch):
    distribution("alpha", site="lib")
    (tmp_path / "lib64").symlink_to(tmp_path / "lib")
    monkeypatch.syspath_prepend(str(tmp_path / "lib64"))
    async with place.open() as host:
        assert (ids(host), said(host), place.notes) == (["alpha"], [], ["alpha"])


async def test_b02_source_and_installed_metadata_of_one_distribution_load_once(place, distribution):
    distribution("alpha", site="site")
    distribution("alpha", site="src", suffix="egg-info")
    async with place.open() as host:
        assert (ids(host), said(host), place.notes) == (["alpha"], [], ["alpha"])


async def test_b03_metadata_without_a_name_is_a_warning_that_names_it(place, distribution, tmp_path):
    distribution("alpha")
    (tmp_path / "site" / ".dist-info").mkdir()
    async with place.open() as host:
        assert ids(host) == ["alpha"]
        (message,) = said(host)
    assert message.startswith("warning: ")
    assert str(tmp_path / "site" / ".dist-info") in message


async def test_b04_a_bad_line_is_a_warning_and_all_others_load(place, distribution):
    distribution("bad", entry_points="bad\n")
    distribution("alpha", site="other")
    async with place.open() as host:
        assert ids(host) == ["alpha"]
        (message,) = said(host)
    assert message.startswith("warning: ")
    assert "bad" in message


async def test_b05_a_stale_empty_directory_does_not_hide_the_complete_one(place, distribution, tmp_path):
    distribution("alpha", version="2.0")
    stale = tmp_path / "site" / "alpha-1.0.dist-info"
    stale.mkdir()
    async with place.open() as host:
        assert ids(host) == ["alpha"]
        assert host.report().extensions[0].version == "2.0"
    assert place.notes == ["alpha"]


async def test_b06_what_else_a_distribution_requires_is_the_installers_business(place, distribution):
    distribution("zzz", version="2", entry_points="", site="zzz")
    distribution("alpha", requires=["zzz<1", "nowhere>=3"])
    async with place.open() as host:
        assert (ids(host), said(host)) == (["alpha"], [])


@pytest.mark.parametrize("name", ["acme-foo-bar", "Acme.Foo_Bar", "ACME_foo.bar", "acme-*"])
async def test_b07_names_compare_normalised(place, distribution, name):
    distribution("Acme.Foo_Bar", entry_points="it = acme_foo_bar\n")
    place.settings(f"disabled = [{name!r}]")
    async with place.open() as host:
        assert ids(host) == []
        assert [one.candidate.id for one in host.dropped] == ["acme-foo-bar"]


def test_b07_so_they_do_on_the_command_line(place_of, tmp_path):
    place = place_of("pihost")
    info = tmp_path / "site" / "acme_foo_bar-1.0.dist-info"
    place.write(info / "METADATA", "Metadata-Version: 2.1\nName: Acme.Foo_Bar\nVersion: 1.0\n")
    place.write(info / "entry_points.txt", "[pihost.extensions]\nit = acme_foo_bar\n")
    place.write(tmp_path / "site" / "acme_foo_bar.py", "1 / 0")
    path = os.pathsep.join((str(tmp_path / "site"), str(Path(__file__).parents[2])))
    assert place.program("extensions", "disable", "ACME.foo_bar", installed=True, PYTHONPATH=path)[0] == 0
    code, _out, err = place.program("-p", "read README.md", installed=True, PYTHONPATH=path)
    assert (code, "acme" in err) == (0, False)


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("extensions", "disable", "gard"), "guard"),
        (("--disable", "gard", "-p", "ls"), "guard"),
        (("-e", "gard.py", "-p", "ls"), "guard.py"),
    ],
)
def test_b08_a_name_that_nothing_has_is_an_error_with_the_near_ones(place_of, words, near):
    place = place_of("pihost")
    place.extend("global", "guard")
    place.write("guard.py", "def setup(api): ...")
    code, _out, err = place.program(*words)
    assert code == (2 if words[0] == "extensions" else 1)
    assert "Error: " in err
    assert near in err.replace("gard", "")
    assert not (place.home / "settings.toml").exists()

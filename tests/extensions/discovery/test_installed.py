import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import attrs
import pytest

from pihost.extensions import Source, admit
from pihost.extensions._distributions import find_distributions
from pihost.extensions.installed import _Project


@pytest.fixture
def find_installed(find):
    """Discover installed distributions."""

    def run(**options):
        return find(installed=True, **options)

    return run


@pytest.fixture
def installed_metadata(site, write_distribution):
    """The metadata directory of an installed distribution."""
    return write_distribution(site)


def test_one_entry_point_takes_the_normalised_name_of_its_distribution(
    find_installed, site, write_distribution
):
    """A distribution ``Acme.Foo_Bar`` is called ``acme-foo-bar`` everywhere."""
    write_distribution(site, "Acme.Foo_Bar", "1.2", entry_points=("guard",))
    (candidate,) = find_installed().candidates
    assert candidate.id == candidate.distribution == "acme-foo-bar"
    assert (candidate.entry_name, candidate.entry_point, candidate.version) == (
        "guard",
        "guard_module",
        "1.2",
    )
    assert (candidate.source, candidate.path, candidate.resolved) == (Source.INSTALLED, None, None)
    assert candidate.location == "acme-foo-bar 1.2, entry point guard = guard_module"
    assert admit([candidate], trusted=False, disabled=["Acme_foo.bar"]).admitted == ()


def test_several_entry_points_take_distribution_and_entry(find_installed, site, write_distribution, ids):
    write_distribution(site, "acme", entry_points=("b", "a"))
    assert ids(find_installed()) == ["acme.a", "acme.b"]


def test_they_come_by_distribution_then_by_entry_name(
    find_installed, site, tmp_path, write_distribution, ids
):
    write_distribution(site, "zoo")
    write_distribution(site, "Bar", entry_points=("y", "x"))
    write_distribution(tmp_path / "site", "abc")
    assert ids(find_installed()) == ["abc", "bar.x", "bar.y", "zoo"]


def test_other_groups_are_nobodys_concern(find_installed, site, write_distribution):
    metadata = write_distribution(site)
    (metadata / "entry_points.txt").write_text(
        "[acme.agent.extensions.cli]\nx = y\n[console_scripts]\njunk\n"
    )
    discovery = find_installed()
    assert (discovery.candidates, discovery.diagnostics) == ((), ())


def test_the_group_is_the_one_the_host_names(find_installed, site, config, write_distribution, ids):
    metadata = write_distribution(site)
    (metadata / "entry_points.txt").write_text("[other.group]\nx = y\n")
    assert ids(find_installed(config=attrs.evolve(config, entry_point_group="other.group"))) == ["acme"]
    assert ids(find_installed()) == []


@pytest.mark.parametrize(("value", "expected"), [("1", 0), ("yes", 0), ("0", 1), ("", 1)])
def test_the_environment_turns_the_source_off(
    find_installed, site, monkeypatch, write_distribution, value, expected
):
    """The variable bears the host's own prefix."""
    write_distribution(site)
    monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "1")
    monkeypatch.setenv("ACME_DISABLE_INSTALLED", value)
    assert len(find_installed().candidates) == expected


class TestTheSameDistributionTwice:
    def test_a_linked_directory_on_the_path_counts_once(
        self, find_installed, site, tmp_path, monkeypatch, write_distribution
    ):
        """``lib64`` is a link to ``lib``, and both are on the path."""
        write_distribution(site)
        (tmp_path / "lib64").symlink_to(site)
        monkeypatch.syspath_prepend(tmp_path / "lib64")
        discovery = find_installed()
        assert [c.id for c in discovery.candidates] == ["acme"]
        assert discovery.diagnostics == ()

    def test_the_first_on_the_path_wins(
        self, find_installed, site, tmp_path, monkeypatch, write_distribution
    ):
        """Source metadata comes before an installed distribution of another spelling of the name."""
        write_distribution(site, "Acme", "1.0")
        write_distribution(tmp_path / "src", "acme", "2.0", suffix="egg-info")
        monkeypatch.syspath_prepend(tmp_path / "src")
        discovery = find_installed()
        assert [(c.id, c.version) for c in discovery.candidates] == [("acme", "2.0")]
        assert discovery.diagnostics == ()

    def test_an_earlier_one_without_entry_points_hides_a_later_one(
        self, find_installed, site, tmp_path, monkeypatch, write_distribution
    ):
        """An import would find the earlier one, whose code has no extension."""
        write_distribution(site, version="1.0")
        (write_distribution(tmp_path / "first", version="2.0") / "entry_points.txt").unlink()
        monkeypatch.syspath_prepend(tmp_path / "first")
        discovery = find_installed()
        assert (discovery.candidates, discovery.diagnostics) == ((), ())

    def test_an_emptied_earlier_one_hides_nobody(
        self, find_installed, site, tmp_path, monkeypatch, write_distribution
    ):
        """What an upgrade left behind is passed over, with a warning that names it."""
        write_distribution(site, version="2.0")
        stale = tmp_path / "first" / "acme-1.0.dist-info"
        stale.mkdir(parents=True)
        monkeypatch.syspath_prepend(stale.parent)
        discovery = find_installed()
        assert [(c.id, c.version) for c in discovery.candidates] == [("acme", "2.0")]
        assert [(d.level, d.source) for d in discovery.diagnostics] == [("warning", str(stale))]

    def test_an_earlier_one_that_cannot_be_read_hides_nobody(
        self, find_installed, site, tmp_path, monkeypatch, write_distribution
    ):
        write_distribution(site)
        (tmp_path / "first" / "acme-1.0.dist-info" / "METADATA").mkdir(parents=True)
        monkeypatch.syspath_prepend(tmp_path / "first")
        discovery = find_installed()
        assert ([c.id for c in discovery.candidates], len(discovery.diagnostics)) == (["acme"], 1)

    def test_an_emptied_one_beside_it_does_not_matter(self, find_installed, site, write_distribution, ids):
        (site / "acme-0.9.dist-info").mkdir()
        write_distribution(site)
        assert ids(find_installed()) == ["acme"]


class TestBadMetadata:
    def test_metadata_without_a_name_is_a_warning(self, find_installed, site, write_distribution, ids):
        """An empty directory named ``.dist-info`` lies beside a good distribution."""
        (site / ".dist-info").mkdir()
        write_distribution(site)
        discovery = find_installed()
        assert ids(discovery) == ["acme"]
        (fault,) = discovery.diagnostics
        assert (fault.level, fault.kind, fault.source) == ("warning", "package", str(site / ".dist-info"))

    @pytest.mark.parametrize("line", ["no equals sign", "= x", "x = 1y", "x = a b", "x =", "x = a:b:c"])
    def test_a_wrong_line_is_a_warning_and_every_other_one_counts(
        self, find_installed, site, write_distribution, ids, line
    ):
        metadata = write_distribution(site, "broken")
        with (metadata / "entry_points.txt").open("a") as file:
            file.write(f"{line}\n")
        write_distribution(site, "good")
        discovery = find_installed()
        assert ids(discovery) == ["broken", "good"]
        (fault,) = discovery.diagnostics
        assert fault.level == "warning"
        assert "distribution broken: line 3 of entry_points.txt" in fault.message

    @pytest.mark.parametrize(
        "content", [b"\xff\xfe[acme.agent.extensions]\nx = y\n", b"[acme.agent.extensions]\n" * 60_000]
    )
    def test_an_unreadable_file_is_a_warning_that_names_it(
        self, find_installed, site, write_distribution, ids, content
    ):
        metadata = write_distribution(site, "broken")
        (metadata / "entry_points.txt").write_bytes(content)
        write_distribution(site, "good")
        discovery = find_installed()
        assert ids(discovery) == ["good"]
        assert [(d.level, d.source) for d in discovery.diagnostics] == [("warning", str(metadata))]

    @pytest.mark.parametrize("metadata_text", [None, "", "Version: 1\n", "\nName: late\n"])
    def test_one_whose_metadata_names_nobody_is_a_warning(
        self, find_installed, site, write_distribution, ids, metadata_text
    ):
        metadata = write_distribution(site, "broken")
        (metadata / "METADATA").unlink()
        if metadata_text is not None:
            (metadata / "METADATA").write_text(metadata_text)
        write_distribution(site, "good")
        discovery = find_installed()
        assert ids(discovery) == ["good"]
        assert [d.source for d in discovery.diagnostics] == [str(metadata)]

    @pytest.mark.parametrize("name", ["entry_points.txt", "METADATA"])
    def test_a_directory_in_place_of_a_file_is_a_warning(
        self, find_installed, site, write_distribution, ids, name
    ):
        metadata = write_distribution(site, "broken")
        (metadata / name).unlink()
        (metadata / name).mkdir()
        write_distribution(site, "good")
        discovery = find_installed()
        assert ids(discovery) == ["good"]
        assert [d.source for d in discovery.diagnostics] == [str(metadata)]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
    @pytest.mark.parametrize("name", ["entry_points.txt", "METADATA"])
    def test_a_named_pipe_does_not_hold_up_the_search(self, find_installed, site, write_distribution, name):
        metadata = write_distribution(site)
        (metadata / name).unlink()
        os.mkfifo(metadata / name)
        assert find_installed().candidates == ()

    def test_a_long_header_block_is_read_to_its_end(self, find_installed, site, write_distribution):
        headers = (*(f"Classifier: number {n}" for n in range(3000)), "Requires-Dist: pihost>99")
        write_distribution(site, headers=headers)
        assert len(find_installed().diagnostics) == 1

    def test_a_header_block_without_an_end_is_a_warning_and_not_half_read(
        self, find_installed, site, write_distribution, ids
    ):
        metadata = write_distribution(site, "endless", headers=["Classifier: one"] * 80_000)
        write_distribution(site, "good")
        discovery = find_installed()
        assert ids(discovery) == ["good"]
        assert [(d.level, d.source) for d in discovery.diagnostics] == [("warning", str(metadata))]

    def test_an_entry_of_the_path_that_cannot_be_read_is_a_warning(self, forbidden):
        (fault,) = find_distributions("group", [str(forbidden)])
        assert (fault.location, fault.text) == (str(forbidden), "cannot be read: Permission denied")


class TestOtherFinders:
    def test_an_archive_on_the_path(self, find_installed, tmp_path, monkeypatch, write_distribution):
        source = tmp_path / "unpacked"
        write_distribution(source)
        with zipfile.ZipFile(tmp_path / "acme.zip", "w") as archive:
            for path in source.rglob("*"):
                archive.write(path, path.relative_to(source))
        monkeypatch.syspath_prepend(tmp_path / "acme.zip")
        (candidate,) = find_installed().candidates
        assert (candidate.id, candidate.version, candidate.from_project) == ("acme", "1.0", False)

    def test_an_egg_directory(self, find_installed, tmp_path, monkeypatch, write_distribution, ids):
        egg = tmp_path / "acme-1.0-py3.11.egg"
        write_distribution(egg, suffix="egg-info").rename(egg / "EGG-INFO")
        monkeypatch.syspath_prepend(egg)
        assert ids(find_installed()) == ["acme"]

    def test_a_file_that_is_no_archive_holds_nothing(self, find_installed, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        monkeypatch.syspath_prepend(tmp_path / "file")
        assert find_installed().candidates == ()

    def test_a_finder_that_raises_is_a_warning(
        self, find_installed, site, monkeypatch, write_distribution, ids
    ):
        class Finder:
            def find_distributions(self, context):
                raise LookupError("no")

            def __repr__(self):
                return "<a finder>"

        monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
        write_distribution(site)
        discovery = find_installed()
        assert ids(discovery) == ["acme"]
        assert [d.source for d in discovery.diagnostics] == ["<a finder>"]
        assert discovery.project_diagnostics == ()

    def test_what_a_finder_knows_counts_like_the_rest(
        self, find_installed, tmp_path, monkeypatch, write_distribution
    ):
        from importlib_metadata import Distribution

        metadata = write_distribution(tmp_path / "hidden")

        class Finder:
            def find_distributions(self, context):
                return [Distribution.at(metadata)]

        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
        assert [(c.id, c.version) for c in find_installed().candidates] == [("acme", "1.0")]


class TestPartOfTheProject:
    def test_metadata_in_the_project_needs_trust(
        self, find_installed, project, monkeypatch, write_distribution
    ):
        write_distribution(project / "src", suffix="egg-info")
        monkeypatch.syspath_prepend(project / "src")
        (candidate,) = find_installed().candidates
        assert (candidate.source, candidate.needs_trust) == (Source.LOCAL, True)
        assert admit([candidate], trusted=False).dropped[0].cause == "untrusted"

    def test_so_it_does_through_a_link(
        self, find_installed, project, tmp_path, monkeypatch, write_distribution
    ):
        write_distribution(project / "src")
        (tmp_path / "link").symlink_to(project / "src")
        monkeypatch.syspath_prepend(tmp_path / "link")
        assert find_installed().candidates[0].needs_trust

    @pytest.mark.parametrize(
        ("source", "editable", "expected"),
        [
            ("project", True, True),
            ("project/plugins/x", True, True),
            (".", True, True),
            ("project", False, False),
            ("elsewhere", True, False),
        ],
    )
    def test_an_editable_install_of_the_project_needs_trust(
        self, find_installed, tmp_path, installed_metadata, source, editable, expected
    ):
        record = {"url": (tmp_path / source).as_uri(), "dir_info": {"editable": editable}}
        (installed_metadata / "direct_url.json").write_text(json.dumps(record))
        assert find_installed().candidates[0].needs_trust is expected

    @pytest.mark.parametrize(
        "text", ["", "[]", "{}", "3", '{"url": 3}', '{"url": "x", "dir_info": 3}', "[" * 99999]
    )
    def test_a_record_of_something_else_is_no_editable_install(
        self, find_installed, site, write_distribution, text
    ):
        (write_distribution(site) / "direct_url.json").write_text(text)
        assert not find_installed().candidates[0].needs_trust

    def test_a_record_that_cannot_be_read_is_none(self, find_installed, installed_metadata):
        (installed_metadata / "direct_url.json").mkdir()
        assert not find_installed().candidates[0].needs_trust

    def test_the_environment_the_host_runs_in_is_not_the_projects(self, find_installed, project, tmp_path):
        """An environment kept inside the project: pip put its packages there, and it runs already."""
        environment = project / ".venv" / "lib" / "site-packages"
        environment.mkdir(parents=True)
        inside = _Project(root=project, environment=frozenset([environment]))
        assert not inside.holds(str(environment / "acme-1.0.dist-info"))
        assert inside.holds(str(project / "src" / "acme.egg-info"))
        assert not inside.holds(str(tmp_path / "elsewhere"))

    def test_a_fault_of_its_metadata_is_the_projects_too(self, find_installed, project, monkeypatch):
        (project / ".dist-info").mkdir()
        monkeypatch.syspath_prepend(project)
        discovery = find_installed()
        assert len(discovery.project_diagnostics) == 1
        assert discovery.project_diagnostics == discovery.diagnostics


def test_the_requirements_of_source_metadata_are_read_from_its_own_file(
    find_installed, site, write_distribution
):
    metadata = write_distribution(site, suffix="egg-info")
    (metadata / "requires.txt").write_text("zzz\npihost>99\n\n[new]\npihost<1\n")
    assert 'pip install "pihost>99"' in find_installed().diagnostics[0].hint


def test_b11_five_hundred_distributions_and_nowhere_to_write(find_installed, site, home, write_distribution):
    """No cache is needed, so a home that cannot be written to is no obstacle, and nothing is left in it."""
    for number in range(500):
        metadata = write_distribution(site, f"dist{number:03}")
        if number % 5:
            (metadata / "entry_points.txt").write_text("[console_scripts]\nx = y:z\n")
    home.chmod(0o500)
    assert len(find_installed().candidates) == 100
    assert list(home.iterdir()) == []


def test_relative_and_empty_entries_of_the_path_are_the_working_directory(
    find_installed, tmp_path, monkeypatch, write_distribution, ids
):
    write_distribution(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(sys, "path", ["", ".", Path("/no/str"), *sys.path])
    assert ids(find_installed()) == ["acme"]


@pytest.fixture(scope="module")
def installed_wheel(tmp_path_factory):
    """A distribution built with hatchling and installed by pip into a directory of its own."""
    pytest.importorskip("pip", reason="an environment of uv's may be without pip")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    package = source / "acme_wheel"
    (package / "sub").mkdir(parents=True)
    (package / "__init__.py").write_text("from . import helpers\ndef setup(api): ...\n")
    (package / "helpers.py").touch()
    (package / "sub" / "util.py").touch()
    (source / "pyproject.toml").write_text(
        "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"
        "[project]\nname = 'Acme.Wheel'\nversion = '1.2'\ndependencies = ['pihost>=0', 'zzz<1']\n"
        "[project.entry-points.'acme.agent.extensions']\nwheel = 'acme_wheel:setup'\n"
        "[tool.hatch.build.targets.wheel]\npackages = ['acme_wheel']\n"
    )
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--isolated"]
    run = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(source)]
    subprocess.run(run, check=True, capture_output=True, text=True)
    return target


def test_a_wheel_that_pip_installed_is_found_once(find_installed, installed_wheel, monkeypatch):
    """Only the entry counts, not the other modules of the package."""
    monkeypatch.syspath_prepend(installed_wheel)
    discovery = find_installed()
    (candidate,) = discovery.candidates
    assert (candidate.id, candidate.version, candidate.entry_point) == (
        "acme-wheel",
        "1.2",
        "acme_wheel:setup",
    )
    assert discovery.diagnostics == ()
    assert "acme_wheel" not in sys.modules

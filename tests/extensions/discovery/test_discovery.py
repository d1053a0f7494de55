import os
import subprocess
import sys
from pathlib import Path

import pytest

from pihost.config import HostConfig
from pihost.extensions import Source, admit, discover
from pihost.settings import Settings, load_settings


def test_nothing_anywhere_is_an_empty_discovery(find):
    discovery = find()
    assert (discovery.candidates, discovery.diagnostics) == ((), ())


def test_sources_come_in_the_final_order(find, write_everywhere, tmp_path, write_extension, ids):
    listed = write_everywhere("e", "d", "c", "a")
    typed = write_extension(tmp_path / "b.py")
    discovery = find(typed, extensions=(listed,), installed=True)
    assert ids(discovery) == ["e", "d", "c", "b", "a"]
    sources = ["local", "global", "configured", "configured", "installed"]
    assert [candidate.source.value for candidate in discovery.candidates] == sources


def test_inside_configured_the_user_comes_before_the_project_before_the_command_line(
    find, tmp_path, write_extension, ids
):
    a, b, c = (str(write_extension(tmp_path / f"{name}.py")) for name in "abc")
    discovery = find(a, extensions=(c,), project_extensions=(b,))
    assert ids(discovery) == ["c", "b", "a"]
    assert [candidate.explicit for candidate in discovery.candidates] == [False, False, True]
    assert [candidate.from_project for candidate in discovery.candidates] == [False, True, False]


def test_entries_come_in_code_point_order_whatever_the_order_of_creation(find, shared, write_extension, ids):
    """``z.py a.py m.py`` are found as a, m, z, and capital letters come before small ones."""
    for name in ("z", "a", "m", "B", "é"):
        write_extension(shared / f"{name}.py")
    assert ids(find()) == ["B", "a", "m", "z", "é"]


def test_discovering_imports_and_runs_nothing(find, write_everywhere, shared, write_extension, ids):
    listed = write_everywhere("one", "two", "three", "four")
    write_extension(shared / "pack" / "src" / "a.py")
    (shared / "pack" / "pyproject.toml").write_text("[tool.pihost]\nextensions = ['./src/a.py']\n")
    before = set(sys.modules)
    assert ids(find(extensions=(listed,), installed=True)) == ["one", "pack", "two", "three", "four"]
    assert not {"one", "two", "three", "pack", "a", "four_module"} & (set(sys.modules) - before)


def test_the_project_in_the_home_directory_has_no_extensions_of_its_own(find, home, write_extension, config):
    """In the home directory the user's global extensions stay global and need no trust."""
    own = home / ".acme"
    write_extension(own / "extensions" / "guard.py")
    discovery = find(cwd=home, home=own)
    assert [(c.id, c.source, c.needs_trust) for c in discovery.candidates] == [
        ("guard", Source.GLOBAL, False)
    ]


def test_without_trust_a_project_leaves_no_mark(find, local, write_extension, marker):
    """A project without a decision is listed, and not even imported."""
    write_extension(local / "evil.py")
    admission = admit(find().candidates, trusted=False)
    assert admission.admitted == ()
    assert [d.candidate.id for d in admission.dropped] == ["evil"]
    assert not marker.exists()


class TestIds:
    def test_a_later_one_of_the_same_name_carries_its_source(
        self, find, write_everywhere, local, write_extension, ids
    ):
        listed = write_everywhere("x", "x", "x", "x")
        write_extension(local / "x" / "__init__.py")
        discovery = find(extensions=(listed,), installed=True)
        assert ids(discovery) == ["x", "x@local", "x@global", "x@configured", "x@installed"]

    def test_a_third_of_one_source_carries_a_number(self, find, tmp_path, write_extension, ids):
        files = [str(write_extension(tmp_path / name / "x.py")) for name in "abcd"]
        assert ids(find(extensions=tuple(files))) == [
            "x",
            "x@configured",
            "x@configured-2",
            "x@configured-3",
        ]

    def test_names_that_differ_only_in_spelling_are_the_same_name(
        self, find, local, shared, write_extension, ids
    ):
        write_extension(local / "my_tool.py")
        write_extension(shared / "My-Tool.py")
        assert ids(find()) == ["my_tool", "My-Tool@global"]

    def test_a_file_that_bears_such_an_id_as_its_name_gets_another(
        self, find, local, shared, write_extension, ids
    ):
        write_extension(local / "x.py")
        write_extension(local / "x@global.py")
        write_extension(shared / "x.py")
        assert ids(find()) == ["x", "x@global", "x@global-2"]

    def test_an_id_holds_nothing_that_a_terminal_would_obey(self, find, shared, write_extension, ids):
        write_extension(shared / "a\x1b[31m.py")
        assert ids(find()) == ["a_[31m"]


class TestExplicit:
    def test_it_takes_the_name_and_the_other_stays_listed(
        self, find, project, site, write_extension, write_distribution
    ):
        """A released ``acme`` is installed, and ``-e ./acme`` is given."""
        write_extension(project / "acme" / "__init__.py")
        write_distribution(site, "acme")
        discovery = find("./acme", installed=True)
        admission = admit(discovery.candidates, trusted=False)
        assert [(a.candidate.id, a.candidate.explicit) for a in admission.admitted] == [("acme", True)]
        (dropped,) = admission.dropped
        assert (dropped.candidate.distribution, dropped.cause) == ("acme", "superseded")
        assert str(project / "acme") in dropped.reason

    def test_it_needs_no_trust_where_the_project_has_it_too(self, find, local, write_extension):
        path = write_extension(local / "x.py")
        (candidate,) = find(path).candidates
        assert (candidate.source, candidate.explicit, candidate.needs_trust) == (Source.LOCAL, True, False)
        assert candidate.from_project

    def test_a_path_is_relative_to_the_working_directory(self, find, project, write_extension):
        write_extension(project / "mine" / "x.py")
        (candidate,) = find("mine/x.py").candidates
        assert candidate.path == project / "mine" / "x.py"


class TestDuplicates:
    @pytest.mark.parametrize("spelling", ["x.py", "./sub/../x.py", "link.py", "linked/x.py", "{real}"])
    def test_every_spelling_of_a_path_is_the_same_extension(
        self, find, project, local, spelling, write_extension
    ):
        """One load, in the first place and as the user wrote it, whether listed or found in the directory."""
        real = write_extension(local / "x.py")
        (local / "sub").mkdir()
        (local / "link.py").symlink_to("x.py")
        (project / "linked").symlink_to(local)
        base = project if spelling.startswith("linked") else local
        spelt = str(real) if spelling == "{real}" else f"{base}/{spelling}"
        discovery = find(spelt, extensions=(spelt,))
        name = Path(spelt).stem
        assert [(c.id, c.source, c.path.stem) for c in discovery.candidates] == [(name, Source.LOCAL, name)]
        assert discovery.candidates[0].resolved == real

    @pytest.mark.parametrize("spelling", ["multi", "multi/", "multi/__init__.py", "sub/../multi/"])
    def test_a_package_is_the_same_by_its_directory_and_its_file(
        self, find, shared, spelling, write_extension
    ):
        write_extension(shared / "multi" / "__init__.py")
        (shared / "sub").mkdir()
        (candidate,) = find(extensions=(f"{shared}/{spelling}",)).candidates
        assert (candidate.id, candidate.source, candidate.resolved) == (
            "multi",
            Source.GLOBAL,
            shared / "multi",
        )

    def test_a_link_in_the_project_does_not_take_hold_of_an_extension_of_the_user(
        self, find, local, shared, write_extension
    ):
        """Otherwise a checkout without trust could switch off the user's guard."""
        guard = write_extension(shared / "guard.py")
        (local / "guard.py").symlink_to(guard)
        discovery = find()
        assert [c.needs_trust for c in discovery.candidates] == [False]
        admission = admit(discovery.candidates, trusted=False, project_disabled=["guard"])
        assert [a.candidate.id for a in admission.admitted] == ["guard"]

    def test_only_the_entry_of_a_package_is_found_by_every_route(
        self, find, tmp_path, shared, write_extension
    ):
        for name in ("__init__", "helpers", "sub/util"):
            write_extension(shared / "multi" / f"{name}.py")
        by_directory = find().candidates
        other_home = tmp_path / "other"
        by_setting = find(home=other_home, extensions=(str(shared / "multi"),)).candidates
        by_option = find(shared / "multi", home=other_home).candidates
        for candidates in (by_directory, by_setting, by_option):
            assert [(c.id, c.path, c.resolved) for c in candidates] == [
                ("multi", shared / "multi", shared / "multi")
            ]


class TestLinks:
    def test_a_linked_directory_keeps_the_path_the_user_wrote(self, find, project, tmp_path, write_extension):
        """The ``extensions`` directory is a link, and so is a package in it; both load once."""
        real = tmp_path / "real"
        write_extension(real / "one.py")
        write_extension(tmp_path / "elsewhere" / "__init__.py")
        (real / "pkg").symlink_to(tmp_path / "elsewhere")
        (project / ".acme").mkdir()
        (project / ".acme" / "extensions").symlink_to(real)
        shown = project / ".acme" / "extensions"
        assert [(c.id, c.path, c.resolved) for c in find().candidates] == [
            ("one", shown / "one.py", real / "one.py"),
            ("pkg", shown / "pkg", tmp_path / "elsewhere"),
        ]

    @pytest.mark.parametrize("target", ["gone.py", "x.py"])
    def test_a_link_that_leads_nowhere_is_a_warning(self, find, shared, target, messages):
        (shared / "x.py").symlink_to(target)
        (message,) = messages(find())
        assert message.startswith(f"warning: {shared / 'x.py'} cannot be read: ")


class TestConfiguredPaths:
    def test_settings_resolve_from_the_file_that_holds_them(
        self, monkeypatch, project, tmp_path, write_extension
    ):
        """``$PIHOST_HOME`` begins with ``~``, the settings name ``./mine``, the directory is another."""
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("PIHOST_HOME", "~/x")
        write_extension(tmp_path / "x" / "mine" / "a.py")
        (tmp_path / "x" / "settings.toml").write_text('extensions = ["./mine", "~/x/mine/a.py"]\n')
        config = HostConfig()
        settings, _ = load_settings(config, config.resolve_home())
        found = discover(
            project, config=config, home=config.resolve_home(), settings=settings, installed=False
        )
        assert [(c.id, c.path) for c in found.candidates] == [("a", tmp_path / "x" / "mine" / "a.py")]

    def test_a_tilde_is_the_home_directory(self, find, monkeypatch, tmp_path, write_extension, ids):
        monkeypatch.setenv("HOME", str(tmp_path))
        write_extension(tmp_path / "x.py")
        assert ids(find("~/x.py")) == ["x"]

    def test_a_directory_without_a_whole_of_its_own_gives_its_entries(
        self, find, tmp_path, write_extension, ids
    ):
        write_extension(tmp_path / "many" / "b.py")
        write_extension(tmp_path / "many" / "a" / "__init__.py")
        assert ids(find(tmp_path / "many")) == ["a", "b"]

    def test_the_working_directory_itself_is_named_after_itself(self, find, project, write_extension, ids):
        write_extension(project / "__init__.py")
        (project / "sub").mkdir()
        assert ids(find(".")) == ["project"]
        assert ids(find("sub/..")) == ["project"]

    @pytest.mark.parametrize(
        ("where", "words"),
        [
            ("paths", "-e names"),
            ("extensions", "The settings name"),
            ("project_extensions", "The project's settings name"),
        ],
    )
    def test_one_that_is_not_there_is_an_error_with_the_near_names(
        self, find, project, where, words, write_extension
    ):
        near = write_extension(project / "missing_link.py")
        text = str(project / "missing_lnk.py")
        discovery = find(text) if where == "paths" else find(**{where: (text,)})
        (fault,) = discovery.diagnostics
        assert (fault.level, fault.message) == ("error", f"{words} {text}, which does not exist")
        assert fault.hint == f"Did you mean {near}?"
        assert bool(discovery.project_diagnostics) is (where == "project_extensions")

    @pytest.mark.parametrize(
        "text", ["a\0b", "~nobody-of-that-name/x.py", "no/such/directory/x.py", "x" * 5000]
    )
    def test_whatever_the_text_it_is_an_error_and_nothing_worse(self, find, text):
        (fault,) = find(extensions=(text,)).diagnostics
        assert fault.level == "error"

    def test_one_that_holds_nothing_is_not_passed_over_in_silence(self, find, project, messages):
        (project / "empty").mkdir()
        found = find("empty", extensions=(str(project / "empty"),))
        assert messages(found) == [
            f"warning: The settings name {project / 'empty'}, which holds no extension",
            f"error: -e names {project / 'empty'}, which holds no extension",
        ]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
    def test_a_named_pipe_is_refused_without_being_opened(self, find, project, messages):
        os.mkfifo(project / "pipe.py")
        (message,) = messages(find("pipe.py"))
        assert message.endswith("which is neither a file nor a directory")


def test_discovery_imports_only_what_it_needs(tmp_path, write_extension, python_path):
    """Without requirements neither packaging nor importlib_metadata is imported."""
    write_extension(tmp_path / "extensions" / "x.py")
    code = (
        "import sys, pathlib\n"
        "from pihost.config import HostConfig\n"
        "from pihost.extensions import admit, discover\n"
        "from pihost.settings import Settings\n"
        f"home = pathlib.Path({str(tmp_path)!r})\n"
        "found = discover(home / 'p', config=HostConfig(), home=home, settings=Settings(), installed=False)\n"
        "admit(found.candidates, trusted=False)\n"
        "print(sorted({'packaging', 'importlib_metadata', 'asyncio', 'pluggy', 'json'} & set(sys.modules)))\n"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=python_path)
    assert done.stdout.strip() == "[]"


def test_a_relative_working_directory_is_understood(
    monkeypatch, config, home, project, local, write_extension
):
    write_extension(local / "x.py")
    monkeypatch.chdir(project.parent)
    found = discover(project.name, config=config, home=home, settings=Settings(), installed=False)
    assert [c.path for c in found.candidates] == [Path(local, "x.py")]

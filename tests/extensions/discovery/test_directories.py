import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pihost.extensions import Source
from pihost.extensions._directories import search_directory
from pihost.extensions._found import Origin
from pihost.extensions._manifest import read_manifest


@pytest.fixture
def write_manifest(shared):
    def write(text, directory="pack"):
        path = shared / directory / "pyproject.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_files_manifests_and_packages_one_level_deep(find, shared, write_extension, write_manifest, ids):
    write_extension(shared / "file.py")
    write_extension(shared / "package" / "__init__.py")
    write_extension(shared / "pack" / "src" / "a.py")
    write_manifest("[tool.pihost]\nextensions = ['src/a.py']\n")
    write_extension(shared / "plain" / "deep.py")
    write_extension(shared / "plain" / "deeper" / "__init__.py")
    assert ids(find()) == ["file", "pack", "package"]


@pytest.mark.parametrize(
    "name", ["_util.py", ".hidden.py", "__pycache__/x.py", "_pkg/__init__.py", "notes.txt", "x.pyc"]
)
def test_what_is_no_extension_is_skipped_in_silence(find, shared, name, write_extension):
    write_extension(shared / name)
    discovery = find()
    assert (discovery.candidates, discovery.diagnostics) == ((), ())


def test_names_of_the_standard_library_are_names_like_any_other(find, shared, write_extension, ids):
    write_extension(shared / "json" / "__init__.py")
    write_extension(shared / "email.py")
    assert ids(find()) == ["email", "json"]


def test_a_directory_may_be_called_like_a_file(find, shared, write_extension):
    write_extension(shared / "x.py" / "__init__.py")
    (candidate,) = find().candidates
    assert (candidate.id, candidate.path) == ("x.py", shared / "x.py")


def test_a_file_in_place_of_the_directory_is_an_error(find, home, messages):
    (home / "extensions").write_text("")
    (message,) = messages(find())
    assert message == f"error: {home / 'extensions'} cannot be read: Not a directory"


@pytest.mark.skipif(os.name != "posix", reason="permissions of directories are those of POSIX")
def test_a_directory_nobody_may_read_is_an_error(forbidden):
    (fault,) = search_directory(forbidden, Origin(source=Source.GLOBAL))
    assert (fault.diagnostic.level, fault.diagnostic.source) == ("error", str(forbidden))
    assert "cannot be read: Permission denied" in fault.diagnostic.message


@pytest.mark.skipif(os.name != "posix", reason="permissions of directories are those of POSIX")
def test_a_package_nobody_may_enter_is_an_error_and_the_others_are_found(forbidden, tmp_path):
    (fault,) = search_directory(forbidden.parent, Origin(source=Source.LOCAL, from_project=True))
    assert fault.from_project
    assert fault.diagnostic.message.startswith(f"{forbidden} cannot be read")


class TestManifest:
    def test_one_path_takes_the_name_of_the_directory(self, find, shared, write_extension, write_manifest):
        path = write_extension(shared / "pack" / "src" / "main.py")
        write_manifest("[tool.pihost]\nextensions = ['./src/main.py']\n")
        (candidate,) = find().candidates
        assert (candidate.id, candidate.path, candidate.resolved) == ("pack", path, path)

    def test_several_paths_take_directory_and_stem(self, find, shared, write_extension, write_manifest, ids):
        for name in ("b", "a", "sub/__init__"):
            write_extension(shared / "pack" / f"{name}.py")
        write_manifest("[tool.pihost]\nextensions = ['b.py', 'a.py', 'sub/__init__.py']\n")
        assert ids(find()) == ["pack.b", "pack.a", "pack.sub"]

    def test_it_comes_before_the_package(self, find, shared, write_extension, write_manifest):
        write_extension(shared / "pack" / "__init__.py")
        write_extension(shared / "pack" / "main.py")
        write_manifest("[tool.pihost]\nextensions = ['main.py']\n")
        assert [c.path.name for c in find().candidates] == ["main.py"]

    @pytest.mark.parametrize(
        "text", ["", "[project]\nname = 'x'\n", "[tool.ruff]\n", "tool = 3\n", "[tool.pihost]\n"]
    )
    def test_one_that_names_no_extensions_leaves_the_package(
        self, find, shared, text, write_extension, write_manifest
    ):
        write_extension(shared / "pack" / "__init__.py")
        write_manifest(text)
        discovery = find()
        assert [c.path for c in discovery.candidates] == [shared / "pack"]
        assert discovery.diagnostics == ()

    def test_one_whose_paths_all_miss_is_an_error(
        self, find, shared, write_extension, write_manifest, messages
    ):
        """Also where there is an ``__init__.py`` that could be taken instead."""
        write_extension(shared / "pack" / "__init__.py")
        path = write_manifest("[tool.pihost]\nextensions = ['a.py', 'b.py']\n")
        discovery = find()
        assert discovery.candidates == ()
        assert messages(discovery) == [
            f"error: {path}: tool.pihost.extensions names '{name}', which is no file"
            for name in ("a.py", "b.py")
        ]

    def test_one_path_that_misses_among_others_is_a_warning(
        self, find, shared, write_extension, write_manifest, ids
    ):
        write_extension(shared / "pack" / "b.py")
        write_manifest("[tool.pihost]\nextensions = ['a.py', 'b.py']\n")
        discovery = find()
        assert ids(discovery) == ["pack.b"]
        assert [d.level for d in discovery.diagnostics] == ["warning"]

    @pytest.mark.parametrize("path", ["../outside.py", "link.py", "linked/outside.py", "{absolute}"])
    def test_a_path_may_not_leave_the_directory(
        self, find, shared, path, tmp_path, write_extension, write_manifest
    ):
        """Neither with ``..``, nor through a link, nor by being absolute."""
        outside = write_extension(tmp_path / "outside.py")
        write_extension(shared / "outside.py")
        write_extension(shared / "pack" / "good.py")
        (shared / "pack" / "link.py").symlink_to(outside)
        (shared / "pack" / "linked").symlink_to(tmp_path)
        spelt = str(outside) if path == "{absolute}" else path
        write_manifest(f"[tool.pihost]\nextensions = ['good.py', '{spelt}']\n")
        discovery = find()
        assert [c.id for c in discovery.candidates] == ["outside"]
        assert [d.level for d in discovery.diagnostics] == ["error"]
        assert "leads out of the directory" in discovery.diagnostics[0].message

    def test_a_linked_directory_does_not_lead_out_of_itself(
        self, find, shared, tmp_path, write_extension, ids
    ):
        write_extension(tmp_path / "pack" / "a.py")
        (tmp_path / "pack" / "pyproject.toml").write_text("[tool.pihost]\nextensions = ['a.py']\n")
        (shared / "pack").symlink_to(tmp_path / "pack")
        assert ids(find()) == ["pack"]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("= nonsense", "cannot be read"),
            ("x = 1" + "0" * 5000, "cannot be read"),
            ("x = " + "[" * 100_000, "cannot be read"),
            ("tool.pihost = 3", "tool.pihost must be a table, not 3"),
            ("[tool.pihost]\nextensions = 'a.py'", "must be a list of paths, not 'a.py'"),
            ("[tool.pihost]\nextensions = []", "must be a list of paths, not []"),
            ("[tool.pihost]\nextensions = ['a.py', 3]", "must be a list of paths"),
            ('[tool.pihost]\nextensions = ["a\\u0000.py"]', "which is no file"),
            ("[tool.pihost]\nreplaceable = 'yes'", "replaceable must be true or false, not 'yes'"),
            ("[tool.pihost]\nrequires-host = 'new'", "'new' is no set of versions such as"),
            (f"[tool.pihost]\n{'#' * 80}\n" + "# filler\n" * 120_000, "File too large"),
            ("[tool.pihost]\nrequires-host = 3", "'3' is no set of versions such as"),
        ],
    )
    def test_a_wrong_one_is_an_error_that_names_the_file(
        self, find, shared, text, words, write_extension, write_manifest
    ):
        write_extension(shared / "pack" / "__init__.py")
        path = write_manifest(text)
        discovery = find()
        assert discovery.candidates == ()
        assert [d.level for d in discovery.diagnostics] == ["error"]
        assert discovery.diagnostics[0].message.startswith(f"{path}: ")
        assert words in discovery.diagnostics[0].message

    def test_all_its_faults_come_in_one_report(self, find, write_manifest):
        write_manifest(
            "[tool.pihost]\nextensions = 3\nreplaceable = 3\nrequires-host = 'x'\nreplacable = true\n"
        )
        faults = find().diagnostics
        assert [fault.level for fault in faults] == ["error", "error", "error", "warning"]
        assert "there is no tool.pihost.replacable (did you mean 'replaceable'?)" in faults[-1].message

    def test_replaceable_is_kept_with_the_candidate(self, find, shared, write_extension, write_manifest):
        write_extension(shared / "pack" / "__init__.py")
        write_manifest("[tool.pihost]\nreplaceable = true\n")
        assert find().candidates[0].replaceable

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
    def test_a_named_pipe_in_its_place_is_not_opened(self, find, shared, write_extension, ids):
        write_extension(shared / "pack" / "__init__.py")
        os.mkfifo(shared / "pack" / "pyproject.toml")
        assert ids(find()) == ["pack"]

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        body=st.binary(max_size=80)
        | st.text(max_size=60).map(lambda t: f"[tool.pihost]\nextensions = {t}".encode("utf-8", "replace"))
    )
    def test_whatever_it_holds_it_is_read_without_raising(self, tmp_path, body):
        (tmp_path / "pyproject.toml").write_bytes(body)
        manifest = read_manifest(tmp_path)
        assert manifest.errors or manifest.files is None or all(p.is_file() for p in manifest.files)

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        name=st.text(
            st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="'\\\x7f"), max_size=20
        )
    )
    def test_a_manifest_with_any_path_yields_a_candidate_or_a_fault(self, tmp_path, name):
        directory = tmp_path / "extensions" / "pack"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        (directory / "pyproject.toml").write_text(
            f"[tool.pihost]\nextensions = ['{name}']\n", encoding="utf-8"
        )
        assert list(search_directory(tmp_path / "extensions", Origin(source=Source.GLOBAL)))


def test_a_fault_of_the_project_is_known_as_such(find, local, shared):
    for directory in (local, shared):
        (directory / "pack").mkdir()
        (directory / "pack" / "pyproject.toml").write_text("=")
    discovery = find()
    assert len(discovery.diagnostics) == 2
    assert [d.source for d in discovery.project_diagnostics] == [str(local / "pack" / "pyproject.toml")]

"""``pihost extensions new``: what it writes is right at once, and what it cannot write it leaves alone."""

import os
import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pihost.cli.scaffold import SHAPES, NewExtension, ScaffoldError, write_distribution, write_file

CHECKOUT = Path(__file__).parents[2]


def new(shape="hook", name="Acme.Words"):
    return NewExtension.named(name, SHAPES[shape])


def run(where, *command):
    """Run a program as an author would who has installed pihost."""
    env = {**os.environ, "PYTHONPATH": f"{CHECKOUT}", "MYPYPATH": f"src:{CHECKOUT}"}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=where, env=env, capture_output=True, text=True
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_its_own_tests_pass_at_once(tmp_path, shape):
    where = write_distribution(new(shape), tmp_path)
    done = run(where, "pytest", "-q", "-p", "pihost.testing.plugin", "-p", "no:cacheprovider", "-W", "error")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


def test_its_types_are_right_at_once(tmp_path):
    """All shapes in one run, since a run of mypy is slow."""
    sources = []
    for shape in SHAPES:
        where = write_distribution(new(shape, f"acme-{shape}"), tmp_path)
        sources.append(f"{where}/src/acme_{shape}/__init__.py")
    done = run(tmp_path, "mypy", "--strict", "--no-incremental", *sources)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("shape", SHAPES)
def test_its_style_is_right_at_once(tmp_path, shape):
    where = write_distribution(new(shape), tmp_path)
    checked = run(where, "ruff", "check", "--isolated", "--select=E,F,I,B,UP,SIM", "--line-length=110", ".")
    assert (checked.returncode, checked.stdout) == (0, "All checks passed!\n")
    formatted = run(where, "ruff", "format", "--isolated", "--check", "--line-length=110", ".")
    assert formatted.returncode == 0, formatted.stdout


def test_a_distribution_has_the_names_of_its_kind(tmp_path):
    where = write_distribution(new(), tmp_path)
    project = tomllib.loads((where / "pyproject.toml").read_text())
    assert where.name == project["project"]["name"] == "acme-words"
    assert project["project"]["entry-points"] == {"pihost.extensions": {"acme-words": "acme_words"}}
    assert project["project"]["dependencies"] == ["pihost>=0.1"]
    assert "$" not in (where / "README.md").read_text().replace("$ ", "")


def test_nothing_is_left_beside_it(tmp_path):
    write_distribution(new(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["acme-words"]


@pytest.mark.parametrize("write", [write_distribution, write_file])
def test_without_room_nothing_is_left(tmp_path, write):
    """The limit on the size of a file stands for a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(ScaffoldError, match="cannot be written"):
            write(new(), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["1st", "-x", "a b", "../up", "json", "class", "pihost", "tests", "", "ü"])
def test_a_name_that_could_not_be_installed_or_imported_is_refused(name):
    with pytest.raises(ScaffoldError, match="is no name for"):
        new(name=name)


def test_what_is_there_is_never_written_over(tmp_path):
    (tmp_path / "acme-words").mkdir()
    (tmp_path / "acme_words.py").symlink_to("nowhere")
    for write in (write_distribution, write_file):
        with pytest.raises(ScaffoldError, match="is there already"):
            write(new(), tmp_path)
    assert list((tmp_path / "acme-words").iterdir()) == []


def test_one_file_is_found_at_once(pihost):
    assert pihost("extensions", "new", "acme-words", "--tool", "--file")[0] == 0
    code, out, _ = pihost("extensions", "list")
    assert code == 0
    assert "acme_words" in out
    assert "tools: word_count" in out


def test_a_distribution_is_written_where_one_is_and_the_next_step_named(pihost):
    code, out, _ = pihost("extensions", "new", "acme-words")
    assert code == 0
    assert (pihost.cwd / "acme-words" / "pyproject.toml").exists()
    assert f"pihost extensions install {pihost.cwd / 'acme-words'}" in out


def test_a_wrong_name_is_an_error_that_says_what_would_be_right(pihost):
    code, _, err = pihost("extensions", "new", "json")
    assert code == 1
    assert "imported as json, which is something else to Python" in err
    assert list(pihost.cwd.iterdir()) == [pihost.cwd / "README.md"]


def test_a_directory_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ScaffoldError, match=r"cannot be written: \w+"):
        write_distribution(new(), tmp_path / "file")

"""An extension from ``new`` to ``remove``, in environments that pip and uv have made, without a network."""

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.installs

NO_NETWORK = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "UV_OFFLINE": "1", "PIP_RETRIES": "0"}
PLAIN = """
[project]
name = "acme-plain"
version = "1"
description = "No extension"
[build-system]
requires = ["flit-core"]
build-backend = "flit_core.buildapi"
"""
THERE = "acme-words is there now, from acme-words 0.1.0\n"
GONE = "acme-words is gone, with acme-words 0.1.0\n"


@pytest.fixture(scope="module")
def own_environment(new_environment):
    """An environment that these tests change; each installs a distribution of another name."""
    return new_environment()


@pytest.fixture
def workshop(project_in, own_environment):
    """A project, and no network."""
    made = project_in(own_environment)
    made.env |= NO_NETWORK
    return made


def test_a_new_extension_is_installed_found_used_and_removed(workshop):
    assert workshop.run("extensions", "new", "acme-words", "--tool", installed=True).returncode == 0
    done = workshop.run("extensions", "install", "./acme-words", installed=True)
    assert (done.returncode, done.stdout) == (0, THERE), done.stderr
    listed = workshop.run("extensions", "list", installed=True)
    assert "loaded" in listed.stdout
    assert "acme-words" in listed.stdout
    used = workshop.run("tool", "word_count", "text=one two", installed=True)
    assert used.stdout == "2 words of 1 or more letters\n"
    gone = workshop.run("extensions", "remove", "Acme_Words", installed=True)
    assert (gone.returncode, gone.stdout) == (0, GONE), gone.stderr
    assert "acme-words" not in workshop.run("extensions", "list", installed=True).stdout


def test_its_own_tests_pass_with_pihost_installed(workshop):
    workshop.run("extensions", "new", "acme-words", installed=True)
    command = [workshop.environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    where = workshop.cwd / "acme-words"
    done = subprocess.run(command, cwd=where, env=workshop.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_an_installation_over_another_says_what_was_there(workshop):
    workshop.run("extensions", "new", "acme-next", installed=True)
    workshop.run("extensions", "install", "./acme-next", installed=True)
    anew = workshop.run("extensions", "install", "./acme-next", installed=True)
    assert anew.stdout == "acme-next is there now, from acme-next 0.1.0 (installed anew)\n", anew.stderr
    file = workshop.cwd / "acme-next" / "pyproject.toml"
    file.write_text(file.read_text().replace("0.1.0", "0.2.0"))
    newer = workshop.run("extensions", "install", "./acme-next", installed=True)
    assert newer.stdout == "acme-next is there now, from acme-next 0.2.0 (was 0.1.0)\n", newer.stderr
    there = workshop.run("extensions", "install", "acme-next", installed=True)
    assert there.stdout == "acme-next is there already, from acme-next 0.2.0\n", there.stderr


def test_nothing_of_the_directory_takes_the_place_of_a_requirement_or_of_pip(workshop):
    workshop.run("extensions", "new", "acme-squatted", installed=True)
    workshop.write("pip.py", "open('ran', 'w').close()")
    done = workshop.run("extensions", "install", "acme-squatted", installed=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install ended with code 1" in done.stderr
    assert not (workshop.cwd / "ran").exists()


def test_a_distribution_without_an_extension_is_told_of(workshop):
    workshop.write("plain/pyproject.toml", PLAIN)
    workshop.write("plain/acme_plain.py", '"""Nothing."""\n')
    done = workshop.run("extensions", "install", "./plain", installed=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert "no extension has appeared" in done.stderr


@pytest.mark.parametrize(
    ("what", "fault"),
    [
        ("--editable", "neither there nor a requirement"),
        ("acme words", "neither there nor a requirement"),
        ("./nowhere", "neither there nor a requirement"),
        ("acme-nowhere", "pip install ended with code 1; nothing has changed"),
    ],
)
def test_what_cannot_be_installed_is_told_and_changes_nothing(workshop, what, fault):
    done = workshop.run("extensions", "install", "--", what, installed=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert fault in done.stderr
    assert "Traceback" not in done.stderr


def test_only_what_was_installed_is_removed(workshop):
    file = workshop.extend("global", "mine", "def setup(api): ...")
    done = workshop.run("extensions", "remove", "mine", installed=True)
    assert done.returncode == 1
    assert f"mine was not installed: it is {file}" in done.stderr
    assert file.exists()
    assert "There is no extension 'min'" in workshop.run("extensions", "remove", "min", installed=True).stderr


def test_the_operating_systems_python_is_not_changed(workshop, tmp_path):
    """An environment's own Python told that it is the system's, as a distribution marks it."""
    code = f"""
import sys, sysconfig
sys.prefix = sys.base_prefix
sysconfig.get_path = lambda name: {str(tmp_path)!r}
from pihost.cli import main
sys.exit(main())
"""
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    command = [workshop.environment.python, "-c", code, "extensions", "install", "acme-words"]
    done = subprocess.run(command, cwd=workshop.cwd, env=workshop.env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "belongs to the operating system" in done.stderr


@pytest.fixture
def uv_workshop(project_in, shipped_wheel, tmp_path):
    """A project in an environment that uv has made; what is installed below it is linked into it."""
    found = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if not found:
        pytest.skip("uv is not installed beside the tests")
    uv = Path(found)

    class Environment:
        root = tmp_path / "uv-venv"
        python = root / "bin" / "python"

    env = {**os.environ, **NO_NETWORK, "UV_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([uv, "-q", "venv", "--python", sys.executable, Environment.root], env=env, check=True)
    site = next(Environment.root.glob("lib/python*/site-packages"))
    folders = [Path(folder) for folder in sys.path if Path(folder).name == "site-packages"]
    for entry in itertools.chain.from_iterable(map(Path.iterdir, folders)):
        if "pihost" in entry.name or (site / entry.name).exists():
            continue
        if entry.suffix == ".dist-info":
            shutil.copytree(entry, site / entry.name)  # uv takes no link for metadata
        else:
            (site / entry.name).symlink_to(entry)
    target = ["--python", Environment.python, "--no-deps", "--offline", shipped_wheel]
    subprocess.run([uv, "-q", "pip", "install", *target], env=env, check=True)
    made = project_in(Environment)
    made.env |= env | {"PATH": f"{uv.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(made.home)}
    return made


def test_where_uv_made_the_environment_uv_changes_it(uv_workshop):
    uv_workshop.run("extensions", "new", "acme-words", "--tool", installed=True)
    done = uv_workshop.run("extensions", "install", "./acme-words", installed=True)
    assert (done.returncode, done.stdout) == (0, THERE), done.stderr
    gone = uv_workshop.run("extensions", "remove", "acme-words", installed=True)
    assert (gone.returncode, gone.stdout) == (0, GONE), gone.stderr


def test_where_uv_made_the_environment_and_is_gone_it_is_said_how_to_go_on(uv_workshop):
    uv_workshop.env["PATH"] = "/usr/bin:/bin"
    if shutil.which("uv", path=uv_workshop.env["PATH"]):
        pytest.skip("uv belongs to the system here")
    done = uv_workshop.run("extensions", "install", "acme-words", installed=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no uv on the path" in done.stderr
    assert "Hint: Put uv on the path, or run: uv pip install --python " in done.stderr

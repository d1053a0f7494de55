"""pihost as a user has it: built, installed by pip, run as a program in a directory of their own.

Where ``PIHOST_E2E_WHEEL`` names a wheel, pihost was installed from it already and these tests run in that
environment; otherwise a wheel is built of the checkout and installed into an environment of its own.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
QUIET = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


class Environment:
    """A virtual environment over the one that runs the tests; what is installed here is found first."""

    def __init__(self, root):
        self.root = root
        venv.create(root, with_pip=False)
        self.python = root / "bin" / "python"
        site = next(root.glob("lib/python*/site-packages"))
        below = [folder for folder in sys.path if Path(folder).name == "site-packages"]
        (site / "below.pth").write_text("\n".join(below))

    def install(self, *projects):
        """Install local projects or wheels, without their dependencies and without a network."""
        command = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            self.python,
            "install",
            "-q",
            "--no-index",
            "--no-deps",
        ]
        done = subprocess.run(
            [*command, "--no-build-isolation", *projects],
            env={**os.environ, **QUIET},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return self


@pytest.fixture(scope="session")
def shipped_wheel(tmp_path_factory):
    """The wheel that is under test: one that was built, or the checkout's."""
    if "PIHOST_E2E_WHEEL" in os.environ:
        return Path(os.environ["PIHOST_E2E_WHEEL"])
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "-q", "--wheel", "--no-isolation", "--outdir", folder, CHECKOUT]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def pihost_wheel(request):
    """The wheel to install into an environment, or ``None`` where pihost is in what is below it."""
    return None if "PIHOST_E2E_WHEEL" in os.environ else request.getfixturevalue("shipped_wheel")


@pytest.fixture(scope="session")
def new_environment(tmp_path_factory, pihost_wheel):
    """Make an environment with pihost in it, for a test that installs something beside it."""

    def make(*projects):
        environment = Environment(tmp_path_factory.mktemp("env") / "venv")
        wheels = [pihost_wheel] if pihost_wheel else []
        return environment.install(*wheels, *projects) if wheels or projects else environment

    return make


@pytest.fixture(scope="session")
def environment(new_environment):
    """An environment with pihost that every test shares: nobody changes it."""
    return new_environment()


class Project:
    """A directory with files of the user's, a home beside it, and pihost to run there."""

    def __init__(self, root, environment):
        self.cwd = root / "project"
        self.home = root / "home"
        self.cwd.mkdir()
        self.home.mkdir()
        self.environment = environment
        self.env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PIHOST", "XDG", "PYTHONPATH", "COV"))
        }
        self.env |= {"HOME": str(self.home), "PIHOST_HOME": str(self.home / ".pihost"), "NO_COLOR": "1"}
        self.write("README.md", "# A project\n\nIt has a few lines.\n")

    def write(self, path, text):
        """Write a file of the project's, or one at an absolute path."""
        file = self.cwd / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def extend(self, where, name, code):
        """Write a one-file extension into the project's or the user's own folder."""
        folder = {"local": self.cwd / ".pihost", "global": self.home / ".pihost"}[where]
        return self.write(folder / "extensions" / f"{name}.py", code)

    def command(self, *arguments):
        """The command line that runs pihost."""
        return [str(self.environment.python), "-m", "pihost", *map(str, arguments)]

    def run(self, *arguments, installed=False, stdin="", **options):
        """Run pihost and give its exit code, stdout and stderr."""
        env = self.env if installed else {**self.env, "PIHOST_DISABLE_INSTALLED": "1"}
        return subprocess.run(
            self.command(*arguments),
            cwd=options.pop("cwd", self.cwd),
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            **options,
        )


@pytest.fixture
def project(tmp_path, environment):
    """A user's project, and pihost installed."""
    return Project(tmp_path, environment)


@pytest.fixture
def project_in(tmp_path):
    """A user's project with pihost from another environment."""
    return lambda environment: Project(tmp_path, environment)


@pytest.fixture(autouse=True)
def nobodys_home():
    """Each project brings a home of its own; the environment of the tests stays as it is."""

"""A project with real files, and hosts opened in it."""

import asyncio
import os
import subprocess
import sys

import pytest

from pihost import Host, HostConfig
from pihost.config import HostOptions

LOGGER = """
from pathlib import Path

def note(text):
    with Path({log!r}).open("a") as file:
        file.write(text + "\\n")
"""


class Place:
    """A project, a home beside it, and the host ``acme`` that works there."""

    def __init__(self, root, name="acme"):
        self.cwd = root / "project"
        self.home = root / f"{name}-home"
        self.cwd.mkdir(parents=True, exist_ok=True)
        self.home.mkdir()
        self.config = HostConfig(
            app_name=name,
            config_dir=f".{name}",
            entry_point_group=f"{name}.extensions",
            env_prefix=name.upper(),
            home=self.home,
        )
        self.log = root / f"{name}-log"
        self.write("README.md", "# A project\n")

    def write(self, path, text):
        file = self.cwd / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def extend(self, where, name, code="def setup(api): note(f'{__name__.rsplit(\".\")[-1]} loaded')"):
        """Write an extension that may call ``note``, into the project's or the user's own folder."""
        folder = {
            "local": self.config.project_dir(self.cwd) / "extensions",
            "global": self.home / "extensions",
            "elsewhere": self.cwd / "elsewhere",
        }[where]
        return self.write(folder / f"{name}.py", LOGGER.format(log=str(self.log)) + code)

    def settings(self, text, where="global"):
        folder = self.home if where == "global" else self.config.project_dir(self.cwd)
        return self.write(folder / "settings.toml", text)

    def program(self, *words, installed=False, **variables):
        """Run the command line here as a process of its own: exit code, stdout, stderr."""
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "NO_COLOR": "1"}
        env |= {
            "PIHOST_HOME": str(self.home),
            "PIHOST_DISABLE_INSTALLED": str(int(not installed)),
        } | variables
        done = subprocess.run(
            [sys.executable, "-m", "pihost", *map(str, words)],
            cwd=self.cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    @property
    def notes(self):
        """What extensions have noted, in order."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    async def noted(self, text):
        """Return once an extension has noted ``text``."""
        while text not in self.notes:  # noqa: ASYNC110 -- a file tells, and files send no events
            await asyncio.sleep(0.01)

    def open(self, *, ui=None, providers=(), before_start=None, cwd=None, **options):
        return Host.open(
            cwd or self.cwd,
            config=self.config,
            options=HostOptions(**options),
            ui=ui,
            providers=providers,
            before_start=before_start,
        )


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture
def place_of(tmp_path):
    """The project as a host of another name sees it."""
    return lambda name: Place(tmp_path, name)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with one extension on the path."""

    def make(name, code, group="acme.extensions"):
        site = tmp_path / "site"
        module = name.replace("-", "_")
        info = site / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
        (site / f"{module}.py").write_text(code)
        monkeypatch.syspath_prepend(str(site))
        return site / f"{module}.py"

    return make


@pytest.fixture
def run():
    """Say something to a host; the events come back."""

    async def say(host, text):
        return [event async for event in host.session.prompt(text)]

    return say


ANSWER = """
from pihost import TextContent, hookimpl
from pihost.events import ToolResultPatch

@hookimpl
def tool_result(event, ctx):
    return ToolResultPatch(content=[*event.content, TextContent(text="{name}")])
"""


@pytest.fixture
def answer():
    """Code of an extension that adds its name to every result of a tool."""
    return lambda name: ANSWER.format(name=name)


class Person:
    """A user who gives the answers put into their mouth, and remembers the questions."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def select(self, title, options):
        self.asked.append((title, tuple(options)))
        wanted = self.answers.pop(0)
        return next((option for option in options if wanted and option.startswith(wanted)), None)

    async def confirm(self, title, message):
        self.asked.append((title, message))
        return self.answers.pop(0)

    async def input(self, title, placeholder=""):
        self.asked.append((title, placeholder))
        return self.answers.pop(0)

    def notify(self, message, level="info"):
        self.asked.append((level, message))

    def set_status(self, key, text):
        self.asked.append((key, text))


@pytest.fixture
def person():
    return Person

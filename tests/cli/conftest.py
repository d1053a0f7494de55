"""The command line, called in process in a project of its own."""

import gc

import pytest

from pihost.cli._main import run


class Line:
    """A project, a home beside it, and the command line there."""

    def __init__(self, root, capfd):
        self.cwd = root / "project"
        self.home = root / "home"
        self.cwd.mkdir()
        self.home.mkdir()
        self._capfd = capfd
        self.write("README.md", "# A project\n")

    def write(self, path, text):
        file = self.cwd / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def extend(self, name, code="def setup(api): ...", where="global"):
        folder = self.home if where == "global" else self.cwd / ".pihost"
        return self.write(folder / "extensions" / f"{name}.py", code)

    @property
    def settings(self):
        return self.home / "settings.toml"

    def __call__(self, *arguments):
        """Run the command line: its exit code, what it printed, what it said besides."""
        code = run(arguments)
        out, err = self._capfd.readouterr()
        return code, out, err


@pytest.fixture
def pihost(tmp_path, monkeypatch, capfd):
    line = Line(tmp_path, capfd)
    monkeypatch.chdir(line.cwd)
    monkeypatch.setenv("PIHOST_HOME", str(line.home))
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield line
    gc.unfreeze()  # the process does not end here

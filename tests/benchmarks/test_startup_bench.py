"""Starting the program, whole processes: beside an empty script, or the imports that any host would need."""

import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pihost"
IMPORTS = "import asyncio, attrs, pluggy, cattrs, click, importlib_metadata"
SCRIPT = """#!{python}
import sys
from {module} import main
if __name__ == "__main__":
    sys.exit(main())
"""
EXTENSION = """
def setup(api):
    api.register_flag("{name}", type="boolean", default=False, description="Turn it on")
"""


class Installation:
    """An environment over the one that runs the benchmark, with pihost as pip would put it there."""

    def __init__(self, root):
        self.root = root
        venv.create(root / "venv", with_pip=False)
        self.python = root / "venv" / "bin" / "python"
        self.site = next((root / "venv").glob("lib/python*/site-packages"))
        (self.site / "below.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
        shutil.copytree(PACKAGE, self.site / "pihost", ignore=shutil.ignore_patterns("__pycache__"))
        (self.site / "nothing_at_all.py").write_text("def main():\n    return 0\n")
        self.pihost = self.script("pihost", "pihost.cli")
        self.empty = self.script("empty", "nothing_at_all")
        self.cwd = root / "project"
        self.cwd.mkdir()
        (self.cwd / "README.md").write_text("# A project\n")
        self.env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PIHOST", "XDG", "PYTHON", "COV"))
        }
        # Bytecode is kept, as for a user: the first run of each command writes it.
        self.env |= {"HOME": str(root), "PYTHONPYCACHEPREFIX": str(root / "bytecode"), "NO_COLOR": "1"}

    def script(self, name, module):
        file = self.root / "venv" / "bin" / name
        file.write_text(SCRIPT.format(python=self.python, module=module))
        file.chmod(0o755)
        return file

    def add_extensions(self, count):
        for n in range(count):
            name = f"example_extension_{n:03}"
            (self.site / f"{name}.py").write_text(EXTENSION.format(name=f"flag{n:03}"))
            metadata = self.site / f"{name}-1.0.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n")
            (metadata / "entry_points.txt").write_text(f"[pihost.extensions]\n{name} = {name}\n")

    def run(self, *command):
        """A call that runs the command to its end; it has run once already."""

        def call():
            options = {"cwd": self.cwd, "env": self.env, "stdin": subprocess.DEVNULL}
            subprocess.run(command, check=True, capture_output=True, **options)

        call()
        return call

    def imports(self):
        return self.run(self.python, "-c", IMPORTS)


@pytest.fixture
def installation(tmp_path):
    return Installation(tmp_path)


@pytest.mark.bench
def test_version(side_by_side, installation):
    ours = installation.run(installation.pihost, "--version")
    ratio = side_by_side("--version", ours, installation.run(installation.empty), goal=1.15, repeat=41)
    assert ratio > 0


@pytest.mark.bench
def test_help_with_extensions(side_by_side, installation):
    installation.add_extensions(100)
    ours = installation.run(installation.pihost, "--help")
    ratio = side_by_side("--help, 100 extensions", ours, installation.imports(), goal=1.0, repeat=21)
    assert ratio > 0


@pytest.mark.bench
def test_one_prompt(side_by_side, installation):
    ours = installation.run(installation.pihost, "-p", "ls")
    ratio = side_by_side('-p "ls"', ours, installation.imports(), goal=1.4, repeat=21)
    assert ratio > 0

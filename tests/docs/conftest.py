"""Fenced blocks of Markdown pages, and a place of their own to run those of one page in."""

import ast
import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import attrs
import pytest

from pihost.settings import read_settings_file
from pihost.testing import write_distribution
from pihost.testing.workbench import Place, load

ROOT = Path(__file__).parents[2]

FENCE = re.compile(r"(?P<indent>\s*)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
"""The first line of a block: anywhere on its line, and of either kind, as Markdown allows it."""

NOT_CODE = {"", "text", "markdown", "mermaid", "diff"}
"""Languages of blocks in which nothing runs; a ``markdown`` block with ``file=`` is written all the same."""


@attrs.frozen
class Block:
    """A fenced block: ``` ```python file=acme.py exit=1 skip="why" ``` sets its options."""

    page: str
    line: int
    language: str
    options: dict
    text: str

    @property
    def where(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    """The blocks of a page, in order; a fence that begins none, or that nothing closes, is an error."""
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        found = FENCE.fullmatch(line)
        if found is None:
            assert not re.search("```|~~~", line), f"{page}:{number}: a fence amid a line"
            continue
        language, *words = shlex.split(found["info"]) or [""]
        options = dict(word.partition("=")[::2] for word in words)
        body = "".join(f"{one}\n" for one in _until_closed(lines, found, f"{page}:{number}"))
        yield Block(page, number, language, options, body)


def _until_closed(lines, opening, where):
    """The lines of a block, without the indentation of its fence."""
    fence, indent = opening["fence"], len(opening["indent"])
    for _number, line in lines:
        word = line.strip()
        if set(word) == {fence[0]} and len(word) >= len(fence):
            return
        yield line[min(indent, len(line) - len(line.lstrip())) :]
    raise AssertionError(f"{where}: nothing closes this block")


class Desk:
    """A home and a directory in which the blocks of one page are run, one after the other."""

    def __init__(self, root, monkeypatch):
        self.home = root / "user"
        self.cwd = self.home / "project"
        self.bin = root / "bin"
        for folder in (self.cwd, self.home / ".pihost", self.bin):
            folder.mkdir(parents=True)
        self.site = root / "site"
        self.site.mkdir()
        self.monkeypatch = monkeypatch
        self._write_program()
        monkeypatch.chdir(self.cwd)
        monkeypatch.setenv("HOME", str(self.home))
        path = (self.bin, Path(sys.executable).parent, os.environ["PATH"])
        monkeypatch.setenv("PATH", os.pathsep.join(map(str, path)))
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.delenv("PIHOST_HOME", raising=False)

    def run(self, block):
        """Do what the block says; anything else than it promises is an ``AssertionError``."""
        if "skip" in block.options:
            assert len(block.options["skip"]) > 10, f"{block.where}: say why it cannot run"
            return
        if "with" in block.options:
            self._install(block.options["with"])
        if "file" in block.options:
            self._write(block)
        if block.language in NOT_CODE:
            return
        runner = getattr(self, f"_run_{block.language}", None)
        assert runner is not None, f"{block.where}: nothing runs {block.language!r} here"
        runner(block)

    def _write_program(self, *paths):
        """Write ``pihost``, which finds modules and distributions at these paths too."""
        program = self.bin / "pihost"
        head = f"#!{sys.executable}\nimport sys\nsys.path[1:1] = {[str(path) for path in (ROOT, *paths)]}\n"
        program.write_text(f"{head}from pihost.cli import main\nsys.exit(main())\n")
        program.chmod(0o755)

    def _install(self, name):
        """Let one of our own distributions be there from now on."""
        plugin = ROOT / "plugins" / name
        points = tomllib.loads((plugin / "pyproject.toml").read_text())["project"]["entry-points"]
        write_distribution(self.site, name, entry_points=points)
        self.monkeypatch.setenv("PIHOST_DISABLE_INSTALLED", "0")
        self._write_program(self.site, plugin / "src")

    def path(self, name):
        return Path(name.replace("~", str(self.home), 1)) if name.startswith("~") else self.cwd / name

    def _write(self, block):
        file = self.path(block.options["file"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text)

    def _run_toml(self, block):
        tomllib.loads(block.text)
        if block.options.get("file", "").endswith("settings.toml"):
            scope = "global" if block.options["file"].startswith("~") else "project"
            read = read_settings_file(self.path(block.options["file"]), scope)
            assert [one.message for one in read.diagnostics] == [], block.where

    def _run_json(self, block):
        json.loads(block.text.replace("…", "..."))

    def _run_jsonl(self, block):
        for line in block.text.splitlines():
            json.loads(line.replace("…", "..."))

    def _run_python(self, block):
        code = compile("\n" * block.line + block.text, block.page, "exec", dont_inherit=True)
        names = {node.name for node in ast.parse(block.text).body if hasattr(node, "name")}
        if any(name.startswith(("test_", "Test")) for name in names):
            self._run_tests(block)
        elif "setup" in names or "@hookimpl" in block.text:
            self._load(block)
        else:
            module = types.ModuleType("example")
            exec(code, module.__dict__)
            if "main" in names:
                asyncio.run(module.main())

    def _run_tests(self, block):
        name = block.options.get("file", "test_example.py")
        self.path(name).write_text(block.text)
        options = ["-q", "-p", "pihost.testing.plugin", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto"]
        command = [sys.executable, "-m", "pytest", *options, "--rootdir", self.cwd, name]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.cwd)
        assert done.returncode == 0, f"{block.where}:\n{done.stdout}{done.stderr}"

    def _load(self, block):
        path = self.path(block.options["file"]) if "file" in block.options else self.site / "example.py"
        path.write_text(block.text)
        place = Place(home=self.home / ".pihost", project=self.cwd, site=self.site)
        target = path.parent if path.name == "__init__.py" else path
        assert asyncio.run(load(place, target)).extension is not None

    def _run_console(self, block):
        """Commands after ``$ ``, each with its output; ``…`` stands for anything, also for whole lines."""
        commands = []
        for line in block.text.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif commands and commands[-1][0].endswith("\\"):
                commands[-1] = (commands[-1][0][:-1] + line.lstrip("> "), [])
            else:
                assert commands, f"{block.where}: output without a command"
                commands[-1][1].append(line)
        for command, output in commands:
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                capture_output=True,
                text=True,
                cwd=self.cwd,
                stdin=subprocess.DEVNULL,
                timeout=60,
            )
            said = f"{block.where}: {command}\n{done.stdout}{done.stderr}"
            wanted = block.options.get("exit", "0") if command is commands[-1][0] else "0"
            assert done.returncode == int(wanted), f"exit code {done.returncode}, not {wanted}, of {said}"
            assert matches(output, done.stdout + done.stderr), said

    _run_sh = _run_console


def matches(wanted, printed):
    """Whether what was printed is what a page shows; a page that shows nothing promises nothing."""
    pattern = r"\s*".join(".*".join(map(re.escape, line.rstrip().split("…"))) for line in wanted)
    return not wanted or re.fullmatch(rf"\s*{pattern}\s*", printed, re.DOTALL) is not None


@pytest.fixture
def desk(tmp_path, monkeypatch):
    return Desk(tmp_path, monkeypatch)


@pytest.fixture
def blocks():
    return blocks_of

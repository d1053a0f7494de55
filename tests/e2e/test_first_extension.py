"""The page of the first five minutes, typed as it is printed, in an environment of its own."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.installs

PAGE = Path(__file__).parents[2] / "docs" / "first-extension.md"
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHIM = '#!/bin/sh\nexec {command} "$@"\n'


@pytest.fixture
def workshop(project_in, new_environment):
    """A directory in which ``pihost``, ``pip``, ``pytest`` and ``mypy`` are an environment's; no index."""
    made = project_in(new_environment())
    python = shlex.quote(str(made.environment.python))
    commands = {name: f"{python} -m {name}" for name in ("pihost", "pytest", "mypy")}
    # The first two words that follow are "install -e"; what ".[test]" needs is in the environment below.
    pip = f"{shlex.quote(sys.executable)} -m pip -q --python {python}"
    commands["pip"] = f"env PIP_NO_INDEX=1 PIP_NO_BUILD_ISOLATION=0 PIP_NO_DEPS=1 {pip}"
    folder = made.home / "bin"
    folder.mkdir()
    for name, command in commands.items():
        (folder / name).write_text(SHIM.format(command=command))
        (folder / name).chmod(0o755)
    made.env |= {"PATH": f"{folder}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return made


def script_of(page):
    """What the page says to do, as a script that prints a line before each command."""
    for language, options, text in BLOCK.findall(page):
        target = re.search(r"file=(\S+)", options)
        if target:
            yield f"cat > {target[1]} <<'END'\n{text}END"
        elif language == "console":
            for command in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
                yield f"echo {shlex.quote('$ ' + command)}\n{command}"


def printed_of(page):
    """What the page says is printed, as a pattern for each command."""
    for language, _options, text in BLOCK.findall(page):
        if language == "console":
            for command, shown in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", text, re.MULTILINE):
                lines = [".*".join(map(re.escape, line.split("…"))) for line in shown.splitlines()]
                pattern = r"\s*".join(lines).replace(re.escape("1.2 ms"), r"[\d.]+\s+ms")
                yield command, re.sub(r"(?:\\ )+", r"\\s+", pattern) if lines else ".*"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not beside these tests")
def test_the_page_works_as_it_is_printed(workshop):
    page = PAGE.read_text("utf-8")
    script = "\n".join(("set -e", *script_of(page)))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=workshop.cwd,
        env=workshop.env,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = dict(re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", done.stdout, re.MULTILINE))
    for command, pattern in printed_of(page):
        # Not the whole of it: the list has more where distributions of our own are installed as well.
        assert re.search(rf"^\s*{pattern}\s*$", printed[command], re.DOTALL | re.MULTILINE), (
            command,
            printed[command],
            pattern,
        )

"""What a type checker tells an author: nothing about right code, each mistake on its line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FOUND = re.compile(r"(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", re.MULTILINE)
MARKED = re.compile(r"# E: ([\w-]+)$")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What mypy finds in both files, as triples of file, line and code."""
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path_factory.mktemp("mypy"))]
    files = [str(HERE / "right_usage.py"), str(HERE / "wrong_usage.py")]
    done = subprocess.run([*command, *files], cwd=HERE.parents[1], capture_output=True, text=True)
    assert not done.stderr
    return {(name, int(line), code) for name, line, code in FOUND.findall(done.stdout)}


def test_right_usage_is_right(found):
    assert [one for one in found if one[0] == "right_usage.py"] == []


def test_each_mistake_is_found_on_its_line(found):
    lines = (HERE / "wrong_usage.py").read_text("utf-8").splitlines()
    marked = {
        ("wrong_usage.py", number, mark[1])
        for number, line in enumerate(lines, 1)
        if (mark := MARKED.search(line))
    }
    assert found == marked

"""Faults users hit with programs, each by its row: J is the shell, K long outputs, L grep and find."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from pihost.tools.shell._process_table import process_rows

RUNS_FOR = 30


def is_running(pid):
    return any(row.pid == int(pid) and not row.dead for row in process_rows())


@pytest.mark.parametrize(
    "command", [f"sleep {RUNS_FOR} & echo started", f"setsid sleep {RUNS_FOR} & echo started"]
)
async def test_j01_a_background_child_does_not_hold_the_result(call, command):
    begun = time.monotonic()
    result = await call("bash", command=f"{command} $!")
    assert time.monotonic() - begun < RUNS_FOR / 10
    word, pid = result.text.split()
    os.kill(int(pid), 9)
    assert (word, result.is_error, result.structured_content["exit_code"]) == ("started", False, 0)
    assert result.structured_content["wall_time_seconds"] < RUNS_FOR / 10


async def test_j02_a_timeout_ends_a_group_that_ignores_term(call):
    result = await call("bash", command='trap "" TERM; echo $$; sleep 60 & echo $!; wait', timeout=0.5)
    shell, child, *words = result.text.split()
    assert (result.is_error, " ".join(words)) == (True, "Command timed out after 0.5 seconds")
    assert not is_running(shell)
    assert not is_running(child)


@pytest.mark.parametrize("command", ["cat", "read x; echo over", "cat < /dev/tty; echo over"])
async def test_j04_what_waits_for_input_ends_at_once(call, command):
    begun = time.monotonic()
    result = await call("bash", command=command, timeout=20)
    assert time.monotonic() - begun < 10
    assert "timed out" not in result.text


async def test_j05_a_working_directory_that_is_gone_is_named(call, tmp_path):
    tmp_path.rmdir()
    result = await call("bash", command="true")
    assert (result.is_error, str(tmp_path) in result.text) == (True, True)


@pytest.mark.parametrize("seconds", [99_999_999, 0, -1, float("nan"), "30"])
async def test_j06_a_timeout_is_checked_before_the_start(call, tmp_path, seconds):
    result = await call("bash", command="touch ran", timeout=seconds)
    assert result.is_error
    assert "a number above 0, at most 2147483" in result.text
    assert not (tmp_path / "ran").exists()


async def test_j07_a_character_in_two_halves_is_whole(call):
    assert (await call("bash", command=r"printf '\342'; sleep 0.2; printf '\202\254'")).text == "€"


async def test_j08_the_model_sees_no_control_sequences_and_the_file_has_them(call):
    start = r"\033[31mred\033[0m \033]0;title\00710%%\r20%%\r\n\0x\033["
    command = f"printf '{start}'; sleep 0.2; printf 'Ky\\n'; seq 3000"
    result = await call("bash", command=command)
    assert "\x1b" not in result.text
    assert result.structured_content["output"].startswith("red 10%\r20%\nxy\n1\n2\n")
    raw = b"\x1b[31mred\x1b[0m \x1b]0;title\x0710%\r20%\r\n\0x\x1b[Ky\n1\n"
    assert result.details.full_output_path.read_bytes().startswith(raw)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo why >&2; exit 3", "why\n\nCommand exited with code 3"),
        ("false", "(no output)\n\nCommand exited with code 1"),
        ("kill -9 $$", "(no output)\n\nCommand exited with code 137 (killed by SIGKILL)"),
    ],
)
async def test_j09_a_failure_has_its_output_and_code(call, command, text):
    result = await call("bash", command=command)
    assert (result.text, result.is_error) == (text, True)


async def test_k01_3000_short_lines_are_complete_in_the_file(call):
    result = await call("bash", command="seq 3000")
    assert result.details.full_output_path.read_text() == "".join(f"{n}\n" for n in range(1, 3001))
    assert "[Showing lines 1001-3000 of 3000. Full output: " in result.text


async def test_k02_exactly_2000_lines_are_not_cut(call):
    result = await call("bash", command="seq 2000")
    assert (result.text.count("\n"), result.details) == (2000, None)


@pytest.fixture
def planted(tmp_path):
    """A link where the user's directory for outputs should be, and where it leads."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    Path(tempfile.gettempdir(), f"pihost-output-{os.getuid()}").symlink_to(theirs)
    return theirs


async def test_k07_a_planted_symlink_is_refused(call, tmp_path, planted):
    """Nothing is written through it; the output goes to the fallback."""
    result = await call("bash", command="seq 3000")
    assert not any(planted.iterdir())
    assert result.details.full_output_path.parent == tmp_path / "fallback"


async def test_l01_a_pattern_is_searched_for_and_not_obeyed(call, tmp_path):
    (tmp_path / "a").write_text("rg --pre=sh\ntouch ran\n")
    assert (await call("grep", pattern="--pre=sh")).text == "a:1: rg --pre=sh"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("src/**/*.py", "src/a.py\nsrc/b/x.py"), ("**/x.py", "src/b/x.py"), ("a/b.txt", "a/b.txt")],
)
async def test_l04_globs_with_directories_are_found(call, tmp_path, pattern, found):
    for name in ("src/a.py", "src/b/x.py", "a/b.txt", "b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert (await call("find", pattern=pattern)).text == found


@pytest.mark.parametrize("tool", ["grep", "find"])
async def test_l05_dot_directories_are_searched_and_git_is_not(call, tmp_path, tool):
    for name in (".github", ".git", "sub/.git"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "needle.yml").write_text("needle\n")
    pattern = "needle.yml" if tool == "find" else "needle"
    found = ".github/needle.yml" + (":1: needle" if tool == "grep" else "")
    assert (await call(tool, pattern=pattern)).text == found


@pytest.mark.parametrize("name", ["[ab]", "*", "{a,b}"])
@pytest.mark.parametrize("tool", ["grep", "find"])
async def test_l08_a_path_is_literal(call, tmp_path, tool, name):
    for directory in (name, "a"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / ("in" if directory == name else "inside-another")).write_text("needle\n")
    result = await call(tool, pattern="in*" if tool == "find" else "needle", path=name)
    assert result.text == "in" + (":1: needle" if tool == "grep" else "")


async def test_l09_crlf_and_the_edges_of_a_file(call, tmp_path):
    (tmp_path / "a").write_bytes(b"first\r\n\r\nlast\r\n")
    assert (await call("grep", pattern="t$")).text == "a:1: first\na:3: last"
    assert (await call("grep", pattern="^$")).text == "a:2: "
    assert (await call("grep", pattern="first|last", context=1)).text == "a:1: first\na-2- \na:3: last"

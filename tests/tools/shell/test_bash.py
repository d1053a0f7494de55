import asyncio
import base64
import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from pihost.content import ToolCall
from pihost.tools._programs import find_program
from pihost.tools.calling.call_context import ToolCallContext
from pihost.tools.calling.pipeline import call_tool
from pihost.tools.registry import ToolSettings, create_tool_definition
from pihost.tools.shell import bash
from pihost.tools.shell._process_table import process_rows


def running(pid):
    """Whether a process is there and not just waiting to be noticed."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_output_and_errors_come_merged_in_order(call):
    result = await call("bash", command="echo a; echo b >&2; echo c")
    assert (result.text, result.is_error) == ("a\nb\nc\n", False)


async def test_structured_content_says_how_it_went(call):
    structured = (await call("bash", command="echo a")).structured_content
    assert structured.pop("wall_time_seconds") > 0
    assert structured == {"output": "a\n", "truncated": False, "full_output_path": None, "exit_code": 0}


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("echo why >&2; exit 3", "why\n\nCommand exited with code 3", 3),
        ("false", "(no output)\n\nCommand exited with code 1", 1),
        ("kill -9 $$", "(no output)\n\nCommand exited with code 137 (killed by SIGKILL)", 137),
        ("kill -40 $$", "(no output)\n\nCommand exited with code 168 (killed by signal 40)", 168),
    ],
)
async def test_a_command_that_fails_is_an_error_with_its_output(call, command, text, code):
    result = await call("bash", command=command)
    assert (result.text, result.is_error) == (text, True)
    assert result.structured_content["exit_code"] == code


async def test_no_output_is_said(call):
    result = await call("bash", command="true")
    assert (result.text, result.is_error) == ("(no output)", False)


@pytest.mark.parametrize("command", ["sleep 5 & echo started", "setsid sleep 5 & echo started"])
async def test_a_background_child_does_not_hold_the_result(call, command):
    begun = time.monotonic()
    result = await call("bash", command=command + "; echo $!")
    assert time.monotonic() - begun < 2
    started, pid = result.text.split()
    assert (started, result.is_error) == ("started", False)
    assert running(pid)
    os.kill(int(pid), 9)


async def test_a_background_child_that_never_stops_writing_does_not_either(call):
    begun = time.monotonic()
    result = await call("bash", command="yes & echo $! > pid")
    assert time.monotonic() - begun < 3
    assert not result.is_error


async def test_a_timeout_ends_the_whole_group_and_keeps_the_output(call, tmp_path):
    command = 'trap "" TERM; echo part; sleep 60 & echo $! > pid; wait'
    result = await call("bash", command=command, timeout=0.3)
    assert result.text == "part\n\nCommand timed out after 0.3 seconds"
    assert result.is_error
    assert result.structured_content["exit_code"] is None
    assert not running((tmp_path / "pid").read_text().strip())


async def test_a_timeout_reaches_children_in_sessions_of_their_own(call, tmp_path):
    await call("bash", command="setsid sleep 60 & echo $! > pid; wait", timeout=0.3)
    assert not running((tmp_path / "pid").read_text().strip())


async def test_an_abort_ends_the_tree_and_keeps_the_output(call, ctx, tmp_path, until):
    task = asyncio.create_task(call("bash", command="echo part; sleep 60 & echo $! > pid; wait"))
    pid = await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    ctx.signal.abort()
    result = await asyncio.wait_for(task, 5)
    assert (result.text, result.is_error) == ("part\n\nCommand aborted", True)
    assert not running(pid)


async def test_a_cancelled_caller_leaves_nothing_running(call, tmp_path, until):
    task = asyncio.create_task(call("bash", command="sleep 60 & echo $! > pid; wait"))
    pid = await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert not running(pid)


@pytest.mark.parametrize("command", ["cat", "read x || true", "(: < /dev/tty) || true"])
async def test_waiting_for_input_ends_at_once(call, command):
    begun = time.monotonic()
    await call("bash", command=command)
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize("seconds", [99_999_999, 0, -1, float("nan"), float("inf"), "30"])
async def test_a_timeout_out_of_bounds_is_refused_before_the_start(call, tmp_path, seconds):
    result = await call("bash", command="touch ran", timeout=seconds)
    assert result.is_error
    assert "$.timeout: Expected float" in result.text
    assert "(a number above 0, at most 2147483)" in result.text
    assert not (tmp_path / "ran").exists()


async def test_a_working_directory_that_is_gone_is_named(call, tmp_path):
    tmp_path.rmdir()
    result = await call("bash", command="true")
    assert result.is_error
    assert f"the working directory {tmp_path} does not exist" in result.text


async def test_characters_are_whole_however_they_arrive(call):
    command = r"printf '\xe2'; sleep 0.15; printf '\x82\xac'"
    assert (await call("bash", command=command)).text == "€"


async def test_control_sequences_are_taken_out(call):
    first, second = r"\033[31mred\033[0m \033]0;title\00710%%\r20%%\r\n\0x\033[", "Ky"
    command = f"printf '{first}'; sleep 0.1; printf '{second}'"
    assert (await call("bash", command=command)).text == "red 10%\r20%\nxy"


async def test_a_cut_by_lines_names_the_file_that_has_everything(call):
    result = await call("bash", command="seq 3000")
    path = result.details.full_output_path
    assert result.text.endswith(f"\n3000\n\n[Showing lines 1001-3000 of 3000. Full output: {path}]")
    assert path.read_text() == "".join(f"{number}\n" for number in range(1, 3001))
    assert result.details.truncation.total_lines == 3000
    assert result.structured_content["full_output_path"] == str(path)
    assert result.structured_content["output"] == path.read_text()


async def test_a_cut_by_bytes_says_so(call):
    result = await call("bash", command="for i in $(seq 100); do printf '%01023d\\n' $i; done")
    assert (
        f"[Showing lines 51-100 of 100 (50.0KB limit). Full output: {result.details.full_output_path}]"
        in (result.text)
    )


@pytest.mark.parametrize("end", ["", "; echo"])
async def test_one_long_last_line_says_how_long_it_is(call, end):
    result = await call("bash", command="echo first; head -c 62669 /dev/zero | tr '\\0' x" + end)
    assert "x\n\n[Showing last 50.0KB of line 2 (line is 61.2KB). Full output: /" in result.text
    assert result.details.truncation.last_line_partial


async def test_a_failure_is_told_after_the_notice(call):
    result = await call("bash", command="seq 3000; exit 4")
    assert result.text.endswith("]\n\nCommand exited with code 4")


async def test_exactly_2000_lines_are_not_cut(call):
    result = await call("bash", command="seq 2000")
    assert result.text == "".join(f"{number}\n" for number in range(1, 2001))
    assert result.details is None


async def test_the_raw_bytes_are_in_the_file(call):
    result = await call("bash", command=r"printf '\033[31mred\033[0m\n'; seq 3000")
    assert result.details.full_output_path.read_bytes().startswith(b"\x1b[31mred\x1b[0m\n1\n")


async def test_output_that_cannot_be_kept_is_an_error_that_still_has_the_tail(call, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    (tmp_path / "fallback").touch()
    result = await call("bash", command="seq 3000")
    assert result.is_error
    assert "\n3000\n\n[Showing lines 1001-3000 of 3000. The full output was lost: " in result.text


async def test_updates_show_what_there_is_at_most_every_tenth_of_a_second(call, updates):
    begun = time.monotonic()
    await call("bash", command="for i in $(seq 40); do echo $i; sleep 0.01; done")
    assert 2 <= len(updates) <= (time.monotonic() - begun) / 0.1 + 1
    assert updates[0].text.startswith("1\n")
    assert "".join(f"{number}\n" for number in range(1, 41)).startswith(updates[-1].text)


async def test_the_environment_has_what_the_session_adds(tmp_path, ctx):
    ctx = ToolCallContext(ctx, env={"PIHOST_SESSION_ID": "s1"})
    offered = {"bash": create_tool_definition("bash", tmp_path)}
    sent = ToolCall(id="c", name="bash", arguments={"command": 'echo $PIHOST_SESSION_ID; test -n "$PATH"'})
    assert (await call_tool(offered, sent, ctx=ctx)).text == "s1\n"


@pytest.mark.parametrize("command", ["-x", "--help", "+x"])
async def test_a_command_is_never_an_option(call, command):
    assert "command not found" in (await call("bash", command=command)).text


@pytest.mark.parametrize(
    ("command", "message"), [("echo \0", "NUL"), (f"echo {'x' * 3_000_000}", "too long")]
)
async def test_a_command_no_system_can_run_is_a_clear_error(call, command, message):
    result = await call("bash", command=command)
    assert result.is_error
    assert message in result.text


async def test_another_shell_can_be_set(tmp_path, ctx):
    settings = ToolSettings(shell="/bin/sh")
    offered = {"bash": create_tool_definition("bash", tmp_path, settings=settings)}
    sent = ToolCall(id="c", name="bash", arguments={"command": "echo $0"})
    assert (await call_tool(offered, sent, ctx=ctx)).text == "/bin/sh\n"


async def test_a_machine_without_a_shell_is_a_clear_error(call, monkeypatch, tmp_path):
    monkeypatch.setattr(bash, "_USUAL", tmp_path / "none")
    monkeypatch.setenv("PATH", "")
    assert "There is no bash on this machine" in (await call("bash", command="true")).text


async def test_a_shell_that_is_not_there_is_a_clear_error(tmp_path, ctx):
    offered = {"bash": create_tool_definition("bash", tmp_path, settings=ToolSettings(shell="/no/shell"))}
    sent = ToolCall(id="c", name="bash", arguments={"command": "true"})
    result = await call_tool(offered, sent, ctx=ctx)
    assert result.is_error
    assert "/no/shell" in result.text


async def test_powershell_says_where_it_is_missing(call, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "neither pwsh nor powershell.exe" in (await call("powershell", command="1")).text


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Put a ``pwsh`` on the path that says how it was called and ends with the code it is told."""
    program = tmp_path / "bin" / "pwsh"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys\n"
        "print(json.dumps([sys.argv[1:], sys.stdin.read(), os.getcwd(), os.getsid(0) == os.getpid()]))\n"
        "print('to stderr', file=sys.stderr)\n"
        "sys.exit(int(os.environ.get('STAND_IN_EXIT', 0)))\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


async def test_powershell_gets_the_command_encoded_with_utf8_forced(call, stand_in, tmp_path):
    result = await call("powershell", command="Write-Output 'é \"$x\"'")
    told, errors = result.text.splitlines()
    (*options, last), standard_input, directory, own_session = json.loads(told)
    script = base64.b64decode(last).decode("utf-16-le").splitlines()
    assert options == [
        "-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text", "-EncodedCommand",
    ]  # fmt: skip
    assert (
        "[Console]::OutputEncoding = $OutputEncoding = [System.Text.UTF8Encoding]::new($false)" in script[0]
    )
    assert script[1] == "Write-Output 'é \"$x\"'"
    assert (standard_input, directory, own_session) == ("", str(tmp_path), True)
    assert errors == "to stderr"


async def test_powershell_reports_as_bash_does(call, stand_in, monkeypatch):
    monkeypatch.setenv("STAND_IN_EXIT", "3")
    result = await call("powershell", command="exit 3")
    assert result.is_error
    assert result.text.endswith("\n\nCommand exited with code 3")
    assert result.structured_content["exit_code"] == 3


@pytest.mark.skipif(find_program("pwsh", "powershell") is None, reason="no PowerShell is installed")
async def test_powershell_for_real(call):
    assert (await call("powershell", command="Write-Output 'é'")).text.strip() == "é"
    assert (await call("powershell", command="exit 3")).structured_content["exit_code"] == 3


def held(marker):
    """How many descriptors, processes with a marked environment, threads and tasks there are."""
    processes = 0
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it has ended while we looked, or is somebody else's
            processes += marker.encode() in environment.read_bytes()
    children = sum(row.parent == os.getpid() for row in process_rows())
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "processes": processes + children,
        "threads": threading.active_count(),
        "tasks": len(asyncio.all_tasks()),
    }


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="counts processes by /proc")
async def test_200_calls_leave_no_descriptor_process_thread_or_task(tmp_path, ctx, until):
    """Quick ones, failing ones, floods, timeouts, and children that live on for a while."""
    marker = f"PIHOST_TEST_MARK={tmp_path}"
    ctx = ToolCallContext(ctx, env=dict([marker.split("=")]))
    offered = {"bash": create_tool_definition("bash", tmp_path)}
    kinds = [
        {"command": "true"},
        {"command": "echo why >&2; exit 3"},
        {"command": "seq 20000"},
        {"command": "sleep 0.3 & setsid sleep 0.3 & echo started"},
        {"command": "setsid sleep 60 & yes & wait", "timeout": 0.1},
    ]

    async def one(number):
        sent = ToolCall(id=f"c{number}", name="bash", arguments=kinds[number % len(kinds)])
        return await call_tool(offered, sent, ctx=ctx)

    await asyncio.gather(*map(one, range(5)))
    await until(lambda: held(marker)["processes"] == 0)
    before = held(marker)
    for start in range(0, 200, 20):
        results = await asyncio.gather(*map(one, range(start, start + 20)))
        assert [result.is_error for result in results] == [False, True, False, False, True] * 4
    await until(lambda: held(marker) == before)
    print(f"before 200 calls: {before}, after: {held(marker)}")

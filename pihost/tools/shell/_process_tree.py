"""Ending a process together with everything it has started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time

from pihost.tools.shell._process_table import ProcessRow, family, process_rows

__all__ = ["TERM_GRACE_SECONDS", "ProcessTree"]

TERM_GRACE_SECONDS = 1.0
"""How long a process may take to end by itself once it was told to."""

_KILL_SECONDS = 1.0
_POLL_SECONDS = 0.03


class ProcessTree:
    """A process that leads a group and session of its own, and its descendants.

    A child that moved to another session still counts while its parent lives, or if it was seen before its
    parent ended.

    Args:
        pid: The process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen: list[ProcessRow] = []

    async def end(self) -> None:
        """Tell every process to end and kill those that have not after a short grace."""
        try:
            self._signal(terminate=True)
            await self._wait(TERM_GRACE_SECONDS)
        finally:
            self.kill()
        await self._wait(_KILL_SECONDS)

    def kill(self) -> None:
        """Kill every process at once."""
        self._signal(terminate=False)

    def has_left_some(self) -> bool:
        """Whether processes of the group live on after their leader, and remember them if so."""
        if sys.platform == "win32":
            return False
        try:
            os.killpg(self._pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # there is somebody, though not ours to signal
        return bool(self._living())

    def is_left(self) -> bool:
        """Whether one of those remembered still lives.

        As long as one does, the number of the group is not given again, and all who bear it belong to it.
        """
        remembered = {(row.pid, row.started) for row in self._seen}
        return any((row.pid, row.started) in remembered and not row.dead for row in process_rows())

    def terminate(self) -> None:
        """Tell every process to end."""
        self._signal(terminate=True)

    async def _wait(self, seconds: float) -> None:
        """Return when none is left, or after ``seconds``."""
        deadline = time.monotonic() + seconds
        # Nothing tells when processes end that are not our children.
        while self._living() and time.monotonic() < deadline:  # noqa: ASYNC110 -- see above
            await asyncio.sleep(_POLL_SECONDS)

    def _living(self) -> list[ProcessRow]:
        if sys.platform == "win32":
            return []
        self._seen = family(process_rows(), self._pid, self._seen)
        return self._seen

    def _signal(self, *, terminate: bool) -> None:
        if sys.platform == "win32":
            command = ["taskkill", "/F", "/T", "/PID", str(self._pid)]
            subprocess.run(command, capture_output=True, check=False)
        else:
            number = signal.SIGTERM if terminate else signal.SIGKILL
            told: set[ProcessRow] = set()
            # What was looked at may start another before it is told, so look again until nobody is new.
            # In their order, the leader first: a shell that outlives its children speaks of their end.
            while new := [row for row in self._living() if row not in told]:
                for row in new:
                    # It may have ended since, or belong to somebody else by now.
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(row.pid, number)
                told.update(new)

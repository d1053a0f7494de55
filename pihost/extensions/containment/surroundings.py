"""What the process looks like while an extension loads, and what becomes of what that changes."""

from __future__ import annotations

import signal
import sys
import threading
from _signal import getsignal  # type: ignore[import-not-found]  # signal.getsignal takes ten times as long
from _signal import signal as set_signal
from collections.abc import Callable, Coroutine, Generator, Sequence
from io import TextIOWrapper
from typing import Any, Generic, TypeVar

import attrs

from pihost.diagnostics import Diagnostic
from pihost.extensions.containment.output import open_again
from pihost.extensions.containment.state import SharedState

__all__ = ["InSteps", "Surroundings"]

_T = TypeVar("_T")


class Surroundings:
    """Around each stretch of an extension's code that nothing else can interrupt.

    What it changes of what the whole process shares is undone at the end of the stretch. What it prints goes
    to stderr: stdout belongs to an answer or to a protocol. Ctrl-C raises ``KeyboardInterrupt`` at once: an
    event loop's own handler only asks for the end at the next suspension, which code that blocks never
    reaches. A program that ignores the signal goes on ignoring it, and so does a thread that gets none.

    Attributes:
        extension: Id of the extension whose code runs.

    Args:
        stdout_to_stderr: Whether what is printed goes to stderr.
        exact: Whether every stretch is looked at by itself. Otherwise those up to ``leave`` are looked at
            together: to read everything that is shared takes as long as to import a small file.
    """

    def __init__(self, *, stdout_to_stderr: bool, exact: bool = True) -> None:
        self.extension = ""
        self._to_stderr = stdout_to_stderr
        self._exact = exact
        self._stand_in: Any = None
        self._stdout: Any = None
        self._interrupt: Any = None
        self._shared: SharedState | None = None
        self._first = ""
        self._found: list[Diagnostic] = []

    def __enter__(self) -> None:
        if self._shared is None:
            self._interrupt = _interruptible()
            self._stdout = sys.stdout
            if self._to_stderr:
                sys.stdout = self._printed()
            self._first = self.extension
            self._shared = SharedState()

    def __exit__(self, raised: type[BaseException] | None, *_more: object) -> None:
        if self._exact or raised not in (None, StopIteration):
            self.leave()

    def leave(self) -> None:
        """Make everything as it was before: others may run now, and change what they like."""
        if self._shared is None:
            return
        undone, stays = self._shared.put_back()
        self._shared = None
        if undone or stays:
            self._found.append(self._diagnostic(undone, stays))
        if self._to_stderr:
            closed = getattr(self._stdout, "closed", False)
            sys.stdout = open_again(self._stdout) if closed else self._stdout
        if self._interrupt is not None:
            set_signal(signal.SIGINT, self._interrupt)

    def warnings(self) -> tuple[Diagnostic, ...]:
        """What was changed that is not an extension's own, and by which; each only once."""
        return tuple(dict.fromkeys(self._found))

    def _diagnostic(self, undone: Sequence[str], stays: Sequence[str]) -> Diagnostic:
        parts = []
        if undone:
            parts.append(f"changed {', '.join(undone)} while it was loading, which was undone")
        if stays:
            parts.append(
                f"changed {', '.join(stays)} while it was loading, which stays so for the whole process"
            )
        one = self._first == self.extension
        who = f"Extension {self.extension!r}" if one else f"One of {self._first!r} to {self.extension!r}"
        message = f"{who} {'; it '.join(parts)}"
        return Diagnostic(
            level="warning", message=message, kind="load", source=self.extension if one else None
        )

    def _printed(self) -> Any:
        """A stream of its own on the descriptor of stderr, so that nobody else loses theirs with it."""
        if self._stand_in is None or self._stand_in.closed:
            self._stand_in = _beside(sys.stderr)
        return self._stand_in


def _beside(stream: Any) -> Any:
    if not isinstance(stream, TextIOWrapper):
        return stream
    try:
        descriptor = stream.fileno()
    except OSError:
        return stream
    return open(descriptor, "w", buffering=1, encoding=stream.encoding, errors=stream.errors, closefd=False)


def _interruptible() -> Any:
    """Let SIGINT raise; what it did before, or ``None`` where it is left alone."""
    before = getsignal(signal.SIGINT)
    others = (None, int(signal.SIG_IGN), signal.default_int_handler)
    if before in others or threading.current_thread() is not threading.main_thread():
        return None
    set_signal(signal.SIGINT, signal.default_int_handler)
    return before


@attrs.frozen(eq=False)
class InSteps(Generic[_T]):
    """Awaits ``work``, with the surroundings around every stretch of it that runs without a suspension.

    While it is suspended others run, who have nothing to do with them.

    Attributes:
        work: What to run.
        surroundings: What is around each stretch.
    """

    work: Coroutine[Any, Any, _T]
    surroundings: Surroundings

    def __await__(self) -> Generator[Any, Any, _T]:
        step: Callable[[Any], Any] = self.work.send
        value: Any = None
        while True:
            try:
                with self.surroundings:
                    waits_for = step(value)
            except StopIteration as end:
                result: _T = end.value
                return result
            self.surroundings.leave()
            try:
                value = yield waits_for
                step = self.work.send
            except BaseException as fault:  # noqa: BLE001 -- it is handed on to the work
                step, value = self.work.throw, fault

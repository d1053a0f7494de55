"""Keeping standard output for the answer: whatever else is written there goes to stderr."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO

__all__ = ["answer_only", "end_output"]

_STDOUT, _STDERR = 1, 2


@contextlib.contextmanager
def answer_only() -> Iterator[TextIO]:
    """Let nobody but the caller write to standard output.

    What extensions print goes to stderr, and so does what they write to the descriptor and what programs that
    they start inherit as their standard output.

    Yields:
        Where the answer goes.
    """
    before = sys.stdout
    before.flush()
    kept = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    sys.stdout = sys.stderr
    answer = _same(before, kept)
    try:
        yield answer
    finally:
        sys.stdout = sys.__stdout__ if before.closed and sys.__stdout__ is not None else before
        try:
            answer.flush()
        finally:
            os.dup2(kept, _STDOUT)
            _close(answer if answer is not before else None, kept)


def end_output() -> None:
    """Send to stderr whatever is written to standard output from now on: the answer is complete.

    Extensions may have left functions behind for the end of the process, and threads.
    """
    sys.stdout.flush()
    os.dup2(_STDERR, _STDOUT)


def _same(stream: TextIO, descriptor: int) -> TextIO:
    """The stream on another descriptor; one that is not on a descriptor of its own stays what it is."""
    try:
        own = stream.fileno() == _STDOUT
    except OSError:
        own = False
    if not own:
        return stream
    return open(
        descriptor,
        "w",
        buffering=1 if stream.isatty() else -1,
        encoding=stream.encoding,
        errors=stream.errors,
        closefd=False,
    )


def _close(answer: TextIO | None, descriptor: int) -> None:
    try:
        if answer is not None:
            answer.close()
    finally:
        os.close(descriptor)

"""Print mode: the prompts run one after another, each answer goes to stdout, everything else to stderr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, TextIO

from pihost.display import fit_for
from pihost.modes.fault_log import FaultLog, Say
from pihost.modes.outcome import Outcome

if TYPE_CHECKING:
    from pihost.host import Host
    from pihost.modes.prompts import Prompt

__all__ = ["PrintMode"]


def _nothing() -> None:
    """Nobody reports anything else."""


class PrintMode:
    """Prints what the model answers at the end of each prompt.

    Args:
        out: Gets the answers and nothing else.
        say: Gets failures, blocks and errors of extensions, after the answer they belong to.
        look: Called after each prompt, to report what else was found wrong, as with a session gone on with.
    """

    def __init__(self, out: TextIO, say: Say, look: Callable[[], None] = _nothing) -> None:
        self._out = out
        self._say = say
        self._look = look
        self._faults = FaultLog(say)

    def follow(self, host: Host) -> None:
        """Collect the faults that ``host`` tells from now on; before its session starts."""
        self._faults.follow(host)

    async def run(self, host: Host, prompts: Sequence[Prompt]) -> int:
        """Run the prompts.

        Args:
            host: A host whose session has started.
            prompts: What to say, in order. The first one that fails ends the run, and so does an extension
                that asks for the end.

        Returns:
            0, or 1 where a run failed.
        """
        for prompt in prompts:
            outcome = Outcome()
            async with aclosing(host.session.prompt(prompt.text, images=prompt.images)) as events:
                async for event in events:
                    outcome.take(event)
            self._print(*outcome.told, "" if outcome.answer is None else outcome.answer.text)
            self._look()
            self._faults.tell()
            if outcome.failure is not None:
                self._say("error", outcome.failure)
                return 1
            if host.shutdown_requested:
                break
        return 0

    def finish(self) -> None:
        """Tell what is left to tell, once the host is closed."""
        self._faults.tell()

    def _print(self, *texts: str) -> None:
        for text in filter(None, texts):
            self._out.write(fit_for(self._out, text if text.endswith("\n") else f"{text}\n"))
            self._out.flush()

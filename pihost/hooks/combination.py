"""How answers combine by kind of hook: what the answers of one dispatch come to.

A combination lives for one dispatch, and only where somebody answered or failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pihost.hooks._markers import Kind
from pihost.hooks.specs import Spec

__all__ = ["COMBINATIONS", "Chain", "Collect", "Combination", "First", "Gate", "Notify"]


class Combination:
    """What the answers of one dispatch come to.

    Attributes:
        event: The event as the next handler sees it.
        ended: No further handler is called.
        refusal: Who refused, and why, once somebody has; it stands whatever comes after.
    """

    fails_closed: ClassVar[bool] = False
    """Whether a handler that fails counts as a refusal."""

    needless: ClassVar[bool] = False
    """Whether every answer is a mistake, worth one report."""

    def __init__(self, spec: Spec, event: Any) -> None:
        self.spec = spec
        self.event = event
        self.ended = False
        self.refusal: tuple[str, str] | None = None

    def take(self, extension: str, answer: Any) -> str | None:
        """Take an answer.

        Args:
            extension: Whose it is.
            answer: Anything but ``None``.

        Returns:
            What is wrong with it, or ``None``.
        """
        if self.spec.results and not isinstance(answer, self.spec.results):
            return self._wrong_type(answer)
        return self._fold(extension, answer)

    def fail(self, extension: str, fault: str) -> None:
        """A handler raised, ran out of time or gave a wrong answer; only what fails closed minds."""

    def broke(self, extension: str, fault: str) -> None:
        """A handler raised: a failure, and for some hooks worth a mark."""
        self.fail(extension, fault)

    def ran_late(self, extension: str, fault: str) -> None:
        """A handler ran out of time; most hooks take it like any other failure."""
        self.broke(extension, fault)

    def value(self) -> Any:
        """What ``emit`` gives."""
        return None

    def _fold(self, extension: str, answer: Any) -> str | None:
        raise NotImplementedError

    def _wrong_type(self, answer: object) -> str:
        wanted = " or ".join(c.__name__ for c in self.spec.results)
        return f"answered {_short(answer)}; the answer must be {wanted} or None"


def _short(value: object) -> str:
    """The value as a report shows it: its type, since what it holds may be private or endless."""
    return f"{value!r}" if isinstance(value, bool) else f"a value of type {type(value).__name__}"


class Notify(Combination):
    """Answers are ignored."""

    needless = True

    def take(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        """Say that an answer is a mistake here."""
        return f"answered {_short(answer)}; answers to this hook are ignored"


class Collect(Combination):
    """All answers, in order."""

    def __init__(self, spec: Spec, event: Any) -> None:
        super().__init__(spec, event)
        self._answers: list[tuple[str, Any]] = []

    def _fold(self, extension: str, answer: Any) -> None:
        self._answers.append((extension, answer))

    def value(self) -> Any:
        """Every answer with the id of its extension."""
        return list(self._answers)


class First(Combination):
    """The first answer wins; a wrapper's may take its place."""

    def __init__(self, spec: Spec, event: Any) -> None:
        super().__init__(spec, event)
        self._answer: Any = None

    def _fold(self, extension: str, answer: Any) -> str | None:  # noqa: ARG002 -- the base's names
        if self.refusal is None and self._is_answer(answer):
            self._answer = answer
            self.ended = True
        return None

    def _is_answer(self, answer: Any) -> bool:  # noqa: ARG002 -- for hooks that have answers which are none
        return True

    def value(self) -> Any:
        """The answer, or ``None``."""
        return self._answer


class Gate(First):
    """The first answer that blocks ends the dispatch. What blocks stays blocked."""


class Chain(Combination):
    """Each answer takes the place of the first argument."""

    def _fold(self, extension: str, answer: Any) -> None:  # noqa: ARG002 -- the base's names
        self.event = {**self.event, self.spec.arguments[0]: answer}

    def value(self) -> Any:
        """The first argument as the handlers left it."""
        return self.event[self.spec.arguments[0]]


COMBINATIONS: Mapping[Kind, type[Combination]] = MappingProxyType(
    {"notify": Notify, "chain": Chain, "gate": Gate, "first": First, "collect": Collect}
)
"""What serves a hook about which its kind says everything."""

"""Errors of declaring and registering hooks, and what a handler's time limit raises."""

from __future__ import annotations

from collections.abc import Sequence

from pihost.errors import PihostError

__all__ = ["HandlerTimeoutError", "HookRegistrationError", "HookspecError", "UnknownHookError"]


class HookspecError(PihostError):
    """``hookspec`` was not given a kind.

    Attributes:
        kind: What it was given.
        kinds: The kinds there are.
    """

    hint = 'Write the kind in the decorator: @hookspec("notify").'

    def __init__(self, kind: object, kinds: Sequence[str]) -> None:
        super().__init__(kind, tuple(kinds))
        self.kind = kind
        self.kinds = tuple(kinds)

    def __str__(self) -> str:
        return f"hookspec: {self.kind!r} is no kind of hook; there are: {', '.join(self.kinds)}"


class HookRegistrationError(PihostError):
    """Hooks of an extension cannot be registered. None of them is.

    Attributes:
        extension: Id of the extension.
        faults: Everything that is wrong, each as a sentence that names the function and its line.
    """

    def __init__(self, extension: str, faults: Sequence[str]) -> None:
        super().__init__(extension, tuple(faults))
        self.extension = extension
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return f"Extension {self.extension!r}: {'; '.join(self.faults)}"


class UnknownHookError(PihostError):
    """Somebody called a hook that no extension has declared, or with other arguments than declared.

    Attributes:
        name: The hook's name.
        fault: What is wrong with the call.
    """

    def __init__(self, name: str, fault: str) -> None:
        super().__init__(name, fault)
        self.name = name
        self.fault = fault

    def __str__(self) -> str:
        return f"Hook {self.name!r}: {self.fault}"


class HandlerTimeoutError(PihostError):
    """A handler ran past its time limit and was cancelled.

    Attributes:
        seconds: The limit.
    """

    hint = "Raise the setting hook_timeout, or do the long work in a task of its own."

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"cancelled after the time limit of {self.seconds:g} s"

"""What is raised at a registration that cannot be."""

from __future__ import annotations

from pihost.errors import PihostError

__all__ = ["RegistrationError", "not_registered"]


class RegistrationError(PihostError):
    """An extension registered something that cannot be used.

    Attributes:
        extension: Id of the extension.
        subject: What it registered, such as ``"tool 'count'"``.
        problem: What is wrong with it and what would be right.
    """

    def __init__(self, extension: str, subject: str, problem: str) -> None:
        super().__init__(extension, subject, problem)
        self.extension = extension
        self.subject = subject
        self.problem = problem

    def __str__(self) -> str:
        return f"Extension {self.extension!r}: {self.subject} {self.problem}"


def not_registered(extension: str, subject: str) -> RegistrationError:
    """The error of an extension that takes back what is not there, or is somebody else's.

    Args:
        extension: Its id.
        subject: What it would take back.
    """
    return RegistrationError(extension, subject, "is not registered by this extension")

"""What goes wrong with servers, said so that a user can mend it."""

from __future__ import annotations

from pihost import PihostError

__all__ = ["ConfigError", "ProgramError", "ServerError", "UnsetVariableError"]


class ConfigError(PihostError):
    """A file, or an entry of it, does not say how servers are reached.

    Attributes:
        where: The file, or the server's name.
        problem: What is wrong and what would be right.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(where, problem)
        self.where = where
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


class UnsetVariableError(PihostError):
    """A configured text names a variable that the environment lacks.

    Attributes:
        variable: Its name.
    """

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable

    def __str__(self) -> str:
        return f"needs ${self.variable}, which is not set"


class ProgramError(PihostError):
    """A server's program cannot be run.

    Attributes:
        problem: Why.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


class ServerError(PihostError):
    """An MCP server cannot be reached, or does not answer as it should.

    Attributes:
        server: Its name.
        problem: What went wrong.
    """

    def __init__(self, server: str, problem: str) -> None:
        super().__init__(server, problem)
        self.server = server
        self.problem = problem

    def __str__(self) -> str:
        return f"MCP server {self.server!r}: {self.problem}"

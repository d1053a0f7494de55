"""What can go wrong for a client."""

from __future__ import annotations

from pihost.errors import PihostError

__all__ = ["RpcCommandError", "RpcConnectionError", "RpcError"]


class RpcError(PihostError):
    """The root of every error of the client."""


class RpcCommandError(RpcError):
    """The server did not do a command.

    Attributes:
        command: The command's type.
        reason: Why not, in the server's words.
    """

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(command, reason)
        self.command = command
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.command}: {self.reason}"


class RpcConnectionError(RpcError):
    """There is no server to speak with: it did not start, it has ended, or it says what is no record.

    Attributes:
        reason: What happened.
        exit_code: The process's exit code; ``None`` where it did not start or had not ended.
        stderr: The last it wrote to standard error.
    """

    def __init__(self, reason: str, exit_code: int | None = None, stderr: str = "") -> None:
        super().__init__(reason, exit_code, stderr)
        self.reason = reason
        self.exit_code = exit_code
        self.stderr = stderr

    def __str__(self) -> str:
        said = self.stderr.strip()
        return f"{self.reason}\n{said}" if said else self.reason

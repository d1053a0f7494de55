"""The program of a server: what it is, where it runs, and what of our environment it gets."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from mcp.client.stdio import get_default_environment

from pihost_mcp._child import Child, running
from pihost_mcp._config import ServerConfig
from pihost_mcp._errors import ProgramError
from pihost_mcp._server_log import ServerLog
from pihost_mcp._variables import Variables

__all__ = ["DEPTH", "run_server"]

DEPTH = "PIHOST_MCP_DEPTH"
"""Tells a pihost that is itself a server of another one how many are around it."""
_DEEPEST = 3


@contextlib.asynccontextmanager
async def run_server(
    config: ServerConfig, *, cwd: str, variables: Variables, log: ServerLog
) -> AsyncIterator[Child]:
    """Run the program of a server until this is left.

    Besides what the configuration says, it gets only those variables that the SDK hands to any server.

    Args:
        config: The server, which has a command.
        cwd: The session's directory.
        variables: Looks up what the configuration names.
        log: Takes what it says on its standard error.

    Yields:
        Its process.

    Raises:
        ProgramError: it cannot be started.
        UnsetVariableError: a variable is not set.
    """
    argv = _words(config, variables)
    directory = _directory(cwd, config, variables)
    env = {**get_default_environment(), DEPTH: str(_depth() + 1), **variables.in_values(config.env)}
    log.note(f"starting {variables.mask(' '.join(argv))}")
    async with contextlib.AsyncExitStack() as stack:
        with _said_plainly(variables.mask(argv[0])):
            child = await stack.enter_async_context(running(argv, env=env, cwd=directory, errors=log.write))
        yield child


def _words(config: ServerConfig, variables: Variables) -> list[str]:
    program = variables.in_text(config.command or "")
    # Not pathlib, which would make a path of the working directory of "./serve".
    return [os.path.expanduser(program), *(variables.in_text(text) for text in config.args)]  # noqa: PTH111


def _directory(cwd: str, config: ServerConfig, variables: Variables) -> Path:
    directory = Path(cwd, Path(variables.in_text(config.cwd or "")).expanduser())
    if not directory.is_dir():
        raise ProgramError(f'its "cwd" {variables.mask(str(directory))} is no directory')
    return directory


@contextlib.contextmanager
def _said_plainly(program: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise ProgramError(f"there is no program {program!r}") from None
    except OSError as fault:
        raise ProgramError(f"the program {program!r} cannot be run: {fault.strerror}") from fault


def _depth() -> int:
    """How many hosts there are around this one.

    Raises:
        ProgramError: so many that each seems to run itself.
    """
    text = os.environ.get(DEPTH, "0")
    depth = int(text) if text.isdecimal() else 0
    if depth >= _DEEPEST:
        raise ProgramError(
            f"is not started: {depth} hosts run inside one another, so one seems to run itself"
        )
    return depth

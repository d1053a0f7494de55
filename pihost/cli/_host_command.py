"""A command that does its work in a host: what is loaded, how it ends, what it says of faults."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

    from pihost.cli._running import Interruption
    from pihost.host import Host

__all__ = ["HostWork", "host_parameters", "run_in_host"]

HostWork = Callable[["Host"], Awaitable[int]]
"""Does a command's work in an open host; what it returns is the exit code."""


def host_parameters() -> list[click.Parameter]:
    """The options of a command that opens a host: ``-e``, ``-ne``, ``--disable``, ``-a`` and ``-na``.

    Their values are what ``run_in_host`` takes.
    """
    from pihost.cli._options import loading_options

    return [option.for_click() for option in loading_options()]


def run_in_host(
    work: HostWork,
    values: Mapping[str, Any],
    *,
    tools: Sequence[str] | None = None,
    exclude_tools: Sequence[str] = (),
) -> int:
    """Open a host in the working directory, without a session to keep, do the work, and end it.

    Diagnostics go to stderr, and errors among them end it before the work begins. A first signal that asks
    the process to end cancels the work, so that the session ends in order.

    Args:
        work: Does the work.
        values: The values of ``host_parameters``, by name.
        tools: Names of the tools that are active; ``None`` leaves it to the settings.
        exclude_tools: Names of tools that there are not to be.

    Returns:
        The exit code: what the work returned; 1 where the start was refused; 130 and the like after a signal.

    Raises:
        UsageError: the options contradict each other, or the working directory is gone.
    """
    from pihost.cli._running import run_until_done

    chosen = {"tools": None if tools is None else tuple(tools), "exclude_tools": tuple(exclude_tools)}
    return run_until_done(partial(_open_and_work, work, values, chosen))


async def _open_and_work(
    work: HostWork, values: Mapping[str, Any], chosen: Mapping[str, Any], interruption: Interruption
) -> int:
    import attrs

    from pihost.cli._report import report_all, say
    from pihost.cli._values import loading_host_options, working_directory
    from pihost.config import HostConfig
    from pihost.host import Host, StartRefusedError
    from pihost.modes.fault_log import FaultLog
    from pihost.modes.notices import notices_by

    faults = FaultLog(say)

    def before_start(host: Host) -> None:
        report_all(host.diagnostics)
        host.refuse_errors()
        faults.follow(host)
        interruption.from_now_on_orderly()

    options = attrs.evolve(loading_host_options(values), **chosen)
    try:
        async with Host.open(
            working_directory(),
            config=HostConfig(),
            options=options,
            ui=notices_by(say),
            before_start=before_start,
        ) as host:
            return await work(host)
    except StartRefusedError:
        return 1
    finally:
        faults.tell()

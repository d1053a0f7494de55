"""Commands that installed distributions bring, through the entry-point group ``<group>.cli``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost._values import Value
from pihost.cli._arguments import UsageError
from pihost.config import HostConfig
from pihost.extensions.candidate import Candidate

if TYPE_CHECKING:
    import click

__all__ = ["DistributionCommand", "distribution_commands"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class DistributionCommand(Value):
    """A command of a distribution, not imported yet.

    Attributes:
        name: The word that names it.
        candidate: Where it was found.
    """

    name: str
    candidate: Candidate

    def load(self) -> click.Command:
        """Import it.

        Raises:
            UsageError: it comes from a project that is not trusted, cannot be imported, or is no command.
        """
        from importlib.metadata import EntryPoint

        import click

        where = f"the command {self.name!r} of {self.candidate.distribution}"
        if self.candidate.needs_trust and not _is_trusted():
            raise UsageError(
                f"{where} comes from this project, which is not trusted",
                'Trust it with "pihost trust allow".',
            )
        entry = EntryPoint(self.name, self.candidate.entry_point or "", HostConfig().command_group)
        try:
            if self.candidate.needs_trust:
                from pihost.extensions.source_only import import_from_source

                import_from_source(entry.module)
            command = entry.load()
        except Exception as fault:
            # Other people's code may raise anything; what it raised is chained for --debug.
            raise UsageError(f"{where} cannot be imported: {type(fault).__name__}: {fault}") from fault
        if not isinstance(command, click.Command):
            raise UsageError(f"{where} is no click command: {self.candidate.entry_point}")
        return command


def distribution_commands() -> Mapping[str, DistributionCommand]:
    """The commands of distributions, by name; the first of a name counts. Nothing is imported."""
    from pihost.extensions.installed import search_installed

    if HostConfig().env("DISABLE_INSTALLED") not in {None, "0"}:
        return {}
    commands: dict[str, DistributionCommand] = {}
    for found in search_installed(HostConfig().command_group, Path.cwd()):
        if isinstance(found, Candidate) and found.entry_name is not None:
            commands.setdefault(found.entry_name, DistributionCommand(name=found.entry_name, candidate=found))
    return commands


def _is_trusted() -> bool:
    """Whether a start here would trust the project, with nobody to ask and no extension asked."""
    from pihost.config import HostOptions
    from pihost.extensions.event_loop import run_to_end
    from pihost.host import survey

    options = HostOptions()
    return run_to_end(survey(Path.cwd(), config=HostConfig(), options=options, load=False)).trust.trusted

"""Finding extensions: where they may be, in which order, and under which ids. Nothing of them runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pihost.config import HostConfig
from pihost.extensions._found import Fault, Found, Origin, error
from pihost.extensions._identity import merge_duplicates, with_unique_ids
from pihost.extensions.candidate import Candidate, Discovery, Source
from pihost.paths import canonical
from pihost.settings import Settings

if TYPE_CHECKING:
    from pihost.extensions.installed import ProjectCommand

__all__ = ["discover"]

_DIRECTORY = "extensions"


def discover(  # noqa: PLR0913 -- every place that is searched is handed in
    cwd: str | Path,
    *,
    config: HostConfig,
    home: Path,
    settings: Settings,
    paths: Iterable[str | Path] = (),
    installed: bool = True,
    before: Iterable[Candidate] = (),
) -> Discovery:
    """Find every extension there is, and what is wrong with the places they may be in.

    This does: list directories, and read manifests, script metadata and the metadata of distributions. This
    does not: import or run anything of an extension, or decide whether it may take part (see ``admit``).

    Args:
        cwd: The project's directory.
        config: Names the project's configuration directory, the entry-point group and the environment.
        home: The user's global directory.
        settings: Name the configured extensions; the project's are there only once it is trusted.
        paths: What was given with ``-e``, relative to ``cwd``.
        installed: Whether to look at installed distributions; ``$<env_prefix>_DISABLE_INSTALLED=1`` turns
            them off as well.
        before: What an earlier discovery found here; it keeps the ids it has.
    """
    project = Path(cwd).absolute()
    found: list[Found | ProjectCommand] = list(_search_paths(project, config, home, settings, paths))
    if installed and config.env("DISABLE_INSTALLED") in {None, "0"}:
        found += _search_installed(config, project)
    in_order = sorted((f for f in found if isinstance(f, Candidate)), key=lambda c: c.source.rank)
    candidates = with_unique_ids(merge_duplicates(in_order), before)
    faults = [f for f in found if isinstance(f, Fault)]
    for candidate in candidates:
        faults += _incompatibilities(candidate)
    return Discovery(
        candidates=candidates,
        commands=tuple(f.candidate for f in found if not isinstance(f, Candidate | Fault)),
        diagnostics=tuple(fault.diagnostic for fault in faults),
        project_diagnostics=tuple(fault.diagnostic for fault in faults if fault.from_project),
    )


def _search_paths(
    cwd: Path, config: HostConfig, home: Path, settings: Settings, paths: Iterable[str | Path]
) -> Iterator[Found]:
    """The sources that are paths, in their order."""
    project = config.project_dir(cwd)
    if canonical(project) != canonical(
        home
    ):  # in the home directory, the user's own directory is no project's
        yield from _search_own(project / _DIRECTORY, Origin(source=Source.LOCAL, from_project=True))
    yield from _search_own(home / _DIRECTORY, Origin(source=Source.GLOBAL))
    configured = (
        (settings.extensions, home, Origin(source=Source.CONFIGURED)),
        (settings.project_extensions, project, Origin(source=Source.CONFIGURED, from_project=True)),
        (paths, cwd, Origin(source=Source.CONFIGURED, explicit=True)),
    )
    for texts, base, origin in configured:
        for text in texts:
            from pihost.extensions._directories import search_configured

            yield from search_configured(str(text), base, origin)


def _search_own(directory: Path, origin: Origin) -> Iterator[Found]:
    """What a directory of extensions holds; most often there is none, which needs no code to be searched."""
    try:
        directory.lstat()
    except FileNotFoundError:
        return
    except OSError:
        pass  # whoever searches it says what is wrong
    from pihost.extensions._directories import search_directory

    yield from search_directory(directory, origin)


def _search_installed(config: HostConfig, cwd: Path) -> Iterator[Found | ProjectCommand]:
    from pihost.extensions.installed import search_installed

    return search_installed(config.entry_point_group, cwd, commands=config.command_group)


def _incompatibilities(candidate: Candidate) -> Iterator[Fault]:
    if candidate.requires.is_empty:
        return
    from pihost.extensions._compatibility import shortfalls

    for shortfall in shortfalls(candidate.requires):
        yield error(
            f"Extension {candidate.id!r} ({candidate.location}) {shortfall}",
            candidate.id,
            from_project=candidate.needs_trust,
            hint=shortfall.hint,
        )

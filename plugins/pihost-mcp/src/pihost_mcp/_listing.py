"""What ``pihost mcp list`` shows: every server there is, where it comes from and how it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import attrs

from pihost_mcp._config import FILE_NAME, ServerConfig, read_servers
from pihost_mcp._errors import ConfigError

if TYPE_CHECKING:
    from pihost import Host
    from pihost.events import McpServerInfo

__all__ = ["Row", "listed", "what", "where", "words"]

_LONGEST = 36
"""Characters of a name or a path; their ends say most."""
_NOT_RUN = "no extension runs it"


@attrs.frozen(kw_only=True)
class Row:
    """A server as it is listed.

    Attributes:
        name: Its name.
        source: The file, or the id of the extension, that it comes from.
        state: How it stands.
        tools: Names of its tools, as a model calls them.
        error: Why it failed, or what of it cannot be used; ``None`` where nothing is wrong.
    """

    name: str
    source: str
    state: Literal["starting", "ready", "failed", "stopped", "disabled", "not_trusted"]
    tools: tuple[str, ...] = ()
    error: str | None = None


def listed(host: Host, infos: Iterable[McpServerInfo]) -> tuple[list[Row], list[str]]:
    """Every server that files name or that runs.

    Args:
        host: The host they belong to.
        infos: How those stand that are not disabled.

    Returns:
        The rows by name, and what is wrong with files.
    """
    rows = {info.name: _running(info) for info in infos}
    faults: list[str] = []
    for directory, trusted in _directories(host):
        try:
            servers = read_servers(directory / FILE_NAME)
        except ConfigError as fault:
            faults.append(str(fault))
            continue
        for name, config in servers.items():
            if not trusted:
                rows.setdefault(name, Row(name=name, source=config.source, state="not_trusted"))
            elif config.disabled:
                rows[name] = Row(name=name, source=config.source, state="disabled")
            elif name not in rows or rows[name].state == "disabled":
                rows[name] = _not_run(config)
    return [rows[name] for name in sorted(rows)], faults


def where(row: Row, host: Host) -> str:
    """Where a server comes from, for people: a path from the session's directory, or from the user's."""
    source = Path(row.source)
    for directory, prefix in ((host.cwd, ""), (Path.home(), "~/")):
        if source.is_absolute() and source.is_relative_to(directory):
            return _cut(f"{prefix}{source.relative_to(directory)}")
    return _cut(row.source)


def what(row: Row) -> str:
    """A server's name, for people."""
    return _cut(row.name)


def words(row: Row) -> str:
    """How a server stands, for people."""
    if row.state == "not_trusted":
        return "not trusted: the project's own, run once the project is trusted (pihost trust allow)"
    if row.state == "ready":
        count = len(row.tools)
        ready = f"connected, {count} tool{'' if count == 1 else 's'}"
        return f"{ready}; {row.error}" if row.error else ready
    return f"{row.state}: {row.error}" if row.error else row.state


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"


def _directories(host: Host) -> Iterator[tuple[Path, bool]]:
    yield host.config.resolve_home(), True
    project = host.config.project_dir(host.cwd)
    if project.resolve() != host.config.resolve_home().resolve():
        yield project, host.trust.trusted


def _running(info: McpServerInfo) -> Row:
    return Row(name=info.name, source=info.source or "", state=info.state, tools=info.tools, error=info.error)


def _not_run(config: ServerConfig) -> Row:
    return Row(name=config.name, source=config.source, state="stopped", error=config.fault or _NOT_RUN)

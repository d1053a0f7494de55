"""What all extensions of a runtime have registered, and who wins where two registered the same name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pihost.diagnostics import Diagnostic
from pihost.extensions.errors import RegistrationError, not_registered

if TYPE_CHECKING:
    from pihost.extensions.mcp_registration import RegisteredMcpServer
    from pihost.extensions.registrations import (
        RegisteredCommand,
        RegisteredFlag,
        RegisteredTool,
        Registrations,
    )

__all__ = ["Kind", "Registry"]

Kind = Literal["tool", "command", "flag", "MCP server"]
"""What two extensions may both register."""

_Registered = TypeVar(
    "_Registered", "RegisteredTool", "RegisteredCommand", "RegisteredFlag", "RegisteredMcpServer"
)
_Claims = dict[str, list[tuple["Registrations", Any]]]


class Registry:
    """The registrations of the loaded extensions, in the final order.

    Args:
        builtin_tools: Names of the host's own tools, which only ``override=True`` replaces.
    """

    def __init__(self, builtin_tools: Collection[str]) -> None:
        self._builtin_tools = frozenset(builtin_tools)
        self._records: dict[str, Registrations] = {}

    def __contains__(self, extension: str) -> bool:
        return extension in self._records

    def __getitem__(self, extension: str) -> Registrations:
        return self._records[extension]

    def __iter__(self) -> Iterator[Registrations]:
        return iter(self._records.values())

    def add(self, record: Registrations) -> None:
        """Take an extension in, after those that are there."""
        self._records[record.extension] = record

    def remove(self, extension: str) -> None:
        """Forget an extension; one that is not there is forgotten already."""
        self._records.pop(extension, None)

    def set_order(self, extensions: Sequence[str]) -> None:
        """Put the extensions in their final order; those not named follow in the order they have."""
        named = {
            extension: self._records[extension] for extension in extensions if extension in self._records
        }
        self._records = named | {key: record for key, record in self._records.items() if key not in named}

    def tools(self) -> Mapping[str, RegisteredTool]:
        """The tools that count, by name."""
        return self._winners("tool", lambda record: record.tools)

    def flags(self) -> Mapping[str, RegisteredFlag]:
        """The flags that count, by name."""
        return self._winners("flag", lambda record: record.flags)

    def mcp_servers(self) -> Mapping[str, RegisteredMcpServer]:
        """The MCP servers that count, by name."""
        return self._winners("MCP server", lambda record: record.mcp_servers)

    def commands(self) -> Mapping[str, RegisteredCommand]:
        """The commands that count, by name, and every command as ``<extension id>:<name>``."""
        named = {
            f"{record.extension}:{command.name}": command
            for record in self
            for command in record.commands.values()
        }
        return MappingProxyType(named | dict(self._winners("command", lambda record: record.commands)))

    def conflicts(self) -> tuple[Diagnostic, ...]:
        """One diagnostic for each registration that does not count, naming it and the one that does."""
        return tuple(
            diagnostic
            for kind, part in _PARTS.items()
            for name, claims in self._claims(part).items()
            for diagnostic in self._losers(kind, name, claims)
        )

    def register(self, kind: Kind, name: str, registered: Any, record: Registrations) -> None:
        """Keep what an extension registers.

        While it loads it may have each name once, and a clash with another is told later. Where it is loaded
        a name is refused that somebody else has; its own is replaced.

        Args:
            kind: What is registered.
            name: Its name.
            registered: It.
            record: Who registers it.

        Raises:
            RegistrationError: it has the name already; somebody else has, and neither of the two steps aside.
        """
        items = _PARTS[kind](record)
        if not record.staged:
            self._check_clash(kind, name, registered, record)
        elif name in items:
            raise RegistrationError(
                record.extension, f"{kind} {name!r}", "is registered twice by this extension"
            )
        items[name] = registered

    def unregister(self, kind: Kind, name: str, record: Registrations) -> None:
        """Forget what an extension has registered.

        Args:
            kind: What it is.
            name: Its name.
            record: Who takes it back.

        Raises:
            RegistrationError: this extension has registered no such thing.
        """
        items = _PARTS[kind](record)
        if name not in items:
            raise not_registered(record.extension, f"{kind} {name!r}")
        del items[name]

    def _check_clash(self, kind: Kind, name: str, registered: Any, record: Registrations) -> None:
        subject = f"{kind} {name!r}"
        if not self._may_claim(kind, name, registered):
            raise RegistrationError(record.extension, subject, _BUILTIN)
        for other, _ in self._claims(_PARTS[kind]).get(name, ()):
            if other is not record and not other.replaceable and not record.replaceable:
                problem = f"is already registered by {other.extension!r} ({other.where})"
                raise RegistrationError(record.extension, subject, problem)

    def _claims(self, part: Callable[[Registrations], Mapping[str, Any]]) -> _Claims:
        claims: _Claims = {}
        for record in self:
            for name, registered in part(record).items():
                claims.setdefault(name, []).append((record, registered))
        return claims

    def _winners(
        self, kind: Kind, part: Callable[[Registrations], Mapping[str, _Registered]]
    ) -> Mapping[str, _Registered]:
        found = ((name, self._winner(kind, name, claims)) for name, claims in self._claims(part).items())
        return MappingProxyType({name: claim[1] for name, claim in found if claim is not None})

    def _winner(
        self, kind: Kind, name: str, claims: list[tuple[Registrations, Any]]
    ) -> tuple[Registrations, Any] | None:
        able = [claim for claim in claims if self._may_claim(kind, name, claim[1])]
        firm = [claim for claim in able if not claim[0].replaceable]
        return next(iter(firm or able), None)

    def _may_claim(self, kind: Kind, name: str, registered: Any) -> bool:
        return kind != "tool" or name not in self._builtin_tools or registered.override

    def _losers(self, kind: Kind, name: str, claims: list[tuple[Registrations, Any]]) -> Iterator[Diagnostic]:
        winner = self._winner(kind, name, claims)
        for claim in claims:
            if not self._may_claim(kind, name, claim[1]):
                yield _conflict(kind, name, claim[0], None)
            elif winner is not None and claim is not winner:
                yield _conflict(kind, name, claim[0], winner[0])


_PARTS: Mapping[Kind, Callable[[Registrations], dict[str, Any]]] = {
    "tool": lambda record: record.tools,
    "command": lambda record: record.commands,
    "flag": lambda record: record.flags,
    "MCP server": lambda record: record.mcp_servers,
}

_BUILTIN = "is a built-in one; only a registration with override=True replaces it"


def _conflict(kind: Kind, name: str, loser: Registrations, winner: Registrations | None) -> Diagnostic:
    if winner is None:
        message = f"{_at_start(kind)} {name!r} of {loser.extension!r} ({loser.where}) {_BUILTIN}"
        hint = "Rename the tool, or register it with override=True."
    else:
        message = (
            f"{_at_start(kind)} {name!r} is registered by {winner.extension!r} ({winner.where}), "
            f"which counts, and by {loser.extension!r} ({loser.where}), which does not"
        )
        hint = f"Disable one of the two: disabled = [{loser.extension!r}]."
    level: Literal["error", "warning"] = "warning" if loser.replaceable else "error"
    return Diagnostic(level=level, message=message, kind="conflict", source=loser.extension, hint=hint)


def _at_start(kind: Kind) -> str:
    """The kind as a sentence begins with it."""
    return kind[:1].upper() + kind[1:]

"""The table of checks, and running every one of them whatever is broken."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import attrs

from pihost._version import __version__
from pihost.config import NoSession
from pihost.errors import describe
from pihost.host.doctor import _extensions as extensions
from pihost.host.doctor import _surroundings as surroundings
from pihost.host.doctor.finding import Examined, Finding, Place
from pihost.settings import load_settings

if TYPE_CHECKING:
    from pihost.config import HostConfig, HostOptions

__all__ = ["EXTENSION_CHECKS", "SURROUNDINGS_CHECKS", "diagnose"]

_Seen = TypeVar("_Seen", Place, Examined)

SURROUNDINGS_CHECKS: Mapping[str, tuple[Callable[[Place], Iterable[Finding]], str]] = MappingProxyType(
    {
        "home": (surroundings.check_home, "the user's directory can be written to"),
        "sessions": (surroundings.check_sessions, "sessions can be kept"),
        "store": (surroundings.check_store, "the decisions on projects can be read"),
        "ripgrep": (surroundings.check_ripgrep, "grep and find have their program"),
    }
)
"""The checks of what a start stands on: each with what is said where it finds nothing."""

EXTENSION_CHECKS: Mapping[str, tuple[Callable[[Examined], Iterable[Finding]], str]] = MappingProxyType(
    {
        "settings": (extensions.check_settings, "the settings say nothing wrong"),
        "options": (extensions.check_options, "every name that was given is known"),
        "names": (extensions.check_names, "every id in the settings is an extension's"),
        "trust": (extensions.check_trust, "nothing here is kept out for want of trust"),
        "discovery": (extensions.check_discovery, "every place could be searched"),
        "requirements": (extensions.check_requirements, "what extensions require is here"),
        "loading": (extensions.check_loading, "what is admitted loads"),
        "conflicts": (extensions.check_conflicts, "no two register the same name"),
        "guards": (extensions.check_guards, "no guard is disabled or superseded"),
        "speed": (extensions.check_speed, "every extension loads within half a second"),
        "notes": (extensions.check_notes, "nothing that authors should know"),
    }
)
"""The checks of what a start finds: each with what is said where it finds nothing."""


async def diagnose(cwd: Path, *, config: HostConfig, options: HostOptions) -> tuple[Finding, ...]:
    """Check everything that a start in ``cwd`` depends on. No session is started and no event fired.

    Extensions that are admitted are loaded and bound, since much shows only then; the project's own only with
    trust, as in a real start with nobody to ask.

    Args:
        cwd: The project's directory, absolute.
        config: The host's names.
        options: How the start would be asked for.

    Returns:
        The findings of every check in the order of the tables; one that found nothing says so.
    """
    home = config.resolve_home()
    settings, _faults = load_settings(config, home)
    place = Place(cwd=cwd, config=config, home=home, session_dir=settings.session_dir or home / "sessions")
    found = [_versions(), *_all(SURROUNDINGS_CHECKS, place)]
    try:
        examined = await _examine(cwd, config, options)
    except Exception as fault:  # noqa: BLE001 -- whatever it is, the user is to know, and what was found besides
        found.append(_broke("start", fault))
    else:
        found.extend(_all(EXTENSION_CHECKS, examined))
    return tuple(found)


async def _examine(cwd: Path, config: HostConfig, options: HostOptions) -> Examined:
    """Do what a start does, binding included, and end what it began."""
    from pihost.host._host import Host
    from pihost.host._parts import Application

    host = Host(config, Application())
    life = host._life  # noqa: SLF001 -- a host that is never started, looked at by its own package
    await life.open(cwd, attrs.evolve(options, session=NoSession()), ask=False)
    try:
        return Examined(startup=life.startup, diagnostics=host.diagnostics)
    finally:
        await life.startup.runtime.shutdown(reload=False)


def _all(
    table: Mapping[str, tuple[Callable[[_Seen], Iterable[Finding]], str]], seen: _Seen
) -> Iterator[Finding]:
    for name, (check, well) in table.items():
        try:
            found = tuple(check(seen))
        except Exception as fault:  # noqa: BLE001 -- one check that breaks must not hide what the others find
            found = (_broke(name, fault),)
        yield from found or (Finding(check=name, level="ok", message=well),)


def _broke(check: str, fault: Exception) -> Finding:
    return Finding(
        check=check,
        level="error",
        message=f"the check itself failed: {describe(fault)}",
        advice="Report this: the doctor should get through whatever is broken.",
    )


def _versions() -> Finding:
    message = f"pihost {__version__} on Python {platform.python_version()}"
    return Finding(check="host", level="ok", message=message)

"""The checks of what a start finds: settings, trust, and every extension on its way to being loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.extensions.admission import unmatched
from pihost.extensions.guards import lost_guards
from pihost.host.doctor._advice import advice_for, load_advice
from pihost.host.doctor.finding import Examined, Finding
from pihost.near import near_names
from pihost.paths import normalize_name
from pihost.trust import ProjectTrustStore, TrustStoreError

__all__ = [
    "check_conflicts",
    "check_discovery",
    "check_guards",
    "check_loading",
    "check_names",
    "check_notes",
    "check_options",
    "check_requirements",
    "check_settings",
    "check_speed",
    "check_trust",
]

_SLOW_MS = 500.0
_FRAME = re.compile(r'File "([^"]+)", line (\d+)(?:, in (\S+))?')
_MOST_FRAMES = 4


def check_settings(examined: Examined) -> Iterator[Finding]:
    """Settings that cannot be read, are unknown, or have a value that fits none."""
    return _from_diagnostics("settings", examined.of_kind("settings"))


def check_trust(examined: Examined) -> Iterator[Finding]:
    """What is guarded here and not admitted, and what went wrong with the decision."""
    store = _store_fault(examined)
    return _from_diagnostics("trust", (one for one in examined.of_kind("trust") if store not in one.message))


def _store_fault(examined: Examined) -> str:
    """What is wrong with the store, which has a check of its own; else what no message contains."""
    try:
        ProjectTrustStore(examined.startup.home).entries()
    except TrustStoreError as fault:
        return str(fault)
    return "\0"


def check_discovery(examined: Examined) -> Iterator[Finding]:
    """Places that cannot be searched, manifests that are wrong, distributions that cannot be read."""
    unmet = examined.incompatible()
    found = (one for one in examined.of_kind("discovery", "package") if one.source not in unmet)
    return _from_diagnostics("discovery", found)


def check_requirements(examined: Examined) -> Iterator[Finding]:
    """Requirements that this environment does not meet."""
    unmet = examined.incompatible()
    return _from_diagnostics("requirements", (d for d in examined.of_kind("discovery") if d.source in unmet))


def check_loading(examined: Examined) -> Iterator[Finding]:
    """Extensions that do not load, and registrations that fail."""
    for error in examined.startup.errors:
        yield _load_failure(examined, error)
    yield from _from_diagnostics("loading", examined.of_kind("registration"))


def _load_failure(examined: Examined, error: ExtensionError) -> Finding:
    places = {one.candidate.id: one.candidate.location for one in examined.startup.admission.admitted}
    return Finding(
        check="loading",
        level="error",
        subject=error.extension,
        message=_without(error.extension, error.error),
        where=_frames(error.stack) or places.get(error.extension),
        advice=load_advice(error.extension, error.error, examined.startup.config.app_name),
        stack=error.stack,
    )


def _frames(stack: str | None) -> str | None:
    """The last frames of a traceback on one line, each as file, line and function."""
    found = _FRAME.findall(stack or "")[-_MOST_FRAMES:]
    frames = [f"{path}, line {line}{f', in {name}' if name else ''}" for path, line, name in found]
    return "; ".join(frames) or None


def check_conflicts(examined: Examined) -> Iterator[Finding]:
    """Names that two extensions register."""
    return _from_diagnostics("conflicts", examined.of_kind("conflict"))


def check_guards(examined: Examined) -> Iterator[Finding]:
    """Guards that are disabled or superseded."""
    return _from_diagnostics("guards", lost_guards(examined.startup.admission.dropped))


def check_notes(examined: Examined) -> Iterator[Finding]:
    """What authors should know, such as deprecated hooks and functions that only look marked."""
    guards = {one.message for one in lost_guards(examined.startup.admission.dropped)}
    kinds = examined.of_kind("load", "resource", "session")
    return _from_diagnostics("notes", (d for d in kinds if d.level == "warning" and d.message not in guards))


def check_options(examined: Examined) -> Iterator[Finding]:
    """Names on the command line, and names of models and tools, that nothing has."""
    return _from_diagnostics("options", examined.of_kind("option"))


def check_names(examined: Examined) -> Iterator[Finding]:
    """Ids in the settings that no extension has."""
    settings, candidates = examined.startup.settings, examined.startup.discovery.candidates
    own = [candidate for candidate in candidates if candidate.needs_trust]
    unknown = (*unmatched(settings.disabled, candidates), *unmatched(settings.project_disabled, own))
    for one in unknown:
        yield Finding(
            check="names",
            level="warning",
            subject=one.source,
            message="disabled in the settings, and no extension has this id",
            advice=one.hint or 'Take it out of "disabled", unless its extension is elsewhere.',
        )
    yield from _misspelt_tables(examined, [candidate.id for candidate in candidates])


def _misspelt_tables(examined: Examined, ids: Iterable[str]) -> Iterator[Finding]:
    """Tables ``[extension.<id>]`` of no extension here, if their name resembles one that is."""
    settings = examined.startup.settings
    known = {normalize_name(one): one for one in ids}
    for name in {**settings.extension, **settings.project_extension}:
        near = near_names(normalize_name(name), known, most=1)
        if near and normalize_name(name) not in known:
            yield Finding(
                check="names",
                level="warning",
                subject=name,
                message=f"[extension.{name}] is in the settings, and no extension has this id",
                advice=f"Did you mean {known[near[0]]!r}?",
            )


def check_speed(examined: Examined) -> Iterator[Finding]:
    """Extensions that take long to load."""
    for extension in examined.startup.extensions:
        if extension.load_ms > _SLOW_MS:
            yield Finding(
                check="speed",
                level="warning",
                subject=extension.id,
                message=f"takes {extension.load_ms:.0f} ms to load",
                where=extension.admitted.candidate.location,
                advice="Import what takes long where it is used, and leave work to session_start.",
            )


def _from_diagnostics(check: str, diagnostics: Iterable[Diagnostic]) -> Iterator[Finding]:
    for one in diagnostics:
        yield Finding(
            check=check,
            level=one.level,
            subject=one.source,
            message=one.message if one.source is None else _without(one.source, one.message),
            advice=advice_for(one),
        )


def _without(subject: str, message: str) -> str:
    """The message without its subject in front, which is said already."""
    for prefix in (f"{subject}: ", f"Extension {subject!r}: ", f"Extension {subject!r} "):
        message = message.removeprefix(prefix)
    return message

"""From a directory to loaded extensions: settings, discovery, first pass, trust, second pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from pihost.config import HostConfig, HostOptions
from pihost.context import UI, NoUI, TrustContext
from pihost.diagnostics import Diagnostic, ExtensionError, in_startup_order
from pihost.extensions.admission import Admission, Admitted, admit, standing_faults, unmatched
from pihost.extensions.discovery import discover
from pihost.extensions.guards import lost_guards
from pihost.extensions.runtime import ExtensionRuntime, create_extension_runtime
from pihost.host._watching import debug_faults, observer_for
from pihost.host.project_trust import ProjectTrust
from pihost.settings import FILE_NAME, Settings, load_settings, merge_project, read_settings_file
from pihost.trust import TrustDecision

if TYPE_CHECKING:
    from pihost.events import ProjectTrustEvent, ProjectTrustResult
    from pihost.extensions.candidate import Candidate, Discovery
    from pihost.extensions.records import Extension

__all__ = ["Startup", "prepare", "survey"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Startup:
    """All that is known before a session exists.

    Attributes:
        cwd: The project's directory, absolute.
        home: The user's global directory.
        config: The host's names.
        options: How the start was asked for.
        settings: The settings in force.
        project: What needs trust in the project.
        trust: Whether the project's own resources take part, and why.
        discovery: Every candidate there is.
        admission: Which of them may load, in final order, and why the others may not.
        extensions: Those that loaded, in final order.
        errors: What failed while loading.
        runtime: The runtime they share.
        diagnostics: Everything found wrong so far, in the order a start reports it.
    """

    cwd: Path
    home: Path
    config: HostConfig
    options: HostOptions
    settings: Settings
    project: ProjectTrust
    trust: TrustDecision
    discovery: Discovery
    admission: Admission
    extensions: tuple[Extension, ...]
    errors: tuple[ExtensionError, ...]
    runtime: ExtensionRuntime
    diagnostics: tuple[Diagnostic, ...]


@attrs.define(kw_only=True, eq=False, repr=False)
class _Work:
    """What the steps of one start share while it is under way."""

    cwd: Path
    home: Path
    config: HostConfig
    options: HostOptions
    settings: Settings
    load: bool
    answered: bool | None
    runtime: ExtensionRuntime = attrs.field(init=False)
    loaded: dict[str, Extension] = attrs.field(factory=dict)
    tried: set[str] = attrs.field(factory=set)
    errors: list[ExtensionError] = attrs.field(factory=list)
    diagnostics: list[Diagnostic] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.runtime = create_extension_runtime(
            hook_timeout=self.settings.hook_timeout,
            config_reader=self.read_config,
            data_root=self.home / "data",
            observer=observer_for(self.config, timing=self.settings.hook_timing),
        )

    def read_config(self, extension: str, local: bool) -> Mapping[str, Any]:  # noqa: FBT001 -- the reader's signature
        return self.settings.extension_table(extension, local=local)


async def prepare(  # noqa: PLR0913 -- everything that a start depends on is handed in
    cwd: Path,
    *,
    config: HostConfig,
    options: HostOptions,
    ui: UI | None = None,
    ask: bool = True,
    load: bool = True,
    answered: bool | None = None,
) -> Startup:
    """Do everything up to the point where a session can begin.

    The extensions of the project itself load in a second pass, once its trust is decided: those of the first
    may have a word on it.

    Args:
        cwd: The project's directory, absolute.
        config: The host's names.
        options: How the start was asked for.
        ui: Whom to ask about trust; ``None`` where nobody is there.
        ask: Whether extensions may answer ``project_trust``; a command that only looks fires no event.
        load: Whether what is admitted is loaded.
        answered: What a person has answered about this project for the session only.
    """
    home = config.resolve_home()
    settings, faults = load_settings(config, home)
    work = _Work(
        cwd=cwd, home=home, config=config, options=options, settings=settings, load=load, answered=answered
    )
    work.diagnostics.extend((*faults, *debug_faults(config)))
    work.runtime.enter(cwd)
    try:
        return await _both_passes(work, ui=ui, ask=ask)
    except BaseException:
        await work.runtime.shutdown(reload=False)
        raise


async def survey(cwd: Path, *, config: HostConfig, options: HostOptions, load: bool = True) -> Startup:
    """See what a start would find, with nobody to ask, no event fired and no session.

    What loaded meanwhile has ended again: its records can be read, and nothing of it called.

    Args:
        cwd: The project's directory, absolute.
        config: The host's names.
        options: How the start would be asked for.
        load: Whether what is admitted is loaded; nothing is imported otherwise.
    """
    startup = await prepare(cwd, config=config, options=options, ask=False, load=load)
    await startup.runtime.shutdown(reload=False)
    return startup


async def _both_passes(work: _Work, *, ui: UI | None, ask: bool) -> Startup:
    discovery = _discover(work)
    admission = await _pass(work, discovery, trusted=False)
    project = ProjectTrust.found_by(
        discovery, cwd=work.cwd, config=work.config, home=work.home, settings=work.settings
    )
    trust = await _decide_trust(work, project, ui=ui, ask=ask)
    if not trust.trusted:
        work.diagnostics.extend(_refusal(work, trust, discovery))
    if trust.trusted:
        _merge_project_settings(work)
        if work.settings.project_extensions:
            discovery = _discover(work, before=discovery.candidates)
        admission = await _pass(work, discovery, trusted=True)
    return _result(work, project, trust, discovery, admission)


def _discover(work: _Work, before: Iterable[Candidate] = ()) -> Discovery:
    return discover(
        work.cwd,
        config=work.config,
        home=work.home,
        settings=work.settings,
        paths=work.options.extension_paths,
        before=before,
    )


async def _pass(work: _Work, discovery: Discovery, *, trusted: bool) -> Admission:
    """Admit what may load now, and load what no pass before has tried."""
    admission = admit(
        discovery.candidates,
        trusted=trusted,
        disabled=(*work.settings.disabled, *work.options.disabled),
        project_disabled=work.settings.project_disabled,
        only_explicit=work.options.no_extensions,
    )
    if work.load:
        await _load(work, [one for one in admission.admitted if one.candidate.id not in work.tried])
    return admission


async def _load(work: _Work, admitted: Sequence[Admitted]) -> None:
    if not admitted:
        return
    from pihost.extensions.loader import load_extensions

    work.tried.update(one.candidate.id for one in admitted)
    result = await load_extensions(admitted, work.cwd, work.runtime)
    work.loaded.update((extension.id, extension) for extension in result.extensions)
    work.errors.extend(result.errors)
    work.diagnostics.extend(result.warnings)
    hint = f'Start without extensions using "{work.config.app_name} -ne".'
    work.diagnostics.extend(
        Diagnostic(
            level="error",
            message=f"Failed to load extension {error.extension!r}: {error.error}",
            kind="load",
            source=error.extension,
            hint=hint,
        )
        for error in result.errors
    )


async def _decide_trust(work: _Work, project: ProjectTrust, *, ui: UI | None, ask: bool) -> TrustDecision:
    at_terminal = ui is not None and work.options.mode == "interactive"
    context = TrustContext(
        cwd=work.cwd,
        mode=work.options.mode,
        has_ui=at_terminal,
        ui=ui if ui is not None and at_terminal else NoUI(),
    )
    given = work.options.trust_override
    decision = await project.resolve(
        context,
        given=work.answered if given is None else given,
        ask_extensions=partial(_ask, work) if ask else None,
        on_extension_error=partial(_trust_warning, work),
    )
    if given is None and work.answered is not None:
        decision = attrs.evolve(decision, reason="you answered so for this session", session_only=True)
    work.diagnostics.extend(decision.warnings)
    return decision


async def _ask(work: _Work, event: ProjectTrustEvent, context: TrustContext) -> ProjectTrustResult | None:
    """Let the extensions of the first pass answer."""
    from pihost.extensions.runner import emit_project_trust

    on_error = partial(_trust_warning, work)
    return await emit_project_trust(tuple(work.loaded.values()), event, context, on_error=on_error)


def _trust_warning(work: _Work, error: ExtensionError) -> None:
    """A handler that fails warns: as an error it would stop the start, and so refuse after all."""
    message = f"Extension {error.extension!r} failed to answer project_trust: {error.error}"
    work.diagnostics.append(
        Diagnostic(level="warning", message=message, kind="trust", source=error.extension)
    )


def _refusal(work: _Work, decision: TrustDecision, discovery: Discovery) -> Iterator[Diagnostic]:
    """One warning that says what stays out and how to admit it; none where nothing does."""
    directory = work.config.project_dir(work.cwd)
    guarded = [path for path in decision.guarded if path.is_relative_to(directory)]
    own = [one for one in (*discovery.candidates, *discovery.commands) if one.needs_trust]
    others = [one.location for one in own if one.path is None or not one.path.is_relative_to(directory)]
    skipped = [*(str(path.relative_to(work.cwd)) for path in guarded), *dict.fromkeys(others)]
    if skipped:
        app = work.config.app_name
        yield Diagnostic(
            level="warning",
            message=f"{work.cwd} is not trusted ({decision.reason}); left out: {', '.join(skipped)}",
            kind="trust",
            source=str(work.cwd),
            hint=f'Admit them for one run with "{app} --approve", for good with "{app} trust allow".',
        )


def _merge_project_settings(work: _Work) -> None:
    file = read_settings_file(work.config.project_dir(work.cwd) / FILE_NAME, "project")
    work.diagnostics.extend(file.diagnostics)
    work.settings = merge_project(work.settings, file)


def _result(
    work: _Work, project: ProjectTrust, trust: TrustDecision, discovery: Discovery, admission: Admission
) -> Startup:
    places = {one.candidate.id: place for place, one in enumerate(admission.admitted)}
    loaded = [extension for extension in work.loaded.values() if extension.id in places]
    return Startup(
        cwd=work.cwd,
        home=work.home,
        config=work.config,
        options=work.options,
        settings=work.settings,
        project=project,
        trust=trust,
        discovery=discovery,
        admission=admission,
        extensions=tuple(sorted(loaded, key=lambda extension: places[extension.id])),
        errors=tuple(work.errors),
        runtime=work.runtime,
        diagnostics=in_startup_order(
            [
                *work.diagnostics,
                *standing_faults(discovery, admission, trusted=trust.trusted),
                *unmatched(work.options.disabled, discovery.candidates),
                *lost_guards(admission.dropped),
            ]
        ),
    )

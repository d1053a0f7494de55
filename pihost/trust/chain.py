"""Whether a project's own resources may take part: seven steps, of which the first that decides ends it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pihost.context import TrustContext
from pihost.diagnostics import ExtensionError
from pihost.trust._decision import TrustDecision
from pihost.trust.resources import guarded_resources

if TYPE_CHECKING:
    from pihost.trust._steps import AskExtensions, DefaultPolicy
    from pihost.trust.store import ProjectTrustStore

__all__ = ["TrustDecision", "resolve_project_trusted"]


async def resolve_project_trusted(  # noqa: PLR0913 -- every source of a decision is handed in
    cwd: str | os.PathLike[str],
    *,
    store: ProjectTrustStore,
    context: TrustContext,
    trust_override: bool | None = None,
    default_policy: DefaultPolicy | None = "ask",
    ask_extensions: AskExtensions | None = None,
    on_extension_error: Callable[[ExtensionError], None] | None = None,
    config_dir: str = ".pihost",
    home: Path | None = None,
    pin: bool = False,
    also_guarded: Iterable[Path] = (),
) -> TrustDecision:
    """Decide whether a project's own resources may take part.

    In order: the override; nothing here needs trust; the extensions; the store; the default policy; nobody to
    ask; the prompt. No step runs once one before it has decided. Whatever goes wrong never means yes.

    Args:
        cwd: The project's directory.
        store: The decisions made before.
        context: Who can be asked.
        trust_override: The decision for this run, if the user gave one.
        default_policy: What happens to a project nobody decided on; anything but the three words asks.
        ask_extensions: Asks the extensions loaded so far, never the project's own.
        on_extension_error: Told when ``ask_extensions`` itself fails or answers with another type; without it
            that becomes one of the decision's warnings.
        config_dir: Name of the project's configuration directory.
        home: The user's global directory; ``None`` is the one that `HostConfig` names.
        pin: Whether every approval that is stored is bound to the files as they are now.
        also_guarded: What else of the project needs trust: distributions that lie in it or are installed from
            it, as discovery found them.
    """
    guarded = guarded_resources(cwd, config_dir=config_dir, home=home, also_guarded=also_guarded)
    if trust_override is not None:
        trusted = trust_override is True
        reason = f"this run was started with {'' if trusted else 'no '}approval"
        return TrustDecision(trusted=trusted, step=1, reason=reason, guarded=guarded)
    if not guarded:
        return TrustDecision(trusted=True, step=2, reason="nothing here requires trust")
    from pihost.trust._steps import Chain

    chain = Chain(
        cwd=cwd,
        guarded=guarded,
        store=store,
        context=context,
        pin_approvals=pin,
        on_extension_error=on_extension_error,
    )
    return await chain.run(ask_extensions, default_policy)

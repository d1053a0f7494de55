"""The trust in one project, the same for a start, for commands of distributions and for ``pihost trust``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from pihost.context import TrustContext
from pihost.diagnostics import ExtensionError
from pihost.extensions.code_paths import code_paths
from pihost.trust import ProjectTrustStore, TrustDecision, resolve_project_trusted
from pihost.trust.resources import guarded_resources

if TYPE_CHECKING:
    from pihost.config import HostConfig
    from pihost.events import ProjectTrustEvent, ProjectTrustResult
    from pihost.extensions.candidate import Discovery
    from pihost.settings import Settings

__all__ = ["ProjectTrust"]

Ask = Callable[["ProjectTrustEvent", TrustContext], Awaitable["ProjectTrustResult | None"]]
"""Asks the extensions loaded so far."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProjectTrust:
    """What needs trust in one project, whether it is given, and what an approval is bound to.

    Attributes:
        cwd: The project's directory, absolute.
        config: The host's names.
        home: The user's global directory.
        settings: The user's own settings, without the project's.
        code: Where the code of the extensions and commands lies that the project itself brings.
    """

    cwd: Path
    config: HostConfig
    home: Path
    settings: Settings
    code: tuple[Path, ...]

    @classmethod
    def found_by(
        cls, discovery: Discovery, *, cwd: Path, config: HostConfig, home: Path, settings: Settings
    ) -> ProjectTrust:
        """The trust in a project as a discovery found it; its own settings must not have had a say in it."""
        own = [candidate for candidate in discovery.candidates if candidate.needs_trust]
        code = dict.fromkeys(path for one in (*own, *discovery.commands) for path in code_paths(one))
        return cls(cwd=cwd, config=config, home=home, settings=settings, code=tuple(code))

    @property
    def guarded(self) -> tuple[Path, ...]:
        """What needs trust here."""
        return guarded_resources(
            self.cwd, config_dir=self.config.config_dir, home=self.home, also_guarded=self.code
        )

    async def resolve(
        self,
        context: TrustContext,
        *,
        given: bool | None,
        ask_extensions: Ask | None,
        on_extension_error: Callable[[ExtensionError], None],
    ) -> TrustDecision:
        """Go through the chain. See `resolve_project_trusted`.

        Args:
            context: Who can be asked.
            given: The decision for this run, if there is one.
            ask_extensions: Asks the extensions loaded so far.
            on_extension_error: Told when that fails.
        """
        return await resolve_project_trusted(
            self.cwd,
            store=ProjectTrustStore(self.home),
            context=context,
            trust_override=given,
            default_policy=self.settings.default_project_trust,
            ask_extensions=ask_extensions,
            on_extension_error=on_extension_error,
            config_dir=self.config.config_dir,
            home=self.home,
            pin=self._pins_always,
            also_guarded=self.code,
        )

    def allow(self, *, pin: bool) -> bool:
        """Store an approval.

        Args:
            pin: Whether to bind it to the files as they are now, also where the settings do not say so.

        Returns:
            Whether it is bound to them.

        Raises:
            TrustPinError: the files cannot be pinned.
            TrustStoreError: it cannot be stored.
        """
        files = None
        if pin or self._pins_always:
            from pihost.trust.digest import take_pin

            files = take_pin(self.cwd, self.guarded)
        ProjectTrustStore(self.home).set(self.cwd, True, pin=files)  # noqa: FBT003 -- the decision
        return files is not None

    @property
    def _pins_always(self) -> bool:
        return self.settings.trust_pin == "always"

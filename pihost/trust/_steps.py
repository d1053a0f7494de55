"""The steps that decide on a project in which something needs trust."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Literal

import attrs

from pihost.context import TrustContext
from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.errors import describe
from pihost.events import ProjectTrustEvent, ProjectTrustResult
from pihost.trust._decision import TrustDecision
from pihost.trust._display import shown
from pihost.trust._prompt import ask_user
from pihost.trust.digest import TrustPin, TrustPinError, pin_changes, take_pin
from pihost.trust.store import ProjectTrustStore, TrustEntry, TrustStoreError

__all__ = ["AskExtensions", "Chain", "DefaultPolicy"]

AskExtensions = Callable[[ProjectTrustEvent, TrustContext], Awaitable[ProjectTrustResult | None]]
"""Asks the extensions loaded so far, and answers with the first word that decides."""

DefaultPolicy = Literal["always", "never", "ask"]
"""What happens to a project that nobody decided on."""

_WHICH_IS_LOST = "which ones is not known"


def _absolute(path: str | os.PathLike[str]) -> Path:
    return Path(path).absolute()


@attrs.define(kw_only=True)
class Chain:
    """Steps 3 to 7 of one question. Each step answers with a decision, or ``None`` to go on."""

    cwd: Path = attrs.field(converter=_absolute)
    guarded: tuple[Path, ...]
    store: ProjectTrustStore
    context: TrustContext
    pin_approvals: bool
    on_extension_error: Callable[[ExtensionError], None] | None
    stale: str = ""  # how the files differ from those approved, once the store has said so
    warnings: list[Diagnostic] = attrs.field(factory=list)

    async def run(self, ask_extensions: AskExtensions | None, policy: DefaultPolicy | None) -> TrustDecision:
        return (
            await self._extensions(ask_extensions)
            or self._stored()
            or self._policy(policy)
            or self._nobody_to_ask()
            or await self._prompt()
        )

    def _decide(self, step: int, reason: str, *, trusted: bool, session_only: bool = False) -> TrustDecision:
        return TrustDecision(
            trusted=trusted,
            step=step,
            reason=reason,
            warnings=tuple(self.warnings),
            session_only=session_only,
            guarded=self.guarded,
        )

    async def _extensions(self, ask: AskExtensions | None) -> TrustDecision | None:
        answer = None if ask is None else await self._answer(ask)
        if answer is None or answer.trusted not in {"yes", "no"}:
            return None
        trusted = answer.trusted == "yes"
        if answer.remember:
            await self._remember(trusted=trusted)
        who = "an extension" if answer.extension is None else f"extension {answer.extension!r}"
        return self._decide(3, f"{who} answered {answer.trusted}", trusted=trusted)

    async def _answer(self, ask: AskExtensions) -> ProjectTrustResult | None:
        try:
            answer: object = await ask(ProjectTrustEvent(cwd=self.cwd), self.context)
        except Exception as fault:  # noqa: BLE001 -- other people's code; a failure is no answer
            self._report(describe(fault), "".join(traceback.format_exception(fault)))
            return None
        if answer is None or isinstance(answer, ProjectTrustResult):
            return answer
        self._report(f"answered with {type(answer).__name__}, not with ProjectTrustResult or None", None)
        return None

    def _report(self, fault: str, stack: str | None) -> None:
        if self.on_extension_error is None:
            self._warn(f"The extensions could not be asked about {shown(self.cwd)}: {fault}")
        else:
            name = ProjectTrustEvent.hook_name
            self.on_extension_error(
                ExtensionError(extension="(unknown)", event=name, error=fault, stack=stack)
            )

    def _stored(self) -> TrustDecision | None:
        try:
            entry = self.store.get_entry(self.cwd)
            if entry is not None and self._is_stale(entry):
                entry = self._next_refusal(entry)
        except TrustStoreError as fault:
            self._warn(f"No project is trusted, since the stored decisions cannot be read: {fault}")
            return self._decide(4, f"the stored decisions cannot be read: {fault}", trusted=False)
        if entry is None:
            return None
        verb = "trusted" if entry.decision else "not trusted"
        return self._decide(4, f"{shown(entry.path)} is stored as {verb}", trusted=entry.decision)

    def _is_stale(self, entry: TrustEntry) -> bool:
        """Whether the entry is bound to files that are others now; what they are cannot be told means yes."""
        if entry.digest is None:
            return False
        try:
            now = take_pin(self.cwd, self.guarded)
        except TrustPinError as fault:
            self.stale = str(fault)
            return True
        if now.digest == entry.digest:
            return False
        approved = self.store.pin_of(entry)
        self.stale = _WHICH_IS_LOST if approved is None else str(pin_changes(approved, now))
        return True

    def _next_refusal(self, entry: TrustEntry) -> TrustEntry | None:
        """Above a stale approval a refusal counts; an approval does not, or changes there would pass."""
        above: TrustEntry | None = entry
        while above is not None and (above.decision or above.digest is not None):
            parent = above.path.parent
            above = None if parent == above.path else self.store.get_entry(parent)
        return above

    def _policy(self, policy: DefaultPolicy | None) -> TrustDecision | None:
        if policy not in {"always", "never"}:
            return None
        trusted = policy == "always"
        if trusted and self.stale:
            self._warn(f"{shown(self.cwd)} is trusted by default, though {self._change()}")
        reason = f"by default, projects are {policy} trusted"
        return self._decide(5, reason, trusted=trusted)

    def _nobody_to_ask(self) -> TrustDecision | None:
        if self.context.has_ui:
            return None
        why = self._change() if self.stale else "nobody has decided on it"
        return self._decide(6, f"{why}, and there is nobody to ask", trusted=False)

    def _change(self) -> str:
        return f"the approval of its files no longer holds ({self.stale})"

    async def _prompt(self) -> TrustDecision:
        pin, obstacle = self._pin_now()
        answer = await ask_user(
            self.cwd, self.context.ui, guarded=self.guarded, change=self.stale, can_pin=pin is not None
        )
        option = answer.option
        if option is None:
            return self._decide(7, answer.reason, trusted=False)
        if not option.updates:
            return self._decide(7, answer.reason, trusted=option.trusted, session_only=True)
        if not (option.trusted and (option.pin or self.pin_approvals)):
            stored = await self._write(option.updates)
            return self._decide(7, answer.reason, trusted=option.trusted, session_only=not stored)
        if pin is None:
            self._warn_not_stored(obstacle)
        elif self._pin_now()[0] != pin:
            return self._decide(7, "the files changed while the question was open", trusted=False)
        else:
            await self._write(option.updates, pin)
        return self._decide(7, answer.reason, trusted=True)

    def _pin_now(self) -> tuple[TrustPin | None, str]:
        try:
            return take_pin(self.cwd, self.guarded), ""
        except TrustPinError as fault:
            return None, str(fault)

    async def _remember(self, *, trusted: bool) -> None:
        bound = trusted and self.pin_approvals
        pin, obstacle = self._pin_now() if bound else (None, "")
        if bound and pin is None:
            self._warn_not_stored(obstacle)
        else:
            await self._write({self.cwd: trusted}, pin)

    async def _write(self, updates: Mapping[Path, bool | None], pin: TrustPin | None = None) -> bool:
        """Store decisions, in a thread: another process may keep the store locked for seconds."""
        try:
            await asyncio.to_thread(self.store.set_many, updates, pin=pin)
        except TrustStoreError as fault:
            self._warn_not_stored(str(fault))
            return False
        return True

    def _warn_not_stored(self, why: str) -> None:
        self._warn(f"The decision on {shown(self.cwd)} counts for this session only; it is not stored: {why}")

    def _warn(self, message: str) -> None:
        self.warnings.append(Diagnostic(level="warning", message=message, kind="trust", source=str(self.cwd)))

"""``pihost extensions doctor``: everything that is wrong, and what to do about it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from pihost.cli._report import print_json
from pihost.cli._stdout import answer_only
from pihost.cli._values import loading_host_options, working_directory
from pihost.config import HostConfig
from pihost.tables import table

if TYPE_CHECKING:
    from pihost.host.doctor import Finding

__all__ = ["doctor"]


def doctor(*, as_json: bool, **loading: Any) -> int:
    """Check everything a start depends on, and say what to do about what is wrong.

    No session is started and no event fired. The exit code is 1 where something is an error.

    JSON is one object: ok (whether nothing is an error) and findings, a list of objects: check, level (ok,
    warning, error), message, subject, where, advice, stack.
    """
    from pihost.host.doctor import diagnose

    options = loading_host_options(loading)
    with answer_only():
        found = asyncio.run(diagnose(working_directory(), config=HostConfig(), options=options))
    ok = not any(one.level == "error" for one in found)
    if as_json:
        print_json({"ok": ok, "findings": found})
    else:
        for line in _lines(found):
            click.echo(line)
    return 0 if ok else 1


def _lines(found: Sequence[Finding]) -> Iterator[str]:
    yield from table([row for one in found for row in _rows(one)])
    yield _summary(found)


def _rows(one: Finding) -> Iterator[tuple[str, str, str]]:
    """What, where, and what to do, each beginning a line of its own."""
    message = one.message if one.subject is None else f"{one.subject}: {one.message}"
    yield one.level, one.check, message
    if one.where is not None:
        yield "", "", f"in {one.where}"
    if one.advice is not None:
        yield "", "", f"→ {one.advice}"


def _summary(found: Iterable[Finding]) -> str:
    levels = [one.level for one in found]
    errors, warnings = levels.count("error"), levels.count("warning")
    if not errors and not warnings:
        return "All is well."
    return f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what if number == 1 else what + 's'}"

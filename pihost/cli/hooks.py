"""``pihost hooks [NAME]``: the hooks there are, printed from their specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pihost.cli._arguments import UsageError
from pihost.cli._report import print_json
from pihost.near import near_hint
from pihost.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pihost.hooks import HookDocument

__all__ = ["command"]


def _hooks(name: str | None, *, as_json: bool) -> None:
    """List the hooks an extension can answer, or say all about one.

    JSON is a list of objects, or one: name, kind, summary, doc, signature, event, fields (each with
    name and type), result.
    """
    from pihost.hooks import hook_documents

    documents = hook_documents()
    if name is not None:
        documents = (_named(name, documents),)
    if as_json:
        print_json(documents if name is None else documents[0])
    elif name is None:
        for line in table([(document.name, document.kind, document.summary) for document in documents]):
            click.echo(line)
    else:
        click.echo(f"{documents[0].signature}\n\n{documents[0].doc}")


def _named(name: str, documents: Sequence[HookDocument]) -> HookDocument:
    by_name = {document.name: document for document in documents}
    if name not in by_name:
        hint = near_hint(name, by_name) or "pihost hooks lists them."
        raise UsageError(f"there is no hook {name!r}", hint)
    return by_name[name]


command = click.Command(
    "hooks",
    callback=_hooks,
    help=_hooks.__doc__,
    params=[
        click.Argument(["name"], required=False),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
    ],
)

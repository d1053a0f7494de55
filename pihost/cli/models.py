"""``pihost models [PATTERN]``: the models a session could choose from."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from pihost.cli._options import loading_options
from pihost.cli._report import report_all
from pihost.cli._stdout import answer_only
from pihost.cli._values import loading_host_options, working_directory
from pihost.config import HostConfig
from pihost.tables import table

if TYPE_CHECKING:
    from pihost.model import Model

__all__ = ["command"]


def _models(pattern: str | None, *, as_json: bool, **loading: Any) -> None:
    """List the models there are, or those that PATTERN fits: provider/id, an id, or a part of one.

    Extensions are loaded, since they bring providers; no event is fired and nobody is asked. JSON is a list
    of objects with the fields of a model: provider, id, name, api, context_window, max_tokens, images,
    reasoning, and the costs in US dollars for a million tokens.
    """
    from pihost.host import survey_models

    with answer_only() as answer:
        models, faults = asyncio.run(
            survey_models(
                working_directory(), pattern, config=HostConfig(), options=loading_host_options(loading)
            )
        )
        if as_json:
            from pihost.jsonlines import encode

            answer.buffer.write(encode(models) + b"\n")
            answer.buffer.flush()
        else:
            for line in table([(model.ref, _traits(model)) for model in models]):
                click.echo(line, file=answer)
    report_all(faults)


def _traits(model: Model) -> str:
    traits = [model.name] if model.name else []
    traits += [f"{model.context_window} tokens"] if model.context_window else []
    traits += ["images"] if model.images else []
    traits += ["thinks"] if model.reasoning else []
    return ", ".join([*traits, *(["virtual"] if model.api == "virtual" else [])])


command = click.Command(
    "models",
    callback=_models,
    help=_models.__doc__,
    params=[
        click.Argument(["pattern"], required=False),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
        *(option.for_click() for option in loading_options()),
    ],
)

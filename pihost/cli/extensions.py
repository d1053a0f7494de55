"""``pihost extensions …``: see every extension in the state it reached, switch, write and install them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pihost.cli import _packages
from pihost.cli._doctor import doctor
from pihost.cli._group import Group
from pihost.cli._options import loading_options
from pihost.cli._report import print_json, report_all
from pihost.cli._stdout import answer_only
from pihost.cli._values import working_directory
from pihost.config import HostConfig
from pihost.display import visible
from pihost.near import near_aside
from pihost.paths import normalize_name

if TYPE_CHECKING:
    from pihost.host import Startup

__all__ = ["command"]


@click.group("extensions", cls=Group, help="See, switch, write and install extensions.")
def command() -> None:
    """The group of the commands below."""


def _add(name: str, callback: Callable[..., Any], params: Iterable[click.Parameter]) -> None:
    command.add_command(click.Command(name, callback=callback, help=callback.__doc__, params=list(params)))


def _json_option() -> click.Option:
    return click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")


def _no_load_option() -> click.Option:
    return click.Option(["--no-load"], is_flag=True, help="Stop before anything is imported.")


def _startup(loading: Mapping[str, Any], *, load: bool) -> Startup:
    from pihost.cli._values import loading_host_options
    from pihost.extensions.event_loop import run_to_end
    from pihost.host import survey

    options = loading_host_options(loading)
    with answer_only():
        return run_to_end(survey(working_directory(), config=HostConfig(), options=options, load=load))


def _list(*, as_json: bool, no_load: bool, **loading: Any) -> None:
    """List every extension, how far it got, and what stopped it.

    What is admitted is loaded to see whether it can be; no event is fired. The extensions of a project that
    is not trusted are never imported.

    JSON is a list of objects: id, source (local, global, configured, installed), state (discovered, admitted,
    loaded), path, distribution, version, load_ms, tools, commands, flags, hooks, reason, stack,
    handler_times (empty: no handler is called).
    """
    from pihost.host.listing import listing, rows_of

    startup = _startup(loading, load=not no_load)
    rows = rows_of(startup)
    if as_json:
        print_json([row.as_record() for row in rows])
    else:
        for line in listing(rows, home=HostConfig().resolve_home()):
            click.echo(line)
    report_all(startup.diagnostics)


def _show(extension: str, *, as_json: bool, no_load: bool, **loading: Any) -> int:
    """Show all that is known of EXTENSION: where it is, what it registers, what stopped it and where.

    JSON is one object, with the fields of one in the list.
    """
    from pihost.host.listing import rows_of

    startup = _startup(loading, load=not no_load)
    rows = rows_of(startup)
    row = next((row for row in rows if normalize_name(row.id) == normalize_name(extension)), None)
    if row is None:
        raise _unknown(extension, [row.id for row in rows])
    if as_json:
        print_json(row.as_record())
    else:
        for name, value in row.as_record().items():
            if value not in (None, [], ""):
                shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                click.echo(visible(f"{name}: {shown}" if "\n" not in shown else f"{name}:\n{shown.rstrip()}"))
    return 0


def _unknown(extension: str, known: Sequence[str]) -> click.UsageError:
    near = near_aside(normalize_name(extension), known, most=2)
    return click.UsageError(f"there is no extension {extension!r}{near}")


def _disable(extension: str, *, project: bool) -> int:
    """Keep EXTENSION, an id or a pattern of ids, out from now on."""
    from pihost.cli._settings_file import disable_in
    from pihost.extensions.admission import matches

    candidates = _startup(_NOTHING, load=False).discovery.candidates
    found = [candidate for candidate in candidates if matches(extension, candidate.id)]
    if not found:
        raise _unknown(extension, [candidate.id for candidate in candidates])
    if project and not any(candidate.needs_trust for candidate in found):
        message = f"{extension} is not the project's own, so the project's settings cannot keep it out"
        raise click.UsageError(message)
    path = _settings_file(project=project)
    changed = disable_in(path, extension)
    click.echo(f"{extension} is disabled in {path}" if changed else f"{extension} was disabled already")
    return 0


def _enable(extension: str, *, project: bool) -> int:
    """Let EXTENSION load again."""
    from pihost.cli._settings_file import enable_in

    path = _settings_file(project=project)
    if enable_in(path, extension):
        click.echo(f"{extension} is enabled again in {path}")
        return 0
    startup = _startup(_NOTHING, load=False)
    for dropped in startup.admission.dropped:
        if normalize_name(dropped.candidate.id) == normalize_name(extension):
            raise click.UsageError(f"{path} does not keep {extension} out: {dropped.reason}")
    known = [candidate.id for candidate in startup.discovery.candidates]
    if normalize_name(extension) not in map(normalize_name, known):
        raise _unknown(extension, known)
    click.echo(f"{extension} was enabled already")
    return 0


def _settings_file(*, project: bool) -> Path:
    from pihost.settings import FILE_NAME

    config = HostConfig()
    return (config.project_dir(working_directory()) if project else config.resolve_home()) / FILE_NAME


_NOTHING: Mapping[str, Any] = {
    "approve": False,
    "no_approve": False,
    "extension_paths": (),
    "no_extensions": False,
    "disable": (),
}


def _project_option() -> click.Option:
    return click.Option(["--project"], is_flag=True, help="In the project's settings instead of your own.")


_SHAPES = (
    ("tool", "gives the model a tool"),
    ("guard", "refuses tool calls"),
    ("provider", "answers as a model"),
)

_LOADING = [_json_option(), _no_load_option(), *(option.for_click() for option in loading_options())]

_add("list", _list, _LOADING)
_add("show", _show, [click.Argument(["extension"]), *_LOADING])
_add("doctor", doctor, [_json_option(), *(option.for_click() for option in loading_options())])
_add("disable", _disable, [click.Argument(["extension"]), _project_option()])
_add("enable", _enable, [click.Argument(["extension"]), _project_option()])
_add("install", _packages.install, [click.Argument(["what"])])
_add("remove", _packages.remove, [click.Argument(["extension"])])
_add(
    "new",
    _packages.new,
    [
        click.Argument(["name"]),
        *(
            click.Option([f"--{shape}", "shape"], flag_value=shape, help=f"One that {what}.")
            for shape, what in _SHAPES
        ),
        click.Option(["--file"], is_flag=True, help="One file instead of a distribution."),
        click.Option(["--directory"], type=click.Path(path_type=Path), help="Where to write it."),
    ],
)

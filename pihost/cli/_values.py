"""What the options of a command line say, checked, and as options of a host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pihost.cli._arguments import Arguments, UsageError
from pihost.cli._options import Option
from pihost.cli._session_choice import session_choice
from pihost.config import HostOptions, Mode, NoSession

__all__ = ["host_options", "loading_host_options", "parse", "trust_override", "working_directory"]


def parse(declared: Sequence[Option], arguments: Arguments) -> dict[str, Any]:
    """The values of the declared options, by key; the last of several counts where one can only be.

    Raises:
        UsageError: a value is not one that its option takes.
    """
    values = {option.key: option.default for option in declared}
    by_name = {name: option for option in declared for name in option.names}
    for name, value in arguments.options:
        option = by_name.get(name)
        if option is None:
            continue
        if option.choices and value not in option.choices:
            choices = ", ".join(map(repr, option.choices))
            raise UsageError(f"invalid value for {name}: {value!r} is not one of {choices}")
        if option.multiple:
            values[option.key] = (*values[option.key], value)
        else:
            values[option.key] = value if option.takes_value or value is not None else True
    return values


def host_options(values: Mapping[str, Any], mode: Mode) -> HostOptions:
    """How the host is to start, from the options' values.

    Raises:
        UsageError: two of them contradict each other, or one is empty.
    """
    for name in ("model", "models", "session", "fork"):
        if values[name] == "":
            raise UsageError(f"--{name} needs a value that is not empty")
    tools = () if values["no_tools"] else _names(values["tools"])
    return HostOptions(
        mode=mode,
        trust_override=trust_override(values),
        extension_paths=values["extension_paths"],
        no_extensions=values["no_extensions"],
        disabled=values["disable"],
        model=values["model"],
        models=_names(values["models"]),
        thinking=values["thinking"],
        tools=tools,
        exclude_tools=_names(values["exclude_tools"]) or (),
        session=session_choice(values),
        system_prompt=values["system_prompt"],
        append_system_prompt=values["append_system_prompt"],
    )


def trust_override(values: Mapping[str, Any]) -> bool | None:
    """What ``--approve`` and ``--no-approve`` say.

    Raises:
        UsageError: both were given.
    """
    if values["approve"] and values["no_approve"]:
        raise UsageError("--approve and --no-approve contradict each other")
    return True if values["approve"] else False if values["no_approve"] else None


def _names(value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(name.strip() for name in value.split(",") if name.strip())


def loading_host_options(values: Mapping[str, Any]) -> HostOptions:
    """A host that keeps no session and loads what ``-e``, ``-ne``, ``--disable``, ``-a`` and ``-na`` say.

    Raises:
        UsageError: two of them contradict each other.
    """
    return HostOptions(
        trust_override=trust_override(values),
        extension_paths=values["extension_paths"],
        no_extensions=values["no_extensions"],
        disabled=values["disable"],
        session=NoSession(),
    )


def working_directory() -> Path:
    """The directory the process works in.

    Raises:
        UsageError: it has been removed.
    """
    try:
        return Path.cwd()
    except OSError as fault:
        raise UsageError("the working directory is gone", "Change to one that exists.") from fault

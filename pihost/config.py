"""Under which name a host runs, and how it was asked to start."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import attrs

from pihost._values import Value
from pihost.model import ThinkingLevel

__all__ = [
    "ContinueSession",
    "ForkSession",
    "HostConfig",
    "HostOptions",
    "Mode",
    "NewSession",
    "NoSession",
    "OpenSession",
    "SessionChoice",
]

Mode = Literal["print", "json", "rpc", "interactive"]
"""How a session meets a person or a program."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HostConfig(Value):
    """Every name of a host that a user can see; an application that embeds the host brings its own.

    Attributes:
        app_name: The command's name in messages and hints.
        config_dir: Name of the configuration directory in a project and in the user's home.
        entry_point_group: The group in which installed distributions declare extensions.
        env_prefix: What the host's environment variables begin with.
        home: The user's global directory; ``None`` is ``$<env_prefix>_HOME``, else ``~/<config_dir>``.
    """

    app_name: str = "pihost"
    config_dir: str = ".pihost"
    entry_point_group: str = "pihost.extensions"
    env_prefix: str = "PIHOST"
    home: Path | None = None

    def env(self, name: str) -> str | None:
        """The value of ``<env_prefix>_<name>``, or ``None`` where it is unset or empty."""
        return os.environ.get(f"{self.env_prefix}_{name}") or None

    def resolve_home(self) -> Path:
        """The user's global directory, absolute, ``~`` expanded. It need not exist."""
        chosen = self.home or self.env("HOME") or Path("~", self.config_dir)
        return Path(os.path.abspath(Path(chosen).expanduser()))  # noqa: PTH100 -- resolve() would follow links

    @property
    def command_group(self) -> str:
        """The entry-point group of the commands that distributions bring."""
        return f"{self.entry_point_group}.cli"

    def project_dir(self, cwd: Path) -> Path:
        """The project's own configuration directory."""
        return cwd / self.config_dir


@attrs.frozen(kw_only=True, eq=False, repr=False)
class NewSession(Value):
    """Begin a new session, kept in a file.

    Attributes:
        name: The session's name, if it has one from the start.
    """

    name: str | None = None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContinueSession(Value):
    """Go on with the directory's newest session; begin a new one where there is none."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OpenSession(Value):
    """Go on with the session in ``file``; an empty or absent file becomes a new session."""

    file: Path


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ForkSession(Value):
    """Begin a session of its own with the active branch of the one in ``file``, which stays as it is."""

    file: Path


@attrs.frozen(kw_only=True, eq=False, repr=False)
class NoSession(Value):
    """Keep the session in memory only."""


SessionChoice = NewSession | ContinueSession | OpenSession | ForkSession | NoSession
"""Which session a host starts with."""


def _strings(values: Iterable[str | Path]) -> tuple[str, ...]:
    return tuple(map(str, values))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HostOptions(Value):
    """How one start was asked for, as the command line or an embedding application says it.

    Attributes:
        mode: How the session meets its user.
        trust_override: Decides the project's trust for this run; ``None`` asks the chain.
        extension_paths: Files and directories given with ``-e``, as the user wrote them.
        no_extensions: Drop every source but ``extension_paths``.
        disabled: Ids, or patterns of ids, that stay out.
        flags: Values of the flags that extensions register, by flag name.
        model: The model to start with: ``provider/id`` or a unique part of it.
        models: Models to offer and to go through, each as ``model`` names one; the first is started with
            where ``model`` is ``None``. ``None`` offers all.
        thinking: The thinking level to start with.
        system_prompt: A system prompt instead of the built-in one.
        append_system_prompt: Paragraphs to add to the system prompt.
        tools: The active tools; ``None`` is the default set.
        exclude_tools: Tools that are neither offered nor run.
        session: Which session to start with.
    """

    mode: Mode = "print"
    trust_override: bool | None = None
    extension_paths: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    no_extensions: bool = False
    disabled: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    flags: Mapping[str, bool | str] = attrs.field(factory=dict)
    model: str | None = None
    models: tuple[str, ...] | None = attrs.field(default=None, converter=attrs.converters.optional(_strings))
    thinking: ThinkingLevel | None = None
    system_prompt: str | None = None
    append_system_prompt: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    tools: tuple[str, ...] | None = attrs.field(default=None, converter=attrs.converters.optional(_strings))
    exclude_tools: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    session: SessionChoice = attrs.field(factory=NewSession)

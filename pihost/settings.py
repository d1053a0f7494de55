"""What a user, and a trusted project, may set: the keys, and reading them from TOML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import attrs

from pihost._values import Value
from pihost.config import HostConfig
from pihost.diagnostics import Diagnostic
from pihost.model import THINKING_LEVELS, ThinkingLevel
from pihost.near import near_hint
from pihost.paths import absolute, normalize_name

__all__ = [
    "Settings",
    "SettingsFile",
    "SettingsScope",
    "load_settings",
    "merge_project",
    "read_settings_file",
]

SettingsScope = Literal["global", "project"]
"""Whose file it is."""

FILE_NAME = "settings.toml"
"""Name of the file in the user's and in a project's configuration directory."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Settings(Value):
    """The settings in force, every path absolute.

    Attributes:
        extensions: Configured extension paths of the user's own file.
        project_extensions: Those of the project's file; empty until it is trusted.
        disabled: Ids or patterns that the user keeps out.
        project_disabled: Those of the project's file; they bind its own extensions only.
        default_model: Model to start with: ``provider/id`` or a unique part.
        default_thinking: Thinking level to start with.
        tools: Active tools instead of the default set.
        exclude_tools: Tools that are neither offered nor run.
        compact_at: Share of the context window at which a conversation is compacted, above 0 and up to 1.
        retries: How often a provider's passing error is tried again.
        session_dir: Where session files go instead of ``<home>/sessions``.
        providers: Configuration of each provider, by name.
        extension: Each extension's own settings, by id.
        project_extension: The same from the project's file; see ``extension_table``.
        project_may_set: Ids of extensions outside the project that its file may configure.
        default_project_trust: What happens to a project nobody decided on.
        trust_pin: Whether every stored approval is bound to the files approved.
        on_extension_error: Whether an error diagnostic stops the start.
        file_locks: Whether edits take a lock that other processes see.
        hook_timeout: Seconds an async handler may take.
        hook_timing: Whether the time of every handler is kept.
        shell: The shell that runs commands instead of the one found.
    """

    extensions: tuple[str, ...] = ()
    project_extensions: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    project_disabled: tuple[str, ...] = ()
    default_model: str | None = None
    default_thinking: ThinkingLevel | None = None
    tools: tuple[str, ...] | None = None
    exclude_tools: tuple[str, ...] = ()
    compact_at: float = 0.8
    retries: int = 3
    session_dir: Path | None = None
    providers: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    extension: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    project_extension: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    project_may_set: tuple[str, ...] = ()
    default_project_trust: Literal["always", "never", "ask"] = "ask"
    trust_pin: Literal["never", "always"] = "never"
    on_extension_error: Literal["stop", "continue"] = "stop"
    file_locks: bool = True
    hook_timeout: float = 60.0
    hook_timing: bool = False
    shell: str | None = None

    def extension_table(self, extension_id: str, *, local: bool) -> Mapping[str, Any]:
        """An extension's own settings; the project's word counts where it may have one.

        Args:
            extension_id: The extension; ids compare normalised.
            local: Whether it is the project's own.
        """
        wanted = normalize_name(extension_id)
        table = _table(self.extension, wanted)
        if local or wanted in map(normalize_name, self.project_may_set):
            table = {**table, **_table(self.project_extension, wanted)}
        return table


def _table(tables: Mapping[str, Mapping[str, Any]], wanted: str) -> Mapping[str, Any]:
    return next((table for name, table in tables.items() if normalize_name(name) == wanted), {})


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SettingsFile(Value):
    """One file as it was read.

    Attributes:
        path: The file; it need not exist.
        scope: Whose it is.
        values: The keys that are well formed, by name; paths resolved from the file.
        diagnostics: What was wrong with it, as warnings; the rest still counts.
    """

    path: Path
    scope: SettingsScope
    values: Mapping[str, Any] = attrs.field(factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


class _WrongValueError(ValueError):
    """A value that its key does not take; the text says what it takes."""


_Check = Callable[[Any, Path], Any]


def _strings(value: Any, _base: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _WrongValueError("a list of strings")
    return tuple(value)


def _paths(value: Any, base: Path) -> tuple[str, ...]:
    return tuple(str(absolute(item, base)) for item in _strings(value, base))


def _string(value: Any, _base: Path) -> str:
    if not isinstance(value, str) or not value:
        raise _WrongValueError("a string that is not empty")
    return value


def _path(value: Any, base: Path) -> Path:
    return absolute(_string(value, base), base)


def _boolean(value: Any, _base: Path) -> bool:
    if not isinstance(value, bool):
        raise _WrongValueError("true or false")
    return value


def _count(value: Any, _base: Path) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _WrongValueError("a whole number from 0 up")
    return value


def _seconds(value: Any, _base: Path) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise _WrongValueError("a number of seconds above 0")
    return float(value)


def _share(value: Any, _base: Path) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise _WrongValueError("a number above 0 and up to 1")
    return float(value)


def _tables(value: Any, _base: Path) -> Mapping[str, Mapping[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        raise _WrongValueError("tables, one for each name")
    return value


def _one_of(*choices: str) -> _Check:
    def check(value: Any, _base: Path) -> str:
        if value not in choices:
            raise _WrongValueError(" or ".join(f'"{choice}"' for choice in choices))
        return str(value)

    return check


_KEYS: Mapping[str, _Check] = {
    "extensions": _paths,
    "disabled": _strings,
    "default_model": _string,
    "default_thinking": _one_of(*THINKING_LEVELS),
    "tools": _strings,
    "exclude_tools": _strings,
    "compact_at": _share,
    "retries": _count,
    "session_dir": _path,
    "providers": _tables,
    "extension": _tables,
}

_GLOBAL_KEYS: Mapping[str, _Check] = {
    "project_may_set": _strings,
    "default_project_trust": _one_of("always", "never", "ask"),
    "trust_pin": _one_of("never", "always"),
    "on_extension_error": _one_of("stop", "continue"),
    "file_locks": _boolean,
    "hook_timeout": _seconds,
    "hook_timing": _boolean,
    "shell": _string,
}


def _warning(path: Path, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(
        level="warning", message=f"{path}: {message}", kind="settings", source=str(path), hint=hint
    )


def read_settings_file(path: Path, scope: SettingsScope) -> SettingsFile:
    """Read one settings file. Whatever is wrong with it becomes warnings and the rest counts.

    Args:
        path: The file; one that is not there is an empty one.
        scope: Whose it is; a project's file may not set what only the user may.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return SettingsFile(path=path, scope=scope)
    except OSError as fault:
        return SettingsFile(path=path, scope=scope, diagnostics=(_unreadable(path, fault),))
    import tomllib

    try:
        data = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as fault:  # a number too long to read is a plain ValueError
        return SettingsFile(path=path, scope=scope, diagnostics=(_unreadable(path, fault),))
    return _check_keys(path, scope, data)


def _unreadable(path: Path, fault: Exception) -> Diagnostic:
    return _warning(path, f"cannot be read, so it is left out: {fault}")


def _check_keys(path: Path, scope: SettingsScope, data: Mapping[str, Any]) -> SettingsFile:
    values: dict[str, Any] = {}
    faults: list[Diagnostic] = []
    every_key = {**_KEYS, **_GLOBAL_KEYS}
    for name, value in data.items():
        if name not in every_key:
            faults.append(_warning(path, f"there is no setting {name!r}", near_hint(name, every_key, most=1)))
        elif scope == "project" and name in _GLOBAL_KEYS:
            faults.append(_warning(path, f"{name!r} counts in the user's own settings only; it is ignored"))
        else:
            try:
                values[name] = every_key[name](value, path.parent)
            except _WrongValueError as fault:
                faults.append(_warning(path, f"{name!r} must be {fault}, not {value!r}; it is ignored"))
    return SettingsFile(path=path, scope=scope, values=values, diagnostics=tuple(faults))


def load_settings(config: HostConfig, home: Path) -> tuple[Settings, tuple[Diagnostic, ...]]:
    """The user's own settings, with the environment's say on extension errors.

    Args:
        config: Names the environment variables.
        home: The user's global directory.
    """
    file = read_settings_file(home / FILE_NAME, "global")
    settings = Settings(**file.values)
    diagnostics = file.diagnostics
    choice = config.env("ON_EXTENSION_ERROR")
    if choice in ("stop", "continue"):
        settings = attrs.evolve(settings, on_extension_error=cast(Literal["stop", "continue"], choice))
    elif choice is not None:
        name = f"{config.env_prefix}_ON_EXTENSION_ERROR"
        message = f'{name} must be "stop" or "continue", not {choice!r}; it is ignored'
        diagnostics += (Diagnostic(level="warning", message=message, kind="settings", source=name),)
    return settings, diagnostics


def merge_project(settings: Settings, file: SettingsFile) -> Settings:
    """The settings with a trusted project's file over them: lists of paths add up, the rest overrides.

    What it says of extensions is kept apart from the user's own, since it binds the project's extensions only
    (and, for their settings, those named in ``project_may_set``).

    Args:
        settings: The user's own.
        file: The project's.
    """
    values = dict(file.values)
    values["project_extensions"] = values.pop("extensions", ())
    values["project_disabled"] = values.pop("disabled", ())
    values["exclude_tools"] = (*settings.exclude_tools, *values.pop("exclude_tools", ()))
    values["providers"] = {**settings.providers, **values.pop("providers", {})}
    values["project_extension"] = values.pop("extension", {})
    return attrs.evolve(settings, **values)

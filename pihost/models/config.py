"""A provider as users configure it, and its key, which is found when a request needs it and shown nowhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from pihost._values import Value
from pihost.model import Model
from pihost.models.errors import ProviderConfigError
from pihost.near import near_aside

__all__ = ["ProviderConfig", "provider_config"]

_KEY_COMMAND_SECONDS = 30.0
_MASK = "***"
_SHORTEST_SECRET = 4
"""Masking what is shorter would garble ordinary text."""


def _models(value: Iterable[Model]) -> tuple[Model, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProviderConfig(Value):
    """Where a provider is and how it is spoken to. Key and headers are left out of its representation.

    Attributes:
        base_url: Where requests go, ``http`` or ``https``.
        api_key: A literal, ``$ENV_VAR``, or ``!command`` whose output is the key; looked up at each request.
        api: The wire API, one that an extension has registered an implementation for.
        headers: Headers of every request; their values may take the same three forms as the key.
        models: The models it offers; their ``provider`` and ``api`` are filled in at registration.
        read_timeout: Seconds without a byte of an answer after which its connection counts as dead.
    """

    base_url: str
    api_key: str | None = attrs.field(default=None, repr=False)
    api: str = "openai-completions"
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    models: tuple[Model, ...] = attrs.field(default=(), converter=_models)
    read_timeout: float = 300.0
    _secrets: set[str] = attrs.field(factory=set, init=False, repr=False, eq=False)

    async def resolve_api_key(self) -> str | None:
        """The key for a request that is about to be sent; ``None`` where none is configured.

        Raises:
            ProviderConfigError: the variable is not set, or the command fails.
        """
        return None if self.api_key is None else await self._resolve("api_key", self.api_key)

    async def resolve_headers(self) -> dict[str, str]:
        """The configured headers for a request that is about to be sent.

        Raises:
            ProviderConfigError: a variable is not set, or a command fails.
        """
        return {name: await self._resolve(f"headers.{name}", value) for name, value in self.headers.items()}

    def mask(self, text: str) -> str:
        """``text`` without any key or header value that was looked up so far."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, _MASK)
        return text

    async def _resolve(self, field: str, value: str) -> str:
        if value.startswith("!"):
            value = await self._run(field, value[1:])
        elif value.startswith("$"):
            value = self._variable(field, value[1:])
        if len(value) >= _SHORTEST_SECRET:
            self._secrets.add(value)
        return value

    def _variable(self, field: str, name: str) -> str:
        value = os.environ.get(name)
        if not value:
            raise ProviderConfigError(self.base_url, [f"{field}: the environment variable {name} is not set"])
        return value

    async def _run(self, field: str, command: str) -> str:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _KEY_COMMAND_SECONDS)
        except TimeoutError:
            fault = f"{field}: its command took longer than {_KEY_COMMAND_SECONDS:g} s"
            raise ProviderConfigError(self.base_url, [fault]) from None
        finally:
            if process.returncode is None:
                _kill_group(process)
                await process.wait()
        key = output.decode(errors="replace").strip()
        if process.returncode != 0 or not key:
            # What it printed may be half a key, so it is not shown.
            fault = (
                f"{field}: its command exited with code {process.returncode}, {len(output)} bytes of output"
            )
            raise ProviderConfigError(self.base_url, [fault])
        return key


def _kill_group(process: asyncio.subprocess.Process) -> None:
    """End a command with what it has started, which would hold its output open."""
    if sys.platform == "win32":
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _check(where: str, value: Any, kind: type | tuple[type, ...], wanted: str) -> list[str]:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return []
    return [f"{where}: must be {wanted}, not {type(value).__name__}"]


def _near(where: str, names: Iterable[str], known: Iterable[str]) -> list[str]:
    faults = []
    known = list(known)
    for name in names:
        if name not in known:
            hint = near_aside(str(name), known) or f"; there are {', '.join(known)}"
            faults.append(f"{where}{name}: no such key{hint}")
    return faults


_MODEL_KEYS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "id": (str, "a string"),
    "name": (str, "a string"),
    "context_window": (int, "a whole number"),
    "max_tokens": (int, "a whole number"),
    "images": (bool, "true or false"),
    "reasoning": (bool, "true or false"),
    "input_cost": ((int, float), "a number"),
    "output_cost": ((int, float), "a number"),
    "cache_read_cost": ((int, float), "a number"),
    "cache_write_cost": ((int, float), "a number"),
}
_CONFIG_KEYS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "base_url": (str, "a string"),
    "api_key": (str, "a string"),
    "api": (str, "a string"),
    "headers": (Mapping, "a table of strings"),
    "models": (list, "a list"),
    "read_timeout": ((int, float), "a number of seconds"),
}


def _model_faults(where: str, item: Any) -> list[str]:
    if isinstance(item, str | Model):
        return []
    if not isinstance(item, Mapping):
        return [f"{where}: must be an id or a table, not {type(item).__name__}"]
    faults = _near(f"{where}.", item, _MODEL_KEYS)
    if "id" not in item:
        faults.append(f"{where}.id: is missing")
    for name in _MODEL_KEYS.keys() & item.keys():
        faults += _check(f"{where}.{name}", item[name], *_MODEL_KEYS[name])
    return faults


def _model(provider: str, item: Any) -> Model:
    if isinstance(item, Model):
        return item
    return Model(provider=provider, id=item) if isinstance(item, str) else Model(provider=provider, **item)


def provider_config(name: str, table: Mapping[str, Any]) -> ProviderConfig:
    """The configuration that a table of a settings file gives.

    Args:
        name: The provider's id.
        table: The fields of ``ProviderConfig``; each of ``models`` is an id or a table of a model's fields.

    Raises:
        ProviderConfigError: with every fault of the table at once.
    """
    faults = _near("", table, _CONFIG_KEYS)
    if "base_url" not in table:
        faults.append("base_url: is missing")
    for key in _CONFIG_KEYS.keys() & table.keys():
        faults += _check(key, table[key], *_CONFIG_KEYS[key])
    if not faults:
        for index, item in enumerate(table.get("models", ())):
            faults += _model_faults(f"models[{index}]", item)
        for header, value in table.get("headers", {}).items():
            faults += _check(f"headers.{header}", value, str, "a string")
    if faults:
        raise ProviderConfigError(name, sorted(faults))
    models = [_model(name, item) for item in table.get("models", ())]
    return ProviderConfig(**{**table, "models": models})

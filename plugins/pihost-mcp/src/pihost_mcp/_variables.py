"""Variables of the environment in configured texts: looked up when a server starts, and masked ever after."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pihost_mcp._errors import UnsetVariableError

__all__ = ["Variables"]

_BRACED = re.compile(r"\$(?P<escaped>\$)|\$\{(?P<name>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\}")
_ANY = re.compile(_BRACED.pattern + r"|\$(?P<bare>[A-Za-z_]\w*)")
_MASK = "***"
_SHORTEST_SECRET = 4
"""Masking what is shorter would garble ordinary text."""
_LONG_WORD = 8
_NO_SECRETS = {"HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"}


class Variables:
    """Puts variables of the environment into texts, and remembers their values so that none is shown."""

    def __init__(self) -> None:
        self._secrets: set[str] = set()

    def in_text(self, text: str) -> str:
        """A text with ``${NAME}`` and ``${NAME:-default}`` replaced; ``$$`` is a dollar sign.

        Raises:
            UnsetVariableError: a variable without a default is not set, or empty.
        """
        return _BRACED.sub(self._value, text)

    def in_values(self, values: Mapping[str, str]) -> dict[str, str]:
        """The same for values of variables and headers, in which ``$NAME`` is replaced too."""
        return {name: _ANY.sub(self._value, text) for name, text in values.items()}

    def hide(self, *secrets: str) -> None:
        """Mask these from now on, and every long word in them."""
        for secret in secrets:
            self._remember(secret)
            for word in secret.split():
                if len(word) >= _LONG_WORD:
                    self._remember(word)

    def mask(self, text: str) -> str:
        """A text without any value that was put into another."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, _MASK)
        return text

    def _value(self, found: re.Match[str]) -> str:
        groups = found.groupdict()
        if groups["escaped"]:
            return "$"
        name = groups["name"] or groups.get("bare") or ""
        value = os.environ.get(name) or groups["default"]
        if value is None:
            raise UnsetVariableError(name)
        if os.environ.get(name) and name not in _NO_SECRETS:
            self._remember(value)
        return value

    def _remember(self, secret: str) -> None:
        if len(secret) >= _SHORTEST_SECRET:
            self._secrets.add(secret)

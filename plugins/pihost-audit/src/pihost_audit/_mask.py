"""Taking secrets out of what is logged: by the form of known keys, and by the values of variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["Mask"]

_MASKED = "***"
_SHORTEST = 6
"""Masking what is shorter would garble ordinary text."""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_FORMS = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}        # keys of model providers
    | \bgh[pousr]_[A-Za-z0-9]{20,}             # GitHub
    | \bglpat-[A-Za-z0-9_-]{16,}               # GitLab
    | \bxox[abprs]-[A-Za-z0-9-]{10,}           # Slack
    | \bAKIA[0-9A-Z]{16}\b                     # Amazon
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*   # a JSON Web Token
    | (?<=Bearer\ )[A-Za-z0-9._~+/=-]{8,}
    | (?<=://)[^/\s:@]{1,256}:[^/\s@]{1,256}(?=@)                 # user and password in an address
    | -----BEGIN\ [A-Z ]{0,40}PRIVATE\ KEY-----[\s\S]{0,8192}?-----END\ [A-Z ]{0,40}PRIVATE\ KEY-----
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""(?i)(\b[\w-]{0,40}(?:api[_-]?key|token|secret|password|passwd)[\w-]{0,20}["']?\s{0,4}[=:]\s{0,4}["']?)([^\s"'&;]{4,})"""
)


class Mask:
    """Masks texts, and all texts in a JSON value.

    Args:
        environment: Variables whose values are secrets where their names say so; by default the process's.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        variables = os.environ if environment is None else environment
        secrets = {
            value
            for name, value in variables.items()
            if _SECRET_NAME.search(name) and len(value) >= _SHORTEST and not value.startswith(("/", "$"))
        }
        self._secrets = sorted(secrets, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without what looks like a secret."""
        for secret in self._secrets:
            text = text.replace(secret, _MASKED)
        return _NAMED.sub(rf"\g<1>{_MASKED}", _FORMS.sub(_MASKED, text))

    def value(self, value: Any) -> Any:
        """The value with every text in it masked; of a mapping also whatever has the name of a secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {str(name): self._item(str(name), item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def _item(self, name: str, item: Any) -> Any:
        return _MASKED if isinstance(item, str) and _SECRET_NAME.search(name) else self.value(item)

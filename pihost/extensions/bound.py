"""An extension that is bound, and what binding comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from pihost._values import Value
from pihost.diagnostics import ExtensionError

if TYPE_CHECKING:
    from pihost.extensions.records import Extension

__all__ = ["BindResult", "BoundExtension"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BoundExtension(Value):
    """An extension whose actions are real.

    Attributes:
        extension: What was bound.
    """

    extension: Extension


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BindResult(Value):
    """What became of binding.

    Attributes:
        extensions: All of them: a registration that fails unbinds nobody.
        errors: One for each registration of a provider that failed.
    """

    extensions: tuple[BoundExtension, ...]
    errors: tuple[ExtensionError, ...]

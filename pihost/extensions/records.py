"""An extension that is loaded, and what loading comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic, ExtensionError

if TYPE_CHECKING:
    from pihost.extensions.admission import Admitted
    from pihost.extensions.registrations import RegisteredCommand, RegisteredFlag, RegisteredTool
    from pihost.extensions.runtime import ExtensionRuntime

__all__ = ["Extension", "LoadResult"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Extension(Value):
    """An extension that is loaded: its module is imported and its ``setup`` has returned.

    Attributes:
        admitted: What was loaded.
        id: The candidate's id.
        tools: What ``setup`` registered, by name.
        commands: The same for commands.
        flags: The same for flags.
        handlers: Names of the hooks it answers.
        load_ms: How long loading it took, in milliseconds.
        replaceable: Whether it steps aside where another registers the same name.
        runtime: The runtime it was loaded into.
    """

    admitted: Admitted
    id: str
    tools: Mapping[str, RegisteredTool] = attrs.field(factory=dict)
    commands: Mapping[str, RegisteredCommand] = attrs.field(factory=dict)
    flags: Mapping[str, RegisteredFlag] = attrs.field(factory=dict)
    handlers: tuple[str, ...] = ()
    load_ms: float = 0.0
    replaceable: bool = False
    runtime: ExtensionRuntime = attrs.field(repr=False, eq=False)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LoadResult(Value):
    """What became of the extensions that were to be loaded.

    Attributes:
        extensions: Those that loaded, in the order given.
        errors: One for each that did not, and whatever failed in the background meanwhile.
        warnings: What their authors should know of.
        runtime: Where they were loaded into.
    """

    extensions: tuple[Extension, ...]
    errors: tuple[ExtensionError, ...]
    warnings: tuple[Diagnostic, ...]
    runtime: ExtensionRuntime

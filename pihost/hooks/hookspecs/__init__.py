"""The host's own hooks, one module a family. Their docstrings are what users read about them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import FunctionType, MappingProxyType

from pihost.hooks._markers import KIND_ATTRIBUTE
from pihost.hooks.hookspecs import (
    agent,
    branches,
    compaction,
    mcp,
    message,
    provider,
    resources,
    session,
    tool,
    ui,
)
from pihost.hooks.specs import Spec, read_spec

__all__ = ["FAMILIES", "host_specs"]

FAMILIES = (session, branches, compaction, resources, agent, provider, message, tool, mcp, ui)
"""The modules that declare hooks, in the order a reader meets them."""


@functools.cache
def host_specs() -> Mapping[str, Spec]:
    """Every hook of the host's own by name, family by family, in source order."""
    functions = [f for family in FAMILIES for f in vars(family).values() if isinstance(f, FunctionType)]
    specs = [read_spec(f) for f in functions if hasattr(f, KIND_ATTRIBUTE)]
    return MappingProxyType({spec.name: spec for spec in specs})

"""Hooks of a request to a model: what it carries, its headers, its answer as it comes."""

from collections.abc import Mapping
from typing import Any

from pihost.context import ExtensionContext
from pihost.events import (
    AfterProviderResponseEvent,
    BeforeProviderHeadersEvent,
    BeforeProviderRequestEvent,
    ContextEvent,
    ContextResult,
    ContextWithSystemEvent,
    ProviderStreamEventEvent,
)
from pihost.hooks._markers import hookspec

__all__ = [
    "after_provider_response",
    "before_provider_headers",
    "before_provider_request",
    "context",
    "context_with_system",
    "provider_stream_event",
]


@hookspec("chain")
def context(event: ContextEvent, ctx: ExtensionContext) -> ContextResult | None:
    """Fires with a ``ContextEvent``."""


@hookspec("chain")
def context_with_system(event: ContextWithSystemEvent, ctx: ExtensionContext) -> ContextResult | None:
    """Fires with a ``ContextWithSystemEvent``."""


@hookspec("notify")
def before_provider_headers(event: BeforeProviderHeadersEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``BeforeProviderHeadersEvent``."""


@hookspec("chain")
def before_provider_request(
    event: BeforeProviderRequestEvent, ctx: ExtensionContext
) -> Mapping[str, Any] | None:
    """Fires with a ``BeforeProviderRequestEvent``."""


@hookspec("notify")
def after_provider_response(event: AfterProviderResponseEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``AfterProviderResponseEvent``."""


@hookspec("notify")
def provider_stream_event(event: ProviderStreamEventEvent, ctx: ExtensionContext) -> None:
    """Fires with a ``ProviderStreamEventEvent``."""

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
    """Fires before each request with the conversation it will carry.

    Only what is returned counts, and for this request only: the stored session never changes.

    Event:
        messages (tuple[Message, ...]): The conversation without the system prompt, as the handlers before
            left it.

    Returns:
        ``ContextResult(messages)`` with the whole conversation to send instead, or ``None``.

    Answers:
        Each handler sees the messages the ones before it left; the last ones are sent.

    On error:
        Reported; the value stays as it was and the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import ContextResult

        @hookimpl
        def context(event, ctx):
            return ContextResult(messages=event.messages[-50:])
    """


@hookspec("chain")
def context_with_system(event: ContextWithSystemEvent, ctx: ExtensionContext) -> ContextResult | None:
    """Fires before each request, after ``context``, with the system message first.

    Event:
        messages (tuple[Message, ...]): The system message and the conversation, as the handlers before left
            them.

    Returns:
        ``ContextResult(messages)`` with all of it, or ``None``.

    Answers:
        Each handler sees the messages the ones before it left; the last ones are sent. Dropping the system
        message is reported, and it stays dropped.

    On error:
        Reported; the value stays as it was and the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl
        from pihost.events import ContextResult
        from pihost.models import SystemMessage

        @hookimpl
        def context_with_system(event, ctx):
            system, *rest = event.messages
            return ContextResult(messages=[SystemMessage(text=system.text.strip()), *rest])
    """


@hookspec("notify")
def before_provider_headers(event: BeforeProviderHeadersEvent, ctx: ExtensionContext) -> None:
    """Fires before a request is sent, with its headers.

    Event:
        headers (MutableMapping[str, str | None]): Mutable: what is set here is sent; ``None`` removes a
            header.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def before_provider_headers(event):
            event.headers["x-team"] = "example"
    """


@hookspec("chain")
def before_provider_request(
    event: BeforeProviderRequestEvent, ctx: ExtensionContext
) -> Mapping[str, Any] | None:
    """Fires before a request is sent, with its body.

    Event:
        payload (Mapping[str, Any]): The body in the provider's own form, as the handlers before left it.

    Returns:
        The whole new payload, or ``None`` to leave it. An empty mapping is a payload too.

    Answers:
        Each handler sees the payload the ones before it left; the last one is sent.

    On error:
        Reported; the value stays as it was and the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def before_provider_request(event):
            return {**event.payload, "temperature": 0}
    """


@hookspec("notify")
def after_provider_response(event: AfterProviderResponseEvent, ctx: ExtensionContext) -> None:
    """Fires when a provider has answered, before the body is read.

    Event:
        status (int): The HTTP status; 200 where the provider does not speak HTTP.
        headers (Mapping[str, str]): The response's headers, names in lower case.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        @hookimpl
        def after_provider_response(event, ctx):
            left = event.headers.get("x-ratelimit-remaining-requests")
            ctx.ui.set_status("requests left", left)
    """


@hookspec("notify")
def provider_stream_event(event: ProviderStreamEventEvent, ctx: ExtensionContext) -> None:
    """Fires for each piece of a provider's answer, as it came.

    Event:
        provider (str): Id of the provider.
        api (str): The wire API.
        model (str): Id of the model.
        data (Mapping[str, Any]): The piece in the provider's own form, to read only.

    Returns:
        ``None``. Anything else is reported once as a mistake and ignored.

    Answers:
        Everybody is called.

    On error:
        Reported; the handlers after it are called.

    Since: 0.1

    Example::

        from pihost import hookimpl

        SEEN = []

        @hookimpl
        def provider_stream_event(event):
            SEEN.append((event.model, event.data.get("type")))
    """

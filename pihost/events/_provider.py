"""Events of a request on its way to a provider and back."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, ClassVar

import attrs

from pihost.events._base import Event

__all__ = [
    "AfterProviderResponseEvent",
    "BeforeProviderHeadersEvent",
    "BeforeProviderRequestEvent",
    "ProviderStreamEventEvent",
]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BeforeProviderHeadersEvent(Event):
    """The headers of a request, before it is sent.

    Attributes:
        headers: Mutable; setting a header to ``None`` removes it.
    """

    hook_name: ClassVar[str] = "before_provider_headers"
    headers: MutableMapping[str, str | None]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BeforeProviderRequestEvent(Event):
    """The body of a request, before it is sent.

    Attributes:
        payload: In the provider's own form.
    """

    hook_name: ClassVar[str] = "before_provider_request"
    payload: Mapping[str, Any]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AfterProviderResponseEvent(Event):
    """A provider answered; its body has not been read.

    Attributes:
        status: The HTTP status, or 200 where the provider does not speak HTTP.
        headers: The response's headers, names in lower case.
    """

    hook_name: ClassVar[str] = "after_provider_response"
    status: int
    headers: Mapping[str, str]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ProviderStreamEventEvent(Event):
    """One piece of a provider's answer, as it came.

    Attributes:
        provider: Id of the provider.
        api: The wire API.
        model: Id of the model.
        data: The piece in the provider's own form, to read only.
    """

    hook_name: ClassVar[str] = "provider_stream_event"
    provider: str
    api: str
    model: str
    data: Mapping[str, Any]

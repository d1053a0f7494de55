"""One request through the official SDK: what hooks change is what is sent, what they see is what came."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pihost.models import Error, ProviderConfig, ProviderHooks, http_error, payload_bytes
from pihost_openai._models import OPENAI_URL

if TYPE_CHECKING:
    import openai

__all__ = ["RequestFailed", "answered", "is_openai"]

_KEPT_ELSEWHERE = {"accept", "content-type", "user-agent"}
"""Of the headers that the SDK sets by itself, those for any server. The rest may speak of an account."""
_STAINLESS = ("x-stainless-retry-count", "x-stainless-read-timeout")
_CONNECT_SECONDS = 30.0


class RequestFailed(Exception):  # noqa: N818 -- carries an answer of the provider, which is no fault of ours
    """The request came to an end without an answer.

    Attributes:
        error: What to tell.
    """

    def __init__(self, error: Error) -> None:
        super().__init__(error)
        self.error = error


def is_openai(config: ProviderConfig) -> bool:
    """Whether the provider is OpenAI itself and not a server that speaks the same."""
    return urlsplit(config.base_url).hostname == urlsplit(OPENAI_URL).hostname


@asynccontextmanager
async def answered(
    config: ProviderConfig, path: str, payload: Mapping[str, Any], hooks: ProviderHooks
) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
    """Send a request; its answer comes event by event. Leaving the block closes the connection.

    Args:
        config: Where to send it.
        path: The resource, such as ``/responses``.
        payload: The body before hooks have seen it.
        hooks: Called on the way.

    Yields:
        The events of the answer.

    Raises:
        RequestFailed: in the block too: the server refused, broke off, or cannot be reached.
        ProviderConfigError: the key cannot be looked up.
    """
    import openai

    key = await config.resolve_api_key()
    async with openai.AsyncOpenAI(
        # A key of the environment belongs to OpenAI, so a server without one of its own gets an empty one.
        api_key=key or "none",
        base_url=config.base_url,
        max_retries=0,
        timeout=openai.Timeout(config.read_timeout, connect=_CONNECT_SECONDS),
    ) as client:
        headers = _headers(client, config, has_key=key is not None)
        headers.update(await config.resolve_headers())
        sent = dict(headers)
        await hooks.before_headers(sent)
        payload = await hooks.before_request(payload)
        try:
            stream = await _post(client, path, payload, _with_removed(client, sent))
        except openai.APIStatusError as fault:
            await hooks.after_response(fault.status_code, dict(fault.response.headers))
            raise RequestFailed(_refused(fault)) from fault
        except openai.APIError as fault:
            raise RequestFailed(_unreachable(fault)) from fault
        try:
            await hooks.after_response(stream.response.status_code, dict(stream.response.headers))
            yield _events(stream, hooks)
        finally:
            await stream.close()


async def _post(
    client: openai.AsyncOpenAI, path: str, payload: Mapping[str, Any], headers: Mapping[str, Any]
) -> openai.AsyncStream[Any]:
    import openai

    return await client.post(
        path,
        content=payload_bytes(payload),
        cast_to=object,
        options={"headers": headers},
        stream=True,
        stream_cls=openai.AsyncStream[Any],
    )


async def _events(stream: openai.AsyncStream[Any], hooks: ProviderHooks) -> AsyncIterator[Mapping[str, Any]]:
    import openai

    if "event-stream" not in stream.response.headers.get("content-type", "event-stream"):
        raise RequestFailed(Error(message="The server answered with something else than a stream of events"))
    try:
        async for event in stream:
            if isinstance(event, Mapping):
                await hooks.stream_event(event)
                yield event
    except ValueError as fault:
        message = f"The server sent an event that is no JSON: {fault}"
        raise RequestFailed(Error(message=message, retryable=True)) from fault
    except openai.APIConnectionError as fault:
        raise RequestFailed(_unreachable(fault)) from fault
    except openai.APIError as fault:
        raise RequestFailed(Error(message=fault.message)) from fault


def _headers(client: openai.AsyncOpenAI, config: ProviderConfig, *, has_key: bool) -> dict[str, str | None]:
    own = is_openai(config)
    headers: dict[str, str | None] = {
        name: value
        for name, value in client.default_headers.items()
        if isinstance(value, str) and (own or name.lower() in _KEPT_ELSEWHERE)
    }
    if has_key:
        headers.update(client.auth_headers)
    return headers


def _with_removed(client: openai.AsyncOpenAI, headers: Mapping[str, str | None]) -> dict[str, Any]:
    """The headers, and a mark for each that the SDK would add and that is not wanted."""
    import openai

    wanted = {name.lower() for name, value in headers.items() if value is not None}
    added = (
        *client.default_headers,
        *client.auth_headers,
        "x-stainless-retry-count",
        "x-stainless-read-timeout",
    )
    removed = {name: openai.Omit() for name in added if name.lower() not in wanted}
    return {**removed, **{name: value for name, value in headers.items() if value is not None}}


def _refused(fault: openai.APIStatusError) -> Error:
    body: Any = fault.body
    said = body.get("message") if isinstance(body, Mapping) else None
    text = said if isinstance(said, str) and said else fault.message
    return http_error(fault.status_code, dict(fault.response.headers), f"{fault.status_code}: {text}")


def _unreachable(fault: openai.APIError) -> Error:
    import openai

    cause = fault.__cause__
    if isinstance(fault, openai.APITimeoutError):
        return Error(message="The server took too long to answer", retryable=True)
    detail = f": {cause}" if cause is not None and str(cause) else ""
    return Error(message=f"The connection to the server failed{detail}", retryable=True)

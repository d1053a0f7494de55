"""One request through the official SDK: what hooks change is what is sent, what they see is what came."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pihost.models import Error, ProviderConfig, ProviderHooks, http_error, payload_bytes
from pihost_anthropic._models import ANTHROPIC_URL

if TYPE_CHECKING:
    import anthropic
    import httpx2

__all__ = ["RequestFailed", "answered"]

_KEPT_ELSEWHERE = {"accept", "content-type", "user-agent", "anthropic-version"}
"""Of the headers that the SDK sets by itself, those for any server. The rest may speak of an account."""
_STAINLESS = ("x-stainless-retry-count", "x-stainless-read-timeout", "x-stainless-timeout")
_CONNECT_SECONDS = 30.0
_LARGEST_EVENT_BYTES = 64 * 1024 * 1024
_PASSING = {"overloaded_error", "api_error", "rate_limit_error", "timeout_error"}


class RequestFailed(Exception):  # noqa: N818 -- carries an answer of the provider, which is no fault of ours
    """The request came to an end without an answer.

    Attributes:
        error: What to tell.
    """

    def __init__(self, error: Error) -> None:
        super().__init__(error)
        self.error = error


@asynccontextmanager
async def answered(
    config: ProviderConfig, payload: Mapping[str, Any], hooks: ProviderHooks
) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
    """Send a request; its answer comes event by event. Leaving the block closes the connection.

    Args:
        config: Where to send it.
        payload: The body before hooks have seen it.
        hooks: Called on the way.

    Yields:
        The events of the answer.

    Raises:
        RequestFailed: in the block too: the server refused, broke off, or cannot be reached.
        ProviderConfigError: the key cannot be looked up.
    """
    import anthropic
    import httpx2

    async def tell(response: httpx2.Response) -> None:
        await hooks.after_response(response.status_code, dict(response.headers))

    key = await config.resolve_api_key()
    timeout = anthropic.Timeout(config.read_timeout, connect=_CONNECT_SECONDS)
    async with anthropic.AsyncAnthropic(
        # A key of the environment belongs to Anthropic, so a server without one of its own gets an empty one.
        api_key=key or "none",
        base_url=config.base_url,
        max_retries=0,
        timeout=timeout,
        # Followed, a redirect would hand the configured headers, and the conversation, to another server.
        http_client=anthropic.DefaultAsyncHttpxClient(
            timeout=timeout, follow_redirects=False, event_hooks={"response": [tell]}
        ),
    ) as client:
        headers = _headers(client, config, has_key=key is not None)
        headers.update(await config.resolve_headers())
        sent = dict(headers)
        await hooks.before_headers(sent)
        payload = await hooks.before_request(payload)
        try:
            stream = await _post(client, payload, _with_removed(client, sent))
        except anthropic.APIStatusError as fault:
            raise RequestFailed(_refused(fault)) from fault
        except anthropic.APIError as fault:
            raise RequestFailed(_unreachable(fault)) from fault
        except httpx2.HTTPError as fault:  # while the body of a refusal is read
            raise RequestFailed(_broken(fault)) from fault
        try:
            yield _events(stream, hooks)
        finally:
            await stream.close()


async def _post(
    client: anthropic.AsyncAnthropic, payload: Mapping[str, Any], headers: Mapping[str, Any]
) -> anthropic.AsyncStream[Any]:
    import anthropic

    return await client.post(
        "/v1/messages",
        content=payload_bytes(payload),
        cast_to=object,
        options={"headers": headers},
        stream=True,
        stream_cls=anthropic.AsyncStream[Any],
    )


async def _events(
    stream: anthropic.AsyncStream[Any], hooks: ProviderHooks
) -> AsyncIterator[Mapping[str, Any]]:
    import httpx2

    if "event-stream" not in stream.response.headers.get("content-type", ""):
        raise RequestFailed(Error(message="The server answered with something else than a stream of events"))
    # Not the SDK's own reader: it drops every event without a name, and some servers give none.
    frames = httpx2.EventSource(stream.response, max_event_size=_LARGEST_EVENT_BYTES)
    try:
        async for frame in frames:
            event = _decoded(frame.data)
            if event is not None:
                await hooks.stream_event(event)
                if event.get("type") == "error":
                    raise RequestFailed(_reported(event.get("error")))
                yield event
    except httpx2.HTTPError as fault:
        raise RequestFailed(_broken(fault)) from fault


def _decoded(data: str) -> Mapping[str, Any] | None:
    """The event; ``None`` where there is none in it."""
    if not data.strip():
        return None
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as fault:
        message = f"The server sent an event that is no JSON: {fault}"
        raise RequestFailed(Error(message=message, retryable=True)) from fault
    return event if isinstance(event, Mapping) else None


def _reported(error: Any) -> Error:
    found = error if isinstance(error, Mapping) else {"message": error}
    message = str(found.get("message") or "The provider failed without saying why")
    return Error(message=message, retryable=found.get("type") in _PASSING)


def _headers(
    client: anthropic.AsyncAnthropic, config: ProviderConfig, *, has_key: bool
) -> dict[str, str | None]:
    own = urlsplit(config.base_url).hostname == urlsplit(ANTHROPIC_URL).hostname
    credentials = {name.lower() for name in client.auth_headers}
    headers: dict[str, str | None] = {
        name: value
        for name, value in client.default_headers.items()
        if isinstance(value, str)
        and name.lower() not in credentials
        and (own or name.lower() in _KEPT_ELSEWHERE)
    }
    if has_key:
        headers.update(client.auth_headers)
    return headers


def _with_removed(client: anthropic.AsyncAnthropic, headers: Mapping[str, str | None]) -> dict[str, Any]:
    """The headers, and a mark for each that the SDK would add and that is not wanted."""
    import anthropic

    wanted = {name.lower() for name, value in headers.items() if value is not None}
    added = (*client.default_headers, *client.auth_headers, *_STAINLESS)
    removed = {name: anthropic.Omit() for name in added if name.lower() not in wanted}
    return {**removed, **{name: value for name, value in headers.items() if value is not None}}


def _refused(fault: anthropic.APIStatusError) -> Error:
    body: Any = fault.body
    error = body.get("error") if isinstance(body, Mapping) else None
    said = error.get("message") if isinstance(error, Mapping) else None
    text = said if isinstance(said, str) and said else fault.message
    return http_error(fault.status_code, dict(fault.response.headers), f"{fault.status_code}: {text}")


_TOO_LONG = Error(message="The server took too long to answer", retryable=True)


def _unreachable(fault: anthropic.APIError) -> Error:
    import anthropic

    return _TOO_LONG if isinstance(fault, anthropic.APITimeoutError) else _lost(fault.__cause__)


def _broken(fault: httpx2.HTTPError) -> Error:
    import httpx2

    return _TOO_LONG if isinstance(fault, httpx2.TimeoutException) else _lost(fault)


def _lost(cause: BaseException | None) -> Error:
    detail = f": {cause}" if cause is not None and str(cause) else ""
    return Error(message=f"The connection to the server failed{detail}", retryable=True)

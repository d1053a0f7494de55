"""One request through the official SDK: what hooks change is what is sent, what they see is what came."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pihost.models import Error, ProviderConfig, ProviderHooks, http_error, payload_bytes
from pihost_openai._models import OPENAI_URL

if TYPE_CHECKING:
    import httpx2
    import openai

__all__ = ["RequestFailed", "answered", "is_openai", "reported_error"]

_KEPT_ELSEWHERE = {"accept", "content-type", "user-agent"}
"""Of the headers that the SDK sets by itself, those for any server. The rest may speak of an account."""
_STAINLESS = ("x-stainless-retry-count", "x-stainless-read-timeout")
_CONNECT_SECONDS = 30.0
_LARGEST_EVENT_BYTES = 64 * 1024 * 1024
"""The last event of an answer may hold all of it."""
_PASSING = {"server_error", "rate_limit_exceeded", "overloaded_error"}
_NO_QUOTA = "insufficient_quota"


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
    import httpx2
    import openai

    async def tell(response: httpx2.Response) -> None:
        await hooks.after_response(response.status_code, dict(response.headers))

    key = await config.resolve_api_key()
    timeout = openai.Timeout(config.read_timeout, connect=_CONNECT_SECONDS)
    async with openai.AsyncOpenAI(
        # A key of the environment belongs to OpenAI, so a server without one of its own gets an empty one.
        api_key=key or "none",
        base_url=config.base_url,
        max_retries=0,
        timeout=timeout,
        # Followed, a redirect would hand the configured headers, and the conversation, to another server.
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout, follow_redirects=False, event_hooks={"response": [tell]}
        ),
    ) as client:
        headers = _headers(client, config, has_key=key is not None)
        headers.update(await config.resolve_headers())
        sent = dict(headers)
        await hooks.before_headers(sent)
        payload = await hooks.before_request(payload)
        try:
            stream = await _post(client, path, payload, _with_removed(client, sent))
        except openai.APIStatusError as fault:
            raise RequestFailed(_refused(fault)) from fault
        except openai.APIError as fault:
            raise RequestFailed(_unreachable(fault)) from fault
        except httpx2.HTTPError as fault:  # while the body of a refusal is read
            raise RequestFailed(_broken(fault)) from fault
        try:
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
    import httpx2

    if "event-stream" not in stream.response.headers.get("content-type", ""):
        raise RequestFailed(Error(message="The server answered with something else than a stream of events"))
    # Not the SDK's own reader: it takes an event without data, which keeps a connection alive, for bad JSON.
    frames = httpx2.EventSource(stream.response, max_event_size=_LARGEST_EVENT_BYTES)
    try:
        async for frame in frames:
            if frame.data.startswith("[DONE]"):
                return
            event = _decoded(frame.data)
            if event is not None:
                await hooks.stream_event(event)
                if event.get("error"):
                    raise RequestFailed(reported_error(event["error"]))
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


def reported_error(error: Any) -> Error:
    """The error that a server reports in the midst of its answer.

    Args:
        error: What it says: mostly a mapping with ``message``, ``code`` and ``type``.
    """
    found = error if isinstance(error, Mapping) else {"message": error}
    code = found.get("code")
    message = str(found.get("message") or "The provider failed without saying why")
    if isinstance(code, int):
        return Error(message=message, retryable=http_error(code, {}, message).retryable)
    return Error(message=message, retryable=code in _PASSING or found.get("type") in _PASSING)


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
    added = (*client.default_headers, *client.auth_headers, *_STAINLESS)
    removed = {name: openai.Omit() for name in added if name.lower() not in wanted}
    return {**removed, **{name: value for name, value in headers.items() if value is not None}}


def _refused(fault: openai.APIStatusError) -> Error:
    body: Any = fault.body
    said = body.get("message") if isinstance(body, Mapping) else None
    text = said if isinstance(said, str) and said else fault.message
    found = http_error(fault.status_code, dict(fault.response.headers), f"{fault.status_code}: {text}")
    if _NO_QUOTA in (fault.code, fault.type):  # the status is that of a rate limit, which passes
        return Error(message=found.message, status=found.status)
    return found


_TOO_LONG = Error(message="The server took too long to answer", retryable=True)


def _unreachable(fault: openai.APIError) -> Error:
    import openai

    return _TOO_LONG if isinstance(fault, openai.APITimeoutError) else _lost(fault.__cause__)


def _broken(fault: httpx2.HTTPError) -> Error:
    import httpx2

    return _TOO_LONG if isinstance(fault, httpx2.TimeoutException) else _lost(fault)


def _lost(cause: BaseException | None) -> Error:
    detail = f": {cause}" if cause is not None and str(cause) else ""
    return Error(message=f"The connection to the server failed{detail}", retryable=True)

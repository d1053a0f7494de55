"""The user as extensions reach them in rpc mode: questions go to the client, which answers by their id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pihost.context import NotifyLevel
from pihost.modes.rpc._outbox import Outbox
from pihost.protocol.dialogs import (
    ConfirmRequest,
    DialogRequest,
    DismissRequest,
    InputRequest,
    NotifyRequest,
    SelectRequest,
    SetStatusRequest,
    UiResponse,
)
from pihost.protocol.exchange import ui_record

__all__ = ["RpcUI"]

Answer = str | bool | None


class RpcUI:
    """Asks the client. Any number of dialogs may be open; each is answered, dismissed or timed out.

    Once it is closed, every dialog is dismissed at once, as if nobody were there.
    """

    def __init__(self) -> None:
        self._outbox: Outbox | None = None
        self._opened: Callable[[], None] = lambda: None
        self._open: dict[str, tuple[DialogRequest, asyncio.Future[Answer]]] = {}
        self._count = 0
        self._closed = False

    def connect(self, outbox: Outbox, opened: Callable[[], None]) -> None:
        """Say where requests go; before that nobody is there.

        Args:
            outbox: Takes the requests.
            opened: Called when a dialog opens.
        """
        self._outbox = outbox
        self._opened = opened

    @property
    def is_asking(self) -> bool:
        """Whether a dialog is open."""
        return bool(self._open)

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> str | None:
        """Let the user pick one of ``options``."""
        request = SelectRequest(id=self._next(), title=title, options=options, timeout=timeout)
        answer = await self._asked(request)
        return answer if isinstance(answer, str) else None

    async def confirm(
        self,
        title: str,
        message: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> bool:
        """Ask yes or no."""
        request = ConfirmRequest(id=self._next(), title=title, message=message, timeout=timeout)
        return await self._asked(request) is True

    async def input(
        self,
        title: str,
        placeholder: str = "",
        *,
        timeout: float | None = None,  # noqa: ASYNC109 -- the protocol's name
    ) -> str | None:
        """Ask for a line of text."""
        request = InputRequest(id=self._next(), title=title, placeholder=placeholder, timeout=timeout)
        answer = await self._asked(request)
        return answer if isinstance(answer, str) else None

    def notify(self, message: str, level: NotifyLevel = "info") -> None:
        """Let the client show a notice."""
        if self._outbox is not None:
            self._outbox.offer(ui_record(NotifyRequest(id=self._next(), message=message, level=level)))

    def set_status(self, key: str, text: str | None) -> None:
        """Let the client show ``text`` in its status line."""
        if self._outbox is not None:
            self._outbox.offer(ui_record(SetStatusRequest(id=self._next(), key=key, text=text)))

    def answer(self, response: UiResponse) -> str | None:
        """Take the client's answer to a dialog.

        Returns:
            What is wrong with it, in which case the dialog stays open; ``None`` where it is taken.
        """
        request, future = self._open.get(response.id, (None, None))
        if request is None or future is None or future.done():
            return f"no dialog {response.id[:80]!r} is open"
        fault = _fault(request, response.value)
        if fault is None:
            future.set_result(response.value)
        return fault

    def close(self) -> None:
        """Dismiss every dialog, those to come too."""
        self._closed = True
        for _request, future in self._open.values():
            if not future.done():
                future.set_result(None)

    def _next(self) -> str:
        self._count += 1
        return f"ui-{self._count}"

    async def _asked(self, request: DialogRequest) -> Answer:
        outbox = self._outbox
        if outbox is None or self._closed:
            return None
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[request.id] = request, future
        outbox.put(ui_record(request))
        self._opened()
        answered = False
        try:
            async with asyncio.timeout(request.timeout):
                answer = await future
            answered = not self._closed
        except TimeoutError:
            return None
        finally:
            del self._open[request.id]
            if not answered:
                outbox.put(ui_record(DismissRequest(id=request.id)))
        return answer


def _fault(request: DialogRequest, value: Answer) -> str | None:
    """What keeps a value from being an answer to a dialog; ``None`` where it is one."""
    if value is None:
        return None
    if isinstance(request, SelectRequest) and value not in request.options:
        return f"{request.id} is answered with one of {', '.join(map(repr, request.options))}, or null"
    if isinstance(request, ConfirmRequest) and not isinstance(value, bool):
        return f"{request.id} is answered with true, false or null"
    if isinstance(request, InputRequest) and not isinstance(value, str):
        return f"{request.id} is answered with a text or null"
    return None

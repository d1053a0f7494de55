"""The questions of extensions, taken to whoever answers them on the client's side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pihost.context import UI
from pihost.protocol.dialogs import (
    ConfirmRequest,
    DismissRequest,
    InputRequest,
    NotifyRequest,
    SelectRequest,
    SetStatusRequest,
    UiRequest,
    UiResponse,
)

__all__ = ["Dialogs"]

_Answer = str | bool | None


class Dialogs:
    """Lets a user interface answer what a server asks.

    Args:
        ui: Speaks with the user.
        respond: Sends an answer.
    """

    def __init__(self, ui: UI, respond: Callable[[UiResponse], Awaitable[None]]) -> None:
        self._ui = ui
        self._respond = respond
        self._open: dict[str, asyncio.Task[None]] = {}

    def take(self, request: UiRequest) -> None:
        """Take a request; a question is answered once the user has."""
        if isinstance(request, NotifyRequest | SetStatusRequest):
            self._show(request)
        elif isinstance(request, DismissRequest):
            task = self._open.get(request.id)
            if task is not None:
                task.cancel()
        else:
            task = asyncio.get_running_loop().create_task(self._answer(request))
            self._open[request.id] = task
            task.add_done_callback(lambda _: self._open.pop(request.id, None))

    def close(self) -> None:
        """Let no dialog stay open."""
        for task in self._open.values():
            task.cancel()

    def _show(self, request: NotifyRequest | SetStatusRequest) -> None:
        try:
            if isinstance(request, NotifyRequest):
                self._ui.notify(request.message, request.level)
            else:
                self._ui.set_status(request.key, request.text)
        except Exception as fault:  # noqa: BLE001 -- the application's code; what the server says goes on
            _tell(fault)

    async def _answer(self, request: UiRequest) -> None:
        try:
            value = await self._asked(request)
        except Exception as fault:  # noqa: BLE001 -- the application's code; the server must not wait for ever
            _tell(fault)
            value = None
        await self._respond(UiResponse(id=request.id, value=value))

    async def _asked(self, request: UiRequest) -> _Answer:
        if isinstance(request, SelectRequest):
            return await self._ui.select(request.title, request.options)
        if isinstance(request, ConfirmRequest):
            return await self._ui.confirm(request.title, request.message)
        if isinstance(request, InputRequest):
            return await self._ui.input(request.title, request.placeholder)
        return None


def _tell(fault: Exception) -> None:
    asyncio.get_running_loop().call_exception_handler(
        {"message": "a dialog of the rpc client failed", "exception": fault}
    )

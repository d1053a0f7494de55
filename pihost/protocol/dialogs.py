"""What an extension says to the user through a client, and what the client answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

import attrs

from pihost.context import NotifyLevel

__all__ = [
    "UI_REQUESTS",
    "ConfirmRequest",
    "DialogRequest",
    "DismissRequest",
    "InputRequest",
    "NotifyRequest",
    "SelectRequest",
    "SetStatusRequest",
    "UiRequest",
    "UiResponse",
]


def _options(value: Iterable[str]) -> tuple[str, ...]:
    return tuple(value)


@attrs.frozen(kw_only=True)
class UiRequest:
    """Something for the user. Each subclass names its ``method``.

    Attributes:
        id: What the request is called by.
    """

    type: ClassVar[str] = "extension_ui_request"
    method: ClassVar[str]
    id: str


@attrs.frozen(kw_only=True)
class DialogRequest(UiRequest):
    """A question, which waits for an ``extension_ui_response`` of the same id.

    Attributes:
        title: What it is about.
        timeout: Seconds after which it is dismissed unanswered; ``None`` where it waits.
    """

    title: str
    timeout: float | None = None


@attrs.frozen(kw_only=True)
class SelectRequest(DialogRequest):
    """Let the user pick one of some options; the answer is that option.

    Attributes:
        options: The options.
    """

    method: ClassVar[str] = "select"
    options: tuple[str, ...] = attrs.field(converter=_options)


@attrs.frozen(kw_only=True)
class ConfirmRequest(DialogRequest):
    """Ask yes or no; the answer is ``true`` or ``false``.

    Attributes:
        message: The question.
    """

    method: ClassVar[str] = "confirm"
    message: str


@attrs.frozen(kw_only=True)
class InputRequest(DialogRequest):
    """Ask for a line of text; the answer is the text.

    Attributes:
        placeholder: Shown where nothing has been typed.
    """

    method: ClassVar[str] = "input"
    placeholder: str = ""


@attrs.frozen(kw_only=True)
class NotifyRequest(UiRequest):
    """Show a notice; nothing is answered.

    Attributes:
        message: The notice.
        level: How loudly it is shown.
    """

    method: ClassVar[str] = "notify"
    message: str
    level: NotifyLevel


@attrs.frozen(kw_only=True)
class SetStatusRequest(UiRequest):
    """Show a text in the status line until it is replaced; nothing is answered.

    Attributes:
        key: Which place in it.
        text: The text; ``None`` takes it away.
    """

    method: ClassVar[str] = "set_status"
    key: str
    text: str | None


@attrs.frozen(kw_only=True)
class DismissRequest(UiRequest):
    """Take away the dialog of this id: nobody waits for its answer any more. Nothing is answered."""

    method: ClassVar[str] = "dismiss"


UI_REQUESTS: Mapping[str, type[UiRequest]] = {
    kind.method: kind
    for kind in (
        SelectRequest,
        ConfirmRequest,
        InputRequest,
        NotifyRequest,
        SetStatusRequest,
        DismissRequest,
    )
}
"""Every request, by its method."""


@attrs.frozen(kw_only=True)
class UiResponse:
    """The client's answer to a dialog.

    Attributes:
        id: The request's id.
        value: The option, ``true`` or ``false``, or the text; ``None`` where the user dismissed the dialog.
    """

    type: ClassVar[str] = "extension_ui_response"
    id: str
    value: str | bool | None

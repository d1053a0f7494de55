"""The root of every error that pihost raises on purpose."""

__all__ = ["ExtensionNotReadyError", "PihostError", "describe"]


class PihostError(Exception):
    """Something a user, an author or an embedding application can act on.

    Subclasses pass their parts to ``super().__init__`` in order, so that every error can be pickled, keep
    them as attributes, and compose the text in ``__str__``.

    Attributes:
        hint: What to do about it, as a full sentence, or ``None``.
    """

    hint: str | None = None


class ExtensionNotReadyError(PihostError):
    """An API or context was used before it was bound, after its load failed, or after it was replaced.

    Attributes:
        extension: Id of the extension the API belongs to, or ``None`` for the runtime itself.
        method: Name of the method that was called.
        reason: Why it cannot run now and what to use instead, as a sentence.
    """

    def __init__(self, method: str, reason: str, extension: str | None = None) -> None:
        super().__init__(method, reason, extension)
        self.method = method
        self.reason = reason
        self.extension = extension

    def __str__(self) -> str:
        who = f"Extension {self.extension!r}: " if self.extension is not None else ""
        return f"{who}{self.method}: {self.reason}"


def describe(fault: BaseException) -> str:
    """What an exception of other people's code says, whatever their ``__str__`` does.

    Args:
        fault: The exception.

    Returns:
        Its type and text. An error of the host's own says enough without its type, and its hint follows.
    """
    text = _text_of(fault)
    if not isinstance(fault, PihostError) or not text:
        return f"{type(fault).__name__}: {text}" if text else type(fault).__name__
    if not fault.hint:
        return text
    return f"{text}{'' if text.endswith(('.', '!', '?')) else '.'} {fault.hint}"


def _text_of(fault: BaseException) -> str:
    try:
        return str(fault)
    except BaseException:  # noqa: BLE001 -- an author's __str__, which may even exit: the type is still worth telling
        return "(its text cannot be made)"

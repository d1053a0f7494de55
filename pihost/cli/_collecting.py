"""When the collector looks for garbage: from the moment on when the program is ready for its work."""

import gc

__all__ = ["collect_from_now_on"]


def collect_from_now_on() -> None:
    """Collect garbage, but look through nothing that is there already: what was imported stays to the end.

    To look through it takes a twentieth of the time of a start, and the end of the process would do it again.
    """
    gc.freeze()
    gc.enable()

"""The command line. ``--version`` is answered before anything is imported."""

import gc
import os
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command ``pihost`` on the process's own arguments.

    Returns:
        0 done; 1 an error diagnostic, a failed run or an error result; 2 bad usage; 130 interrupted.
    """
    _forget_working_directory()
    if sys.argv[1:2] in (["--version"], ["-V"]):
        from pihost._version import __version__

        print(f"pihost {__version__}")  # noqa: T201 -- the answer
        return 0
    # Until the work begins: all that is imported stays, and to look through it takes a twentieth of the time.
    gc.disable()
    try:
        from pihost.cli._main import run_as_program

        return run_as_program(sys.argv[1:])
    except KeyboardInterrupt:  # while what is needed was still being imported
        return 130
    finally:
        gc.enable()


def _forget_working_directory() -> None:
    """Keep what a checkout planted from being imported in place of an installed module."""
    try:
        planted = {"", os.getcwd()}  # noqa: PTH109 -- a string, as in sys.path
    except OSError:  # it has been removed
        planted = {""}
    sys.path[:] = [entry for entry in sys.path if entry not in planted]

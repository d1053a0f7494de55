"""The command line, and what commands of distributions need to work like the host's own.

``--version`` is answered before anything is imported.
"""

import gc
import os
import sys

TYPE_CHECKING = False  # what typing's own says at run time, without the cost of importing it

if TYPE_CHECKING:
    from pihost.cli._group import Group
    from pihost.cli._host_command import host_parameters, run_in_host
    from pihost.cli._report import print_json
    from pihost.cli._stdout import answer_only
    from pihost.modes.rpc.source import own_input, pieces
    from pihost.tables import table

__all__ = [
    "Group",
    "answer_only",
    "host_parameters",
    "main",
    "own_input",
    "pieces",
    "print_json",
    "run_in_host",
    "table",
]

_HOME = {
    "Group": "pihost.cli._group",
    "answer_only": "pihost.cli._stdout",
    "host_parameters": "pihost.cli._host_command",
    "own_input": "pihost.modes.rpc.source",
    "pieces": "pihost.modes.rpc.source",
    "print_json": "pihost.cli._report",
    "run_in_host": "pihost.cli._host_command",
    "table": "pihost.tables",
}


def main() -> int:
    """Run the command ``pihost`` on the process's own arguments.

    Returns:
        0 done; 1 an error diagnostic, a failed run or an error result; 2 bad usage; 130 interrupted.
    """
    _forget_working_directory()
    if sys.argv[1:2] in (["--version"], ["-V"]):
        from pihost._version import __version__

        try:
            print(f"pihost {__version__}", flush=True)  # noqa: T201 -- the answer
        except OSError:
            pass  # it is told below, as with every other answer
        else:
            return 0
    gc.disable()  # until the work begins
    try:
        from pihost.cli._main import run_as_program

        return run_as_program(sys.argv[1:])
    except KeyboardInterrupt:  # while what is needed was still being imported
        return 130
    finally:
        from pihost.cli._collecting import collect_from_now_on

        collect_from_now_on()


def _forget_working_directory() -> None:
    """Keep what a checkout planted from being imported in place of an installed module."""
    try:
        planted = {"", os.getcwd()}  # noqa: PTH109 -- a string, as in sys.path
    except OSError:  # it has been removed
        planted = {""}
    sys.path[:] = [entry for entry in sys.path if entry not in planted]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        message = f"module 'pihost.cli' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

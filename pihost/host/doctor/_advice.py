"""What to do about a fault, told by its words where it brings no hint of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pihost.diagnostics import Diagnostic

__all__ = ["advice_for", "load_advice"]

_Rules = Iterable[tuple[str, str]]

_LOAD: _Rules = (
    (
        r"No module named '([^']+)'",
        "Install what brings the module {0!r} (pip install), and name it in the extension's dependencies.",
    ),
    (r"cannot import name '([^']+)'", "Correct the import of {0!r}, or install a version that has it."),
    (r"^(?:Syntax|Indentation|Tab)Error", "Correct the syntax there."),
    (
        r"defines neither setup\(\)",
        "Define setup(api), or mark a function named like a hook with @hookimpl.",
    ),
    (r"there is no hook '[^']+' \(did you mean '([^']+)'", "Name it {0}; the hooks: {app} hooks."),
    (
        r"there is no hook '([^']+)'",
        "Correct the name (the hooks: {app} hooks), or mark it optionalhook=True.",
    ),
    (r"has no argument .*; there are: ([\w, ]+)", "Take only arguments of: {0}."),
    (r"must take \(([^)]*)\) by position", "Write the handler as def handler({0})."),
    (
        r"^the (?:entry point|class) ",
        "Let the entry point name a module, a setup function, a class or an instance.",
    ),
    (r"setup is of type", "Make setup a function: def setup(api)."),
    (r"setup.*(?:argument|takes|called with)", "Write it as def setup(api): it gets one argument."),
    (r"setup is a generator", "Write setup without yield."),
    (r"setup\(\) did not end", "Start what takes long with api.create_task() from session_start."),
    (
        r"Extension runtime not initialized",
        "Do that once the session runs: in a handler of session_start, not in setup().",
    ),
    (r"^SystemExit\b", "Raise an exception where it cannot load; do not call sys.exit()."),
    (r"^RecursionError\b", "Break the endless recursion there."),
    (r"ExtensionAPI has no '\w+' \(did you mean '(\w+)'", "Call api.{0}() there."),
    (r"ExtensionAPI has no '(\w+)'", "Take api.{0} out: the api has nothing of that name."),
    (
        r"^Extension '[^']*': (?:tool|command|flag|provider|hookspecs)\b",
        "Correct that registration: the message says what is needed.",
    ),
)

_OTHERS: dict[str, _Rules] = {
    "discovery": (
        (r"which does not exist", "Correct the path."),
        (r"tool\.pihost", "Correct that key, or take it out."),
        (r"script metadata", "Correct the block between '# /// script' and '# ///'."),
        (r"holds no extension", "Put an extension there, or take the path out."),
        (r"cannot be read", "Mend it so that it can be read, or take it away."),
    ),
    "package": ((r"", "Install that distribution anew, or remove what is left of it."),),
    "settings": (
        (r"there is no setting", "Take the key out, or correct its name."),
        (r"must be", "Write that, or take the key out."),
        (r"user's own settings only", "Set it in the user's own settings.toml instead."),
        (r"cannot be read", "Correct the file; until then nothing in it counts."),
    ),
    "trust": ((r"failed to answer", "Mend the extension's handler of project_trust."),),
    "load": (
        (r"not marked with @hookimpl", "Mark it with @hookimpl, or rename it."),
        (r"is (?:disabled|superseded)", "Enable it again, or accept that it guards nothing."),
    ),
    "option": ((r"", "Correct it on the command line."),),
    "registration": ((r"", "Correct what it registers as the message says, or keep it out."),),
}

_ANYTHING = "Correct it there."


def load_advice(extension: str, error: str, app_name: str) -> str:
    """What to do about an extension that did not load.

    Args:
        extension: Its id.
        error: What is wrong.
        app_name: The command's name.
    """
    generic = f"Mend it there, or keep it out: {app_name} extensions disable {extension}."
    return _matched(_LOAD, error, app_name) or generic


def advice_for(diagnostic: Diagnostic) -> str:
    """What to do about any other fault: its own hint, else what its words call for."""
    if diagnostic.kind == "conflict" and diagnostic.hint:
        return f"Rename it in one of the two, or keep one out. {diagnostic.hint}"
    if diagnostic.hint and diagnostic.kind != "registration":
        return diagnostic.hint
    return _matched(_OTHERS.get(diagnostic.kind, ()), diagnostic.message, "") or _ANYTHING


def _matched(rules: _Rules, text: str, app_name: str) -> str | None:
    for pattern, advice in rules:
        found = re.search(pattern, text)
        if found:
            return advice.format(*found.groups(), app=app_name)
    return None

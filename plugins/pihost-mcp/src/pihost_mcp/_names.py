"""How tools of servers are called here: ``mcp__server__tool``, in letters that every provider takes."""

from __future__ import annotations

import re
from collections.abc import Container

__all__ = ["plain_name", "tool_name"]

_LONGEST = 64
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
_DIGEST = 8


def plain_name(text: str) -> str:
    """A name in which every run of other characters than letters, digits, ``_`` and ``-`` is one ``_``."""
    return _OTHER.sub("_", text) or "_"


def tool_name(server: str, tool: str, taken: Container[str] = ()) -> str:
    """The name of a server's tool.

    Args:
        server: The server's name.
        tool: The tool's name, as the server says it.
        taken: Names that others have.

    Returns:
        The name: at most 64 characters. One that is too long, or taken, ends in a digest of the true names,
        so that it is the same every time.
    """
    name = f"mcp__{plain_name(server)}__{plain_name(tool)}"
    if len(name) <= _LONGEST and name not in taken:
        return name
    import hashlib  # few names need it

    digest = hashlib.sha256(f"{server}\0{tool}".encode(errors="surrogatepass")).hexdigest()[:_DIGEST]
    return f"{name[: _LONGEST - _DIGEST - 1]}_{digest}"

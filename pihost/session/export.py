"""A session as one HTML page: no script, nothing from elsewhere, everything that was said escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from pihost.content import ImageContent, TextContent, ThinkingContent, ToolCall
from pihost.display import visible
from pihost.entries import CompactionEntry, CustomMessageEntry, Entry, MessageEntry
from pihost.jsonlines import encode
from pihost.messages import ToolResultMessage
from pihost.session._branches import BranchLine, branch_lines
from pihost.session.readable import is_said, speaker
from pihost.session.store import SessionStore

__all__ = ["html_page"]

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1b1b1b; --soft: #666; --line: #ddd; --user: #eef4ff;
  --tool: #f6f6f4; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e6e6; --soft: #9a9a9a;
  --line: #33363c; --user: #1d2636; --tool: #1e2024; --bad: #f2b8b5; } }
body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 52rem; padding: 0 1rem; }
header, .meta { color: var(--soft); font-size: .85rem; }
article, details { border: 1px solid var(--line); border-radius: .5rem; margin: .8rem 0;
  padding: .5rem .9rem; }
article.user { background: var(--user); }
details { background: var(--tool); }
summary { cursor: pointer; }
pre { font: .85rem/1.45 ui-monospace, monospace; margin: .4rem 0; overflow-wrap: anywhere;
  white-space: pre-wrap; }
img { max-width: 100%; }
section.branch { border-left: 4px solid var(--line); margin-top: 2rem; padding-left: 1rem; }
.bad { color: var(--bad); }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_SHORT = 60
"""Characters of a call that its heading shows."""
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*=*\s*")


def html_page(store: SessionStore) -> str:
    """The page: the active branch, then every other one under a heading of its own.

    Args:
        store: The session.
    """
    return "\n".join(_page(store))


def _page(store: SessionStore) -> Iterator[str]:
    title = _text(store.name or f"Session {store.id[:8]}")
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<header><h1>{title}</h1>"
    yield f"<p>{_text(store.id)}<br>{_text(store.header.timestamp)}<br>{_text(store.header.cwd)}"
    if store.header.parent_session:
        yield f"<br>a fork of {_text(store.header.parent_session)}"
    yield "</p>"
    for warning in store.warnings:
        yield f'<p class="bad">{_text(warning.message)}</p>'
    yield "</header>\n<main>"
    yield from _branches(store)
    yield "</main>\n</body>\n</html>\n"


def _branches(store: SessionStore) -> Iterator[str]:
    first, *others = branch_lines(store)
    numbered = [*enumerate((line for line in others if any(map(is_said, line.entries))), 1)]
    parting: dict[str | None, list[int]] = {}
    for number, line in numbered:
        parting.setdefault(line.parent_id, []).append(number)
    yield from _line(store, first, parting)
    for number, line in numbered:
        start = "the beginning" if line.parent_id is None else f"entry {_text(line.parent_id)}"
        yield f'<section class="branch" id="branch-{number}"><h2>Branch {number}, from {start}</h2>'
        yield from _line(store, line, parting)
        yield "</section>"


def _line(store: SessionStore, line: BranchLine, parting: dict[str | None, list[int]]) -> Iterator[str]:
    for entry in line.entries:
        if is_said(entry):
            yield from _entry(entry, store.label(entry.id))
        for number in parting.get(entry.id, ()):
            link = f'<a href="#branch-{number}">branch {number}</a>'
            yield f'<p class="meta">Another branch parts here: {link}</p>'


def _entry(entry: Entry, label: str | None) -> Iterator[str]:
    who = _text(speaker(entry))
    named = f" · <strong>{_text(label)}</strong>" if label else ""
    meta = f'<div class="meta">{who} · {_text(entry.timestamp)} · {_text(entry.id)}{named}</div>'
    if isinstance(entry, CompactionEntry):
        title = _summary("What came before was compacted")
        yield f"<details>{title}{meta}{_pre(entry.summary)}</details>"
    elif isinstance(entry, MessageEntry) and isinstance(entry.message, ToolResultMessage):
        failed = ' <span class="bad">failed</span>' if entry.message.is_error else ""
        body = "".join(map(_block, entry.message.content))
        title = f"Result of {_text(entry.message.tool_name)}{failed}"
        yield f"<details>{_summary(title)}{meta}{body}</details>"
    elif isinstance(entry, MessageEntry | CustomMessageEntry):
        body = "".join(map(_block, entry.message.content))
        fault = getattr(entry.message, "error_message", None)
        told = f'<p class="bad">{_text(fault)}</p>' if fault else ""
        kind = "user" if entry.message.role == "user" else "other"
        yield f'<article class="{kind}">{meta}{body}{told}</article>'


def _block(block: object) -> str:
    if isinstance(block, TextContent):
        return _pre(block.text)
    if isinstance(block, ThinkingContent):
        return f"<details>{_summary('Thoughts')}{_pre(block.text)}</details>"
    if isinstance(block, ToolCall):
        title = _summary(f"Call of {_text(block.name)} <code>{_text(_in_short(block))}</code>")
        return f"<details>{title}{_pre(encode(block.arguments).decode())}</details>"
    return _image(block) if isinstance(block, ImageContent) else ""


def _in_short(call: ToolCall) -> str:
    """The beginning of what a call is about, for a reader who does not open it."""
    first = " ".join(str(next(iter(call.arguments.values()), "")).split())
    return first if len(first) <= _SHORT else f"{first[:_SHORT]}…"


def _image(block: ImageContent) -> str:
    if block.mime_type not in _IMAGES or not _BASE64.fullmatch(block.data):
        return '<p class="meta">(a picture that cannot be shown)</p>'
    return f'<p><img alt="" src="data:{block.mime_type};base64,{"".join(block.data.split())}"></p>'


def _summary(markup: str) -> str:
    return f"<summary>{markup}</summary>"


def _pre(text: str) -> str:
    return f"<pre>{_text(text)}</pre>" if text else ""


def _text(text: str) -> str:
    """Text as it may stand anywhere in the page, quotes included; what cannot be printed as an escape."""
    return escape(visible(text), quote=True)

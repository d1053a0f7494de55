"""Sessions as HTML pages: whole, safe to open, in need of nothing else."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.content import ImageContent, TextContent, ThinkingContent, ToolCall
from pihost.entries import CompactionEntry, LabelEntry, SessionInfoEntry
from pihost.messages import AssistantMessage, ToolResultMessage, UserMessage
from pihost.session.export import html_page
from pihost.session.store import SessionStore

VOID = {"meta", "br", "img"}


class Page(HTMLParser):
    """What a browser sees: the tags with their attributes, the text, and whether every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text, self.open = [], "", []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "p" or self.open[-1] == "p":
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def count(self, name):
        return sum(tag == name for tag, _ in self.tags)


@pytest.fixture
def store(tmp_path):
    with SessionStore.in_memory(tmp_path) as store:
        yield store


def said(store, text):
    return store.append_message(UserMessage.from_text(text))


def test_everything_that_was_said_is_there(store):
    said(store, "look here")
    call = ToolCall(id="1", name="read", arguments={"path": "a.py"})
    store.append_message(AssistantMessage(content=[ThinkingContent(text="hm"), TextContent(text="ok"), call]))
    store.append_message(
        ToolResultMessage(
            tool_call_id="1", tool_name="read", content=[TextContent(text="code")], is_error=True
        )
    )
    store.append_message(AssistantMessage(stop_reason="error", error_message="no credit"))
    store.append(CompactionEntry, summary="in short", first_kept_entry_id="x")
    page = Page(html_page(store))
    for words in ("look here", "hm", "ok", '{"path":"a.py"}', "code", "failed", "no credit", "in short"):
        assert words in page.text
    assert page.open == []
    assert page.count("details") == 4


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</pre></article><iframe src='https://example.com'>",
    "&lt;b&gt; &amp; \ud800 \x00 \x1b[31m \u202e",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_was_said_becomes_markup(store, text):
    entry = said(store, text)
    store.append_message(AssistantMessage(content=[ToolCall(id="1", name=text, arguments={text: text})]))
    store.append_message(ToolResultMessage(tool_call_id="1", tool_name=text))
    store.append(LabelEntry, target_id=entry.id, label=text)
    store.append(SessionInfoEntry, name=text)
    html = html_page(store)
    page = Page(html)
    html.encode()
    assert page.open == []
    assert {tag for tag, _ in page.tags} & {"script", "iframe", "img", "b", "object"} == set()
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


@given(st.text(), st.text())
def test_any_text_leaves_the_page_whole(tmp_path_factory, text, name):
    with SessionStore.in_memory(tmp_path_factory.getbasetemp()) as store:
        said(store, text)
        store.append(SessionInfoEntry, name=name)
        page = Page(html_page(store))
        assert page.open == []
        assert page.count("article") == 1


def test_the_heading_of_a_call_says_what_it_is_about_in_short(store):
    call = ToolCall(id="1", name="bash", arguments={"command": "echo <b> " + "x" * 99})
    store.append_message(AssistantMessage(content=[call]))
    heading = html_page(store).partition("Call of bash ")[2].partition("</summary>")[0]
    assert heading == f"<code>echo &lt;b&gt; {'x' * 51}…</code>"


def test_nothing_comes_from_elsewhere(store):
    """Every address in the page is a place in it, or the data of a picture."""
    store.append_message(UserMessage(content=[ImageContent(data="aGk=", mime_type="image/png")]))
    store.append_message(UserMessage(content=[ImageContent(data='"onload="x', mime_type="image/png")]))
    store.append_message(UserMessage(content=[ImageContent(data="aGk=", mime_type="image/svg+xml")]))
    html = html_page(store)
    page = Page(html)
    addresses = [value for _, attrs in page.tags for name, value in attrs.items() if name in ("src", "href")]
    assert addresses == ["data:image/png;base64,aGk="]
    assert "http" not in html.replace("http-equiv", "")
    assert "default-src 'none'" in html


def test_every_branch_is_marked_and_linked(store):
    first = said(store, "one")
    said(store, "first try")
    store.go_to(first.id)
    said(store, "second try")
    page = Page(html_page(store))
    (section,) = [attrs for tag, attrs in page.tags if tag == "section"]
    (link,) = [attrs for tag, attrs in page.tags if tag == "a"]
    assert link["href"] == f"#{section['id']}"
    assert page.text.index("second try") < page.text.index("Branch 1") < page.text.index("first try")


def test_it_is_light_and_dark_by_style_alone(store):
    html = html_page(store)
    assert "prefers-color-scheme: dark" in html
    assert "<script" not in html


def test_damage_is_told_in_the_page(tmp_path):
    with SessionStore.create(tmp_path, tmp_path) as store:
        said(store, "kept")
        file = store.file
    file.write_bytes(file.read_bytes() + b"garbage <b>\n")
    page = Page(html_page(SessionStore.reading(file)))
    assert "not one whole record" in page.text
    assert "kept" in page.text

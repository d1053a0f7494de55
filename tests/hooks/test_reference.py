"""The reference: what it reads from the specs, and that every example in it runs."""

import textwrap
from pathlib import Path

import pytest

import pihost
from pihost.hooks import hook_documents, hookimpl
from pihost.session.store import SessionStore

DOCUMENTS = {document.name: document for document in hook_documents()}


def example_of(document):
    return textwrap.dedent(document.doc.partition("Example::\n")[2])


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
async def test_every_example_registers_and_answers(desk, make_module, events, monkeypatch, name):
    """The code in a spec's docstring is an extension; called with its event it does not fail."""
    monkeypatch.setattr(pihost, "hookimpl", hookimpl, raising=False)

    answered = desk.table.register("example", make_module(example_of(DOCUMENTS[name])))
    await desk.emit(getattr(events, name), Context())

    assert answered == (name,)
    assert desk.errors == []


class Context:
    """Takes part in whatever an example says to its user."""

    def __init__(self):
        self.ui = self
        self.has_ui = True
        self.session = SessionStore.in_memory(Path("/p"))

    async def confirm(self, title, message):
        return False

    def notify(self, message, level="info"):
        assert isinstance(message, str)

    def set_status(self, key, text):
        assert isinstance(key, str)


def test_documents_come_family_by_family_in_source_order():
    names = list(DOCUMENTS)

    assert names[:2] == ["project_trust", "session_start"]
    assert names.index("tool_call") + 1 == names.index("tool_call_final")


def test_a_document_says_what_an_author_needs():
    document = DOCUMENTS["tool_call"]

    assert document.kind == "gate"
    assert document.summary == "Fires when a tool is about to run, its arguments checked."
    assert document.signature == "def tool_call(event, ctx)"
    assert document.event == "ToolCallEvent"
    assert document.result == ("ToolCallResult",)


def test_fields_carry_their_types_as_written():
    types = {field.name: field.type for field in DOCUMENTS["tool_call"].fields}

    assert types["input"] == "dict[str, Any]"
    assert types["parent_tool_call_id"] == "str | None"


def test_a_hook_without_answers_has_no_result():
    assert DOCUMENTS["turn_start"].result == ()

"""Sessions as text for people."""

import pytest

from pihost.content import TextContent, ToolCall
from pihost.entries import CompactionEntry, LabelEntry, SessionInfoEntry
from pihost.messages import AssistantMessage, CustomMessage, ToolResultMessage, UserMessage
from pihost.session._branches import branch_lines
from pihost.session.readable import transcript, tree_lines
from pihost.session.store import SessionStore


@pytest.fixture
def store(tmp_path):
    """A session with a tool call, a label, and a second branch."""
    with SessionStore.in_memory(tmp_path, name="work") as store:
        first = store.append_message(UserMessage.from_text("look"))
        store.append_message(AssistantMessage(content=[ToolCall(id="1", name="ls", arguments={"path": "."})]))
        store.append_message(
            ToolResultMessage(
                tool_call_id="1", tool_name="ls", content=[TextContent(text="\n".join("a" * 30))]
            )
        )
        store.append(LabelEntry, target_id=first.id, label="start")
        store.go_to(first.id)
        store.append_message(AssistantMessage(content=[TextContent(text="no")], error_message="broke"))
        yield store


def test_the_active_branch_comes_first_and_every_entry_once(store):
    lines = branch_lines(store)
    assert [line.is_active for line in lines] == [True, False]
    assert sorted(e.id for line in lines for e in line.entries) == sorted(e.id for e in store.entries)


def test_a_tree_shows_what_was_said_with_labels(store):
    lines = list(tree_lines(store))
    assert lines[0].endswith("look [start]")
    assert lines[1].startswith("* ")
    assert lines[2].startswith("another branch, from ")
    assert lines[3].endswith('→ ls {"path":"."}')


def test_a_transcript_tells_head_and_words_and_where_branches_part(store):
    text = "\n".join(transcript(store))
    assert text.startswith(f"session  {store.id}\nname     work\nbegan ")
    assert "── another branch of 2 messages parts here ──" in text
    assert "no\nbroke" in text


def test_a_transcript_cuts_long_results(store):
    store.go_to(store.entries[-2].id)
    assert "… 10 more lines" in list(transcript(store))


def test_summaries_and_messages_of_extensions_are_shown(store):
    store.append_message(CustomMessage(kind="note", content="remember"))
    store.append(CompactionEntry, summary="in short", first_kept_entry_id="x")
    store.append(SessionInfoEntry, name="later")
    text = "\n".join(transcript(store))
    assert "── note · " in text
    assert "remember" in text
    assert "in short" in text


def test_a_long_line_of_many_branches_is_no_recursion(tmp_path):
    with SessionStore.in_memory(tmp_path) as store:
        for number in range(3000):
            parent = store.append_message(UserMessage.from_text(str(number)))
            store.append_message(UserMessage.from_text("side"))
            store.go_to(parent.id)
        assert len(branch_lines(store)) == 3001
        assert len(list(tree_lines(store))) == 9000

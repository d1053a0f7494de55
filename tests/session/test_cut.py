"""Where a conversation is cut, whatever it holds."""

from hypothesis import given
from hypothesis import strategies as st

from pihost.content import TextContent, ToolCall
from pihost.entries import CompactionEntry, MessageEntry
from pihost.messages import AssistantMessage, ToolResultMessage, UserMessage
from pihost.session._cut import is_cut, prepare_compaction
from pihost.session._tokens import estimate


def turns():
    """Messages of one turn: a prompt, or an answer with calls and their results."""
    said = st.builds(lambda n: [UserMessage.from_text("x" * n)], st.integers(0, 300))
    called = st.builds(
        lambda count, n: [
            AssistantMessage(
                content=[
                    TextContent(text="y" * n),
                    *(ToolCall(id=f"c{i}", name="t", arguments={}) for i in range(count)),
                ]
            ),
            *(
                ToolResultMessage(tool_call_id=f"c{i}", tool_name="t", content=[TextContent(text="z" * n)])
                for i in range(count)
            ),
        ],
        st.integers(0, 3),
        st.integers(0, 300),
    )
    return st.lists(said | called, max_size=12).map(lambda parts: [m for part in parts for m in part])


def branch_of(messages):
    return [
        MessageEntry(id=str(i), parent_id=str(i - 1) if i else None, timestamp="t", message=message)
        for i, message in enumerate(messages)
    ]


@given(turns(), st.integers(0, 400), st.booleans())
def test_no_tail_begins_between_a_call_and_its_result(messages, budget, force):
    branch = branch_of(messages)
    preparation = prepare_compaction(branch, budget, force=force)
    if preparation is None:
        return
    assert [*preparation.messages_to_summarize, *preparation.kept_messages] == messages
    assert preparation.messages_to_summarize
    assert not isinstance(preparation.kept_messages[0], ToolResultMessage)
    asked = {c.id for m in preparation.messages_to_summarize[-1:] for c in getattr(m, "tool_calls", ())}
    assert asked == set()
    assert is_cut(branch, preparation.first_kept_entry_id)


@given(turns(), st.integers(0, 400))
def test_the_tail_takes_no_more_than_its_budget_where_it_can(messages, budget):
    branch = branch_of(messages)
    preparation = prepare_compaction(branch, budget, force=True)
    if preparation is None:
        return
    size = sum(map(estimate, preparation.kept_messages))
    shorter = [
        entry.id
        for place, entry in enumerate(branch)
        if is_cut(branch, entry.id) and sum(map(estimate, messages[place:])) <= budget
    ]
    assert size <= budget or not shorter


def test_what_fits_is_not_compacted_unless_it_must():
    branch = branch_of([UserMessage.from_text("a"), UserMessage.from_text("b")])
    assert prepare_compaction(branch, 1000, force=False) is None
    assert prepare_compaction(branch, 1000, force=True).first_kept_entry_id == "1"


def test_one_message_cannot_be_cut():
    assert prepare_compaction(branch_of([UserMessage.from_text("a" * 9999)]), 10, force=True) is None


def test_the_first_kept_entry_of_an_earlier_compaction_holds():
    messages = [UserMessage.from_text(c * 40) for c in "abcd"]
    first, second, third, fourth = branch_of(messages)
    compaction = CompactionEntry(
        id="k", parent_id="2", timestamp="t", summary="s", first_kept_entry_id=second.id
    )
    preparation = prepare_compaction([first, second, third, compaction, fourth], 30, force=True)
    assert [m.role for m in preparation.messages_to_summarize] == ["custom", "user"]
    assert preparation.first_kept_entry_id == third.id


def test_an_estimate_is_four_bytes_a_token():
    assert estimate(UserMessage.from_text("x" * 40)) == 14
    assert estimate(UserMessage.from_text("€" * 40)) == 34
    assert estimate(UserMessage.from_text("\ud800")) == 5

"""The tree of a session's entries."""

import pytest

from pihost.content import TextContent
from pihost.entries import CustomEntry, LabelEntry, MessageEntry, ModelChangeEntry
from pihost.messages import UserMessage
from pihost.session._index import index_of, lines_of
from pihost.session._tree import Entries, EntryTree, Place, of_type
from pihost.session.errors import EntryNotFoundError
from pihost.session.store import SessionStore


def said(key, parent=None):
    return MessageEntry(
        id=key,
        parent_id=parent,
        timestamp="t",
        message=UserMessage(content=[TextContent(text=key)], timestamp=1),
    )


@pytest.fixture
def tree():
    """Two entries in memory and one that waits in a file."""
    fetched = []

    def fetch(key, place):
        fetched.append(key)
        return said(key, place.parent_id)

    tree = EntryTree({"a": said("a"), "b": Place(2, 0, 9, "message", "a")}, fetch=fetch)
    tree.add(CustomEntry(id="c", parent_id="b", timestamp="t", kind="k"))
    tree.fetched = fetched
    return tree


def test_an_entry_is_read_when_it_is_asked_for_and_not_before(tree):
    branch = tree.path("c")
    assert branch.ids == ("a", "b", "c")
    assert [tree.type_of(key) for key in branch.ids] == ["message", "message", "custom"]
    assert tree.fetched == []
    assert branch[1].message.text == "b"
    assert tree.fetched == ["b"]


def test_what_is_kept_is_read_once(tree):
    tree.keep([tree.entry("b")])
    assert tree.entry("b") is tree.entry("b")
    assert tree.fetched == ["b"]


def test_only_entries_of_the_type_asked_for_are_read(tree):
    assert [place for place, _ in of_type(tree.all(), CustomEntry)] == [2]
    assert list(of_type(tree.all(), ModelChangeEntry, LabelEntry)) == []
    assert tree.fetched == []
    assert [place for place, _ in of_type(tree.all(), MessageEntry, last_first=True)] == [1, 0]


def test_entries_compare_by_what_they_hold(tree):
    assert tree.all()[:1] == [said("a")]
    assert tree.all() != [said("a")]
    assert isinstance(tree.all()[1:], Entries)
    assert repr(tree.all()) == "<3 entries>"


def test_an_entry_that_is_not_there_is_an_error(tree):
    with pytest.raises(EntryNotFoundError):
        tree.entry("nope")


def test_the_size_of_what_is_not_in_memory(tree):
    assert tree.size(["a", "b", "c"]) == 9


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_lines_are_the_same_however_the_file_comes_in_pieces(size):
    data = b"one\n\ntwo two\n\x00\r\nlast"
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(lines_of(pieces)) == list(lines_of([data]))
    assert [line for _, line in lines_of(pieces)] == data.split(b"\n")
    assert all(data[offset:].startswith(line) for offset, line in lines_of(pieces))


def test_no_pieces_are_one_empty_line(tmp_path):
    assert list(lines_of([])) == [(0, b"")]
    assert index_of(tmp_path, lines_of([])).header is None


def test_a_label_or_name_counts_wherever_its_branch_is(tmp_path):
    with SessionStore.in_memory(tmp_path, name="n") as store:
        first = store.append_message(UserMessage.from_text("x"))
        store.append(LabelEntry, target_id=first.id, label="start")
        store.go_to(first.id)
        assert (store.label(first.id), store.name) == ("start", "n")


def test_many_lost_parents_are_as_many_steps(tmp_path):
    """Each is replaced by the record before it, which is looked up and not searched for."""
    entries = {f"e{n}": said(f"e{n}", f"lost{n}") for n in range(20_000)}
    assert len(EntryTree(entries).path("e19999")) == 20_000


def test_the_entry_before_a_dropped_leaf_is_the_leaf(tree):
    tree.drop("c")
    assert (tree.leaf, tree.last) == ("b", "b")
    tree.drop("a")
    assert tree.path("b").ids == ("b",)

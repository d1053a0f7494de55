"""Whatever is done to a session, its file tells the same as the session did."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pihost.entries import CompactionEntry, CustomEntry, LabelEntry, SessionInfoEntry
from pihost.messages import UserMessage
from pihost.session.store import SessionStore

STEPS = st.one_of(
    st.tuples(st.just("say"), st.integers(0, 3000)),
    st.tuples(st.just("go"), st.integers(0, 99)),
    st.tuples(st.just("label"), st.integers(0, 99)),
    st.tuples(st.just("name"), st.integers(0, 9)),
    st.tuples(st.just("keep"), st.integers(0, 9)),
    st.tuples(st.just("compact"), st.integers(0, 99)),
    st.tuples(st.just("reopen"), st.just(0)),
    st.tuples(st.just("delete"), st.just(0)),
    st.tuples(st.just("fork"), st.integers(0, 99)),
)


def told(store):
    """What a session says of itself, but for the entries that only keep its place."""
    entries = [e for e in store.entries if getattr(e, "kind", "") != "tree_position"]
    labels = {e.id: store.label(e.id) for e in entries}
    return entries, store.messages(), labels, store.name


class Actor:
    """Does one step after the other to a session."""

    def __init__(self, root):
        self.root = root
        self.store = SessionStore.create(root / "s", root)
        self.store.append_message(UserMessage.from_text("begin"))

    def some_id(self, number):
        return self.store.entries.ids[number % len(self.store.entries)]

    def say(self, size):
        self.store.append_message(UserMessage.from_text("x" * size))

    def go(self, number):
        self.store.go_to(self.some_id(number))

    def label(self, number):
        self.store.append(LabelEntry, target_id=self.some_id(number), label=f"l{number}")

    def name(self, number):
        self.store.append(SessionInfoEntry, name=f"n{number}")

    def keep(self, number):
        self.store.append(CustomEntry, kind="k", data=number)

    def compact(self, number):
        self.store.append(CompactionEntry, summary="s", first_kept_entry_id=self.some_id(number))

    def reopen(self, _number):
        before, file = told(self.store), self.store.file
        self.store.close()
        self.store = SessionStore.open(file, self.root)
        assert told(self.store) == before
        assert self.store.warnings == ()

    def delete(self, _number):
        """Another program deletes the file; the next message brings it back."""
        self.store.file.unlink(missing_ok=True)
        self.store._file._next_look = 0.0
        self.say(1)
        assert self.store.file.exists()

    def fork(self, number):
        """Go on in the fork; the parent has not changed."""
        wanted = self.some_id(number)
        parent, before = self.store.file, self.store.file.read_bytes()
        path = list(self.store.path_to(wanted))
        labels = {e.id: self.store.label(e.id) for e in path}
        fork = self.store.forked(path, self.root / "s")
        self.store.close(keep_place=False)
        self.store = fork
        assert list(fork.branch())[: len(path)] == path
        assert {key: fork.label(key) for key in labels} == labels
        assert parent.read_bytes() == before
        self.say(0)


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_a_session_opened_again_is_the_session_that_was_closed(steps):
    with tempfile.TemporaryDirectory() as folder:
        actor = Actor(Path(folder))
        try:
            for step, number in steps:
                getattr(actor, step)(number)
            before = told(actor.store)
            actor.reopen(0)
            assert told(actor.store) == before
        finally:
            actor.store.close()

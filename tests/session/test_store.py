import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pihost import jsonlines
from pihost.content import ImageContent, TextContent, ThinkingContent, ToolCall
from pihost.entries import (
    CustomEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
)
from pihost.messages import AssistantMessage, CustomMessage, ToolResultMessage, UserMessage
from pihost.session.errors import SessionCwdError, SessionFileError, SessionLockedError
from pihost.session.store import SessionStore, read_session


def lines(store):
    return [jsonlines.decode(line) for line in store.file.read_bytes().splitlines()]


@pytest.fixture
def store(tmp_path):
    with SessionStore.create(tmp_path / "sessions", tmp_path) as store:
        yield store


def test_no_file_appears_before_the_first_message(store):
    store.append(ModelChangeEntry, provider="a", model_id="b")
    assert not store.file.exists()
    store.append_message(UserMessage.from_text("hello"))
    assert [line["type"] for line in lines(store)] == ["session", "model_change", "message"]


def test_the_header_says_what_the_session_is(store, tmp_path):
    store.append_message(UserMessage.from_text("hello"))
    header = lines(store)[0]
    assert list(header) == ["type", "version", "id", "timestamp", "cwd", "parent_session"]
    assert (header["version"], header["id"], header["cwd"]) == (1, store.id, str(tmp_path))


def test_file_and_folders_are_private(store):
    """Whatever the umask: sessions hold what was said."""
    before = os.umask(0)
    try:
        store.append_message(UserMessage.from_text("hello"))
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (store.file, *list(store.file.parents)[:2])]
    assert modes == [0o600, 0o700, 0o700]


def test_the_files_name_is_timestamp_and_id_in_the_directorys_folder(store, tmp_path):
    assert store.file.parent.parent == tmp_path / "sessions"
    assert store.file.name.endswith(f"_{store.id}.jsonl")
    assert store.header.timestamp[:10] == store.file.name[:10]


MESSAGES = [
    UserMessage(content=[TextContent(text="look"), ImageContent(data="aGk=", mime_type="image/png")]),
    AssistantMessage(
        content=[
            ThinkingContent(text="hm", signature="s"),
            TextContent(text="well"),
            ToolCall(id="1", name="read", arguments={"path": "a", "deep": [{"x": None}]}),
        ],
        provider="p",
        model="m",
        stop_reason="tool_use",
    ),
    ToolResultMessage(tool_call_id="1", tool_name="read", content=[TextContent(text="A")], details={"n": 1}),
    CustomMessage(kind="note", content="remember", details=[1]),
    UserMessage.from_text("lone \ud800, line \u2028 end \r\n\0"),
]


def test_every_message_comes_back_as_it_was(store, tmp_path):
    for message in MESSAGES:
        store.append_message(message)
    store.close()
    (path,) = tmp_path.rglob("*.jsonl")
    with SessionStore.open(path, tmp_path) as again:
        assert list(again.messages()) == MESSAGES
        assert again.warnings == ()


def test_every_kind_of_entry_comes_back(store, tmp_path):
    first = store.append_message(UserMessage.from_text("hello"))
    store.append(ThinkingLevelChangeEntry, level="high")
    store.append(CustomEntry, kind="state", data={"a": [1]})
    store.append(LabelEntry, target_id=first.id, label="start")
    store.append(SessionInfoEntry, name="my work")
    entries, path = store.entries, store.file
    store.close()
    with SessionStore.open(path, tmp_path) as again:
        assert again.entries == entries
        assert (again.name, again.label(first.id), again.id) == ("my work", "start", store.id)


def test_each_entry_follows_the_one_before(store):
    first = store.append_message(UserMessage.from_text("one"))
    second = store.append_message(UserMessage.from_text("two"))
    assert (first.parent_id, second.parent_id, store.leaf_id) == (None, first.id, second.id)
    assert store.branch() == (first, second)


def test_a_name_can_be_taken_away(store):
    store.append(SessionInfoEntry, name="x")
    assert store.name == "x"
    store.append(SessionInfoEntry, name="")
    assert store.name is None


def test_details_without_a_json_form_are_kept_as_text(store):
    entry = store.append_message(
        ToolResultMessage(tool_call_id="1", tool_name="t", details={"p": object, 1: {2}})
    )
    assert "object" in entry.message.details["p"]
    assert lines(store)[-1]["message"]["tool_call_id"] == "1"


def test_details_nested_without_end_are_kept_as_text(store):
    deep = []
    deep.append(deep)
    entry = store.append_message(CustomMessage(kind="k", content="c", details=deep))
    assert entry.message.details == "[[...]]"


@pytest.mark.parametrize("levels", [960, 1500, 100_000])
def test_details_nested_too_deeply_are_kept_as_far_as_they_can_be(store, tmp_path, levels):
    """What a server of tools answers, for one."""
    deep = []
    for _ in range(levels):
        deep = [deep]
    store.append_message(ToolResultMessage(tool_call_id="1", tool_name="t", details=deep))
    with SessionStore.reading(store.file) as again:
        assert (len(again.messages()), again.warnings) == (1, ())


def test_an_entry_without_a_json_form_is_refused_and_leaves_nothing(store):
    with pytest.raises(TypeError, match="no JSON form"):
        store.append(CustomEntry, kind="k", data=object())
    assert store.entries == ()


def test_a_session_in_memory_has_no_file(tmp_path):
    with SessionStore.in_memory(tmp_path, name="n") as store:
        store.append_message(UserMessage.from_text("hello"))
    assert (store.file, store.name, len(store.messages())) == (None, "n", 1)
    assert list(tmp_path.iterdir()) == []


def test_an_append_is_one_write(store, monkeypatch):
    store.append_message(UserMessage.from_text("hello"))
    writes = []
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: writes.append(data) or real(fd, data))
    store.append_message(UserMessage.from_text("x" * 100_000))
    assert [data.count(b"\n") for data in writes] == [1]


def test_a_file_deleted_during_a_run_is_written_anew(store):
    store.append_message(UserMessage.from_text("one"))
    store.file.unlink()
    store.append_message(UserMessage.from_text("two"))
    assert [line["type"] for line in lines(store)] == ["session", "message", "message"]


def test_lines_lost_in_a_burst_are_written_at_the_end(tmp_path, monkeypatch):
    """The looks whether the file is still there are some time apart; the last is taken when it is closed."""
    monkeypatch.setattr("pihost.session._file._LOOK_EVERY", 60)
    with SessionStore.create(tmp_path / "sessions", tmp_path) as store:
        for text in ("one", "two"):
            store.append_message(UserMessage.from_text(text))
        file = store.file
        file.unlink()
        store.append_message(UserMessage.from_text("three"))
    assert [entry.message.text for entry in read_session(file).entries] == ["one", "two", "three"]


def test_a_file_deleted_after_the_last_line_stays_deleted(tmp_path):
    with SessionStore.create(tmp_path / "sessions", tmp_path) as store:
        store.append_message(UserMessage.from_text("one"))
        file = store.file
        file.unlink()
    assert not file.exists()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (CustomEntry, {"kind": "k"}),
        (ModelChangeEntry, {"provider": "p", "model_id": "m"}),
        (MessageEntry, {"message": UserMessage.from_text("hello")}),
        (MessageEntry, {"message": UserMessage.from_text("\ud800")}),
    ],
)
def test_a_record_begins_with_what_every_record_has(store, kind, fields):
    """A damaged file is searched for where types stand."""
    store.append_message(UserMessage.from_text("hello"))
    store.append(kind, **fields)
    assert list(lines(store)[-1])[:4] == ["type", "id", "parent_id", "timestamp"]


def test_a_folder_deleted_during_a_run_is_made_anew(store):
    store.append_message(UserMessage.from_text("one"))
    store.file.unlink()
    store.file.parent.rmdir()
    store.append_message(UserMessage.from_text("two"))
    assert len(lines(store)) == 3


def test_what_cannot_be_written_is_a_warning_and_follows_later(store):
    """The session goes on in memory; the first append that works brings everything."""
    store.append_message(UserMessage.from_text("one"))
    store.file.unlink()
    store.file.mkdir()
    store.append_message(UserMessage.from_text("two"))
    store.append_message(UserMessage.from_text("three"))
    assert [str(store.file) in warning.message for warning in store.warnings] == [True]
    store.file.rmdir()
    store.append_message(UserMessage.from_text("four"))
    assert len(lines(store)) == 5


def test_a_full_disk_costs_nothing_once_there_is_space(store, monkeypatch):
    store.append_message(UserMessage.from_text("one"))
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:20]))
    store.append_message(UserMessage.from_text("two"))
    monkeypatch.setattr(os, "write", real)
    store.append_message(UserMessage.from_text("three"))
    records = read_session(store.file)
    assert [entry.message.text for entry in records.entries] == ["one", "two", "three"]
    assert len(records.warnings) == 1


def test_an_absent_file_becomes_a_new_session(tmp_path):
    with SessionStore.open(tmp_path / "x.jsonl", tmp_path) as store:
        store.append_message(UserMessage.from_text("hello"))
        assert len(lines(store)) == 2


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 512, b"\n\n", b'{"type":"sess', b'{"type":"session","version":1,"id']
)
def test_a_file_without_any_complete_record_becomes_a_new_session(tmp_path, content):
    """N04: an empty file; one whose only line was torn or never reached the disk is as empty."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with SessionStore.open(path, tmp_path) as store:
        store.append(ModelChangeEntry, provider="a", model_id="b")
        assert [line["type"] for line in lines(store)] == ["session", "model_change"]


@pytest.mark.parametrize(
    "content",
    [
        b"# A README\n",
        b"{}",
        b"[1]\n",
        b'{"type":"session"}\n',
        b'{"type":"session","version":2,"id":"x","timestamp":"t","cwd":"/"}\n',
        b'{"type":"session","version":1,"id":5,"timestamp":"t","cwd":"/"}\n',
        b'{"type":"sess\n{"type":"message"}\n',
    ],
)
def test_a_file_that_is_no_session_is_refused_and_stays_as_it_is(tmp_path, content):
    path = tmp_path / "README.md"
    path.write_bytes(content)
    with pytest.raises(SessionFileError, match=r"README\.md cannot be opened as a session"):
        SessionStore.open(path, tmp_path)
    assert path.read_bytes() == content


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(SessionFileError, match="it is a directory"):
        SessionStore.open(tmp_path, tmp_path)


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "s.jsonl")
    with pytest.raises(SessionFileError, match="it is no regular file"):
        SessionStore.open(tmp_path / "s.jsonl", tmp_path)


def test_a_path_that_cannot_be_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SessionFileError, match="there is no directory"):
        SessionStore.open(tmp_path / "file" / "x.jsonl", tmp_path)


def test_a_file_in_a_directory_that_is_not_there_is_refused_and_none_is_made(tmp_path):
    with pytest.raises(SessionFileError, match="there is no directory"):
        SessionStore.open(tmp_path / "mistyped" / "s.jsonl", tmp_path)
    assert not (tmp_path / "mistyped").exists()


def test_a_session_whose_directory_is_gone_names_it(tmp_path):
    """N10."""
    gone = tmp_path / "gone"
    gone.mkdir()
    with SessionStore.create(tmp_path / "sessions", gone) as store:
        store.append_message(UserMessage.from_text("hello"))
        path = store.file
    gone.rmdir()
    with pytest.raises(SessionCwdError, match=str(gone)):
        SessionStore.open(path, tmp_path)


def test_a_second_session_on_the_file_is_told(store, tmp_path):
    store.append_message(UserMessage.from_text("hello"))
    with pytest.raises(SessionLockedError, match="is in use"):
        SessionStore.open(store.file, tmp_path)


HOLDER = """
import sys
from pathlib import Path
from pihost.session.store import SessionStore
store = SessionStore.open(Path(sys.argv[1]), Path(sys.argv[1]).parent)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_until_the_first_has_died(tmp_path):
    """N08: the lock of a killed process does not outlive it."""
    path = tmp_path / "x.jsonl"
    path.touch()
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(SessionLockedError):
            SessionStore.open(path, tmp_path)
        process.kill()
    SessionStore.open(path, tmp_path).close()


def test_closing_leaves_only_the_file_and_no_lock(store, tmp_path):
    store.append_message(UserMessage.from_text("hello"))
    path = store.file
    store.close()
    store.close()
    assert list(path.parent.iterdir()) == [path]
    SessionStore.open(path, tmp_path).close()


def test_a_store_that_is_not_closed_warns(tmp_path):
    store = SessionStore.create(tmp_path, tmp_path)
    store.append_message(UserMessage.from_text("hello"))
    with pytest.warns(ResourceWarning, match="was not closed"):
        del store  # nothing else holds it, nor does it hold itself


def written(directory, cwd, text, age=0):
    with SessionStore.create(directory, cwd) as store:
        store.append_message(UserMessage.from_text(text))
        stamp = time.time() - age
        os.utime(store.file, (stamp, stamp))
        return store.file


def test_the_newest_session_of_a_directory_is_the_one_written_last(tmp_path):
    written(tmp_path / "s", tmp_path, "older", age=50)
    written(tmp_path / "s", tmp_path, "newer", age=10)
    written(tmp_path / "s", tmp_path, "oldest", age=99)
    with SessionStore.newest(tmp_path / "s", tmp_path) as store:
        assert store.messages()[0].text == "newer"


def test_a_directory_whose_folder_has_the_same_name_is_told_apart(tmp_path):
    """``a-b`` and ``a/b`` share a folder; what stands in the header counts."""
    one, other = tmp_path / "a-b", tmp_path / "a" / "b"
    one.mkdir()
    other.mkdir(parents=True)
    written(tmp_path / "s", one, "one", age=10)
    written(tmp_path / "s", other, "other")
    with SessionStore.newest(tmp_path / "s", one) as store:
        assert store.messages()[0].text == "one"


def test_files_that_are_no_sessions_do_not_count_as_newest(tmp_path):
    path = written(tmp_path / "s", tmp_path, "good", age=10)
    (path.parent / "z.jsonl").write_text("nothing")
    with SessionStore.newest(tmp_path / "s", tmp_path) as store:
        assert store.file == path


def test_a_link_that_leads_nowhere_hides_no_session(tmp_path):
    path = written(tmp_path / "s", tmp_path, "good", age=10)
    (path.parent / "z.jsonl").symlink_to("nowhere")
    (path.parent / "loop.jsonl").symlink_to("loop.jsonl")
    with SessionStore.newest(tmp_path / "s", tmp_path) as store:
        assert store.file == path


def test_a_session_behind_padding_is_found_as_newest(tmp_path):
    """As it is opened and listed."""
    path = written(tmp_path / "s", tmp_path, "good", age=10)
    path.write_bytes(b"\0\0\n\n" + path.read_bytes())
    with SessionStore.newest(tmp_path / "s", tmp_path) as store:
        assert store.file == path


def test_a_pipe_among_the_sessions_is_not_read(tmp_path):
    path = written(tmp_path / "s", tmp_path, "good", age=10)
    os.mkfifo(path.parent / "z.jsonl")
    with SessionStore.newest(tmp_path / "s", tmp_path) as store:
        assert store.file == path


def test_there_is_no_newest_where_there_is_none(tmp_path):
    assert SessionStore.newest(tmp_path / "s", tmp_path) is None

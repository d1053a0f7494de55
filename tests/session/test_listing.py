"""Listing sessions by the two ends of their files."""

import builtins
import os
import time

import pytest

from pihost.entries import SessionInfoEntry
from pihost.messages import UserMessage
from pihost.session.errors import SessionNotFoundError
from pihost.session.listing import find_session, list_sessions, summary_of
from pihost.session.store import SessionStore


def written(directory, cwd, *texts, name=None, age=0):
    with SessionStore.create(directory, cwd) as store:
        for text in texts:
            store.append_message(UserMessage.from_text(text))
        if name:
            store.append(SessionInfoEntry, name=name)
        stamp = time.time() - age
        os.utime(store.file, (stamp, stamp))
        return store.file


def test_a_summary_tells_what_a_list_shows(tmp_path):
    file = written(tmp_path, tmp_path, "fix the\nbug", name="bugs")
    one = summary_of(file)
    assert (one.name, one.first_prompt, one.cwd) == ("bugs", "fix the\nbug", str(tmp_path))
    assert (one.size, one.file) == (file.stat().st_size, file)
    assert file.stem.endswith(one.id)


def test_the_last_written_comes_first(tmp_path):
    for age in (30, 10, 20):
        written(tmp_path / "s", tmp_path, f"{age}", age=age)
    assert [one.first_prompt for one in list_sessions(tmp_path / "s", tmp_path)] == ["10", "20", "30"]


def test_other_directories_are_listed_only_when_all_are(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / "s", tmp_path / name, name)
    assert [one.first_prompt for one in list_sessions(tmp_path / "s", tmp_path / "a")] == ["a"]
    assert {one.first_prompt for one in list_sessions(tmp_path / "s")} == {"a", "b"}


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b'{"type":"session"', b"\0" * 100])
def test_what_is_no_session_is_left_out(tmp_path, content):
    file = written(tmp_path / "s", tmp_path, "x")
    (file.parent / "other.jsonl").write_bytes(content)
    assert [one.file for one in list_sessions(tmp_path / "s")] == [file]


def test_a_link_that_leads_nowhere_is_left_out(tmp_path):
    file = written(tmp_path / "s", tmp_path, "x")
    (file.parent / "z.jsonl").symlink_to("nowhere")
    (file.parent / "loop.jsonl").symlink_to("loop.jsonl")
    assert [one.file for one in list_sessions(tmp_path / "s")] == [file]


def test_a_pipe_is_not_read(tmp_path):
    file = written(tmp_path / "s", tmp_path, "x")
    os.mkfifo(file.parent / "z.jsonl")
    assert [one.file for one in list_sessions(tmp_path / "s")] == [file]


def test_a_name_far_from_both_ends_is_not_looked_for_and_a_late_one_counts(tmp_path):
    with SessionStore.create(tmp_path, tmp_path, name="early") as store:
        for _ in range(20):
            store.append_message(UserMessage.from_text("x" * 5000))
        store.append(SessionInfoEntry, name="late")
        file = store.file
    assert summary_of(file).name == "late"


def test_a_first_prompt_longer_than_the_piece_is_cut(tmp_path):
    assert summary_of(written(tmp_path, tmp_path, "ä" * 20_000)).first_prompt == "ä" * 200


def test_a_list_reads_the_two_ends_only(tmp_path, monkeypatch):
    """A file of any size costs 16 KiB."""
    file = written(tmp_path, tmp_path, *["x" * 50_000] * 40)
    read = []
    real = builtins.open

    class Counting:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def read(self, size):
            data = self.file.read(size)
            read.append(len(data))
            return data

        def seek(self, place):
            self.file.seek(place)

    monkeypatch.setattr(type(file), "open", lambda self, mode: Counting(real(self, mode)))
    assert summary_of(file) is not None
    assert sum(read) <= 16_384 < file.stat().st_size


def test_a_session_is_found_by_the_beginning_of_its_id(tmp_path):
    file = written(tmp_path / "s", tmp_path, "x")
    wanted = summary_of(file).id
    assert find_session(tmp_path / "s", wanted[:6].upper()) == file
    assert find_session(tmp_path / "s", wanted) == file


@pytest.mark.parametrize("text", ["", "*", "../x", "ffffffff-0000", "zzz"])
def test_what_fits_no_session_is_not_found(tmp_path, text):
    written(tmp_path / "s", tmp_path, "x")
    with pytest.raises(SessionNotFoundError, match="There is no session"):
        find_session(tmp_path / "s", text)


def test_what_fits_several_names_them(tmp_path):
    folder = tmp_path / "s" / "p"
    folder.mkdir(parents=True)
    for tail in ("1", "2"):
        (folder / f"2026_abcd{tail}.jsonl").touch()
    with pytest.raises(SessionNotFoundError, match="2 sessions") as caught:
        find_session(tmp_path / "s", "abcd")
    assert "abcd1, abcd2" in caught.value.hint

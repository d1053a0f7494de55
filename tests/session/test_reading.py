"""Damaged session files: every complete record is kept, whatever stands beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost import jsonlines
from pihost.entries import MessageEntry
from pihost.messages import UserMessage
from pihost.session._codec import encode_entry
from pihost.session._reading import read_records
from pihost.session.errors import SessionFileError
from pihost.session.store import SessionStore

HEADER = b'{"type":"session","version":1,"id":"s","timestamp":"t","cwd":"/","parent_session":null}\n'


def entry(number, text, parent=None):
    return MessageEntry(id=f"e{number}", parent_id=parent, timestamp="t", message=UserMessage.from_text(text))


def line(number, parent=None):
    return encode_entry(entry(number, f"text {number}", parent))


def read(tmp_path, data):
    return read_records(tmp_path / "x.jsonl", data)


def ids(records):
    return [record.id for record in records.entries]


@pytest.mark.parametrize(
    ("data", "kept", "warnings"),
    [
        (line(1) + line(2)[:-20], ["e1"], 1),
        (line(1) + line(2)[:-1], ["e1", "e2"], 0),
        (line(1)[:-1] + line(2), ["e1", "e2"], 1),
        (line(1)[:30] + line(2) + line(3), ["e2", "e3"], 1),
        (line(1) + b"\0" * 100 + b"\n" + line(2), ["e1", "e2"], 1),
        (line(1) + b"\0" * 100 + line(2), ["e1", "e2"], 1),
        (line(1) + b"\0" * 4096, ["e1"], 1),
        (line(1) + b"not json\n" + line(2), ["e1", "e2"], 1),
        (line(1) + b"[1,2]\n\xff\xfe\n" + line(2), ["e1", "e2"], 2),
        (line(1) + b'{"type":"from_the_future","id":"x","parent_id":"e1"}\n' + line(2), ["e1", "e2"], 1),
        (line(1) + b'{"type":"message","id":"x"}\n' + line(2), ["e1", "e2"], 1),
        (line(1) + b'{"type":5}\n' + line(2), ["e1", "e2"], 1),
        (line(1) + b"[" * 100_000 + b"\n" + line(2), ["e1", "e2"], 1),
        (line(1) + rb'["\ud800",' + b"[" * 100_000 + b"\n" + line(2), ["e1", "e2"], 1),
        (line(1) + b"\r\n \n\n" + line(2).replace(b"\n", b"\r\n"), ["e1", "e2"], 0),
        (line(1) + line(1) + line(2), ["e1", "e2"], 0),
    ],
)
def test_damage_costs_that_record_and_a_warning(tmp_path, data, kept, warnings):
    """N01: torn, joined, padded, foreign, unknown, nested without end."""
    records = read(tmp_path, HEADER + data)
    assert (ids(records), len(records.warnings)) == (kept, warnings)


def test_a_header_nested_without_end_is_refused_and_not_taken_for_a_torn_one(tmp_path):
    with pytest.raises(SessionFileError, match="does not begin with a session's header"):
        read(tmp_path, b'{"type":"session","x":' + b"[" * 100_000)


def test_a_warning_names_file_and_line(tmp_path):
    (warning,) = read(tmp_path, HEADER + line(1) + b"garbage\n").warnings
    assert warning.message.startswith(f"{tmp_path / 'x.jsonl'}, line 3: not one whole record")
    assert "'garbage'" in warning.message


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\x0b", "\r"])
def test_only_a_newline_ends_a_record(tmp_path, separator):
    """JSON may hold other line ends as they are."""
    stored = encode_entry(entry(1, "a?b")).replace(b"?", separator.encode() if separator > "\x7f" else b"?")
    records = read(tmp_path, HEADER + stored)
    assert len(records.entries) == 1
    assert records.warnings == ()


def test_a_record_inside_a_text_is_not_taken_for_one(tmp_path):
    """What somebody pastes into a prompt must never become an entry, whatever happens to the line."""
    pasted = encode_entry(entry(8, line(9).decode()))
    records = read(tmp_path, HEADER + pasted[:-5] + b"\n" + line(1))
    assert ids(records) == ["e1"]


def test_a_line_full_of_beginnings_is_given_up_at_some_point(tmp_path):
    """Each one costs a parse; a crafted line must not cost minutes."""
    records = read(tmp_path, HEADER + b'{"type":"' * 20_000 + line(1)[:-1] + b"\n" + line(2))
    assert ids(records) == ["e2"]


def test_unknown_fields_are_ignored(tmp_path):
    value = {**jsonlines.decode(line(1)), "added_later": 1}
    assert ids(read(tmp_path, HEADER + jsonlines.encode(value))) == ["e1"]


def opened(tmp_path, data):
    path = tmp_path / "s.jsonl"
    path.write_bytes(data.replace(b'"cwd":"/"', f'"cwd":"{tmp_path}"'.encode()))
    return SessionStore.open(path, tmp_path)


@pytest.mark.parametrize("lost", [b'{"type":"from_the_future","id":"e2","parent_id":"e1"}\n', b"torn\n", b""])
def test_what_follows_a_lost_record_stays_on_the_branch(tmp_path, lost):
    with opened(tmp_path, HEADER + line(1) + lost + line(3, "e2")) as store:
        assert [entry.id for entry in store.branch()] == ["e1", "e3"]


def test_parents_that_run_in_a_circle_end(tmp_path):
    with opened(tmp_path, HEADER + line(1, "e2") + line(2, "e1")) as store:
        assert [entry.id for entry in store.branch()] == ["e1", "e2"]


def test_a_branch_leaves_other_branches_out(tmp_path):
    with opened(tmp_path, HEADER + line(1) + line(2, "e1") + line(3, "e1")) as store:
        assert [entry.id for entry in store.branch()] == ["e1", "e3"]


def test_the_next_append_starts_on_a_fresh_line(tmp_path):
    with opened(tmp_path, HEADER + line(1) + line(2)[:-9]) as store:
        store.append_message(UserMessage.from_text("next"))
        after = store.file.read_bytes()
    records = read(tmp_path, after)
    assert [record.message.text for record in records.entries] == ["text 1", "next"]


def test_a_file_cut_at_every_byte_opens_with_every_complete_record(tmp_path):
    """A record is complete with its last brace; its newline need not have reached the disk."""
    whole, ends = HEADER, []
    for number in range(8):
        whole += line(number, f"e{number - 1}")
        ends.append(len(whole) - 1)
    for cut in range(len(whole)):
        assert len(read(tmp_path, whole[:cut]).entries) == sum(cut >= end for end in ends), cut


@given(before=st.binary(max_size=80), after=st.binary(max_size=80))
def test_any_bytes_between_records_leave_the_records(tmp_path_factory, before, after):
    data = HEADER + line(1) + before + b"\n" + line(2) + after
    records = read_records(tmp_path_factory.getbasetemp() / "x", data)
    assert ids(records) == ["e1", "e2"]


@given(st.binary(max_size=200))
def test_any_bytes_are_an_empty_session_or_refused(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "x"
    try:
        records = read_records(file, data)
    except SessionFileError as fault:
        refused = fault.file
        assert refused == file
    else:
        assert records.entries == ()


@given(st.text(st.characters()))
def test_any_text_comes_back(tmp_path_factory, text):
    made = entry(1, text)
    records = read_records(tmp_path_factory.getbasetemp() / "x", HEADER + encode_entry(made))
    assert records.entries == (made,)

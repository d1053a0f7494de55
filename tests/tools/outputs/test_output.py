"""Following an output: expected values, invariants over chunkings, the file, and its failures."""

import base64
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pihost.tools.outputs.control import ControlFilter
from pihost.tools.outputs.output import OutputAccumulator, OutputSpillError
from pihost.tools.outputs.truncate import truncate_tail

streams = st.one_of(
    st.binary(max_size=80),
    st.text("ab\r\né日🎉\ufeff", max_size=40).map(str.encode),
    st.lists(st.sampled_from([b"\n", b"x", b"\xe6\x97", b"\xa5", b"\xf0\x9f", b"\xff", b"\xed\xa0\x80"])).map(
        b"".join
    ),
)
limits = st.integers(0, 12)


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """A temporary directory of its own for each test."""
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


@pytest.fixture
def blocked(temporary):
    """A temporary directory in which nothing can be made, whoever asks."""
    temporary.rmdir()
    temporary.write_text("")


def follow(chunks, **options):
    output = OutputAccumulator(**options)
    for chunk in chunks:
        output.append(chunk)
    output.finish()
    output.close()
    return output


def pieces(data, size):
    return [data[i : i + size] for i in range(0, len(data), size)]


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def as_expected(snapshot):
    truncation = attrs.asdict(snapshot.truncation)
    assert truncation.pop("content") == snapshot.content
    return {
        "content_b64": encoded(snapshot.content),
        "has_full_output": snapshot.full_output_path is not None,
        "truncation": truncation,
    }


def check_row(row):
    output = OutputAccumulator(**row["options"])
    for chunk, expected in zip(row["chunks_b64"], row["snapshots"], strict=True):
        output.append(base64.b64decode(chunk))
        assert as_expected(output.snapshot()) == expected
    output.finish()
    assert as_expected(output.snapshot(persist_if_truncated=True)) == row["final"]
    assert output.last_line_bytes == row["last_line_bytes"]
    for read in row["read_full_output"]:
        full = output.read_full_output(read["max_bytes"])
        assert (encoded(full.content), full.truncated) == (read["content_b64"], read["truncated"])
    output.close()


def test_expected_values(load_vectors):
    rows = load_vectors("accumulator")
    assert len(rows) == 250
    for row in rows:
        check_row(row)


@given(streams, limits, limits, st.integers(1, 9))
def test_totals_do_not_depend_on_the_chunks(data, max_lines, max_bytes, size):
    output = follow(pieces(data, size), max_lines=max_lines, max_bytes=max_bytes)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    whole = truncate_tail(text, max_lines=max_lines, max_bytes=max_bytes)
    assert (output.total_lines, output.total_bytes) == (whole.total_lines, whole.total_bytes)
    assert output.last_line_bytes == len(text.rpartition("\n")[2].encode())
    assert output.snapshot().truncation.truncated == whole.truncated


@given(streams, limits, limits, st.integers(1, 9))
@example(b"x\n\n", 2, 2, 1)
def test_what_is_shown_is_the_end_of_the_text_within_the_limits(data, max_lines, max_bytes, size):
    snapshot = follow(pieces(data, size), max_lines=max_lines, max_bytes=max_bytes).snapshot()
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    # A cut leaves the final newline out; a tail that needed no cut of its own still has it.
    assert text.endswith(snapshot.content) or text.removesuffix("\n").endswith(snapshot.content)
    assert len(snapshot.content.encode()) == snapshot.truncation.output_bytes <= max_bytes
    assert snapshot.truncation.output_lines <= max_lines
    assert (snapshot.truncation.truncated_by is None) == (not snapshot.truncation.truncated)


@given(streams, limits, limits, st.integers(1, 9))
def test_the_file_has_every_raw_byte(data, max_lines, max_bytes, size):
    output = follow(pieces(data, size), max_lines=max_lines, max_bytes=max_bytes)
    path = output.snapshot(persist_if_truncated=True).full_output_path
    over = output.snapshot().truncation.truncated or len(data) > max_bytes
    assert (path is not None) == over
    assert path is None or path.read_bytes() == data
    assert output.read_full_output(10**6).content == data.decode("utf-8", "replace").removeprefix("\ufeff")


@given(streams, st.integers(1, 9), limits)
def test_both_ends_are_the_ends_of_the_raw_output(data, size, n):
    output = follow(pieces(data, size), max_lines=0, max_bytes=0)
    full = output.read_full_output(n)
    assert full.truncated == (len(data) > n)
    if full.truncated:
        head, tail = full.content.split(f"\n\n[... {len(data) - n} bytes omitted ...]\n\n", 1)
        text = data.decode("utf-8", "replace")
        assert text.removeprefix("\ufeff").startswith(head) or text.startswith(head)
        assert len(head) <= n // 2
        assert len(tail) <= n - n // 2


@given(
    st.lists(
        st.sampled_from([b"ab\n", b"\x1b[31m", b"\x1b]0;t\x07", b"\r\n", b"\x00", "é".encode()]), max_size=20
    )
)
def test_a_filter_sees_the_text_before_it_is_counted(parts):
    """Filtering on the way gives what filtering the whole gives; the file has the raw bytes."""
    data = b"".join(parts)
    clean = ControlFilter().feed(data, final=True)[0]
    limits = {"max_lines": 5, "max_bytes": 12}
    filtered = follow(pieces(data, 1), text_filter=ControlFilter, **limits)
    plain = follow([clean], **limits)
    shown = filtered.snapshot()
    assert shown.content == plain.snapshot().content or shown.truncation.truncated
    assert (filtered.total_lines, filtered.total_bytes) == (plain.total_lines, plain.total_bytes)
    assert filtered.read_full_output(10**6).content == clean.decode()
    assert shown.full_output_path is None or shown.full_output_path.read_bytes() == data


def test_a_character_in_two_halves():
    """J07: the halves of a character come with a pause between them."""
    output = OutputAccumulator()
    output.append("€".encode()[:1])
    assert output.snapshot().content == ""
    output.append("€".encode()[1:])
    assert output.snapshot().content == "€"


def test_an_incomplete_character_at_the_end():
    output = follow([b"a\xe2\x82"])
    assert (output.snapshot().content, output.total_bytes) == ("a\ufffd", 4)


def test_controls_are_taken_out_of_the_text_and_kept_in_the_file():
    raw = b"\x1b]0;title\x07\x1b[31mred\x1b[0m 10%\r20%\r\n\x00" * 3
    output = follow(pieces(raw, 5), max_lines=1, text_filter=ControlFilter)
    snapshot = output.snapshot()
    assert snapshot.content == "red 10%\r20%"
    assert snapshot.full_output_path.read_bytes() == raw


def test_the_end_of_a_full_output_that_begins_inside_a_sequence():
    """What is left of a sequence whose start was omitted is no text."""
    raw = b"x" * 100 + b"\x1b]0;a long title\x07end"
    output = follow([raw], max_bytes=10, text_filter=ControlFilter)
    assert output.read_full_output(20).content == "x" * 10 + "\n\n[... 100 bytes omitted ...]\n\nend"


def test_3000_short_lines_are_complete_in_the_file():
    raw = b"".join(b"%d\n" % n for n in range(3000))
    snapshot = follow(pieces(raw, 1000)).snapshot(persist_if_truncated=True)
    assert snapshot.full_output_path.read_bytes() == raw
    assert (snapshot.truncation.output_lines, snapshot.truncation.total_lines) == (2000, 3000)


def test_exactly_2000_lines_are_not_truncated():
    output = follow([b"x\n" * 2000])
    snapshot = output.snapshot(persist_if_truncated=True)
    assert (snapshot.truncation.truncated, snapshot.full_output_path) == (False, None)
    assert snapshot.content == "x\n" * 2000


@pytest.mark.parametrize("size", [1, 2, 100])
def test_only_one_byte_order_mark_is_dropped(size):
    output = follow(pieces("\ufeff\ufeffa\ufeff".encode(), size))
    assert output.snapshot().content == "\ufeffa\ufeff"


def test_a_stream_that_has_ended_takes_no_more():
    output = follow([b"x"])
    output.finish()
    with pytest.raises(RuntimeError, match="after finish"):
        output.append(b"y")


def test_close_ends_the_stream():
    output = OutputAccumulator()
    output.append(b"\xe2")
    output.close()
    assert output.snapshot().content == "\ufffd"


@pytest.mark.parametrize("options", [{"max_lines": -1}, {"max_bytes": -1}, {"temp_file_prefix": "../x"}])
def test_wrong_arguments(options):
    (name,) = options
    with pytest.raises(ValueError, match=name):
        OutputAccumulator(**options)


def test_a_negative_limit_to_read():
    with pytest.raises(ValueError, match="max_bytes is -1"):
        OutputAccumulator().read_full_output(-1)


def test_a_tail_that_starts_inside_a_line_loses_that_fragment():
    output = follow([b"x" * 50, b"\nlast"], max_bytes=10)
    assert output.snapshot().content == "last"


def test_a_file_that_cannot_be_made_never_stops_the_stream(blocked):
    output = OutputAccumulator(max_bytes=4)
    output.append(b"one\ntwo\n")
    output.append(b"three\n")
    assert isinstance(output.spill_error, OutputSpillError)
    assert output.snapshot().content == "hree"
    assert output.snapshot().full_output_path is None
    assert (output.total_lines, output.total_bytes) == (3, 14)


def test_a_lost_output_is_raised_wherever_it_is_asked_for(blocked):
    output = OutputAccumulator(max_bytes=4)
    output.append(b"one\ntwo\n")
    asked = [
        output.finish,
        output.finish,
        output.close,
        lambda: output.snapshot(persist_if_truncated=True),
        lambda: output.read_full_output(100),
    ]
    for ask in asked:
        with pytest.raises(OutputSpillError) as caught:
            ask()
        assert caught.value is output.spill_error


def test_the_fallback_takes_the_file(blocked, tmp_path):
    output = follow([b"one\ntwo\n"], max_bytes=4, fallback_dir=tmp_path / "output")
    path = output.snapshot(persist_if_truncated=True).full_output_path
    assert path.parent == tmp_path / "output"
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed elsewhere")
def test_a_directory_that_vanishes_is_a_failure(temporary):
    """The system goes on taking bytes for a file that nobody will find again."""
    output = OutputAccumulator(max_bytes=4)
    output.append(b"one\ntwo\n")
    shutil.rmtree(temporary)
    output.append(b"three\n")
    assert output.spill_error is None
    with pytest.raises(OutputSpillError, match="No such file"):
        output.snapshot(persist_if_truncated=True)
    with pytest.raises(OutputSpillError):
        output.finish()


@pytest.mark.skipif(os.name != "posix", reason="descriptors are closed behind the back of the file")
def test_a_file_that_cannot_be_closed_is_a_failure():
    output = OutputAccumulator(max_bytes=4)
    output.append(b"one\ntwo\n")
    os.close(output._spill._file.fileno())
    with pytest.raises(OutputSpillError, match="Bad file descriptor"):
        output.close()


def test_a_file_removed_after_the_end_cannot_be_read():
    output = follow([b"one\ntwo\n"], max_bytes=4)
    output.snapshot().full_output_path.unlink()
    with pytest.raises(OutputSpillError, match="No such file"):
        output.read_full_output(100)


@pytest.mark.skipif(os.name != "posix", reason="a limit on the size of files is POSIX")
def test_a_full_disk_keeps_the_tail_and_leaves_no_half_file():
    code = """
import os, resource
from pihost.tools.outputs.output import OutputAccumulator, OutputSpillError
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
output = OutputAccumulator(max_bytes=100)
output.append(b"x" * 900 + b"\\n")
path = output.snapshot().full_output_path
for number in range(100):
    output.append(b"line %d\\n" % number)
try:
    output.finish()
except OutputSpillError as error:
    print(error.reason, error.path == path)
print(path.exists(), output.total_lines, output.snapshot().content.endswith("line 99"))
"""
    environment = {**os.environ, "TMPDIR": tempfile.gettempdir(), "PYTHONPATH": str(Path.cwd())}
    argv = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "File too large True\nFalse 101 True\n"


@pytest.mark.parametrize("text_filter", [None, ControlFilter])
@pytest.mark.parametrize("unit", [b"x" * 79 + b"\n", "日本語です\n".encode(), b"x", b"\x1b]0;", b"\xff"])
def test_memory_is_bounded(unit, text_filter):
    chunk = unit * (65536 // len(unit))
    output = OutputAccumulator(text_filter=text_filter)
    tracemalloc.start()
    try:
        for data in itertools.repeat(chunk, 20):
            output.append(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    output.close()
    assert output.snapshot().truncation.truncated
    assert peak < 4 * 1024 * 1024


@pytest.mark.parametrize("chunk", [b"x", b"xy", "日".encode(), b"a\n"])
def test_memory_is_bounded_with_tiny_chunks(chunk):
    output = OutputAccumulator()
    tracemalloc.start()
    try:
        for _ in range(40_000):
            output.append(chunk)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    output.close()
    assert output.total_bytes == 40_000 * len(chunk)
    assert peak < 1024 * 1024

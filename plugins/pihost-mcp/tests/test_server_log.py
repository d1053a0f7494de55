"""What is kept of a server's standard error."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from pihost_mcp._server_log import ServerLog


def plain(text):
    return text


@given(st.text(alphabet="ab é\n"), st.lists(st.integers(0, 60)))
def test_the_pieces_may_be_cut_anywhere(text, places):
    data = text.encode()
    cuts = sorted({0, len(data), *(place for place in places if place < len(data))})
    log, whole = ServerLog(None, plain), ServerLog(None, plain)
    for begin, end in itertools.pairwise(cuts):
        log.write(data[begin:end])
    whole.write(data)
    assert log.tail() == whole.tail()


def test_the_tail_is_the_last_lines_and_the_one_begun():
    log = ServerLog(None, plain)
    log.write(b"".join(b"line %d\n" % number for number in range(30)) + b"begun")
    assert log.tail().splitlines() == [*(f"line {number}" for number in range(20, 30)), "begun"]


def test_the_tail_of_one_endless_line_is_short():
    log = ServerLog(None, plain)
    for _ in range(100):
        log.write(b"x" * 10_000)
    assert log.tail() == "x" * 600


def test_the_file_is_the_users_alone_and_begins_anew_when_it_is_long(tmp_path):
    file = tmp_path / "a.log"
    log = ServerLog(file, plain)
    log.note("starting")
    log.write(b"y" * 1_100_000 + b"\n")
    log.write(b"next\n")
    assert file.read_text() == "next\n"
    assert (tmp_path / "a.log.1").read_text().startswith("[pihost] starting\nyyy")
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_is_not_to_be_shown_is_kept_nowhere(tmp_path):
    file = tmp_path / "a.log"
    log = ServerLog(file, lambda text: text.replace("s3cret", "***"))
    log.note("with s3cret")
    log.write(b"got s3")
    log.write(b"cret\nand s3cret")
    assert file.read_text() == "[pihost] with ***\ngot ***\n"
    assert log.tail() == "got ***\nand ***"


def test_a_file_that_cannot_be_written_is_done_without(tmp_path):
    log = ServerLog(tmp_path / "nowhere" / "a.log", plain)
    log.write(b"said\n")
    assert log.tail() == "said"

"""Faults users hit with files, each by its row: H is edit and write, I is paths and reading."""

import asyncio
import json
import re
import resource
import unicodedata

import pytest

from pihost.tools.writing import mutation_queue

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


async def edited(call, file, content, *edits, failing=False):
    """Edit a file of some bytes; its bytes afterwards and the result."""
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    sent = [{"old_text": old, "new_text": new} for old, new in edits]
    result = await call("edit", path=file.name, edits=sent)
    assert result.is_error == failing, result.text
    return file.read_bytes(), result


@pytest.fixture
def file(tmp_path):
    return tmp_path / "f"


async def test_h01_a_match_in_the_view_changes_its_lines_alone(call, file):
    old = "keep  \n“q”\nfix me \nend\ntail  \n"
    data, result = await edited(call, file, old, ("fix me\nend", "OK\nend"))
    assert data.decode() == "keep  \n“q”\nOK\nend\ntail  \n"
    assert "-fix me \n+OK\n" in result.details.patch
    assert " “q”\n" in result.details.patch


@pytest.mark.parametrize(
    ("old", "new"), [(b"a\r\nb\nc", b"a\r\nb\nC"), (b"10%\r20%\rc\nend\n", b"10%\r20%\rC\nend\n")]
)
async def test_h03_mixed_endings_and_a_bare_return_stay(call, file, old, new):
    data, _ = await edited(call, file, old, ("c", "C"))
    assert data == new


async def test_h04_new_lines_take_the_ending_of_those_they_replace(call, file):
    data, _ = await edited(call, file, b"a\r\nb\r\nc\r\n", ("b\nc\n", "B\nX\nc\n"))
    assert data == b"a\r\nB\r\nX\r\nc\r\n"


async def test_h04_write_stores_exactly_the_bytes_given(call, file):
    await call("write", path="f", content="a\r\nb\nc\rd")
    assert file.read_bytes() == b"a\r\nb\nc\rd"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
async def test_h05_a_byte_order_mark_is_kept_and_not_doubled(call, file, encoding):
    data, _ = await edited(call, file, "one\ntwo\n".encode(encoding), ("\ufeffone", "\ufeff1"))
    assert data == "1\ntwo\n".encode(encoding)


async def test_h05_a_file_of_only_a_mark_stays_as_it_is(call, file):
    data, result = await edited(call, file, b"\xef\xbb\xbf", ("x", "y"), failing=True)
    assert data == b"\xef\xbb\xbf"
    assert "was not found in f" in result.text


async def test_h06_bytes_that_are_no_utf8_are_kept(call, file):
    data, _ = await edited(call, file, b"n = 1\n# na\xefve\n", ("n = 1", "n = 2"))
    assert data == b"n = 2\n# na\xefve\n"


async def test_h07_new_text_has_no_special_characters(call, file):
    data, _ = await edited(call, file, "x", ("x", r"\1 \g<0> \\n $& $$"))
    assert data.decode() == r"\1 \g<0> \\n $& $$"


@pytest.mark.parametrize(("text", "old"), [("aba\naba\naba\n", "aba\naba\n"), ("aaa", "aa")])
async def test_h08_overlapping_occurrences_count(call, file, text, old):
    data, result = await edited(call, file, text, (old, "b"), failing=True)
    assert data.decode() == text
    assert "was found 2 times in f (line" in result.text


async def test_h09_an_edit_that_fits_only_after_another_is_refused(call, file):
    data, result = await edited(call, file, "one\n", ("one", "two"), ("two", "three"), failing=True)
    assert data == b"one\n"
    assert "edits[1].old_text was not found in f" in result.text


async def test_h09_one_missing_of_three_refuses_all(call, file):
    data, result = await edited(call, file, "a\nb\n", ("a", "A"), ("zz", ""), ("b", "B"), failing=True)
    assert data == b"a\nb\n"
    assert "edits[1].old_text" in result.text


@pytest.mark.parametrize(
    "arguments",
    [{"edits": json.dumps([{"old_text": "a", "new_text": "A"}])}, {"old_text": "a", "new_text": "A"}],
)
async def test_h10_other_shapes_of_edits_are_accepted(call, file, arguments):
    file.write_text("a\n")
    assert not (await call("edit", path="f", **arguments)).is_error
    assert file.read_text() == "A\n"


async def test_h10_a_string_that_is_not_json_is_a_clear_error(call, file):
    file.write_text("a\n")
    result = await call("edit", path="f", edits="a -> A")
    assert result.is_error
    assert "$.edits: expected an array of {old_text, new_text}; this string is not even JSON" in result.text


async def test_h12_a_final_newline_alone_can_be_added(call, file):
    data, result = await edited(call, file, "a\nb", ("b", "b\n"))
    assert data == b"a\nb\n"
    assert "No newline at end of file" in result.details.diff
    assert result.details.first_changed_line == 2


@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_h14_a_size_limit_leaves_the_old_content_and_no_temporary_file(call, file, tool):
    """Killing in the middle is in test_crashes.py."""
    file.write_text("x" * 5_000 + "old")
    more = {"content": "n" * 9_000} if tool == "write" else {"old_text": "old", "new_text": "n" * 9_000}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, limits[1]))
    try:
        result = await call(tool, path="f", **more)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (result.text, result.is_error) == (f"Cannot {tool} f: File too large.", True)
    assert file.read_text() == "x" * 5_000 + "old"
    assert [path.name for path in file.parent.iterdir()] == ["f"]


async def test_h15_fifty_edits_at_once_by_four_names(call, file):
    """One more fails and one is cancelled while it waits; every other one lands, and no line is kept."""
    file.write_text("".join(f"<{number}>\n" for number in range(50)))
    (file.parent / "link").symlink_to("f")
    names = ["f", "./f", str(file), "link"]
    tasks = [
        asyncio.create_task(
            call("edit", path=names[n % 4], old_text=f"<{n}>" if n != 20 else "gone", new_text=f"done {n}")
        )
        for n in range(50)
    ]
    await asyncio.sleep(0)
    tasks[30].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[30], asyncio.CancelledError)
    assert [n for n, result in enumerate(results) if n != 30 and result.is_error] == [20]
    assert file.read_text().splitlines() == [f"<{n}>" if n in {20, 30} else f"done {n}" for n in range(50)]
    assert mutation_queue._lines == {}


async def test_i01_macos_spellings_are_found_by_plain_characters(call, tmp_path):
    spelled = unicodedata.normalize("NFD", "Capture d\u2019écran 10.54\u202fPM.png")
    (tmp_path / spelled).write_bytes(PNG)
    result = await call("read", path="Capture d'écran 10.54 PM.png")
    assert result.content[1].mime_type == "image/png"
    (tmp_path / "Capture d'écran 10.54 PM.png").write_text("the exact name")
    assert (await call("read", path="Capture d'écran 10.54 PM.png")).text == "the exact name"


async def test_i01_write_never_corrects_a_name(call, tmp_path):
    (tmp_path / "it\u2019s").write_text("old")
    await call("write", path="it's", content="new")
    assert ((tmp_path / "it\u2019s").read_text(), (tmp_path / "it's").read_text()) == ("old", "new")


@pytest.mark.parametrize("name", ["a\u00a0b.txt", "[id]/route.py", "{x} y.md", "@home.txt", "~tmp.txt", "~"])
async def test_i02_the_literal_file_wins_over_any_expansion(call, tmp_path, name):
    for each in (name, name.replace("\u00a0", " ").lstrip("@")):
        (tmp_path / each).parent.mkdir(exist_ok=True)
        (tmp_path / each).write_text(each)
    assert (await call("read", path=name)).text == name
    assert not (await call("edit", path=name, old_text=name, new_text="changed")).is_error
    assert (tmp_path / name).read_text() == "changed"
    await call("write", path=name, content="written")
    assert (tmp_path / name).read_text() == "written"


@pytest.mark.parametrize("before", [0, 3])
async def test_i03_a_line_over_the_limit_names_a_way_that_works(call, file, before):
    file.write_text("short\n" * before + "x" * 60_000 + "\nlast\n")
    if before:
        first = await call("read", path="f")
        assert first.text.startswith("short\nshort\nshort\n\n[Showing lines 1-3 of 5")
    result = await call("read", path="f", offset=before + 1)
    assert result.details.truncation.first_line_exceeds_limit
    command = re.search(r"Use bash: (.*?\| head -c \d+)", result.text)[1]
    assert (await call("bash", command=command)).text == "x" * 51_200
    assert f"Use offset={before + 2} for the lines after it" in result.text


async def test_i04_offset_and_limit_at_the_edges(call, file):
    file.write_text("".join(f"{number}\n" for number in range(1, 3001)))
    result = await call("read", path="f", offset=2990, limit=50)
    assert result.text.split() == [str(number) for number in range(2990, 3001)]
    past = await call("read", path="f", offset=3001)
    assert (past.is_error, "which has 3000 lines" in past.text) == (True, True)
    for arguments in ({"offset": 0}, {"offset": -1}, {"limit": 0}):
        refused = await call("read", path="f", **arguments)
        assert (refused.is_error, ">= 1" in refused.text) == (True, True)


async def test_i05_content_decides_what_a_file_is(call, tmp_path):
    (tmp_path / "nul").write_bytes(b"text\0text")
    (tmp_path / "picture.txt").write_bytes(PNG)
    (tmp_path / "empty").touch()
    assert (await call("read", path="nul")).text == (
        "Cannot read nul as text: it is a binary file of 9B, of unknown kind."
    )
    assert (await call("read", path="picture.txt")).content[1].mime_type == "image/png"
    assert (await call("read", path="empty")).text == "(empty file)"


def test_the_size_limit_of_this_process_is_back():
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY

import base64
import codecs
import os
import subprocess

import pytest

from pihost.content import ImageContent
from pihost.tools.reading import read as read_module

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def in_shell(tmp_path):
    """Run a command as a user would and hand back what it prints."""

    def in_shell(command):
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
        return done.stdout

    return in_shell


def numbered(count):
    return "".join(f"line {number}\n" for number in range(1, count + 1))


@pytest.fixture
def file(tmp_path):
    """Make a file ``f`` and hand back its path."""

    def file(content, name="f"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return file


async def test_a_small_file_is_shown_as_it_is(file, call):
    file("a\nb\n")
    result = await call("read", path="f")
    assert (result.text, result.is_error, result.details) == ("a\nb\n", False, None)


async def test_more_than_2000_lines_are_cut_with_the_next_offset(file, call):
    file(numbered(5321))
    result = await call("read", path="f")
    body, _, notice = result.text.rpartition("\n\n")
    assert notice == "[Showing lines 1-2000 of 5321. Use offset=2001 to continue.]"
    assert body + "\n" == numbered(2000)
    assert result.details.truncation.total_lines == 5321
    assert result.details.truncation.truncated_by == "lines"


async def test_a_cut_by_bytes_says_so(file, call):
    file(("x" * 999 + "\n") * 60)
    result = await call("read", path="f")
    assert result.text.endswith("[Showing lines 1-51 of 60 (50.0KB limit). Use offset=52 to continue.]")
    assert result.details.truncation.total_bytes == 60_000


async def test_following_the_offsets_shows_every_line_once(file, call):
    file(numbered(4500))
    seen, offset = "", 1
    while offset <= 4500:
        result = await call("read", path="f", offset=offset)
        body = result.text.split("\n\n[")[0].removesuffix("\n") + "\n"
        seen += body
        offset += body.count("\n")
    assert seen == numbered(4500)


async def test_exactly_2000_lines_are_not_cut(file, call):
    file(numbered(2000))
    assert (await call("read", path="f")).text == numbered(2000)


async def test_a_limit_tells_how_much_is_left(file, call):
    file(numbered(10))
    result = await call("read", path="f", offset=3, limit=2)
    assert result.text == "line 3\nline 4\n\n[6 more lines in file. Use offset=5 to continue.]"


async def test_a_limit_past_the_end_shows_exactly_the_rest(file, call):
    file(numbered(3000))
    result = await call("read", path="f", offset=2990, limit=50)
    assert result.text == "".join(f"line {number}\n" for number in range(2990, 3001))


async def test_an_offset_past_the_end_gives_the_number_of_lines(file, call):
    file(numbered(3000))
    result = await call("read", path="f", offset=3001)
    assert result.is_error
    assert result.text == "offset 3001 is past the end of f, which has 3000 lines."


@pytest.mark.parametrize("arguments", [{"offset": 0}, {"offset": -1}, {"limit": 0}])
async def test_numbers_below_one_are_refused(file, call, arguments):
    file("a\n")
    result = await call("read", path="f", **arguments)
    assert result.is_error
    assert ">= 1" in result.text


async def test_a_line_over_the_limit_names_a_command_that_works(file, call, in_shell):
    file("x" * 60_000 + "\nshort\n", "it's.txt")
    result = await call("read", path="it's.txt")
    assert result.details.truncation.first_line_exceeds_limit
    assert "[Line 1 is 58.6KB, over the 50.0KB limit. Use bash: sed" in result.text
    assert "offset=2 for the lines after it" in result.text
    command = result.text.split("Use bash: ")[1].split(" Use offset")[0]
    assert in_shell(command) == "x" * 51_200


async def test_short_lines_before_a_long_one_are_shown_first(file, call):
    file("a\nb\n" + "x" * 60_000)
    first = await call("read", path="f")
    assert first.text.startswith("a\nb\n\n[Showing lines 1-2 of 3 (50.0KB limit). Use offset=3")
    second = await call("read", path="f", offset=3)
    assert second.text.startswith("[Line 3 is 58.6KB")
    assert "offset=" not in second.text


async def test_the_command_for_a_long_utf16_line_converts_it(file, call, in_shell):
    file(("x" * 60_000).encode("utf-16"))
    command = (await call("read", path="f")).text.split("Use bash: ")[1].removesuffix("]")
    assert in_shell(command) == "x" * 51_200


async def test_an_empty_file_says_so(file, call):
    file("")
    assert (await call("read", path="f")).text == "(empty file)"
    assert (await call("read", path="f", offset=2)).is_error


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
async def test_a_byte_order_mark_decides_and_is_not_shown(file, call, encoding):
    file("é\nb\n".encode(encoding))
    assert (await call("read", path="f")).text == "é\nb\n"


async def test_big_endian_is_read_too(file, call):
    file(codecs.BOM_UTF16_BE + "hé\n".encode("utf-16-be"))
    assert (await call("read", path="f")).text == "hé\n"


async def test_a_file_of_nothing_but_a_mark_is_empty(file, call):
    file(codecs.BOM_UTF8)
    assert (await call("read", path="f")).text == "(empty file)"


async def test_bytes_that_are_no_text_are_shown_with_a_note(file, call):
    file(b"na\xefve\n")
    result = await call("read", path="f")
    assert result.text == "na\ufffdve\n\n\n[Bytes that are not valid text are shown as \ufffd.]"


async def test_a_true_replacement_character_needs_no_note(file, call):
    file("\ufffd\n")
    assert (await call("read", path="f")).text == "\ufffd\n"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
async def test_a_picture_is_known_by_its_content(file, call, content, media_type):
    file(content, "picture.txt")
    result = await call("read", path="picture.txt")
    assert result.content[1] == ImageContent(data=base64.b64encode(content).decode(), mime_type=media_type)


async def test_a_picture_too_large_to_show_is_an_error(file, call, monkeypatch):
    monkeypatch.setattr(read_module, "_LARGEST_IMAGE", 10)
    file(PNG)
    result = await call("read", path="f")
    assert result.is_error
    assert "at most 10B" in result.text


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"text\0text", "of unknown kind"), (b"\x7fELF\x02\x00", "ELF"), (b"PK\x03\x04\x00", "ZIP")],
)
async def test_binary_files_are_refused_with_size_and_kind(file, call, content, kind):
    file(content)
    result = await call("read", path="f")
    assert result.is_error
    assert f"binary file of {len(content)}B" in result.text
    assert kind in result.text


async def test_a_nul_after_the_first_8_kib_does_not_make_a_file_binary(file, call):
    file("a" * 8192 + "\0")
    assert not (await call("read", path="f")).is_error


async def test_a_directory_a_missing_file_and_a_pipe_are_clear_errors(tmp_path, call):
    os.mkfifo(tmp_path / "pipe")
    assert "it is a directory" in (await call("read", path=".")).text
    assert (await call("read", path="gone")).text == "Cannot read gone: there is no such file or directory."
    assert "device, pipe or socket" in (await call("read", path="pipe")).text


async def test_a_path_with_nul_is_an_error(call):
    assert (await call("read", path="a\0b")).is_error


async def test_a_macos_spelling_is_found(file, call):
    file("yes\n", "Capture d\u2019e\u0301cran 10.54\u202fPM.png.txt")
    assert (await call("read", path="Capture d'écran 10.54 PM.png.txt")).text == "yes\n"


async def test_a_line_far_inside_a_large_file_is_read_without_holding_the_file(tmp_path, call):
    import tracemalloc

    with (tmp_path / "big").open("wb") as big:
        for _ in range(40):
            big.write(b"0123456789abcde\n" * 65_536)
    tracemalloc.start()
    result = await call("read", path="big", offset=2_000_000, limit=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.text.startswith("0123456789abcde\n\n[621440 more lines in file.")
    assert peak < 8 << 20

import os

import pytest


async def test_entries_are_sorted_without_case_and_directories_marked(tmp_path, call):
    for name in ("b.txt", "A.txt", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "Dir").mkdir()
    assert (await call("ls")).text == ".hidden\nA.txt\nb.txt\nDir/"


async def test_links_show_what_they_lead_to_and_broken_ones_are_shown(tmp_path, call):
    (tmp_path / "d").mkdir()
    (tmp_path / "to-d").symlink_to("d")
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    assert (await call("ls")).text == "broken\nd/\nloop\nto-d/"


async def test_an_empty_directory_says_so(call):
    assert (await call("ls")).text == "(empty directory)"


async def test_a_limit_cuts_and_says_how_to_see_more(tmp_path, call):
    for number in range(5):
        (tmp_path / f"f{number}").touch()
    result = await call("ls", limit=2)
    assert result.text.startswith("f0\nf1\n\n[2 entries limit reached. Use limit=4 for more")
    assert result.details.limit_reached == 2


async def test_long_lists_are_cut_at_the_byte_limit(tmp_path, call):
    for number in range(300):
        (tmp_path / f"{number:03}{'x' * 200}").touch()
    result = await call("ls")
    assert result.text.endswith("[50.0KB limit reached]")
    assert result.details.truncation.truncated_by == "bytes"


async def test_odd_names_stay_on_their_line(tmp_path, call):
    (tmp_path / "a\nb").touch()
    (tmp_path / "esc\x1b[31m").touch()
    os.close(os.open(os.fsencode(tmp_path) + b"/\xff", os.O_CREAT))
    assert (await call("ls")).text == "a\\nb\nesc\\x1b[31m\n\ufffd"


@pytest.mark.parametrize(("path", "message"), [("f", "not a directory"), ("gone", "no such file")])
async def test_what_cannot_be_listed_is_a_clear_error(tmp_path, call, path, message):
    (tmp_path / "f").touch()
    result = await call("ls", path=path)
    assert result.is_error
    assert message in result.text

import asyncio
import json
import os

import pytest

EDIT = {"old_text": "b", "new_text": "B"}


async def test_an_edit_changes_just_its_text_and_reports_it(tmp_path, call):
    (tmp_path / "f").write_text("a\nb\nc\n")
    result = await call("edit", path="f", edits=[EDIT])
    assert (result.text, result.is_error) == ("Replaced 1 block in f.", False)
    assert (tmp_path / "f").read_text() == "a\nB\nc\n"
    assert result.details.first_changed_line == 2
    assert "-b\n+B" in result.details.patch
    assert "B" in result.details.diff


async def test_a_pipe_is_refused_and_not_waited_for(tmp_path, call):
    os.mkfifo(tmp_path / "pipe")
    result = await call("edit", path="pipe", edits=[EDIT])
    assert result.is_error
    assert "Cannot edit pipe: it is a device, pipe or socket" in result.text


async def test_details_of_a_huge_line_stay_small(tmp_path, call):
    (tmp_path / "f").write_bytes(b"x" * 5_000_000 + b"b" + b"x" * 45_000_000)
    result = await call("edit", path="f", edits=[EDIT])
    assert not result.is_error
    assert result.details.patch is None
    assert len(result.details.diff) < 2_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"edits": json.dumps([EDIT])},
        {"edits": json.dumps(EDIT)},
        {"edits": EDIT},
        EDIT,
        {"edits": [], **EDIT},
    ],
)
async def test_the_shapes_models_send_are_accepted(tmp_path, call, arguments):
    (tmp_path / "f").write_text("a\nb\n")
    result = await call("edit", path="f", **arguments)
    assert not result.is_error, result.text
    assert (tmp_path / "f").read_text() == "a\nB\n"


async def test_a_flat_edit_is_added_to_the_others(tmp_path, call):
    (tmp_path / "f").write_text("a\nb\n")
    await call("edit", path="f", edits=[{"old_text": "a", "new_text": "A"}], **EDIT)
    assert (tmp_path / "f").read_text() == "A\nB\n"


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ("not json", "$.edits: expected an array of {old_text, new_text}; this string is not even JSON"),
        ("3", "$.edits: Expected array, got int"),
        ([], "$.edits: Expected array of length >= 1"),
        ([{"old_text": "b"}], "$.edits[0].new_text: required, but missing"),
        ([{"old_text": "b", "newtext": "B"}], "$.edits[0].newtext: unknown (did you mean 'new_text'"),
    ],
)
async def test_other_shapes_are_clear_errors(tmp_path, call, edits, message):
    (tmp_path / "f").write_text("a\nb\n")
    result = await call("edit", path="f", edits=edits)
    assert result.is_error
    assert message in result.text
    assert (tmp_path / "f").read_text() == "a\nb\n"


async def test_edits_are_refused_as_a_whole_with_the_index(tmp_path, call):
    (tmp_path / "f").write_text("a\nb\n")
    result = await call("edit", path="f", edits=[EDIT, {"old_text": "zzz", "new_text": ""}])
    assert result.is_error
    assert "edits[1].old_text was not found in f" in result.text
    assert (tmp_path / "f").read_text() == "a\nb\n"


async def test_bytes_no_edit_touches_stay(tmp_path, call):
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfn = 1\r\n# na\xefve\nlast")
    await call("edit", path="f", old_text="n = 1", new_text="n = 2\nm")
    assert (tmp_path / "f").read_bytes() == b"\xef\xbb\xbfn = 2\r\nm\r\n# na\xefve\nlast"


async def test_new_text_is_inserted_as_it_is(tmp_path, call):
    (tmp_path / "f").write_text("b")
    await call("edit", path="f", old_text="b", new_text=r"\1 \g<0> \\n $& $$")
    assert (tmp_path / "f").read_text() == r"\1 \g<0> \\n $& $$"


async def test_a_missing_file_and_a_directory_are_clear_errors(tmp_path, call):
    assert "no such file" in (await call("edit", path="f", edits=[EDIT])).text
    assert "it is a directory" in (await call("edit", path=".", edits=[EDIT])).text


async def test_edits_at_once_all_land(tmp_path, call):
    (tmp_path / "f").write_text("".join(f"<{number}>\n" for number in range(50)))
    (tmp_path / "link").symlink_to("f")
    names = ["f", "./f", str(tmp_path / "f"), "link"]
    calls = [
        call("edit", path=names[number % 4], old_text=f"<{number}>", new_text=f"done {number}")
        for number in range(50)
    ]
    results = await asyncio.gather(*calls, call("edit", path="f", old_text="nowhere", new_text=""))
    assert [result.is_error for result in results] == [False] * 50 + [True]
    assert (tmp_path / "f").read_text() == "".join(f"done {number}\n" for number in range(50))


async def test_a_cancelled_edit_lets_go_only_when_it_has_written(tmp_path, call):
    (tmp_path / "f").write_text("a\nb\n")
    first = asyncio.create_task(call("edit", path="f", old_text="a", new_text="A"))
    await asyncio.sleep(0)
    second = asyncio.create_task(call("edit", path="f", old_text="b", new_text="B"))
    await asyncio.sleep(0.001)
    first.cancel()
    assert not (await second).is_error
    assert (tmp_path / "f").read_text() in {"A\nB\n", "a\nB\n"}

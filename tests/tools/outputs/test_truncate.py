"""Cutting text: expected values, invariants against a naive reference, and the corners of each rule."""

import base64
import tracemalloc

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pihost.tools.outputs.truncate import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_LINES,
    format_size,
    truncate_head,
    truncate_line,
    truncate_middle,
    truncate_tail,
)

ALPHABET = "ab \r\né日🎉\ud83d\ude00\u2028"
texts = st.text(alphabet=ALPHABET, max_size=60)
limits = st.integers(min_value=0, max_value=80)
CUTS = {"head": truncate_head, "tail": truncate_tail}


def size(text):
    return len(text.encode("utf-8", "surrogatepass"))


def shown(text):
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def lines_of(text):
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def text_of(row):
    if "content_b64" in row:
        return base64.b64decode(row["content_b64"]).decode()
    repeat = row["repeat"]
    final = "\n" if repeat["trailing_newline"] else ""
    return "\n".join(["x" * repeat["line_len"]] * repeat["lines"]) + final


def as_expected(result, expect):
    """Put a result into the form of the expected values."""
    fields = attrs.asdict(result)
    content = fields.pop("content")
    if "content_len" in expect:
        return {"content_len": len(content), **fields}
    return {"content_b64": base64.b64encode(content.encode()).decode(), **fields}


@pytest.mark.parametrize("fn", ["head", "tail"])
def test_expected_values_of_head_and_tail(load_vectors, fn):
    rows = [row for row in load_vectors("truncate") if row["fn"] == fn]
    assert len(rows) == 418
    for row in rows:
        result = CUTS[fn](text_of(row), **row["options"])
        assert as_expected(result, row["expect"]) == row["expect"]


def test_expected_values_of_middle(load_vectors):
    rows = [row for row in load_vectors("truncate") if row["fn"] == "middle"]
    assert len(rows) == 400
    for row in rows:
        result = truncate_middle(text_of(row), row["max_bytes"])
        assert as_expected(result, row["expect"]) == row["expect"]


def test_expected_values_of_format_size(load_vectors):
    rows = [row for row in load_vectors("truncate") if row["fn"] == "format_size"]
    assert len(rows) == 18
    assert [format_size(row["bytes"]) for row in rows] == [row["expect"] for row in rows]


@given(texts, limits, limits)
@example("\ud83d\ude00", 1, 3)
def test_totals_and_limits(text, max_lines, max_bytes):
    """Whatever is cut, the totals are those of the whole and what is kept is within both limits."""
    for cut in CUTS.values():
        result = cut(text, max_lines=max_lines, max_bytes=max_bytes)
        assert (result.total_lines, result.total_bytes) == (len(lines_of(text)), size(text))
        assert result.output_bytes == size(result.content) <= max_bytes
        assert result.output_lines <= max_lines
        assert result.truncated == (result.truncated_by is not None)
        over = result.total_lines > max_lines or result.total_bytes > max_bytes
        assert result.truncated == over
        assert result.content == shown(text) or over


@given(texts, limits, limits)
def test_head_keeps_the_most_whole_lines_that_fit(text, max_lines, max_bytes):
    result = truncate_head(text, max_lines=max_lines, max_bytes=max_bytes)
    if not result.truncated:
        return
    lines = lines_of(text)
    fitting = [n for n in range(min(len(lines), max_lines) + 1) if size("\n".join(lines[:n])) <= max_bytes]
    most = 0 if size(lines[0]) > max_bytes else max(fitting)
    assert result.output_lines == most
    assert result.content == shown("\n".join(lines[:most]))
    assert result.first_line_exceeds_limit == (size(lines[0]) > max_bytes)


@given(texts, limits, limits)
def test_tail_keeps_the_most_whole_lines_that_fit(text, max_lines, max_bytes):
    result = truncate_tail(text, max_lines=max_lines, max_bytes=max_bytes)
    if not result.truncated or result.last_line_partial:
        return
    lines = lines_of(text)
    count = len(lines)
    most = max(
        n for n in range(min(count, max_lines) + 1) if size("\n".join(lines[count - n :])) <= max_bytes
    )
    assert result.output_lines == most
    assert result.content == shown("\n".join(lines[count - most :]))


@given(texts, limits, limits)
def test_tail_keeps_a_part_only_of_a_last_line_that_is_too_long(text, max_lines, max_bytes):
    result = truncate_tail(text, max_lines=max_lines, max_bytes=max_bytes)
    last = lines_of(text)[-1] if text else ""
    assert result.last_line_partial == (max_lines > 0 and size(last) > max_bytes)
    if result.last_line_partial:
        assert shown(last).endswith(result.content)
        following = last[: len(last) - len(result.content)][-1]
        assert result.output_bytes + size(following) > max_bytes


@given(texts, limits)
def test_middle_keeps_both_ends_and_counts_the_rest(text, max_bytes):
    result = truncate_middle(text, max_bytes)
    assert (result.total_lines, result.total_bytes) == (len(lines_of(text)), size(text))
    if not result.truncated:
        assert (result.content, result.removed_chars) == (shown(text), 0)
        return
    head, tail = result.content.split(f"…{result.removed_chars} chars truncated…")
    assert shown(text).startswith(head)
    assert shown(text).endswith(tail)
    assert size(head) <= max_bytes // 2
    assert size(tail) <= max_bytes - max_bytes // 2
    assert len(head) + result.removed_chars + len(tail) == len(text)


@pytest.mark.parametrize("unit", ["x" * 9 + "\n", "日本🎉\n", "é" * 70_000, "\ud800" * 7 + "\n"])
@pytest.mark.parametrize("max_bytes", [1, 50_000, 123_457, 10**9])
def test_texts_longer_than_a_block(unit, max_bytes):
    """Counting and cutting go on across the borders of the blocks in which a text is read."""
    text = unit * (300_000 // len(unit))
    for cut in CUTS.values():
        result = cut(text, max_lines=10**9, max_bytes=max_bytes)
        assert (result.total_lines, result.total_bytes) == (len(lines_of(text)), size(text))
        assert result.output_bytes == size(result.content) <= max_bytes
    head = truncate_middle(text, max_bytes).content.partition("…")[0]
    assert head == shown(text[: len(head)])


@pytest.mark.parametrize("max_lines", [1, 2, 4095, 4096, 4097, 60_000])
def test_line_limits_in_long_texts(max_lines):
    """The line limit finds its newline far from both ends of the text."""
    lines = [f"line {number}" for number in range(100_000)]
    text = "\n".join(lines)
    head = truncate_head(text, max_lines=max_lines, max_bytes=10**9)
    tail = truncate_tail(text, max_lines=max_lines, max_bytes=10**9)
    assert head.content == "\n".join(lines[:max_lines])
    assert tail.content == "\n".join(lines[-max_lines:])


def test_defaults():
    result = truncate_head("x")
    assert (result.max_lines, result.max_bytes) == (2000, 51200)
    assert (DEFAULT_MAX_LINES, DEFAULT_MAX_BYTES) == (2000, 51200)


@pytest.mark.parametrize("cut", CUTS.values())
def test_exactly_the_line_limit_with_a_final_newline_is_whole(cut):
    text = "x\n" * 2000
    result = cut(text)
    assert (result.truncated, result.content, result.output_lines) == (False, text, 2000)


@pytest.mark.parametrize("cut", CUTS.values())
def test_carriage_return_is_content(cut):
    assert cut("a\rb\r\nc").total_lines == 2


@pytest.mark.parametrize("cut", CUTS.values())
def test_empty_text_has_no_lines(cut):
    result = cut("", max_lines=0, max_bytes=0)
    assert (result.total_lines, result.truncated, result.content) == (0, False, "")


def test_lone_surrogate_counts_three_bytes_and_is_replaced():
    result = truncate_head("a\ud800b", max_bytes=5)
    assert (result.content, result.total_bytes, result.truncated) == ("a\ufffdb", 5, False)


@pytest.mark.parametrize("cut", CUTS.values())
@pytest.mark.parametrize("limits", [{"max_lines": -1}, {"max_bytes": -1}])
def test_negative_limit_of_a_cut(cut, limits):
    (name,) = limits
    with pytest.raises(ValueError, match=f"{name} is -1"):
        cut("text", **limits)


def test_negative_limit_of_the_others():
    with pytest.raises(ValueError, match="max_bytes is -1"):
        truncate_middle("text", -1)
    with pytest.raises(ValueError, match="max_chars is -2"):
        truncate_line("text", -2)
    with pytest.raises(ValueError, match="n is -3"):
        format_size(-3)


@pytest.mark.parametrize(
    ("line", "limit", "expected"),
    [
        ("abc", 3, ("abc", False)),
        ("abcd", 3, ("abc... [truncated]", True)),
        ("日本語", 2, ("日本... [truncated]", True)),
        ("\ud800x", 2, ("\ufffdx", False)),
        ("", 0, ("", False)),
        ("a", 0, ("... [truncated]", True)),
    ],
)
def test_truncate_line(line, limit, expected):
    assert truncate_line(line, limit) == expected


def test_truncate_line_keeps_500_characters_unless_told():
    assert truncate_line("x" * 501) == ("x" * 500 + "... [truncated]", True)
    assert truncate_line("x" * 500) == ("x" * 500, False)


@pytest.mark.parametrize(
    ("size_in_bytes", "text"),
    [(1075, "1.0KB"), (1076, "1.1KB"), (1126, "1.1KB"), (2**40, "1048576.0MB")],
)
def test_format_size_rounds_halves_up_and_stops_at_megabytes(size_in_bytes, text):
    assert format_size(size_in_bytes) == text


@pytest.mark.parametrize("unit", ["x" * 79 + "\n", "日本語です\n", "x"])
@pytest.mark.parametrize("cut", CUTS.values())
def test_memory_does_not_grow_with_the_text(cut, unit):
    text = unit * (4_000_000 // len(unit))
    tracemalloc.start()
    try:
        assert cut(text).truncated
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.05 * len(text.encode())

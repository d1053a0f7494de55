"""Cutting large texts, beside the least work: encoding the text and counting its newlines."""

import tracemalloc

import pytest

from pihost.tools.outputs.truncate import truncate_head, truncate_tail

pytestmark = pytest.mark.bench

MB = 1_000_000
SAMPLES = {
    "ASCII lines": "x" * 79 + "\n",
    "multi-byte lines": "日本語のテキスト行です、これは長い行。\n",
    "accented lines": "le café est très bon à la fenêtre où l'été passe\n",
    "one line": "x" * 80,
    "one multi-byte line": "日本語" * 10,
}
CUTS = {"truncate_head": truncate_head, "truncate_tail": truncate_tail}


def text_of(sample, size):
    return sample * (size // len(sample.encode()))


@pytest.mark.parametrize("megabytes", [10, 100])
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("cut", CUTS)
def test_time(side_by_side, cut, sample, megabytes):
    """Time of one cut with the default limits."""
    text = text_of(SAMPLES[sample], megabytes * MB)
    ratio = side_by_side(
        f"{cut}, {megabytes} MB, {sample}",
        lambda: CUTS[cut](text),
        lambda: text.encode().count(b"\n"),
        goal=1.25,
        repeat=3 if megabytes > 10 else 7,
    )
    assert ratio > 0


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("cut", CUTS)
def test_memory(capsys, cut, sample):
    """Memory that one cut of 10 MB needs at its peak, beside the bytes of the text."""
    text = text_of(SAMPLES[sample], 10 * MB)
    tracemalloc.start()
    result = CUTS[cut](text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with capsys.disabled():
        share = peak / result.total_bytes
        print(
            f"\n{cut}, 10 MB, {sample}: peak {peak / 1e3:.0f} kB, {share:.3f} of the text (goal ≤ 0.05)",
            end="",
        )
    assert result.truncated

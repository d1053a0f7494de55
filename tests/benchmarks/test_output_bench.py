"""Following long outputs, beside the least work: counting the newlines and writing the same chunks."""

import resource
import tempfile
import time
from math import gcd

import pytest

from pihost.tools.outputs.control import ControlFilter
from pihost.tools.outputs.output import OutputAccumulator

pytestmark = pytest.mark.bench

CHUNK = 64 * 1024
CHUNKS = 100 * 1_000_000 // CHUNK
PLAIN = b"x" * 79 + b"\n"
SAMPLES = {
    "ASCII": PLAIN,
    "multi-byte": "日本語のテキスト行です、これは長い行。\n".encode(),
    "accented": "le café est très bon à la fenêtre où l'été passe\n".encode(),
    "emoji in every tenth line": PLAIN * 9 + "✅ passed 🎉\n".encode(),
    "no newline": b"x" * 80,
    "colour in every second line": PLAIN + b"\x1b[31m" + PLAIN[:-1] + b"\x1b[0m\n",
}
GOALS = {
    ("ASCII", None): 0.75,
    ("multi-byte", None): 0.4,
    ("accented", None): 0.4,
    ("emoji in every tenth line", None): 0.4,
    ("no newline", None): 0.75,
    ("ASCII", ControlFilter): 0.65,
    ("multi-byte", ControlFilter): 0.33,
    ("accented", ControlFilter): 0.33,
    ("emoji in every tenth line", ControlFilter): 0.33,
    ("no newline", ControlFilter): 0.65,
    ("colour in every second line", ControlFilter): 0.12,
}


def chunks_of(unit):
    """Cut an endless repetition of ``unit`` into chunks, without regard to characters and lines."""
    cycle = len(unit) // gcd(len(unit), CHUNK)  # then the cuts come at the same places again
    data = unit * (cycle * CHUNK // len(unit))
    different = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    return [different[number % cycle] for number in range(CHUNKS)]


def follow(chunks, text_filter=None):
    output = OutputAccumulator(text_filter=text_filter)
    for chunk in chunks:
        output.append(chunk)
    output.close()
    output.snapshot().full_output_path.unlink()
    return output


def floor(chunks):
    newlines = 0
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        for chunk in chunks:
            newlines += chunk.count(b"\n")
            file.write(chunk)
    return newlines


@pytest.mark.parametrize(("sample", "text_filter"), GOALS)
def test_throughput(side_by_side, sample, text_filter):
    chunks = chunks_of(SAMPLES[sample])
    ratio = side_by_side(
        f"accumulator, 100 MB, {sample}{', filter' if text_filter else ''}",
        lambda: follow(chunks, text_filter),
        lambda: floor(chunks),
        goal=GOALS[sample, text_filter],
        throughput=True,
    )
    assert ratio > 0


ENDLESS = {
    "an OSC string that never ends, byte by byte": ([b"\x1b", b"]"], b"x"),
    "a CSI sequence that never ends, byte by byte": ([b"\x1b", b"["], b"1"),
    "OSC strings that never end": ([], b"\x1b]x" * (CHUNK // 3)),
    "nothing but ESC": ([], b"\x1b" * CHUNK),
    "malformed bytes": ([], b"\xff" * CHUNK),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_time_is_linear(capsys, name):
    """Twice the stream takes twice the processor's time, whatever it holds."""
    start, chunk = ENDLESS[name]
    count = 200_000 if len(chunk) == 1 else 20
    times = []
    for chunks in (start + [chunk] * count, start + [chunk] * 2 * count):
        begin = time.process_time()
        output = OutputAccumulator(text_filter=ControlFilter)
        for data in chunks:
            output.append(data)
        output.close()
        times.append(time.process_time() - begin)
        output.snapshot().full_output_path.unlink()
    with capsys.disabled():
        print(f"\naccumulator, {name}: twice as much takes {times[1] / times[0]:.2f} times as long", end="")
    assert times


def test_memory(capsys):
    """How much the peak of the process grows over 1 GB."""
    chunk = PLAIN * (CHUNK // len(PLAIN))
    output = OutputAccumulator()
    for _ in range(100):
        output.append(chunk)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1_000_000_000 // len(chunk)):
        output.append(chunk)
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    output.close()
    output.snapshot().full_output_path.unlink()
    with capsys.disabled():
        print(f"\naccumulator, 1 GB: the peak grows by {growth} KiB (goal < 4096)", end="")
    assert output.total_bytes > 10**9

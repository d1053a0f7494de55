"""What benchmarks share: running the code and its floor side by side."""

import gc
import time
from statistics import median

import pytest


@pytest.fixture
def side_by_side(capsys):
    """Time two callables turn by turn and print the medians, their ratio and the goal; returns the ratio.

    The ratio is ours ÷ floor and the goal the most it may be; with ``throughput=True`` it is floor ÷ ours and
    the goal the least.
    """

    def run(name, ours, floor, *, goal, repeat=5, throughput=False):
        times = {ours: [], floor: []}
        for turn in range(repeat):
            for call in (ours, floor) if turn % 2 else (floor, ours):
                gc.collect()
                start = time.perf_counter()
                call()
                times[call].append(time.perf_counter() - start)
        mine, least = median(times[ours]), median(times[floor])
        ratio = least / mine if throughput else mine / least
        sign = "≥" if throughput else "≤"
        with capsys.disabled():
            print(
                f"\n{name}: ours {mine * 1e3:.1f} ms, floor {least * 1e3:.1f} ms, "
                f"ratio {ratio:.2f} (goal {sign} {goal})",
                end="",
            )
        return ratio

    return run

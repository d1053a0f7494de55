"""A process that dies while it writes: what it had written is there."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pihost.messages import UserMessage
from pihost.session.store import SessionStore

WRITER = """
import sys
from pathlib import Path
from pihost.messages import UserMessage
from pihost.session.store import SessionStore

file = Path(sys.argv[1])
with SessionStore.open(file, file.parent) as store:
    number = len(store.messages())
    while True:
        store.append_message(UserMessage.from_text(f"{number} " + "x" * (number % 3000)))
        number += 1
        print(number, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_session_survives_the_death_of_its_process(tmp_path, seed):
    """Killed again and again, each time going on where it stood: every message told of is there, in order."""
    rng = random.Random(seed)
    file = tmp_path / "s.jsonl"
    told = 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, file],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
        ) as process:
            process.stdout.readline()
            time.sleep(rng.random() * 0.05)
            process.kill()
            told = int((process.stdout.read().splitlines() or [b"1"])[-1])
    with SessionStore.open(file, tmp_path) as store:
        numbers = [int(message.text.split()[0]) for message in store.messages()]
        store.append_message(UserMessage.from_text("after"))
        assert store.messages()[-1].text == "after"
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= told

"""Large session files: opened, listed and gone on with in little memory."""

import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from pihost import jsonlines
from pihost.messages import UserMessage
from pihost.session.listing import summary_of
from pihost.session.store import SessionStore

MIB = 1 << 20
TEXT = "what was said once, and is kept word for word " * 400


def large(path, size, *, side=False):
    """A session file of about ``size`` bytes whose older part was compacted, or is on another branch."""
    with path.open("wb") as file:
        header = {"type": "session", "version": 1, "id": "s", "timestamp": "t", "cwd": str(path.parent)}
        file.write(jsonlines.encode(header) + b"\n")
        parent, number = None, 0
        while file.tell() < size:
            message = {
                "content": [{"text": f"{number} {TEXT}", "type": "text"}],
                "timestamp": 1,
                "role": "user",
            }
            entry = {"type": "message", "id": f"e{number}", "parent_id": parent, "timestamp": "t"}
            file.write(jsonlines.encode({**entry, "message": message}) + b"\n")
            parent, number = f"e{number}", number + 1
        if side:
            last = {"type": "custom", "id": "k", "parent_id": "e0", "timestamp": "t", "kind": "x", "data": 1}
        else:
            kept = {"summary": "in short", "first_kept_entry_id": f"e{number - 1}"}
            last = {"type": "compaction", "id": "k", "parent_id": parent, "timestamp": "t", **kept}
        file.write(jsonlines.encode(last) + b"\n")
    return number


def peak_of(work):
    tracemalloc.start()
    try:
        result = work()
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def opened(path):
    store = SessionStore.open(path, path.parent)
    with store:
        return len(store.messages())


@pytest.mark.parametrize("side", [False, True])
def test_a_large_file_is_opened_without_reading_what_no_model_is_shown(tmp_path, side):
    path = tmp_path / "s.jsonl"
    large(path, 24 * MIB, side=side)
    count, peak = peak_of(lambda: opened(path))
    assert count == 2 - side
    assert peak < 6 * MIB


def test_a_long_conversation_waits_until_it_is_asked_for(tmp_path, monkeypatch):
    path = tmp_path / "s.jsonl"
    large(path, 8 * MIB)
    monkeypatch.setattr("pihost.session.store._READ_AT_ONCE", 1000)
    with SessionStore.open(path, tmp_path) as store:
        assert [message.role for message in store.messages()] == ["custom", "user"]


def test_every_entry_of_a_large_file_can_still_be_read(tmp_path):
    path = tmp_path / "s.jsonl"
    count = large(path, 4 * MIB)
    with SessionStore.open(path, tmp_path) as store:
        store.append_message(UserMessage.from_text("next"))
        numbers = [int(e.message.text.split()[0]) for e in store.branch() if e.id[1:].isdecimal()]
        assert numbers == list(range(count))
        assert store.entries[-1].message.text == "next"
    assert store.entries[3].message.text.startswith("3 ")


def test_a_large_file_deleted_during_a_run_is_written_anew_as_a_whole(tmp_path):
    path = tmp_path / "s.jsonl"
    count = large(path, 4 * MIB)
    with SessionStore.open(path, tmp_path) as store:
        path.unlink()
        store.append_message(UserMessage.from_text("next"))
        store.append_message(UserMessage.from_text("and next"))
    with SessionStore.open(path, tmp_path) as again:
        assert len(again.entries) == count + 3
        assert again.warnings == ()
        assert again.path_to("e5")[-1].message.text.startswith("5 ")


def test_a_record_with_a_wrong_field_far_back_stands_without_a_word(tmp_path):
    """It is found when it is asked for: a warning then, and the branch stays whole."""
    path = tmp_path / "s.jsonl"
    large(path, MIB)
    data = path.read_bytes().replace(b'"role":"user"', b'"role":"nobody"', 1)
    path.write_bytes(data)
    with SessionStore.open(path, tmp_path) as store:
        assert store.warnings == ()
        assert store.branch()[0].type == "custom"
        assert store.branch()[0].kind == "damaged"
        assert [warning.message.split(": ")[0] for warning in store.warnings] == [f"{path}, line 2"]


def test_one_endless_line_costs_its_own_length_only(tmp_path):
    path = tmp_path / "s.jsonl"
    large(path, MIB)
    with path.open("ab") as file:
        for _ in range(8):
            file.write(b"x" * MIB)
    _, peak = peak_of(lambda: opened(path))
    assert peak < 40 * MIB


@pytest.mark.soak
def test_a_file_of_200_mb_opens_in_a_process_of_little_memory(tmp_path):
    path = tmp_path / "s.jsonl"
    large(path, 200 * MIB)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pihost.session.store import SessionStore\n"
        "with SessionStore.open(Path(sys.argv[1]), Path(sys.argv[1]).parent) as store:\n"
        "    assert len(store.messages()) == 2\n"
        "status = Path('/proc/self/status').read_text()\n"  # rusage would count the parent's pages too
        "print(status.split('VmHWM:')[1].split()[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (400 * MIB, 400 * MIB)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 100 * 1024
    assert summary_of(path).size > 200 * MIB

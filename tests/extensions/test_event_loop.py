"""Loading where no event loop runs yet: whatever needs one has it, and each fault is told once."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pihost.extensions.event_loop import others_turn, run_to_end, running_loop

ROOT = Path(__file__).parents[2]
WANTING = {
    "async setup": "async def setup(api):\n{flag}",
    "module imports asyncio": "import asyncio\ndef setup(api):\n    asyncio.get_running_loop()\n{flag}",
    "setup imports asyncio": "def setup(api):\n    import asyncio\n    asyncio.get_running_loop()\n{flag}",
    "module wants a loop": "import asyncio\nasyncio.get_running_loop()\ndef setup(api):\n{flag}",
    "call_soon": "def setup(api):\n    api.call_soon(dict)\n{flag}",
    "async closer": "async def close(): ...\ndef setup(api):\n    api.on_close(close)\n{flag}",
    "async listener": """
async def heard(data): ...
def setup(api):
    api.events.on("news", heard)
    api.events.emit("news")
{flag}""",
}
FLAG = "    api.register_flag('loud', type='boolean', default=False)\n"


@pytest.fixture
def show_help(tmp_path):
    """Run ``pihost --help`` with these extensions, in a process that has no event loop yet."""

    def run(*sources):
        for number, source in enumerate(sources):
            (tmp_path / f"e{number}.py").write_text(source)
        chosen = [word for number in range(len(sources)) for word in ("-e", f"e{number}.py")]
        command = [sys.executable, "-m", "pihost", *chosen, "--help"]
        env = os.environ | {"PYTHONPATH": str(ROOT), "PIHOST_DISABLE_INSTALLED": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    return run


@pytest.mark.parametrize("source", WANTING.values(), ids=WANTING)
def test_an_extension_that_needs_an_event_loop_has_one(show_help, source):
    out, err = show_help(source.format(flag=FLAG))
    assert (out.count("--loud"), err) == (1, "")


def test_what_loaded_before_the_loop_began_stays_loaded(show_help):
    plain = "def setup(api):\n" + FLAG.replace("loud", "early")
    out, err = show_help(plain, WANTING["async setup"].format(flag=FLAG), plain.replace("early", "late"))
    assert ("--early" in out, "--loud" in out, "--late" in out, err) == (True, True, True, "")


@pytest.mark.parametrize("start", ["", "import asyncio\n"])
def test_a_load_that_fails_with_or_without_a_loop_is_told_once(show_help, start):
    out, err = show_help(f"{start}raise ValueError('broken')", f"def setup(api):\n{FLAG}")
    assert ("--loud" in out, err.count("broken")) == (True, 1)


def test_a_policy_set_before_there_is_a_loop_is_taken_back(show_help):
    policy = "import asyncio\nclass Own(asyncio.DefaultEventLoopPolicy): ...\n"
    setting = f"{policy}asyncio.set_event_loop_policy(Own())\ndef setup(api):\n{FLAG}"
    asking = (
        "import asyncio, sys\n"
        "def setup(api): print(type(asyncio.get_event_loop_policy()).__name__, file=sys.stderr)"
    )
    _out, err = show_help(setting, asking)
    assert "changed the event loop while it was loading, which was undone" in err
    assert "Own\n" not in err


def test_the_root_logger_is_put_back_where_logging_is_new(show_help):
    noisy = f"import logging\nlogging.basicConfig(level=1)\ndef setup(api):\n{FLAG}"
    _out, err = show_help(noisy)
    assert "changed the logging of the whole program while it was loading, which was undone" in err


def test_work_that_waits_for_nothing_runs_without_a_loop():
    async def work():
        return running_loop()

    assert run_to_end(work()) is None


def test_work_goes_on_in_a_loop_from_where_it_waits():
    async def work():
        before = running_loop()
        await others_turn()
        await asyncio.sleep(0)
        return before, running_loop() is asyncio.get_running_loop()

    assert run_to_end(work()) == (None, True)


def test_what_work_raises_in_the_loop_is_raised():
    async def work():
        await others_turn()
        raise LookupError("late")

    with pytest.raises(LookupError, match="late"):
        run_to_end(work())

"""What may answer hooks, told without the hooks."""

import subprocess
import sys
from types import ModuleType

import pytest

from pihost import hookimpl
from pihost.hooks.hookspecs import host_specs
from pihost.hooks.marks import HOOK_NAMES, hookable_names, may_answer


def module(**names):
    made = ModuleType("made")
    vars(made).update(names)
    return made


def plain(event):
    return None


@hookimpl
def tool_call(event):
    return None


def test_the_names_of_the_hooks_are_those_that_are_declared():
    assert set(host_specs()) == HOOK_NAMES


@pytest.mark.parametrize(
    ("plugin", "expected"),
    [
        (module(setup=plain, NUMBER=1), False),
        (module(setup=plain, answer=tool_call), True),
        (module(tool_call=plain), True),
        (module(method=[].append), False),
        (module(bound=test_the_names_of_the_hooks_are_those_that_are_declared.__get__(1)), True),
        (type("Empty", (), {})(), False),
        (type("Answering", (), {"tool_call": tool_call})(), True),
    ],
)
def test_what_may_answer_is_marked_or_named_like_a_hook(plugin, expected):
    assert may_answer(plugin) is expected


def test_names_come_in_the_order_of_the_source():
    assert list(hookable_names(module(b=tool_call, a=tool_call, c=plain))) == ["b", "a"]


def test_asking_needs_neither_pluggy_nor_the_events():
    code = "import sys, pihost.hooks.marks; print({'pluggy', 'attr', 'pihost.events'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"

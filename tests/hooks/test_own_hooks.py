"""Hooks that extensions declare themselves, and others answer."""

import pickle

import pytest

from pihost.hooks import HookRegistrationError, UnknownHookError
from pihost.hooks.specs import read_spec

SPECS = """
from pihost.hooks import hookspec

@hookspec("notify")
def deployed(target, version): "Fires after a deployment."

@hookspec("chain")
def title(text, width) -> str: "Fires for each title."

@hookspec("gate")
def may_deploy(target): "Fires before a deployment."

@hookspec("first")
def pick(names) -> str | None: "Fires when one is wanted."

@hookspec("collect")
def facts(target) -> str | int: "Fires when facts are wanted."
"""


@pytest.fixture
def declared(desk, make_module):
    desk.table.add_hookspecs("owner", make_module(SPECS, "owner"))
    return desk


async def test_a_hookimpl_takes_any_subset_of_the_arguments(declared):
    declared.register(
        "ext",
        "from pihost.hooks import hookimpl\n@hookimpl\ndef deployed(version): seen.append(version)",
        seen=(seen := []),
    )

    assert await declared.table.call("deployed", {"target": "t", "version": 3}) is None
    assert seen == [3]


async def test_a_subscription_takes_all_of_them_in_order(declared):
    seen = []
    declared.on("deployed", lambda target, version: seen.append((target, version)))

    await declared.table.call("deployed", {"version": 3, "target": "t"})

    assert seen == [("t", 3)]


async def test_a_chain_passes_its_first_argument_on(declared):
    declared.on(
        "title", lambda text, width: text + "!", lambda text, width: None, lambda text, width: text * width
    )

    assert await declared.table.call("title", {"text": "a", "width": 2}) == "a!a!"


async def test_a_chain_nobody_answers_gives_its_first_argument(declared):
    assert await declared.table.call("title", {"text": "a", "width": 2}) == "a"


async def test_any_answer_ends_a_gate(declared):
    called = []
    declared.on("may_deploy", lambda target: "not on Friday", called.append)

    assert await declared.table.call("may_deploy", {"target": "t"}) == "not on Friday"
    assert called == []
    assert declared.blocks == []


async def test_the_first_answer_wins(declared):
    declared.on("pick", lambda names: None, lambda names: names[0], lambda names: "other")

    assert await declared.table.call("pick", {"names": ["x"]}) == "x"


async def test_answers_are_collected_with_their_extensions(declared):
    declared.on("facts", lambda target: "one", lambda target: None, lambda target: 2)

    assert await declared.table.call("facts", {"target": "t"}) == [("a", "one"), ("c", 2)]


async def test_nobody_collects_nothing(declared):
    assert await declared.table.call("facts", {"target": "t"}) == []


async def test_an_answer_of_the_wrong_class_is_reported_and_ignored(declared):
    declared.on("facts", lambda target: 1.5)

    assert await declared.table.call("facts", {"target": "t"}) == []
    assert declared.errors[0].error == "answered a value of type float; the answer must be str or int or None"


async def test_an_exception_does_not_reach_the_caller(declared):
    declared.on("may_deploy", lambda target: target.missing)

    assert await declared.table.call("may_deploy", {"target": "t"}) is None
    assert declared.reports == [("a", "may_deploy")]


async def test_wrappers_work_there_too(declared):
    source = """
    from pihost.hooks import hookimpl

    @hookimpl(wrapper=True)
    def title(text):
        before = yield
        return f"{text}->{before}"
    """
    declared.register("ext", source)
    declared.on("title", lambda text, width: "b")

    assert await declared.table.call("title", {"text": "a", "width": 2}) == "a->b"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("deployd", {}, "there is no such hook (did you mean 'deployed'?)"),
        ("tool_call", {}, "the host fires it itself"),
        ("deployed", {"target": "t"}, "it takes exactly these arguments: target, version"),
    ],
)
async def test_a_wrong_call_is_the_callers_mistake(declared, name, arguments, words):
    with pytest.raises(UnknownHookError) as caught:
        await declared.table.call(name, arguments)

    assert str(caught.value) == f"Hook {name!r}: {words}"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


async def test_handlers_may_come_before_their_hook(desk, make_module):
    desk.on("deployed", lambda target, version: seen.append(target))
    seen = []
    assert "a" in desk.table.unknown()

    desk.table.add_hookspecs("owner", make_module(SPECS, "owner"))

    assert desk.table.unknown() == {}
    await desk.table.call("deployed", {"target": "t", "version": 1})
    assert seen == ["t"]


async def test_handlers_that_came_before_and_do_not_fit_are_named(desk, make_module):
    desk.register("ext", "from pihost.hooks import hookimpl\n@hookimpl\ndef deployed(where): pass")
    desk.on("deployed", lambda only: None)

    desk.table.add_hookspecs("owner", make_module(SPECS, "owner"))

    unknown = desk.table.unknown()
    assert "no argument 'where'; there are: target, version" in unknown["ext"][0]
    assert "must take (target, version) by position" in unknown["a"][0]
    await desk.table.call("deployed", {"target": "t", "version": 1})
    assert desk.errors == []


async def test_the_hooks_of_a_removed_extension_are_gone(declared, make_module):
    declared.register(
        "ext",
        "from pihost.hooks import hookimpl\n@hookimpl\ndef deployed(): seen.append(1)",
        seen=(seen := []),
    )

    declared.table.remove("owner")

    assert "there is no hook 'deployed'" in declared.table.unknown()["ext"][0]
    with pytest.raises(UnknownHookError):
        await declared.table.call("deployed", {"target": "t", "version": 1})

    declared.table.add_hookspecs("owner", make_module(SPECS, "owner"))
    await declared.table.call("deployed", {"target": "t", "version": 1})
    assert seen == [1]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("@hookspec('notify')\ndef deployed(x): pass", "deployed is declared already by extension 'owner'"),
        ("@hookspec('notify')\ndef tool_call(event): pass", "tool_call is declared already by the host"),
        ("def nothing(): pass", "declares no hooks"),
        ("@hookspec('notify')\ndef real(): pass\nalias = real", "the function is called real"),
        ("@pluggy.HookspecMarker('pihost')\ndef bare(x): pass", "declare it with pihost.hookspec(kind)"),
    ],
)
def test_a_declaration_that_cannot_be(declared, make_module, source, words):
    module = make_module("import pluggy\nfrom pihost.hooks import hookspec\n" + source, "second")

    with pytest.raises(HookRegistrationError, match="Extension 'second'") as caught:
        declared.table.add_hookspecs("second", module)

    assert words in str(caught.value)


def test_a_module_with_a_fault_declares_nothing(declared, make_module):
    source = """
    from pihost.hooks import hookspec

    @hookspec("notify")
    def fresh(): pass

    @hookspec("notify")
    def pick(): pass
    """
    with pytest.raises(HookRegistrationError):
        declared.table.add_hookspecs("second", make_module(source, "second"))

    declared.table.subscribe("ext", "fresh", print)

    assert "ext" in declared.table.unknown()


def test_an_annotation_that_cannot_be_read_checks_nothing(make_module):
    source = """
    from __future__ import annotations
    from pihost.hooks import hookspec

    @hookspec("first")
    def hook(x: Nowhere) -> Nowhere | None: pass
    """

    assert read_spec(make_module(source).hook).results == ()


def test_hooks_are_declared_in_a_module_and_not_in_a_class(desk, make_module):
    class Hooks:
        pass

    module = make_module(SPECS, "owner")
    for name, spec in vars(module).items():
        if hasattr(spec, "pihost_spec"):
            setattr(Hooks, name, spec)
    with pytest.raises(HookRegistrationError, match="declare hooks in a module, not in a class"):
        desk.table.add_hookspecs("owner", Hooks)

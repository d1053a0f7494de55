"""What an extension may write, and what is refused with which words."""

import functools
import pickle
import warnings

import pytest

from pihost.events import ToolCallResult
from pihost.hooks import HookRegistrationError, HookspecError, HookTable, hookimpl, hookspec

MARK = "from pihost.hooks import hookimpl\n"


def faults_of(desk, source):
    with pytest.raises(HookRegistrationError) as caught:
        desk.register("ext", MARK + source)
    assert desk.table.handlers("ext") == ()
    return caught.value.faults


@pytest.mark.parametrize(
    ("parameters", "handed"),
    [
        ("event, ctx", "EC"),
        ("ctx, event", "CE"),
        ("event", "E"),
        ("ctx", "C"),
        ("", ""),
        ("event, ctx=None", "EC"),
        ("event=None", "E"),
        ("event, other=5, ctx=None", "E5C"),
        ("*, ctx", "C"),
        ("event, *, ctx=None, other=7", "EC7"),
        ("event, /, ctx", "EC"),
    ],
)
async def test_a_hookimpl_takes_any_subset_of_the_arguments(desk, events, parameters, handed):
    names = [part.partition("=")[0].strip() for part in parameters.split(",") if part.strip(" */")]
    desk.register(
        "ext",
        MARK
        + f"""
@hookimpl
def turn_start({parameters}):
    seen.append([{", ".join(names)}])
""",
        seen=(seen := []),
    )

    await desk.emit(events.turn_start, "C")

    shown = ["E" if value is events.turn_start else str(value) for value in seen[0]]
    assert "".join(shown) == handed


async def test_an_instance_with_methods(desk, events):
    class Extension:
        def __init__(self):
            self.seen = []

        @hookimpl
        def turn_start(self, event):
            self.seen.append(("method", event))

        @hookimpl(specname="turn_start")
        @staticmethod
        def static(ctx):
            extension.seen.append(("static", ctx))

        @hookimpl(specname="turn_start")
        @classmethod
        def of_class(cls, event):
            extension.seen.append(("class", cls, event))

    extension = Extension()
    desk.table.register("ext", extension)

    await desk.emit(events.turn_start, "C")

    assert extension.seen == [
        ("method", events.turn_start),
        ("static", "C"),
        ("class", Extension, events.turn_start),
    ]


def test_nothing_of_the_authors_object_is_evaluated(desk):
    class Extension:
        @property
        def turn_start(self):
            raise AssertionError

        @hookimpl
        def agent_start(self):
            pass

    assert desk.table.register("ext", Extension()) == ("agent_start",)


def test_register_names_the_hooks_in_source_order(desk):
    source = MARK + "\n".join(
        f"@hookimpl\ndef {name}(): pass" for name in ("turn_start", "agent_end", "agent_start")
    )

    assert desk.register("ext", source) == ("turn_start", "agent_end", "agent_start")
    assert desk.table.handlers("ext") == ("agent_end", "agent_start", "turn_start")


def test_a_module_without_hookimpls_registers_nothing(desk):
    assert desk.register("ext", "x = 1") == ()


def test_e11_a_misspelt_argument_lists_those_there_are(desk):
    faults = faults_of(desk, "@hookimpl\ndef tool_call(evnt, ctx): pass")

    where, what = "tool_call (ext.py, line 2)", "the hook tool_call has no argument 'evnt'"
    assert faults == (f"{where}: {what} (did you mean 'event'?); there are: event, ctx",)


def test_e11_a_misspelt_argument_costs_only_that_extension(desk):
    desk.register("good", MARK + "@hookimpl\ndef tool_call(event): pass")

    faults_of(desk, "@hookimpl\ndef tool_call(evnt): pass")

    assert desk.table.handlers("good") == ("tool_call",)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("@hookimpl(hookwrapper=True)\ndef turn_start(): yield", "use wrapper=True"),
        ("@hookimpl(wrapper=True)\ndef turn_start(): pass", "needs a plain generator function"),
        ("@hookimpl(wrapper=True)\nasync def turn_start(): pass", "needs a plain generator function"),
        ("@hookimpl(wrapper=True)\nasync def turn_start(): yield", "an async generator cannot answer a hook"),
        ("@hookimpl\nasync def turn_start(): yield", "an async generator cannot answer a hook"),
        ("@hookimpl\ndef turn_start(): yield", "a generator never runs as a handler"),
        ("@hookimpl\ndef turn_start(*, evnt): pass", "no argument 'evnt'"),
    ],
)
def test_what_cannot_answer_a_hook(desk, source, words):
    (fault,) = faults_of(desk, source)

    assert fault.startswith("turn_start (ext.py, line 2): ")
    assert words in fault


def test_all_faults_are_found_before_anything_is_registered(desk):
    source = """
@hookimpl
def agent_start(x): pass
@hookimpl
def turn_start(): pass
@hookimpl
def turn_end(y): pass
"""

    faults = faults_of(desk, source)

    assert [fault.partition(" ")[0] for fault in faults] == ["agent_start", "turn_end"]


def test_an_unknown_hook_is_judged_only_when_asked(desk):
    desk.register("ext", MARK + "@hookimpl\ndef tool_cal(event): pass")

    assert desk.table.unknown() == {
        "ext": ("tool_cal (ext.py, line 2): there is no hook 'tool_cal' (did you mean 'tool_call'?)",)
    }


def test_an_optional_hook_may_be_unknown(desk):
    desk.register("ext", MARK + "@hookimpl(optionalhook=True)\ndef somebody_elses(event): pass")

    assert desk.table.unknown() == {}


def test_a_subscription_to_an_unknown_hook_is_judged_with_the_others(desk):
    desk.table.subscribe("ext", "turn_strat", print)

    assert desk.table.unknown() == {
        "ext": ("turn_strat: there is no hook 'turn_strat' (did you mean 'turn_start'?)",)
    }


def test_what_was_removed_is_not_judged(desk):
    desk.table.subscribe("ext", "turn_strat", print)

    desk.table.remove("ext")

    assert desk.table.unknown() == {}


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (5, "is a int, which cannot be called"),
        (lambda event: None, "must take (event, ctx) by position"),
        (lambda event, ctx, more: None, "must take (event, ctx) by position"),
        (lambda: (yield), "a generator never runs as a handler"),
    ],
)
def test_what_cannot_be_subscribed(desk, handler, words):
    with pytest.raises(HookRegistrationError, match="Extension 'ext'") as caught:
        desk.table.subscribe("ext", "turn_start", handler)

    assert words in str(caught.value)


class Callable:
    def __init__(self, function):
        self.function = function

    async def __call__(self, event, ctx):
        return await self.function(event, ctx)


@pytest.mark.parametrize("wrap", [functools.partial, Callable])
async def test_any_callable_can_be_subscribed(desk, events, wrap):
    async def handler(event, ctx):
        seen.append(event)

    seen = []
    desk.on("turn_start", wrap(handler))

    await desk.emit(events.turn_start)

    assert seen == [events.turn_start]
    assert desk.errors == []


async def test_a_decorated_function_is_seen_through(desk, events):
    def logged(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **kwargs)

        return inner

    seen = []

    class Extension:
        @hookimpl
        @logged
        def turn_start(self, ctx):
            seen.append(ctx)

    desk.table.register("ext", Extension())

    await desk.emit(events.turn_start, "C")

    assert seen == ["C"]


def test_an_unmarked_function_named_like_a_hook_is_a_warning(desk):
    desk.register("ext", "def tool_call(event, ctx): pass\ndef helper(): pass")

    assert desk.table.warnings("ext") == (
        "tool_call (ext.py, line 1): named like a hook, but not marked with @hookimpl",
    )


def test_a_subscribed_function_is_not_unmarked(desk, make_module):
    module = make_module("def turn_start(event, ctx): pass", "ext")
    desk.table.register("ext", module)

    desk.table.subscribe("ext", "turn_start", module.turn_start)

    assert desk.table.warnings("ext") == ()


def test_an_imported_function_is_not_the_authors(desk, make_module):
    other = make_module("def context(): pass", "other")

    desk.table.register("ext", make_module("", "ext", context=other.context))

    assert desk.table.warnings("ext") == ()


@pytest.fixture
def with_deprecated(desk, make_module):
    source = """
    from pihost.hooks import hookspec

    @hookspec("notify", deprecated="Use turn_start.")
    def old_turn(number): "Fires never."
    """
    desk.table.add_hookspecs("owner", make_module(source, "owner"))
    return desk


def test_a_deprecated_hook_warns_at_the_extensions_own_line(with_deprecated):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with_deprecated.register("ext", MARK + "\n@hookimpl\ndef old_turn(): pass")

    assert [(w.category, w.filename, w.lineno) for w in caught] == [
        (DeprecationWarning, "/extensions/ext.py", 3)
    ]


def test_a_deprecated_hook_is_a_warning_value_too(with_deprecated):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with_deprecated.register("ext", MARK + "\n@hookimpl\ndef old_turn(): pass")

    assert with_deprecated.table.warnings("ext") == (
        "old_turn (ext.py, line 3): The hook old_turn is deprecated. Use turn_start.",
    )


def test_hookspec_wants_a_kind():
    with pytest.raises(
        HookspecError, match="is no kind of hook; there are: notify, chain, gate, first, collect"
    ):
        hookspec(lambda event: None)


@pytest.mark.parametrize(
    "error",
    [HookRegistrationError("ext", ["a", "b"]), HookspecError("x", ["notify"])],
    ids=lambda e: type(e).__name__,
)
def test_errors_pickle(error):
    again = pickle.loads(pickle.dumps(error))

    assert (str(again), vars(again)) == (str(error), vars(error))


def test_two_tables_know_nothing_of_each_other(desk):
    other = HookTable(on_error=print, on_block=print)

    desk.on("turn_start", lambda event, ctx: ToolCallResult())

    assert desk.table.has_handlers("turn_start")
    assert not other.has_handlers("turn_start")


async def test_a_removed_extension_answers_nothing_and_may_come_back(desk, events):
    source = MARK + "@hookimpl\ndef turn_start(): seen.append(1)"
    desk.register("ext", source, seen=(seen := []))

    desk.table.remove("ext")
    await desk.emit(events.turn_start)
    assert (seen, desk.table.handlers("ext")) == ([], ())

    desk.register("ext", source, seen=seen)
    await desk.emit(events.turn_start)
    assert seen == [1]


def test_an_instances_unmarked_methods_are_its_own_business(desk):
    class Extension:
        def context(self):
            pass

    desk.table.register("ext", Extension())

    assert desk.table.warnings("ext") == ()


async def test_a_callable_that_does_not_say_what_it_takes_is_taken_at_its_word(desk, events):
    desk.on("turn_start", dict.fromkeys)

    await desk.emit(events.turn_start, None)

    assert desk.reports == [("a", "turn_start")]


async def test_many_extensions_answer_one_hook(desk, events):
    called = []
    for number in range(100):
        source = MARK + f"@hookimpl\ndef turn_start(): called.append({number})"
        desk.register(f"ext{number}", source, called=called)

    await desk.emit(events.turn_start)

    assert called == list(range(100))

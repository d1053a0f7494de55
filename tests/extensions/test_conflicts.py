"""Two extensions, one name: the one rule for tools, commands and flags."""

import pytest

from pihost.extensions import ExtensionAPI, ExtensionRunner
from pihost.extensions.registrations import RegistrationError

TOOL = """
from pihost.content import ToolResult
from pihost.tools.definition import ToolDefinition

def tool(name):
    return ToolDefinition(name=name, description="Does it", parameters={{"type": "object"}}, execute=print)

pihost_replaceable = {replaceable}

def setup(api):
    kept.append(api)
    register(api)

kept = []

def register(api):
    {registration}
"""
REGISTRATIONS = {
    "tool": "api.register_tool(tool('same'))",
    "command": "api.register_command('same', handler=print)",
    "flag": "api.register_flag('same', type='string', default=api.get_flag('none') or __name__)",
}


def source(registration, *, replaceable=False):
    return TOOL.format(registration=registration, replaceable=replaceable)


def registered(runner, kind):
    return getattr(runner, f"{kind}s")()["same"].extension


@pytest.fixture
def run(load_sources, tmp_path):
    """Load the sources and make a runner with the extensions in the order of the ids."""

    async def run(*order, **sources):
        result = await load_sources(**sources)
        assert result.errors == ()
        by_id = {extension.id: extension for extension in result.extensions}
        return ExtensionRunner([by_id[each] for each in order or by_id], result.runtime, cwd=tmp_path)

    return run


@pytest.mark.parametrize("kind", REGISTRATIONS)
async def test_the_earlier_in_the_final_order_wins_and_both_stay_loaded(run, kind):
    """The order of loading does not matter: a project's own extensions load last and come first."""
    runner = await run("late", "early", early=source(REGISTRATIONS[kind]), late=source(REGISTRATIONS[kind]))
    assert registered(runner, kind) == "late"
    assert [extension.id for extension in runner.extensions] == ["late", "early"]


@pytest.mark.parametrize("kind", REGISTRATIONS)
async def test_a_conflict_names_both_with_their_paths(run, kind, tmp_path):
    runner = await run(one=source(REGISTRATIONS[kind]), two=source(REGISTRATIONS[kind]))
    (diagnostic,) = runner.conflicts()
    assert (diagnostic.level, diagnostic.kind, diagnostic.source) == ("error", "conflict", "two")
    assert diagnostic.message == (
        f"{kind.capitalize()} 'same' is registered by 'one' ({tmp_path / 'one.py'}), which counts, "
        f"and by 'two' ({tmp_path / 'two.py'}), which does not"
    )
    assert diagnostic.hint == "Disable one of the two: disabled = ['two']."


@pytest.mark.parametrize("kind", REGISTRATIONS)
@pytest.mark.parametrize("first", ["firm", "soft"])
async def test_a_replaceable_extension_steps_aside_with_a_warning(run, kind, first):
    sources = {
        "firm": source(REGISTRATIONS[kind]),
        "soft": source(REGISTRATIONS[kind], replaceable=True),
    }
    runner = await run(first, *(each for each in sources if each != first), **sources)
    assert registered(runner, kind) == "firm"
    assert [(each.level, each.source) for each in runner.conflicts()] == [("warning", "soft")]


async def test_of_two_replaceable_ones_the_earlier_wins(run):
    text = source(REGISTRATIONS["tool"], replaceable=True)
    runner = await run(one=text, two=text)
    assert registered(runner, "tool") == "one"
    assert [(each.level, each.source) for each in runner.conflicts()] == [("warning", "two")]


async def test_three_claims_are_two_conflicts(run):
    text = source(REGISTRATIONS["command"])
    runner = await run(one=text, two=text, three=text)
    assert [each.source for each in runner.conflicts()] == ["two", "three"]


async def test_different_names_do_not_conflict(run):
    runner = await run(
        one=source("api.register_tool(tool('a'))"),
        two=source("api.register_tool(tool('b')); api.register_command('a', handler=print)"),
    )
    assert runner.conflicts() == ()
    assert list(runner.tools()) == ["a", "b"]


async def test_a_built_in_tool_is_replaced_only_by_an_override(run):
    runner = await run(
        rude=source("api.register_tool(tool('bash'))"),
        firm=source("api.register_tool(tool('bash'), override=True)"),
    )
    tool = runner.tools()["bash"]
    assert (tool.extension, tool.override) == ("firm", True)
    (diagnostic,) = runner.conflicts()
    assert (diagnostic.level, diagnostic.source) == ("error", "rude")
    assert "is a built-in one; only a registration with override=True replaces it" in diagnostic.message


async def test_without_an_override_the_built_in_tool_stays(run):
    runner = await run(rude=source("api.register_tool(tool('read'))"))
    assert dict(runner.tools()) == {}
    assert [each.level for each in runner.conflicts()] == ["error"]


async def test_every_command_can_be_called_under_its_extensions_name(run):
    """The one that lost the plain name too."""
    runner = await run(one=source(REGISTRATIONS["command"]), two=source(REGISTRATIONS["command"]))
    commands = runner.commands()
    assert {name: command.extension for name, command in commands.items()} == {
        "one:same": "one",
        "two:same": "two",
        "same": "one",
    }


@pytest.fixture
def live(load_sources, bind):
    """Bind ``holder``, which has the name, and ``late``, which has nothing; return the API of ``late``."""

    async def live(kind, *, holder=False, late=False):
        result = await load_sources(
            holder=source(REGISTRATIONS[kind], replaceable=holder), late=source("pass", replaceable=late)
        )
        bound = bind(result)
        module = result.runtime.registry["late"]
        return bound.runner, module

    return live


@pytest.fixture
def late_api():
    """The API that ``setup`` of a bound extension was handed."""
    return lambda runner, record: ExtensionAPI(runner.runtime, record)


def register(api, kind):
    if kind == "tool":
        api.tool(same)
    elif kind == "command":
        api.register_command("same", handler=print)
    else:
        api.register_flag("same", type="string")


def same(text: str) -> str:
    """Do it."""
    return text


@pytest.mark.parametrize("kind", REGISTRATIONS)
async def test_in_a_live_session_a_clash_raises_at_the_call(live, late_api, kind, tmp_path):
    runner, record = await live(kind)
    with pytest.raises(RegistrationError) as caught:
        register(late_api(runner, record), kind)
    assert str(caught.value) == (
        f"Extension 'late': {kind} 'same' is already registered by 'holder' ({tmp_path / 'holder.py'})"
    )
    assert registered(runner, kind) == "holder"
    assert runner.conflicts() == ()


@pytest.mark.parametrize("kind", REGISTRATIONS)
async def test_between_loading_and_binding_a_clash_raises_at_the_call_too(load_sources, kind):
    result = await load_sources(holder=source(REGISTRATIONS[kind]), late=source("pass"))
    api = ExtensionAPI(result.runtime, result.runtime.registry["late"])
    with pytest.raises(RegistrationError, match="'same' is already registered by 'holder'"):
        register(api, kind)


@pytest.mark.parametrize("kind", REGISTRATIONS)
async def test_in_a_live_session_a_replaceable_holder_steps_aside(live, late_api, kind):
    runner, record = await live(kind, holder=True)
    register(late_api(runner, record), kind)
    assert registered(runner, kind) == "late"


async def test_in_a_live_session_a_built_in_tool_raises_without_override(live, late_api):
    runner, record = await live("tool")
    api = late_api(runner, record)
    with pytest.raises(RegistrationError, match="tool 'grep' is a built-in one"):
        api.tool(same, name="grep")
    api.tool(same, name="grep", override=True)
    assert runner.tools()["grep"].override


async def test_the_loser_of_a_flag_keeps_its_own_default(load_sources, bind):
    result = await load_sources(
        one="def setup(api): api.register_flag('same', type='string', default='one')",
        two="def setup(api): api.register_flag('same', type='boolean', default=False)",
    )
    runner = bind(result).runner
    assert runner.set_flag_values({"same": "given"}) == ()
    values = [
        result.runtime.flag_value(result.runtime.registry[each].flags["same"]) for each in ("one", "two")
    ]
    assert values == ["given", False]

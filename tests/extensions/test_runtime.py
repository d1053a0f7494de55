"""The runtime: stubs, the three queues, the channels between extensions, the end of an extension."""

import asyncio
import pickle
import textwrap
import threading

import attrs
import pytest

from pihost.config import HostConfig
from pihost.errors import ExtensionNotReadyError
from pihost.extensions import create_extension_runtime
from pihost.extensions.actions import ExtensionActions, unbound_context
from pihost.extensions.owned import ExtensionExitError
from pihost.extensions.registrations import RegistrationError
from pihost.models.config import ProviderConfig
from pihost.models.registry import ModelRegistry

ACTIONS = [field.name for field in attrs.fields(ExtensionActions)]


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_of_a_new_runtime_raises_and_names_itself(name):
    with pytest.raises(ExtensionNotReadyError) as caught:
        getattr(create_extension_runtime().actions, name)("any", "argument")
    assert str(caught.value).startswith(f"{name}: Extension runtime not initialized. ")


async def test_binding_replaces_every_stub(load_sources, bind):
    result = await load_sources()
    bind(result)
    for name in ACTIONS:
        answer = getattr(result.runtime.actions, name)()
        assert (await answer if name == "set_model" else answer) is None


def test_the_default_data_root_is_in_the_users_directory():
    assert create_extension_runtime().data_root == HostConfig().resolve_home() / "data"


@pytest.mark.parametrize(
    ("extension", "name"), [("acme", "acme"), ("a@local", "a@local"), ("../up", "%2E.%2Fup"), ("a b", "a b")]
)
def test_a_data_directory_stays_below_its_root(tmp_path, extension, name):
    directory = create_extension_runtime(data_root=tmp_path).data_dir(extension)
    assert (directory, directory.is_dir()) == (tmp_path / name, True)


async def test_call_soon_without_an_event_loop_raises():
    with pytest.raises(ExtensionNotReadyError, match="the host's event loop does not run"):
        create_extension_runtime().call_soon("acme", print)


async def test_call_soon_runs_nothing_once_the_runtime_was_replaced(runtime, tmp_path):
    seen = []
    runtime.enter(tmp_path)
    runtime.call_soon("acme", lambda: seen.append("ran"))
    runtime.invalidate("it was reloaded")
    await asyncio.sleep(0.01)
    assert seen == []


def test_a_runtime_belongs_to_the_thread_of_its_event_loop(tmp_path):
    """It may be made in another thread than the one it is used in."""
    runtime = create_extension_runtime(data_root=tmp_path)
    outcome = []

    async def use():
        runtime.enter(tmp_path)
        runtime.check("here")
        outcome.append("used")

    thread = threading.Thread(target=lambda: asyncio.run(use()))
    thread.start()
    thread.join()
    assert outcome == ["used"]
    with pytest.raises(ExtensionNotReadyError, match="belongs to the thread of the event loop"):
        runtime.check("here")


ORDER = """
def setup(api):
    api.register_virtual_model(Named("{0}v"))
    api.register_native_provider(Named("{0}n"))
    api.register_provider("{0}p", "config")
    api.register_api("{0}a", print)

class Named:
    provider = "virtual"

    def __init__(self, id):
        self.id = id
"""


VIRTUAL = "import types\nvm = types.SimpleNamespace(provider='v', id='m')"


def called(calls):
    return [(name, getattr(arguments[0], "id", arguments[0])) for name, *arguments in calls]


async def test_the_queues_are_flushed_one_after_the_other_each_in_order(load_sources, bind, provider_actions):
    result = await load_sources(one=ORDER.format(1), two=ORDER.format(2))
    calls = []
    bound = bind(result, providers=provider_actions(calls))
    assert bound.result.errors == ()
    assert called(calls) == [
        ("register_api", "1a"),
        ("register_api", "2a"),
        ("register_provider", "1p"),
        ("register_provider", "2p"),
        ("register_native_provider", "1n"),
        ("register_native_provider", "2n"),
        ("register_virtual_model", "1v"),
        ("register_virtual_model", "2v"),
    ]


@pytest.mark.parametrize(
    ("registration", "event"),
    [
        ("api.register_provider('bad', None)", "register_provider"),
        ("api.register_native_provider('bad')", "register_provider"),
        ("api.register_virtual_model('bad')", "register_virtual_model"),
        ("api.register_api('bad', print)", "register_api"),
    ],
)
async def test_a_registration_that_fails_is_an_error_and_the_rest_go_on(
    load_sources, bind, provider_actions, registration, event
):
    result = await load_sources(
        acme=f"def setup(api):\n    {registration}\n    api.register_provider('good', None)"
    )
    reported, calls = [], []
    result.runtime.on_error(reported.append)
    bound = bind(result, providers=provider_actions(calls))
    assert [(error.extension, error.event, error.error) for error in bound.result.errors] == [
        ("acme", event, "ValueError: refused")
    ]
    assert reported == list(bound.result.errors)
    assert called(calls) == [("register_provider", "good")]
    assert [each.extension.id for each in bound.result.extensions] == ["acme"]


async def test_without_providers_registrations_wait_on(load_sources, bind, provider_actions):
    result = await load_sources(acme="def setup(api): api.register_provider('p', None)")
    calls = []
    bind(result)
    assert calls == []
    bind(result, providers=provider_actions(calls))
    assert called(calls) == [("register_provider", "p")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("api.register_provider('p', 1); api.unregister_provider('p')", []),
        ("api.register_virtual_model(vm); api.unregister_virtual_model('v', 'm')", []),
        (
            "api.register_provider('p', 1); api.unregister_provider('p'); api.register_provider('p', 2)",
            [("register_provider", "p")],
        ),
        (
            "api.register_virtual_model(vm); api.unregister_provider('v/m')",
            [("register_virtual_model", "m")],
        ),
    ],
)
async def test_what_is_taken_back_while_it_waits_is_never_registered(
    load_sources, bind, provider_actions, body, expected
):
    source = f"{VIRTUAL}\ndef setup(api): {body}"
    calls = []
    bind(await load_sources(acme=source), providers=provider_actions(calls))
    assert called(calls) == expected


@pytest.mark.parametrize(
    ("take_back", "subject"),
    [
        ("unregister_provider('p')", "provider 'p'"),
        ("unregister_provider('other')", "provider 'other'"),
        ("unregister_virtual_model('v', 'm')", "virtual model 'v/m'"),
    ],
)
async def test_what_another_has_waiting_stays_and_who_takes_it_back_is_told(
    load_sources, bind, provider_actions, take_back, subject
):
    result = await load_sources(
        one=f"{VIRTUAL}\ndef setup(api): api.register_provider('p', 1); api.register_virtual_model(vm)",
        two=f"def setup(api): api.{take_back}",
    )
    calls = []
    (error,) = bind(result, providers=provider_actions(calls)).result.errors
    assert (error.extension, error.event) == ("two", take_back.partition("(")[0])
    assert f"{subject} is not registered by this extension" in error.error
    assert called(calls) == [("register_provider", "p"), ("register_virtual_model", "m")]


TAKES = """
def setup(api):
    def act(name, *arguments):
        getattr(api, name)(*arguments)

    api.register_command("take-back", handler=lambda text, ctx: act(*text.split()))
"""
HOLDS = f"""
{VIRTUAL}
{TAKES}
    api.register_provider("p", 1)
    api.register_native_provider(types.SimpleNamespace(id="n"))
    api.register_virtual_model(vm)
"""


@pytest.mark.parametrize(
    ("take_back", "done"),
    [
        ("unregister_provider p", ("take back register_provider", "p")),
        ("unregister_provider n", ("take back register_native_provider", "n")),
        ("unregister_virtual_model v m", ("take back register_virtual_model", "m")),
    ],
)
async def test_once_bound_an_extension_takes_its_own_back_and_only_once(
    load_sources, bind, provider_actions, take_back, done
):
    calls = []
    bound = bind(await load_sources(acme=HOLDS), providers=provider_actions(calls))
    handler = bound.runner.commands()["take-back"].handler
    handler(take_back, None)
    assert called(calls)[3:] == [done]
    with pytest.raises(RegistrationError, match="is not registered by this extension"):
        handler(take_back, None)


@pytest.mark.parametrize("take_back", ["unregister_provider p", "unregister_virtual_model v m"])
async def test_once_bound_taking_back_what_is_another_ones_raises(
    load_sources, bind, provider_actions, take_back
):
    calls = []
    result = await load_sources(one=HOLDS, two=TAKES)
    handler = bind(result, providers=provider_actions(calls)).runner.commands()["two:take-back"].handler
    with pytest.raises(RegistrationError, match=r"'two': .* is not registered by this extension"):
        handler(take_back, None)
    assert len(calls) == 3


async def test_an_extension_that_is_discarded_leaves_no_provider(load_sources, bind, provider_actions):
    calls = []
    result = await load_sources(acme=HOLDS)
    bind(result, providers=provider_actions(calls))
    await result.runtime.discard(result.runtime.registry["acme"], "it was unloaded")
    assert [name for name, *_ in calls[3:]] == [
        "take back register_provider",
        "take back register_native_provider",
        "take back register_virtual_model",
    ]


async def test_a_failed_load_registers_no_provider(load_sources, bind, provider_actions):
    result = await load_sources(acme="def setup(api):\n    api.register_provider('p', 1)\n    1 / 0")
    calls = []
    bind(result, providers=provider_actions(calls))
    assert calls == []


async def test_once_bound_a_registration_acts_at_once_and_a_wrong_one_raises(
    load_sources, bind, provider_actions
):
    source = """
    def setup(api):
        api.register_command("register", handler=lambda name, ctx: api.register_provider(name, None))
    """
    calls = []
    bound = bind(await load_sources(acme=source), providers=provider_actions(calls))
    handler = bound.runner.commands()["register"].handler
    handler("p", None)
    assert called(calls) == [("register_provider", "p")]
    with pytest.raises(ValueError, match="refused"):
        handler("bad", None)


async def test_the_methods_of_a_model_registry_fit(load_sources, bind):
    """A configuration that lacks a field leaves nothing; the good one after it is usable."""
    from pihost.extensions.actions import ProviderActions

    source = """
    from pihost.model import Model
    from pihost.models.config import ProviderConfig

    def setup(api):
        api.register_provider("p", {"models": []})
        model = Model(provider="p", id="m")
        api.register_provider("p", ProviderConfig(base_url="https://example.com", models=[model]))
    """
    models = ModelRegistry()
    providers = ProviderActions(**{f.name: getattr(models, f.name) for f in attrs.fields(ProviderActions)})
    bound = bind(await load_sources(acme=source), providers=providers)
    assert [error.event for error in bound.result.errors] == ["register_provider"]
    assert [model.ref for model in models.models()] == ["p/m"]
    assert ProviderConfig.__name__ in source


CHANNELS = """
def setup(api):
    seen = []
    api.register_command("seen", handler=lambda arguments, ctx: seen)
    api.register_command("emit", handler=lambda data, ctx: api.events.emit("news", data))
    {}
"""


def with_channels(body):
    return CHANNELS.format(textwrap.indent(textwrap.dedent(body), "    ").strip())


async def test_data_on_a_channel_reaches_other_extensions_in_order(load_sources, bind):
    result = await load_sources(
        one=CHANNELS.format("api.events.on('news', lambda data: seen.append(('plain', data)))"),
        two=CHANNELS.format("api.events.on('other', seen.append)"),
    )
    commands = bind(result).runner.commands()
    commands["two:emit"].handler("rain", None)
    assert commands["one:seen"].handler("", None) == [("plain", "rain")]
    assert commands["two:seen"].handler("", None) == []


async def test_a_listener_that_fails_stops_nobody_and_is_reported(load_sources, bind):
    result = await load_sources(
        bad=CHANNELS.format("api.events.on('news', lambda data: 1 / 0)"),
        quits=CHANNELS.format("import sys; api.events.on('news', sys.exit)"),
        good=CHANNELS.format("api.events.on('news', seen.append)"),
    )
    errors = []
    result.runtime.on_error(errors.append)
    commands = bind(result).runner.commands()
    commands["bad:emit"].handler("rain", None)
    assert [(error.extension, error.event) for error in errors] == [
        ("bad", "events:news"),
        ("quits", "events:news"),
    ]
    assert commands["good:seen"].handler("", None) == ["rain"]


async def test_an_async_listener_runs_as_a_task_of_its_extension(load_sources, bind):
    body = """
    async def listen(data):
        seen.append(data)
        raise RuntimeError(data)

    api.events.on("news", listen)
    """
    result = await load_sources(acme=with_channels(body))
    errors = []
    result.runtime.on_error(errors.append)
    commands = bind(result).runner.commands()
    commands["emit"].handler("rain", None)
    await asyncio.sleep(0.01)
    assert commands["seen"].handler("", None) == ["rain"]
    assert [(error.event, error.error) for error in errors] == [("events:news", "RuntimeError: rain")]


async def test_a_listener_may_leave_while_it_is_called(load_sources, bind):
    body = """
    def once(data):
        seen.append(("once", data))
        stop()

    stop = api.events.on("news", once)
    api.events.on("news", seen.append)
    """
    result = await load_sources(acme=with_channels(body))
    commands = bind(result).runner.commands()
    commands["emit"].handler(1, None)
    commands["emit"].handler(2, None)
    assert commands["seen"].handler("", None) == [("once", 1), 1, 2]


async def test_a_failed_load_leaves_no_listener(load_sources, runtime):
    errors = []
    await load_sources(
        acme="def setup(api):\n    api.events.on('news', lambda data: 1 / 0)\n    raise RuntimeError"
    )
    runtime.on_error(errors.append)
    runtime.events.emit("news", None)
    assert errors == []


async def test_what_fails_while_extensions_load_is_in_the_result(load_sources):
    result = await load_sources(
        one="def setup(api): api.events.on('news', lambda data: 1 / 0)",
        two="def setup(api): api.events.emit('news')",
    )
    assert [extension.id for extension in result.extensions] == ["one", "two"]
    assert [(error.extension, error.event) for error in result.errors] == [("one", "events:news")]


async def test_an_error_that_nobody_listens_for_is_logged(runtime, caplog):
    from pihost.diagnostics import ExtensionError

    runtime.report(ExtensionError(extension="acme", event="tick", error="it broke"))
    assert "Extension acme failed in tick: it broke" in caplog.text


async def test_an_extension_loaded_into_a_bound_runtime_is_in_effect_at_once(
    load_sources, bind, provider_actions
):
    calls = []
    bound = bind(await load_sources(), providers=provider_actions(calls))
    registering = "api.register_provider('p', None); api.register_command('c', handler=print)"
    result = await load_sources(
        late=f"def setup(api): {registering}",
        early="def setup(api): api.get_commands()",
    )
    assert [error.error.partition(". ")[0] for error in result.errors] == [
        "Extension 'early': get_commands: Extension runtime not initialized"
    ]
    assert called(calls) == [("register_provider", "p")]
    assert "c" in bound.runner.commands()


def test_errors_can_be_pickled():
    for error in (RegistrationError("acme", "tool 't'", "is wrong"), ExtensionExitError(3)):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy)) == (type(error), str(error))


def test_unbound_readers_trust_the_project():
    assert unbound_context().is_project_trusted() is True

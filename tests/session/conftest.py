"""A session over real parts: hook table, runner, store, registry; only the model's answers are scripted."""

import asyncio

import attrs
import pytest

from pihost.content import TextContent, ToolCall, ToolResult, Usage
from pihost.context import NoUI
from pihost.extensions.actions import ProviderActions
from pihost.extensions.runner import ExtensionRunner
from pihost.extensions.runtime import create_extension_runtime
from pihost.messages import AssistantMessage, TextDelta, ToolCallDelta
from pihost.model import Model
from pihost.models import Done, Error, ModelRegistry, Start
from pihost.session.agent_session import AgentSession
from pihost.session.binding import Surroundings, context_actions, extension_actions
from pihost.session.parts import SessionParts
from pihost.session.recipe import RecipeProvider
from pihost.session.store import SessionStore
from pihost.settings import Settings
from pihost.tools.definition import ToolDefinition

MODEL = Model(provider="script", id="one", api="script", context_window=1000)


class ScriptedProvider:
    """Gives the answers it was handed, one a request, and keeps the requests.

    An answer is a message, an ``Error``, an exception to raise, or a function ``(request)`` that makes one,
    plain or async.
    """

    id = "script"

    def __init__(self):
        self.answers = []
        self.requests = []

    def models(self):
        return [MODEL, attrs.evolve(MODEL, id="two")]

    async def stream(self, request, hooks):
        self.requests.append(request)
        await hooks.before_headers({"x-plain": "1"})
        await hooks.before_request({"messages": len(request.messages)})
        await hooks.after_response(200, {"X-Served-By": "script"})
        answer = self.answers.pop(0) if self.answers else AssistantMessage(content=[TextContent(text="done")])
        if callable(answer):
            answer = answer(request)
            answer = await answer if asyncio.iscoroutine(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Error):
            yield answer
            return
        yield Start()
        for index, block in enumerate(answer.content):
            await hooks.stream_event({"index": index})
            if isinstance(block, TextContent):
                yield TextDelta(index=index, text=block.text)
            else:
                yield ToolCallDelta(index=index, id=block.id, name=block.name, arguments_json="{}")
        yield Done(stop_reason=answer.stop_reason, usage=Usage(input=10, output=5), message=answer)


class Tools(dict):
    """Tools by name; each is added with a function ``(params, ctx)``."""

    def add(self, name, run, **fields):
        async def execute(_call_id, params, ctx):
            result = await run(params, ctx)
            return result if isinstance(result, ToolResult) else ToolResult.from_text(str(result))

        self[name] = ToolDefinition(
            **{
                "name": name,
                "description": f"Does {name}",
                "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
                "execute": execute,
                **fields,
            }
        )


@attrs.define
class World:
    """A session and everything around it."""

    session: AgentSession
    provider: ScriptedProvider
    tools: Tools
    runner: ExtensionRunner
    events: list

    def on(self, event, handler, extension="ext"):
        """Let a handler answer a hook."""
        return self.runner.runtime.hooks.subscribe(extension, event, handler)

    def watch(self, *names):
        """The names of hooks as they are called."""
        called = []
        for name in names:
            self.on(name, lambda event, _: called.append(event.hook_name), "watcher")
        return called

    async def say(self, text):
        """Run a prompt to its end; its events."""
        return [event async for event in self.session.prompt(text)]

    async def until(self, name, count=1):
        """Return once the stream has shown that many events of that name."""
        reached = asyncio.Event()

        def look(_event=None):
            if sum(event.hook_name == name for event in self.events) >= count:
                reached.set()

        unsubscribe = self.session.subscribe(look)
        look()
        await asyncio.wait_for(reached.wait(), 10)
        unsubscribe()

    def roles(self):
        return [message.role for message in self.session.messages]

    def texts(self):
        return [message.text for message in self.session.messages]

    def answer(self, *answers):
        self.provider.answers.extend(answers)


def call(name, call_id="1", **arguments):
    return ToolCall(id=call_id, name=name, arguments=arguments)


def calling(*calls, stop_reason="tool_use"):
    return AssistantMessage(content=calls, stop_reason=stop_reason)


@pytest.fixture
def make_call():
    return call


@pytest.fixture
def make_calling():
    return calling


@pytest.fixture
async def make_world(tmp_path):
    """Makes a ``World``; fields of ``SessionParts`` and of ``Settings`` may be changed."""
    worlds = []

    async def make(*, store=None, recipe=False, settings=None, **changes):
        cwd = changes.pop("cwd", tmp_path)
        runtime = create_extension_runtime()
        runner = ExtensionRunner((), runtime, cwd=cwd)
        models, provider, tools = ModelRegistry(), ScriptedProvider(), Tools()
        models.register_native_provider(provider)
        models.register_native_provider(RecipeProvider())
        fields = {
            "cwd": cwd,
            "store": store or SessionStore.in_memory(cwd),
            "models": models,
            "hooks": runner,
            "context": runner.create_context,
            "tools": lambda: tools,
            "settings": Settings(**(settings or {})),
            "model": models.find("recipe") if recipe else MODEL,
            "retry_seconds": 0.001,
        }
        session = AgentSession(SessionParts(**{**fields, **changes}))
        surroundings = Surroundings(
            ui=NoUI(),
            mode="print",
            has_ui=False,
            is_project_trusted=True,
            shutdown=lambda: None,
            commands=list,
            config_dirs=(cwd,),
            tool_extension=lambda _: None,
        )
        names = [field.name for field in attrs.fields(ProviderActions)]
        runner.bind_core(
            extension_actions(session, surroundings),
            context_actions(session, surroundings),
            ProviderActions(**{name: getattr(models, name) for name in names}),
        )
        runner.on_error(session.faults.on_extension_error)
        runner.on_block(session.faults.on_block)
        world = World(session, provider, tools, runner, [])
        session.subscribe(world.events.append)
        worlds.append(world)
        return world

    yield make
    for world in worlds:
        await world.session.shutdown()
        await world.runner.shutdown()
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert [task for task in left if "pytest" not in repr(task)] == []


@pytest.fixture
async def world(make_world):
    return await make_world()

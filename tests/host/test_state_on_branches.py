"""What a virtual model keeps, the model, and the thinking level follow the branch; keys are nowhere."""

import pytest

from pihost.errors import describe
from pihost.session import CompactionError

COUNTING = """
from pihost.models import Model, Route, VirtualModel

def route(request, ctx):
    count = (request.state or {}).get("count", 0) + 1
    note(f"request {count}")
    return Route(provider="local", id="recipe", state={"count": count})

def setup(api):
    api.register_virtual_model(VirtualModel(provider="auto", id="counting", route=route))
"""
SECRET = """
from pihost.models import Error, Model, ProviderConfig

class Failing:
    id = "cloud"
    def __init__(self, config):
        self.config = config
    def models(self):
        return self.config.models
    async def stream(self, request, hooks):
        key = await self.config.resolve_api_key()
        yield Error(message=f"the key {key} is not known", status=401)

def setup(api):
    api.register_api("failing", lambda name, config: Failing(config))
    api.register_provider("cloud", ProviderConfig(base_url="https://example.com", api="failing",
        api_key="$ACME_KEY", models=[Model(provider="cloud", id="big")]))
"""


def said(host):
    return [entry for entry in host.session.entries if entry.type == "message"]


@pytest.fixture
async def counted(place, run):
    """A session of the counting model in which two prompts were answered, each by one request."""
    place.extend("global", "counting", COUNTING)
    async with place.open(model="auto/counting") as host:
        await run(host, "nonsense")
        await run(host, "more nonsense")
        yield host


def counts(place):
    return [note.removeprefix("request ") for note in place.notes]


async def test_state_follows_navigation(place, run, counted):
    """After going back before the second prompt, the model goes on from what it kept after the first."""
    assert counts(place) == ["1", "2"]
    await counted.navigate_tree(said(counted)[1].id)
    await run(counted, "something else")
    assert counts(place) == ["1", "2", "2"]
    await counted.navigate_tree(said(counted)[3].id)
    await run(counted, "third")
    assert counts(place)[-1] == "3"


async def test_state_follows_a_fork_and_the_parent_keeps_its_own(place, run, counted):
    parent = counted.session.file
    await counted.fork(said(counted)[2].id, "before")
    assert counted.session.state.model.ref == "auto/counting"
    await run(counted, "in the fork")
    assert counts(place)[-1] == "2"
    await counted.switch_session(parent)
    await run(counted, "in the parent")
    assert counts(place)[-1] == "3"


async def test_a_new_session_begins_without_state(place, run, counted):
    await counted.new_session()
    await run(counted, "nonsense")
    assert counts(place)[-1] == "1"


async def test_state_outlives_a_compaction(place, run, counted):
    """It stands on the branch, whatever of the conversation a summary stands for."""
    await counted.compact()
    await run(counted, "third")
    assert counts(place)[-1] in ("3", "4")
    assert len(counted.session.messages) < 6


async def test_model_and_thinking_level_follow_navigation(place, run, counted):
    told = []
    counted.subscribe(told.append)
    await counted.session.set_model(counted.models.find("recipe"))
    counted.session.set_thinking_level("high")
    await run(counted, "ls")
    state = counted.session.state
    await counted.navigate_tree(said(counted)[1].id)
    assert (state.model.ref, state.thinking_level) == ("auto/counting", "off")
    await counted.navigate_tree(said(counted)[-1].id)
    assert (state.model.ref, state.thinking_level) == ("local/recipe", "high")
    sources = [event.source for event in told if event.hook_name == "model_select"]
    assert sources == ["extension", "restore", "restore"]


async def test_a_key_is_in_no_file_event_or_error(place, run, monkeypatch, tmp_path):
    monkeypatch.setenv("ACME_KEY", "sk-very-secret-key")
    place.extend("global", "secret", SECRET)
    told = []
    async with place.open(model="cloud/big") as host:
        host.subscribe(told.append)
        await run(host, "hello")
        await run(host, "hello again")
        with pytest.raises(CompactionError) as caught:
            await host.compact()
        await run(host, "/compact")
        file = host.session.file
    assert "is not known" in file.read_text()
    assert "is not known" in describe(caught.value)
    for text in (file.read_text(), describe(caught.value), repr(told)):
        assert "sk-very-secret-key" not in text

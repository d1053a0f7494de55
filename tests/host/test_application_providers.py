"""Providers that the program around the host brings."""

import pytest

from pihost.config import OpenSession
from pihost.models import ProviderConfigError
from pihost.testing import ScriptedModel

COVER = """
from pihost.testing import ScriptedModel
class Cover(ScriptedModel):
    name = 'cover'
"""


async def said(host, model):
    model.answer("by the application")
    async for _event in host.session.prompt("go on"):
        pass
    return host.session.messages[-1].text


@pytest.mark.parametrize("change", ["reload", "new_session"])
async def test_they_stay_through_every_change_of_the_session(place, change):
    model = ScriptedModel()
    async with place.open(providers=(model,), model="scripted/model") as host:
        assert await said(host, model) == "by the application"
        await getattr(host, change)()
        assert host.session.state.model == model.model
        assert await said(host, model) == "by the application"


async def test_what_is_no_provider_is_refused_before_anything_starts(place):
    place.extend("global", "life", "def setup(api):\n api.on('session_start', lambda e, c: note('started'))")
    with pytest.raises(ProviderConfigError, match="models"):
        async with place.open(providers=(object(),)):
            pytest.fail("it started")
    assert place.notes == []


async def test_an_extension_may_cover_one(place):
    place.extend("global", "cover", "def setup(api):\n api.register_native_provider(Cover())\n" + COVER)
    async with place.open(providers=(ScriptedModel(),), model="scripted/model") as host:
        assert host.models.provider("scripted").name == "cover"


async def test_a_session_whose_model_is_gone_says_which_it_goes_on_with(place):
    model = ScriptedModel()
    async with place.open(providers=(model,), model="scripted/model") as host:
        await said(host, model)
        file = host.session.file
    async with place.open(session=OpenSession(file=file)) as host:
        told = [one.message for one in host.diagnostics if one.kind == "session"]
    assert told == ["The session's model 'scripted/model' is not there; it goes on with 'local/recipe'"]

"""Who may take a provider back in a live session: the extension that registered it, and nobody else."""

import pytest

from pihost.testing import ScriptedModel

CONFIGURED = """
[providers.acme]
base_url = "https://example.com/v1"
models = ["large"]
"""
TAKES = """
def setup(api):
    @api.on("session_start")
    def start(event, ctx):
        try:
            api.unregister_provider("{}")
        except Exception as fault:
            note(str(fault))
"""
OWN = """
from pihost.models import ProviderConfig
from pihost.model import Model

def setup(api):
    model = Model(provider="acme", id="own")
    api.register_provider("acme", ProviderConfig(base_url="https://example.com/own", models=[model]))
    api.on("session_start", lambda event, ctx: api.unregister_provider("acme"))
"""


def refs(host):
    return [model.ref for model in host.models.models()]


@pytest.mark.parametrize(
    ("name", "model"), [("local", "local/recipe"), ("scripted", "scripted/model"), ("acme", "acme/large")]
)
async def test_what_the_host_the_application_and_the_settings_registered_stays(place, name, model):
    place.settings(CONFIGURED)
    place.extend("global", "greedy", TAKES.format(name))
    async with place.open(providers=(ScriptedModel(),)) as host:
        assert model in refs(host)
    assert place.notes == [f"Extension 'greedy': provider '{name}' is not registered by this extension"]


async def test_another_extensions_provider_stays(place):
    place.extend("global", "holder", OWN.replace("api.on", "print"))
    place.extend("global", "greedy", TAKES.format("acme"))
    async with place.open() as host:
        assert "acme/own" in refs(host)
    assert len(place.notes) == 1


async def test_under_the_settings_an_extension_takes_back_its_own_only(place):
    place.settings(CONFIGURED)
    place.extend("global", "holder", OWN)
    async with place.open() as host:
        assert refs(host)[-1] == "acme/large"
        assert host.diagnostics == ()


async def test_taking_back_what_is_not_there_while_loading_is_told_once_bound(place):
    place.extend("global", "eager", "def setup(api): api.unregister_provider('nobody')")
    async with place.open() as host:
        (fault,) = [one for one in host.diagnostics if one.kind == "registration"]
    assert (fault.level, fault.source) == ("error", "eager")
    assert "provider 'nobody' is not registered by this extension" in fault.message

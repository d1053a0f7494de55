"""Providers that the settings configure."""

import pytest

from pihost.config import HostConfig
from pihost.host import Host

GOOD = """
[providers.acme]
base_url = "https://example.com/v1"
api_key = "$ACME_KEY"
models = ["large", { id = "small", context_window = 1000 }]
"""


@pytest.fixture
def opened(tmp_path):
    """Open a host with these settings; give its models and its warnings about settings."""

    async def opened(settings):
        home = tmp_path / "home"
        home.mkdir()
        (home / "settings.toml").write_text(settings)
        async with Host.open(tmp_path, config=HostConfig(home=home)) as host:
            faults = [(one.level, one.message) for one in host.diagnostics if one.kind == "settings"]
            return [model.ref for model in host.models.models()], faults

    return opened


async def test_the_models_of_a_configured_provider_can_be_chosen(opened):
    models, faults = await opened(GOOD)
    assert (models[-2:], faults) == (["acme/large", "acme/small"], [])


async def test_a_wrong_configuration_is_a_warning_and_the_others_count(opened):
    models, faults = await opened("[providers.bad]\napi = 5\n" + GOOD)
    assert models[-2:] == ["acme/large", "acme/small"]
    assert [level for level, _ in faults] == ["warning"]
    assert "base_url: is missing" in faults[0][1]

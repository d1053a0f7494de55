import sys

import pytest

from pihost.models import Model, ProviderConfigError, provider_config

KEY = "sk-very-secret-123"


def test_the_representation_holds_neither_key_nor_headers(config):
    shown = repr(config(api_key=KEY, headers={"x-token": "also-secret"}))
    assert KEY not in shown
    assert "also-secret" not in shown


async def test_a_literal_key_is_itself(config):
    assert await config(api_key=KEY).resolve_api_key() == KEY


async def test_no_key_is_none(config):
    assert await config().resolve_api_key() is None


async def test_a_variable_is_read_at_the_request(config, monkeypatch):
    configured = config(api_key="$ACME_KEY")
    monkeypatch.setenv("ACME_KEY", "first")
    assert await configured.resolve_api_key() == "first"
    monkeypatch.setenv("ACME_KEY", "second")
    assert await configured.resolve_api_key() == "second"


async def test_a_variable_that_is_not_set_is_named(config, monkeypatch):
    monkeypatch.delenv("ACME_KEY", raising=False)
    with pytest.raises(ProviderConfigError, match="the environment variable ACME_KEY is not set"):
        await config(api_key="$ACME_KEY").resolve_api_key()


async def test_a_command_gives_the_key(config):
    assert await config(api_key=f"!'{sys.executable}' -c \"print('{KEY}')\"").resolve_api_key() == KEY


@pytest.mark.parametrize(("command", "code"), [(f"!echo {KEY}; exit 3", 3), ("!true", 0)])
async def test_a_command_that_fails_does_not_show_its_output(config, command, code):
    with pytest.raises(ProviderConfigError, match=f"exited with code {code}") as caught:
        await config(api_key=command).resolve_api_key()
    assert KEY not in str(caught.value)


async def test_a_command_that_hangs_is_ended(config, monkeypatch):
    monkeypatch.setattr("pihost.models.config._KEY_COMMAND_SECONDS", 0.1)
    with pytest.raises(ProviderConfigError, match=r"took longer than 0\.1 s"):
        await config(api_key="!exec sleep 60").resolve_api_key()


async def test_header_values_take_the_same_forms(config, monkeypatch):
    monkeypatch.setenv("ACME_KEY", KEY)
    configured = config(headers={"x-plain": "text", "x-key": "$ACME_KEY"})
    assert await configured.resolve_headers() == {"x-plain": "text", "x-key": KEY}


async def test_what_was_looked_up_is_masked(config):
    configured = config(api_key=KEY, headers={"x-token": f"{KEY}-longer"})
    await configured.resolve_api_key()
    await configured.resolve_headers()
    assert configured.mask(f"401: {KEY} and {KEY}-longer are wrong") == "401: *** and *** are wrong"


async def test_very_short_values_are_not_masked(config):
    """A one-letter key would garble every text."""
    configured = config(api_key="e")
    await configured.resolve_api_key()
    assert configured.mask("error") == "error"


async def test_the_registry_masks_for_all_its_configurations(registry, config):
    seen = []
    registry.register_api("acme-wire", lambda _, config: seen.append(config))
    take_back = registry.register_provider("acme", config(api="acme-wire", api_key=KEY))
    with pytest.raises(ProviderConfigError):
        registry.provider("acme")
    await seen[0].resolve_api_key()
    take_back()
    assert registry.mask(f"bad key {KEY}") == "bad key ***"


def test_a_table_of_settings_becomes_a_configuration():
    table = {
        "base_url": "https://models.example.com",
        "api_key": "$ACME_KEY",
        "models": ["small", {"id": "large", "context_window": 1000, "images": True, "input_cost": 1}],
    }
    config = provider_config("acme", table)
    assert config.models == (
        Model(provider="acme", id="small"),
        Model(provider="acme", id="large", context_window=1000, images=True, input_cost=1),
    )
    assert (config.api_key, config.api) == ("$ACME_KEY", "openai-completions")


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({}, "base_url: is missing"),
        ({"base_url": 5}, "base_url: must be a string, not int"),
        ({"base_url": "x", "apikey": "y"}, "apikey: no such key \\(did you mean 'api_key'"),
        ({"base_url": "x", "zzz": 1}, "zzz: no such key; there are base_url, api_key"),
        ({"base_url": "x", "models": "small"}, "models: must be a list, not str"),
        ({"base_url": "x", "models": [5]}, r"models\[0\]: must be an id or a table, not int"),
        ({"base_url": "x", "models": [{}]}, r"models\[0\]\.id: is missing"),
        ({"base_url": "x", "models": [{"id": "a", "nam": "b"}]}, r"models\[0\]\.nam: .* 'name'"),
        (
            {"base_url": "x", "models": [{"id": "a", "max_tokens": True}]},
            r"max_tokens: must be a whole number",
        ),
        ({"base_url": "x", "models": [{"id": "a", "images": 1}]}, "images: must be true or false, not int"),
        ({"base_url": "x", "headers": {"a": 1}}, "headers.a: must be a string"),
    ],
)
def test_each_fault_of_a_table_is_named_with_its_place(table, fault):
    with pytest.raises(ProviderConfigError, match=fault):
        provider_config("acme", table)


def test_every_fault_of_a_table_is_in_one_report():
    with pytest.raises(ProviderConfigError) as caught:
        provider_config("acme", {"models": 1, "api": 2})
    assert caught.value.faults == (
        "api: must be a string, not int",
        "base_url: is missing",
        "models: must be a list, not int",
    )


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_out_must_be_above_zero(registry, config, seconds):
    with pytest.raises(ProviderConfigError, match="read_timeout: must be a number of seconds above 0"):
        registry.register_provider("acme", config(read_timeout=seconds))


def test_a_time_out_and_prices_of_a_cache_can_be_set():
    model = {"id": "m", "cache_read_cost": 0.1, "cache_write_cost": 1}
    made = provider_config("acme", {"base_url": "http://example.com", "read_timeout": 5, "models": [model]})
    assert made.read_timeout == 5
    assert (made.models[0].cache_read_cost, made.models[0].cache_write_cost) == (0.1, 1)

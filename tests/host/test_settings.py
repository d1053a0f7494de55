"""Settings of the user and of the project, and what they decide about a host."""

import pytest

from pihost.config import ContinueSession
from pihost.session.recipe import RECIPE_MODEL

MODELS = """
from pihost.models import Model, ProviderConfig
def setup(api):
    api.register_provider("cloud", ProviderConfig(
        base_url="https://example.com/v1", api="acme-wire",
        models=[Model(provider="cloud", id="big"), Model(provider="cloud", id="small")],
    ))
"""


async def test_a_projects_settings_count_only_once_it_is_trusted(place):
    place.settings('default_thinking = "low"\nexclude_tools = ["bash"]')
    place.settings('default_thinking = "high"\nexclude_tools = ["write"]', where="project")
    async with place.open() as host:
        assert host.settings.default_thinking == "low"
        assert "write" in host.session.tools
    async with place.open(trust_override=True) as host:
        assert host.settings.default_thinking == "high"
        assert not {"bash", "write"} & set(host.session.tools)


async def test_g03_an_untrusted_project_names_no_session_directory_no_provider_and_no_shell(place):
    planted = place.cwd / "planted"
    place.settings(
        f'session_dir = "{planted}"\nshell = "/planted"\n[providers.cloud]\nbase_url = "http://127.0.0.1:9"',
        where="project",
    )
    async with place.open() as host:
        await host.session.user_bash("echo hi")
        assert (host.settings.session_dir, host.settings.shell, host.settings.providers) == (None, None, {})
        assert host.session.file.is_relative_to(place.home)
    assert not planted.exists()


async def test_a_path_in_a_settings_file_is_meant_from_that_file(place):
    place.extend("elsewhere", "theirs")
    (place.home / "mine").mkdir()
    place.write(place.home / "mine" / "own.py", "def setup(api): ...")
    place.settings('extensions = ["./mine"]')
    place.settings('extensions = ["../elsewhere"]', where="project")
    async with place.open(trust_override=True) as host:
        assert [bound.extension.id for bound in host.extensions] == ["own", "theirs"]


async def test_a_home_that_begins_with_a_tilde_is_the_users(place, monkeypatch):
    monkeypatch.setenv("HOME", str(place.cwd.parent))
    monkeypatch.setenv("ACME_HOME", f"~/{place.home.name}")
    place.config = type(place.config)(
        app_name="acme", config_dir=".acme", entry_point_group="acme.extensions", env_prefix="ACME"
    )
    place.extend("global", "mine")
    async with place.open() as host:
        assert [bound.extension.id for bound in host.extensions] == ["mine"]


async def test_bad_settings_are_warnings_and_the_rest_counts(place):
    place.settings('retires = 1\ndefault_thinking = "high"')
    async with place.open() as host:
        (warning,) = host.diagnostics
        assert (warning.level, warning.kind, warning.hint) == (
            "warning",
            "settings",
            "Did you mean 'retries'?",
        )
        assert host.settings.default_thinking == "high"


async def test_without_a_model_the_recipe_model_answers(place):
    async with place.open() as host:
        assert host.session.state.model == RECIPE_MODEL


@pytest.mark.parametrize("wanted", ["cloud/big", "big"])
async def test_the_model_asked_for_outweighs_the_default(place, wanted):
    place.extend("global", "models", MODELS)
    place.settings('default_model = "small"')
    async with place.open() as host:
        assert host.session.state.model.id == "small"
    async with place.open(model=wanted) as host:
        assert host.session.state.model.id == "big"


async def test_a_default_that_is_not_there_warns_and_a_model_asked_for_is_an_error(place):
    place.settings('default_model = "huge"')
    async with place.open() as host:
        assert [(one.level, one.kind) for one in host.diagnostics] == [("warning", "settings")]
    async with place.open(model="local/recip") as host:
        assert host.session.state.model == RECIPE_MODEL
    async with place.open(model="local/recepi") as host:
        (fault,) = [one for one in host.diagnostics if one.level == "error"]
        assert fault.kind == "option"
        assert "local/recipe" in f"{fault.message} {fault.hint}"


async def test_a_session_that_is_gone_on_with_keeps_its_model(place, run):
    place.extend("global", "models", MODELS)
    async with place.open(model="small") as host:
        await run(host, "ls")
    async with place.open(session=ContinueSession()) as host:
        assert host.session.state.model.id == "small"


async def test_tools_that_nobody_has_are_warned_about_with_the_near_name(place):
    place.settings('exclude_tools = ["bsah"]')
    async with place.open(tools=("red",), exclude_tools=("write",)) as host:
        found = {one.message: (one.level, one.kind, one.hint) for one in host.diagnostics}
    assert found == {
        "There is no tool 'red'": ("warning", "option", "Did you mean 'read'?"),
        "There is no tool 'bsah'": ("warning", "settings", "Did you mean 'bash'?"),
    }


async def test_a_tool_that_an_extension_brings_is_known(place):
    place.extend(
        "global", "maker", 'def setup(api):\n @api.tool(description="x")\n def mine(a: str): return a'
    )
    async with place.open(tools=("mine",)) as host:
        assert host.diagnostics == ()


async def test_a_home_that_cannot_be_written_costs_the_session_file_and_nothing_else(place, run):
    place.write(place.home / "sessions", "a file where a directory should be")
    async with place.open() as host:
        await run(host, "ls")
        assert host.session.messages[-1].role == "assistant"
        (warning,) = host.session.store.warnings
    assert (warning.level, warning.kind) == ("warning", "session")
    assert "could not be written" in warning.message

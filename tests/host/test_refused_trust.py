"""A refused project: everybody who follows the session is told, whoever refused it."""

import pytest

from pihost.config import HostConfig, HostOptions
from pihost.host import Host


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    (path / ".pihost" / "extensions").mkdir(parents=True)
    (path / ".pihost" / "extensions" / "own.py").write_text("def setup(api): ...\n")
    return path


async def test_a_refusal_by_option_is_an_event(project, tmp_path):
    options = HostOptions(trust_override=False)
    events = []
    async with Host.open(
        project,
        config=HostConfig(home=tmp_path / "home"),
        options=options,
        before_start=lambda host: host.subscribe(events.append),
    ):
        refused = [event for event in events if event.hook_name == "trust_refused"]
    assert [event.skipped for event in refused] == [(project / ".pihost" / "extensions",)]


async def test_the_warning_names_what_is_left_out_from_the_project(project, tmp_path):
    options = HostOptions(trust_override=False)
    async with Host.open(project, config=HostConfig(home=tmp_path / "home"), options=options) as host:
        messages = [one.message for one in host.diagnostics if one.kind == "trust"]
    assert [message.rpartition("left out: ")[2] for message in messages] == [".pihost/extensions"]

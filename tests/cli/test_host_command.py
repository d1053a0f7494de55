"""Commands of distributions that work in a host, as the host's own do."""

import pytest

COMMAND = """
import click
from functools import partial
from pihost.cli import answer_only, host_parameters, run_in_host

async def work(out, host):
    print("not for the answer")
    result = await host.call_tool("read", {"path": "README.md"})
    click.echo(f"{result.text} {sorted(host.session.state.active_tools())}", file=out)
    return 5

def run(tools, **values):
    with answer_only() as out:
        return run_in_host(partial(work, out), values, tools=tools.split(",") if tools else None)

command = click.Command("work", callback=run, params=[click.Option(["--tools"]), *host_parameters()])
"""


@pytest.fixture
def work(pihost, tmp_path, monkeypatch):
    """Run the command ``work`` of an installed distribution."""
    info = tmp_path / "site" / "acme_work-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-work\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pihost.extensions.cli]\nwork = acme_work:command\n")
    (tmp_path / "site" / "acme_work.py").write_text(COMMAND)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delenv("PIHOST_DISABLE_INSTALLED")
    return lambda *words: pihost("work", *words)


def test_it_works_in_a_host_and_its_answer_alone_is_on_stdout(work):
    code, out, err = work("--tools", "read,ls")
    assert (code, out) == (5, "# A project\n ['ls', 'read']\n")
    assert "not for the answer" in err


def test_an_extension_that_fails_refuses_the_start(work, pihost):
    file = pihost.write("broken.py", "raise ValueError('no')")
    code, out, err = work("-e", str(file))
    assert (code, out) == (1, "")
    assert "Failed to load extension 'broken'" in err
    assert work("-ne")[0] == 5


def test_options_that_contradict_each_other_are_bad_usage(work):
    code, _out, err = work("-a", "-na")
    assert code == 2
    assert "contradict each other" in err


def test_what_is_no_public_name_is_told():
    import pihost.cli

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pihost.cli.nothing  # noqa: B018 -- the access is the test
    assert {"main", "run_in_host"} <= set(dir(pihost.cli))

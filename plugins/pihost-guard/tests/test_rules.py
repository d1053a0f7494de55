"""Rules of the user's own: which calls they are about, and what comes of them in a real host."""

from pathlib import Path

import pihost_guard
import pytest
from pihost_guard._rules import Rule, first_rule

CWD = Path("/srv")

RULES = """
[extension.pihost-guard]
rules = [
  { action = "allow", tool = "bash", pattern = "git push origin *" },
  { action = "ask", tool = "bash", pattern = "git push*" },
  { action = "deny", tool = "bash", pattern = "curl *" },
  { action = "deny", tool = "write", pattern = "secrets/" },
]
"""


def fits(pattern, command, action="deny"):
    return Rule(action=action, tool="bash", pattern=pattern).fits("bash", {"command": command}, CWD)


@pytest.mark.parametrize(
    ("pattern", "command", "denied", "allowed"),
    [
        ("git push*", "git push", True, True),
        ("git push*", "git status", False, False),
        ("git *", "git status; rm -rf /", True, False),
        ("git *", "git status && rm -rf /", True, False),
        ("git *", "git log $(rm -rf /)", True, False),
        ("git *", "git log `rm -rf /`", True, False),
        ("git *", "git log > ~/.profile", True, False),
        ("git *", "git log\nrm -rf /", True, False),
        ("rm *", "true || rm -rf /", True, False),
        ("a; b", "a; b", True, True),
    ],
)
def test_to_be_allowed_all_of_a_command_must_fit_and_to_be_denied_any_part(pattern, command, denied, allowed):
    assert fits(pattern, command) is denied
    assert fits(pattern, command, "allow") is allowed


@pytest.mark.parametrize(
    ("rule", "tool", "arguments", "is_about"),
    [
        (Rule(action="deny", tool="mcp__*"), "mcp__files__delete", {"name": "x"}, True),
        (Rule(action="deny", tool="mcp__*"), "read", {"path": "x"}, False),
        (Rule(action="deny", tool="w*", pattern="*.lock"), "write", {"path": "a/poetry.lock"}, True),
        (Rule(action="deny", pattern="*.lock"), "write", {"path": "a.txt"}, False),
        (Rule(action="deny", pattern='*"force": true*'), "deploy", {"force": True}, True),
        (Rule(action="deny", pattern='*"force": true*'), "deploy", {"force": False}, False),
    ],
)
def test_a_rule_is_about_tools_and_paths_or_arguments(rule, tool, arguments, is_about):
    assert rule.fits(tool, arguments, CWD) is is_about


def test_the_first_rule_that_fits_decides():
    rules = (Rule(action="allow", tool="read"), Rule(action="deny"))
    assert first_rule(rules, "read", {"path": "a"}, CWD).action == "allow"
    assert first_rule(rules, "write", {"path": "a"}, CWD).action == "deny"
    assert first_rule((), "write", {}, CWD) is None


async def test_what_is_denied_does_not_run_and_says_which_rule(pihost_host, pihost_project):
    async with pihost_host(pihost_guard, settings=RULES) as bench:
        refused = await bench.call_tool("bash", command="true; curl example.com")
        assert refused.is_error
        assert "rules deny" in refused.text
        assert "curl *" in refused.text
        assert (await bench.call_tool("write", path="secrets/a", content="x")).is_error
    assert not (pihost_project / "secrets").exists()


@pytest.mark.parametrize("answer", [True, False])
async def test_what_is_asked_about_runs_if_the_user_says_so(pihost_host, fake_ui, answer):
    fake_ui.answer(answer)
    async with pihost_host(pihost_guard, settings=RULES, ui=fake_ui) as bench:
        result = await bench.call_tool("bash", command="git push --dry-run nowhere")
    assert ("The user refused" in result.text) is not answer
    assert fake_ui.dialogs[0].title == "Your rules ask before this call of bash:"


async def test_where_nobody_can_be_asked_it_does_not_run(pihost_host):
    async with pihost_host(pihost_guard, settings=RULES) as bench:
        assert "nobody is here to ask" in (await bench.call_tool("bash", command="git push nowhere")).text


async def test_what_is_allowed_is_asked_about_no_more(pihost_host, pihost_project):
    settings = (
        '[extension.pihost-guard]\nrules = [{ action = "allow", tool = "bash", pattern = "rm -r build" }]\n'
    )
    (pihost_project / "build").mkdir()
    async with pihost_host(pihost_guard, settings=settings) as bench:
        assert not (await bench.call_tool("bash", command="rm -r build")).is_error
        assert (await bench.call_tool("bash", command="rm -r src")).is_error


CHANGES_ARGUMENTS = """
def setup(api):
    @api.on("tool_call", trylast=True)
    def change(event, ctx):
        event.input["command"] = "curl example.com"
"""


async def test_the_guard_sees_what_really_runs(pihost_host, write_extension):
    extensions = (pihost_guard, write_extension(CHANGES_ARGUMENTS, "changer"))
    async with pihost_host(*extensions, settings=RULES) as bench:
        assert "rules deny" in (await bench.call_tool("bash", command="echo harmless")).text

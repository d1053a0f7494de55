"""The log of a real host, and what is not in it."""

import json
import stat

import pihost_audit
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pihost_audit._log import AuditLog
from pihost_audit._mask import Mask

BLOCKS = """
from pihost import hookimpl
from pihost.events import ToolCallResult

@hookimpl
def tool_call(event):
    if "rm" in event.input.get("command", ""):
        return ToolCallResult(block=True, reason="not here")
"""
FINALLY_BLOCKS = BLOCKS.replace("def tool_call", "def tool_call_final")


@pytest.fixture
def log(tmp_path):
    """The records, and a file for them."""

    class Log:
        file = tmp_path / "log.jsonl"

        @property
        def settings(self):
            return f'[extension.pihost-audit]\nfile = "{self.file}"\n'

        def of(self, kind):
            records = [json.loads(line) for line in self.file.read_text().splitlines()]
            return [record for record in records if record["kind"] == kind]

    return Log()


async def test_calls_are_logged_with_outcome_and_duration(pihost_host, log):
    async with pihost_host(pihost_audit, settings=log.settings) as bench:
        await bench.call_tool("bash", command="echo hi")
        await bench.call_tool("bash", command="exit 3")
    calls, results = log.of("tool_call"), log.of("tool_result")
    assert [call["arguments"] for call in calls] == [{"command": "echo hi"}, {"command": "exit 3"}]
    assert [result["outcome"] for result in results] == ["done", "failed"]
    assert [call["call"] for call in calls] == [result["call"] for result in results]
    assert all(result["duration_ms"] >= 0 for result in results)
    assert "text" not in results[0]


@pytest.mark.parametrize("guard", [BLOCKS, FINALLY_BLOCKS], ids=["tool_call", "tool_call_final"])
async def test_a_refused_call_is_logged_as_one_that_never_ran(pihost_host, log, write_extension, guard):
    extensions = (pihost_audit, write_extension(guard, "guard"))
    async with pihost_host(*extensions, settings=log.settings) as bench:
        await bench.call_tool("bash", command="rm x")
        await bench.call_tool("nonsense")
    refused, unknown = log.of("tool_result")
    assert (refused["outcome"], unknown["outcome"]) == ("refused", "refused")
    assert "not here" in refused["text"]


async def test_sessions_say_where_they_are_and_whether_it_is_trusted(pihost_host, log, pihost_project):
    async with pihost_host(pihost_audit, settings=log.settings):
        pass
    (begun,), (ended,) = log.of("session_start"), log.of("session_shutdown")
    assert (begun["cwd"], begun["project_trusted"]) == (str(pihost_project), True)
    assert begun["session"] == ended["session"]


async def test_the_file_is_private_and_secrets_are_not_in_it(pihost_host, log, monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "plain-looking-value")
    async with pihost_host(pihost_audit, settings=log.settings + "results = true\n") as bench:
        await bench.call_tool("bash", command="echo plain-looking-value ghp_" + "a" * 30)
    text = log.file.read_text()
    assert "plain-looking-value" not in text
    assert "ghp_a" not in text
    assert text.count("***") >= 4
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600


async def test_without_settings_it_is_in_the_extensions_own_directory(pihost_host, pihost_home):
    async with pihost_host(pihost_audit):
        pass
    (file,) = pihost_home.rglob("audit.jsonl")
    assert "session_start" in file.read_text()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("curl -H 'Authorization: Bearer abcdef123456'", "curl -H 'Authorization: Bearer ***'"),
        ("git clone https://me:hunter22@example.com/x", "git clone https://***@example.com/x"),
        ("PASSWORD=hunter22 run", "PASSWORD=*** run"),
        ('{"api_key": "abcdefgh"}', '{"api_key": "***"}'),
        ("sk-proj-abcdefghijklmnop123", "***"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "***"),
        ("a token ring, a key to the door", "a token ring, a key to the door"),
    ],
)
def test_what_looks_like_a_secret_is_masked_and_the_rest_is_not(text, masked):
    assert Mask({}).text(text) == masked


def test_fields_with_the_name_of_a_secret_are_masked_whatever_they_hold():
    assert Mask({}).value({"token": "x", "list": [{"password": "y", "n": 1}]}) == {
        "token": "***",
        "list": [{"password": "***", "n": 1}],
    }


@given(
    st.lists(st.text(max_size=20) | st.dictionaries(st.text(max_size=5), st.text(max_size=20)), max_size=4)
)
def test_a_value_of_the_environment_is_in_no_text_of_any_value(value):
    secret = "s3cr3t-value"
    masked = Mask({"MY_TOKEN": secret}).value([value, f"a{secret}b", {"x": secret}])
    assert secret not in json.dumps(masked)


def test_a_log_that_has_grown_large_is_begun_anew_and_kept_once(tmp_path):
    log = AuditLog(tmp_path / "log", most_bytes=100)
    for number in range(30):
        log.write({"n": number, "pad": "x" * 20})
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files in (["log", "log.1"], ["log.1"])
    assert all(path.stat().st_size < 200 for path in tmp_path.iterdir())


def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path):
    (tmp_path / "target").write_text("")
    (tmp_path / "log").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match=r"symbolic links|log"):
        AuditLog(tmp_path / "log").write({"n": 1})
    assert (tmp_path / "target").read_text() == ""

"""Where extensions come from, which of them take part, and in what order."""

import pytest

from pihost.trust import ProjectTrustStore


async def names_in_answer(host):
    result = await host.call_tool("ls", {})
    return [block.text for block in result.content[1:]]


@pytest.fixture
def four(place, install, answer):
    """One extension from each source, found in the opposite of the final order."""
    install("acme-mark", answer("installed"))
    place.extend("elsewhere", "extra", answer("configured"))
    place.extend("global", "always", answer("global"))
    place.extend("local", "mine", answer("local") + "\nnote('mine ran')")
    return place


async def test_the_final_order_is_local_global_configured_installed(four):
    async with four.open(extension_paths=("elsewhere/extra.py",), trust_override=True) as host:
        assert [bound.extension.id for bound in host.extensions] == ["mine", "always", "extra", "acme-mark"]
        assert await names_in_answer(host) == ["local", "global", "configured", "installed"]


async def test_g01_a_project_nobody_decided_on_is_not_trusted_and_not_imported(four):
    async with four.open() as host:
        assert not host.trust.trusted
        assert await names_in_answer(host) == ["global", "installed"]
        assert {one.candidate.id: one.cause for one in host.dropped} == {"mine": "untrusted"}
    assert four.notes == []


async def test_g02_what_stays_out_for_want_of_trust_is_one_warning_that_says_what_admits_it(four):
    async with four.open() as host:
        (warning,) = host.diagnostics
    assert (warning.level, warning.kind) == ("warning", "trust")
    assert ".acme/extensions" in warning.message
    assert "acme --approve" in warning.hint


async def test_the_refusal_is_an_event_of_the_stream_and_an_entry_of_the_session(four):
    events = []
    async with four.open(before_start=lambda host: host.subscribe(events.append)) as host:
        assert [event.hook_name for event in events] == ["trust_refused"]
        (kept,) = [entry for entry in host.session.entries if getattr(entry, "kind", "") == "trust_refused"]
        assert str(four.cwd) == kept.data["cwd"]
        assert host.session.messages == ()


async def test_a_stored_decision_admits_it(four):
    ProjectTrustStore(four.home).set(four.cwd, decision=True)
    async with four.open() as host:
        assert host.trust.trusted
        assert host.diagnostics == ()
        assert four.notes == ["mine ran"]


async def test_an_override_outweighs_what_is_stored(four):
    ProjectTrustStore(four.home).set(four.cwd, decision=True)
    async with four.open(trust_override=False) as host:
        assert not host.trust.trusted
    assert four.notes == []


async def test_the_person_is_asked_before_anything_of_the_project_runs(four, person):
    class Witness(person):
        async def select(self, title, options):
            assert four.notes == []
            return await super().select(title, options)

    someone = Witness("Trust /")
    async with four.open(mode="interactive", ui=someone) as host:
        assert host.trust.trusted
    assert four.notes == ["mine ran"]
    assert len(someone.asked) == 1
    assert ProjectTrustStore(four.home).get(four.cwd) is True


async def test_an_answer_for_this_session_only_is_not_stored_and_outlives_a_reload(four, person):
    someone = person("Trust for this session")
    async with four.open(mode="interactive", ui=someone) as host:
        await host.reload()
        assert host.trust.trusted
    assert len(someone.asked) == 1
    assert ProjectTrustStore(four.home).get(four.cwd) is None


@pytest.mark.parametrize("changes", [("new_session", "new_session"), ("reload", "new_session", "reload")])
async def test_nor_is_it_asked_for_again_by_any_number_of_changes(four, person, changes):
    someone = person("Trust for this session")
    async with four.open(mode="interactive", ui=someone) as host:
        for change in changes:
            await getattr(host, change)()
        assert (host.trust.trusted, host.trust.session_only) == (True, True)
        assert "for this session" in host.trust.reason
    assert len(someone.asked) == 1


async def test_a_refusal_for_this_session_holds_for_its_directory_alone(four, person, tmp_path):
    """On the way back it holds too."""
    (tmp_path / "other" / ".acme" / "extensions").mkdir(parents=True)
    someone = person("Do not trust for this session", "Trust for this session")
    async with four.open(
        mode="interactive", ui=person(), cwd=tmp_path / "other", trust_override=False
    ) as host:
        async for _event in host.session.prompt("ls"):
            pass
        other = host.session.file
    async with four.open(mode="interactive", ui=someone) as host:
        async for _event in host.session.prompt("ls"):
            pass
        first = host.session.file
        await host.switch_session(other)
        assert host.trust.trusted
        await host.switch_session(first)
        assert not host.trust.trusted
    assert len(someone.asked) == 2


async def test_nobody_is_asked_in_print_mode_though_there_is_a_ui(four, person):
    someone = person()
    async with four.open(mode="print", ui=someone) as host:
        assert not host.trust.trusted
    assert someone.asked == []


async def test_an_extension_of_the_first_pass_may_vouch_for_the_project(four):
    four.extend(
        "global",
        "voucher",
        "from pihost.events import ProjectTrustResult\n"
        "def setup(api): api.on('project_trust', lambda e, c: ProjectTrustResult(trusted='yes'))",
    )
    async with four.open() as host:
        assert host.trust.trusted
        loaded = [bound.extension.id for bound in host.extensions]
    assert loaded == ["mine", "always", "voucher", "acme-mark"]


async def test_no_extensions_leaves_only_what_was_given(four):
    async with four.open(no_extensions=True, extension_paths=("elsewhere/extra.py",)) as host:
        assert [bound.extension.id for bound in host.extensions] == ["extra"]


async def test_a_disabled_extension_stays_out_and_stays_listed(four):
    four.settings('disabled = ["Acme_Mark"]')
    async with four.open(disabled=("alw*",)) as host:
        assert host.extensions == ()
        reasons = {one.candidate.id: one.reason for one in host.dropped}
    assert "disabled" in reasons["acme-mark"]
    assert "alw*" in reasons["always"]


async def test_disabling_what_nobody_has_is_an_error_with_the_near_name(four):
    async with four.open(disabled=("alwasy",)) as host:
        (fault,) = [one for one in host.diagnostics if one.level == "error"]
    assert "alwasy" in fault.message
    assert "always" in fault.hint


async def test_a_path_that_is_not_there_is_reported_once(four):
    async with four.open(extension_paths=("missing.py",)) as host:
        faults = [one for one in host.diagnostics if "missing.py" in one.message]
    assert [one.level for one in faults] == ["error"]


async def test_what_was_given_supersedes_another_of_its_name(four):
    four.extend("elsewhere", "always")
    async with four.open(extension_paths=("elsewhere/always.py",)) as host:
        assert [one.cause for one in host.dropped if one.candidate.name == "always"] == ["superseded"]
        states = [row.state for row in host.report().extensions if "always" in row.id]
    assert sorted(states) == ["bound", "discovered"]


async def test_the_report_says_how_far_each_one_got(four):
    four.extend("global", "broken", "1/0")
    async with four.open() as host:
        rows = {row.id: row for row in host.report().extensions}
    assert {name: row.state for name, row in rows.items()} == {
        "mine": "discovered",
        "always": "bound",
        "broken": "admitted",
        "acme-mark": "bound",
    }
    assert "ZeroDivisionError" in rows["broken"].reason
    assert "broken.py" in rows["broken"].stack
    assert rows["acme-mark"].version == "1.0"
    assert rows["always"].hooks == ("tool_result",)

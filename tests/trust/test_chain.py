import asyncio

import pytest

from pihost.events import ProjectTrustResult
from pihost.trust import ProjectTrustStore, has_trust_requiring_resources
from pihost.trust._store_lock import store_lock

YES = ProjectTrustResult(trusted="yes")
NO = ProjectTrustResult(trusted="no")


def answering(*answers):
    """An `ask_extensions` that gives, or raises, one answer after the other; `asked` keeps the events."""
    left = list(answers)
    asked = []

    async def ask(event, context):
        asked.append((event, context))
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    ask.asked = asked
    return ask


# Step 1


@pytest.mark.parametrize("override", [True, False])
async def test_the_override_decides_before_anybody_is_asked(resolve, store, project, choosing, override):
    ask, ui = answering(), choosing(0)
    store.set(project, not override)
    decision = await resolve(trust_override=override, ask_extensions=ask, ui=ui)
    assert (decision.trusted, decision.step) == (override, 1)
    assert (ask.asked, ui.titles) == ([], [])


@pytest.mark.parametrize("override", [True, False])
async def test_the_override_still_says_what_is_guarded(resolve, project, home, override):
    decision = await resolve(trust_override=override)
    assert decision.guarded == has_trust_requiring_resources(project, home=home) != ()


async def test_an_override_that_is_not_true_is_no(resolve):
    """A word such as "no" must not pass for a yes."""
    assert not (await resolve(trust_override="no")).trusted


async def test_the_override_works_with_an_unreadable_store(resolve, home):
    home.mkdir()
    (home / "trust.json").write_text("nonsense")
    assert (await resolve(trust_override=True)).trusted


# Step 2


async def test_a_project_without_resources_is_trusted_and_nobody_is_asked(resolve, tmp_path):
    ask = answering()
    decision = await resolve(tmp_path, ask_extensions=ask)
    assert (decision.trusted, decision.step, ask.asked, decision.guarded) == (True, 2, [], ())


async def test_a_distribution_within_the_project_needs_trust_too(resolve, tmp_path):
    """No configuration directory, but an extension that discovery found in the checkout."""
    planted = tmp_path / "src" / "acme.egg-info"
    decision = await resolve(tmp_path, also_guarded=[planted])
    assert (decision.trusted, decision.step, decision.guarded) == (False, 6, (planted,))


async def test_what_lies_in_a_guarded_directory_is_named_once(resolve, project):
    decision = await resolve(also_guarded=[project / ".pihost" / "extensions" / "a.py"])
    assert decision.guarded == (project / ".pihost" / "extensions",)


# Step 3


@pytest.mark.parametrize(("answer", "trusted"), [(YES, True), (NO, False)])
async def test_an_extensions_word_comes_before_the_store(resolve, store, project, answer, trusted):
    store.set(project, not trusted)
    decision = await resolve(ask_extensions=answering(answer))
    assert (decision.trusted, decision.step) == (trusted, 3)
    assert store.get(project) is not trusted


async def test_the_extensions_are_handed_the_project(resolve, project):
    ask = answering(None)
    await resolve(ask_extensions=ask)
    [(event, context)] = ask.asked
    assert (event.cwd, context.cwd, context.has_ui) == (project, project, False)


async def test_the_reason_names_the_extension(resolve):
    named = ProjectTrustResult(trusted="yes", extension="acme-guard")
    assert "'acme-guard'" in (await resolve(ask_extensions=answering(named))).reason


async def test_a_word_without_a_name_is_an_extensions_all_the_same(resolve):
    assert (await resolve(ask_extensions=answering(NO))).reason == "an extension answered no"


def test_who_said_it_does_not_make_two_words_differ():
    assert ProjectTrustResult(trusted="yes", extension="acme") == YES


@pytest.mark.parametrize("trusted", ["yes", "no"])
async def test_a_word_to_be_remembered_is_stored(resolve, store, project, trusted):
    await resolve(ask_extensions=answering(ProjectTrustResult(trusted=trusted, remember=True)))
    assert store.get_entry(project).decision is (trusted == "yes")


@pytest.mark.parametrize("answer", [None, ProjectTrustResult(trusted="undecided", remember=True)])
async def test_no_word_leaves_it_to_the_store(resolve, store, project, answer):
    store.set(project, decision=True)
    decision = await resolve(ask_extensions=answering(answer))
    assert (decision.trusted, decision.step) == (True, 4)


@pytest.mark.parametrize("answer", [{"trusted": True}, True, "yes", 1])
async def test_an_answer_of_another_type_is_reported_and_is_none(resolve, answer):
    errors = []
    decision = await resolve(ask_extensions=answering(answer), on_extension_error=errors.append)
    assert (decision.trusted, decision.step) == (False, 6)
    assert [error.event for error in errors] == ["project_trust"]
    assert type(answer).__name__ in errors[0].error


async def test_a_failure_to_ask_is_reported_and_is_no_answer(resolve, store, project):
    errors = []
    store.set(project, decision=True)
    ask = answering(RuntimeError("broken"))
    decision = await resolve(ask_extensions=ask, on_extension_error=errors.append)
    assert (decision.trusted, decision.step) == (True, 4)
    assert errors[0].error == "RuntimeError: broken"
    assert "in ask" in errors[0].stack


async def test_a_failure_to_ask_is_never_a_yes(resolve):
    assert not (await resolve(ask_extensions=answering(TimeoutError()))).trusted


async def test_without_a_listener_a_failure_becomes_a_warning(resolve):
    decision = await resolve(ask_extensions=answering(RuntimeError("broken")))
    assert [(w.level, w.kind) for w in decision.warnings] == [("warning", "trust")]
    assert "broken" in decision.warnings[0].message


async def test_a_word_that_cannot_be_stored_counts_with_a_warning(resolve, home):
    home.write_text("a file in the place of the directory")
    remembered = ProjectTrustResult(trusted="yes", remember=True)
    decision = await resolve(ask_extensions=answering(remembered))
    assert (decision.trusted, decision.step, len(decision.warnings)) == (True, 3, 1)


# Step 4


async def test_g08_the_nearest_stored_decision_counts(resolve, store, tmp_path):
    """`/w` yes and `/w/evil` no: below each its own; after "trust the parent" the parent's."""
    for name in ("evil", "ok"):
        (tmp_path / "w" / name / "sub" / ".pihost" / "skills").mkdir(parents=True)
    store.set_many({tmp_path / "w": True, tmp_path / "w" / "evil": False})
    evil, fine = (tmp_path / "w" / name / "sub" for name in ("evil", "ok"))
    assert [(await resolve(cwd)).trusted for cwd in (evil, fine)] == [False, True]
    store.set_many({tmp_path / "w": True, tmp_path / "w" / "evil": None})
    decision = await resolve(evil)
    assert (decision.trusted, decision.step) == (True, 4)


async def test_g09_a_name_that_begins_alike_is_another_directory(resolve, store, project):
    evil = project.with_name("proj-evil")
    (evil / ".pihost" / "extensions").mkdir(parents=True)
    store.set(project, decision=True)
    assert not (await resolve(evil)).trusted


async def test_a_store_that_cannot_be_read_means_untrusted(resolve, home, choosing):
    """Nobody is asked either, since the answer could not be kept apart from what is there."""
    home.mkdir()
    (home / "trust.json").write_text('{"/": true')
    ui = choosing(0)
    decision = await resolve(ui=ui, default_policy="always")
    assert (decision.trusted, decision.step, ui.titles) == (False, 4, [])
    assert "trust.json" in decision.reason
    assert "trust.json" in decision.warnings[0].message
    assert (home / "trust.json").read_text() == '{"/": true'


# Steps 5 and 6


@pytest.mark.parametrize(("policy", "trusted", "step"), [("always", True, 5), ("never", False, 5)])
async def test_the_default_policy_decides_before_the_prompt(resolve, choosing, policy, trusted, step):
    ui = choosing(0)
    decision = await resolve(default_policy=policy, ui=ui)
    assert (decision.trusted, decision.step, ui.titles) == (trusted, step, [])


@pytest.mark.parametrize("policy", ["ask", None, "Always", True])
async def test_any_other_policy_asks(resolve, policy):
    decision = await resolve(default_policy=policy)
    assert (decision.trusted, decision.step) == (False, 6)


async def test_nobody_to_ask_means_untrusted_and_says_what_is_guarded(resolve, project, home, choosing):
    decision = await resolve()
    assert (decision.trusted, decision.step) == (False, 6)
    assert decision.guarded == has_trust_requiring_resources(project, home=home)


# Step 7


@pytest.mark.parametrize("index", [2, 4])
async def test_an_answer_for_this_session_is_not_stored(resolve, store, choosing, index):
    decision = await resolve(ui=choosing(index))
    assert (decision.trusted, decision.session_only) == (index == 2, True)
    assert store.entries() == ()


async def test_a_stored_answer_is_made_anew_on_the_next_question(resolve, choosing):
    assert not (await resolve(ui=choosing(0))).session_only
    assert (await resolve()).step == 4


@pytest.mark.parametrize("answer", [None, "", "Trust", "yes"])
async def test_a_dismissed_prompt_or_an_unknown_answer_is_no(resolve, store, choosing, answer):
    decision = await resolve(ui=choosing(answer))
    assert (decision.trusted, decision.step, decision.session_only) == (False, 7, False)
    assert store.entries() == ()


async def test_a_prompt_that_fails_is_no(resolve, choosing):
    def fail(options):
        raise OSError("the terminal is gone")

    decision = await resolve(ui=choosing(fail))
    assert (decision.trusted, decision.step) == (False, 7)
    assert "the terminal is gone" in decision.reason


async def test_the_prompt_names_what_would_take_part_and_what_trust_is_not(resolve, choosing):
    ui = choosing(None)
    await resolve(ui=ui)
    assert ".pihost/extensions" in ui.titles[0]
    assert "no sandbox" in ui.titles[0]


@pytest.mark.parametrize(("index", "trusted"), [(0, True), (3, False)])
async def test_g13_an_answer_that_cannot_be_stored_counts_for_this_session(
    resolve, home, choosing, index, trusted
):
    home.write_text("a file in the place of the directory")
    decision = await resolve(ui=choosing(index))
    assert (decision.trusted, decision.session_only) == (trusted, True)
    assert "this session only" in decision.warnings[0].message


async def test_g06_a_link_to_the_project_and_its_real_path_are_one_entry(resolve, store, project, choosing):
    """Trusted through the link, opened by the real path, refused through the link again."""
    link = project.parent / "link"
    link.symlink_to(project)
    await resolve(link, ui=choosing(0))
    assert (await resolve(project)).trusted
    store.set(link, decision=False)
    assert [(entry.path, entry.decision) for entry in store.entries()] == [(project, False)]


async def test_a_store_held_by_another_leaves_the_event_loop_free(resolve, home, choosing):
    """The write waits in a thread, while the loop goes on."""
    home.mkdir()
    with store_lock(home / "trust.json.lock", patience=1):
        question = asyncio.create_task(resolve(ui=choosing(0), store=ProjectTrustStore(home, patience=0.2)))
        ticks = 0
        while not question.done():
            await asyncio.sleep(0.01)
            ticks += 1
        decision = await question
    assert ticks > 5
    assert (decision.trusted, decision.session_only) == (True, True)

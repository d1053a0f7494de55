"""The chain and the real dispatch of hooks."""

import pytest

from pihost.events import ProjectTrustResult
from pihost.hooks.table import HookTable

REMEMBERED = ProjectTrustResult(trusted="yes", remember=True)
UNDECIDED = ProjectTrustResult(trusted="undecided", remember=True)
NO = ProjectTrustResult(trusted="no")


@pytest.fixture
def ask_hooks(resolve):
    """Run the chain with one extension for each answer: `first`, `second`, `third`."""

    async def ask(*answers, **options):
        called, errors = [], []
        table = HookTable(on_error=errors.append, on_block=print)

        def subscribe(name, answer):
            async def handler(event, ctx):
                called.append(name)
                if isinstance(answer, Exception):
                    raise answer
                return answer

            table.subscribe(name, "project_trust", handler)

        for name, answer in zip(("first", "second", "third"), answers, strict=False):
            subscribe(name, answer)
        try:
            decision = await resolve(ask_extensions=table.emit, on_extension_error=errors.append, **options)
        finally:
            table.close()
        return decision, called, [error.extension for error in errors]

    return ask


async def test_g17_the_first_word_counts_and_the_rest_are_not_asked(ask_hooks, store, project):
    decision, called, errors = await ask_hooks(UNDECIDED, REMEMBERED, NO)
    assert (decision.trusted, decision.step, store.get(project)) == (True, 3, True)
    assert (called, errors) == (["first", "second"], [])


async def test_g17_when_all_fail_the_store_decides(ask_hooks, store, project):
    store.set(project, decision=True)
    decision, called, errors = await ask_hooks(RuntimeError(), ValueError(), KeyError())
    assert (decision.trusted, decision.step) == (True, 4)
    assert called == errors == ["first", "second", "third"]


async def test_g17_none_is_no_answer(ask_hooks):
    decision, _, errors = await ask_hooks(None)
    assert (decision.step, errors) == (6, [])


async def test_g17_a_dictionary_is_reported_and_is_no_answer(ask_hooks):
    decision, called, errors = await ask_hooks({"trusted": True}, NO)
    assert (decision.trusted, decision.step, called, errors) == (False, 3, ["first", "second"], ["first"])


async def test_the_reason_names_whoever_answered_whatever_it_says_itself(ask_hooks):
    decision, *_ = await ask_hooks(ProjectTrustResult(trusted="yes", extension="somebody-else"))
    assert decision.reason == "extension 'first' answered yes"

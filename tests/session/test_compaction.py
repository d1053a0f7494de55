"""Compaction: when it happens, what it keeps, who writes the summary, what is told."""

import asyncio
import contextlib

import attrs
import pytest

from pihost.content import TextContent, Usage
from pihost.entries import CompactionEntry
from pihost.events import Cancel, Compaction
from pihost.messages import AssistantMessage, UserMessage
from pihost.models import Error
from pihost.session.errors import CompactionError
from pihost.session.store import SessionStore


def text(words):
    return AssistantMessage(content=[TextContent(text=words)])


@pytest.fixture
async def talked(make_world):
    """A session in which two things were said and answered; the model's next answer is a summary."""
    world = await make_world()
    world.answer(text("first answer"), text("second answer"))
    await world.say("one")
    await world.say("two")
    world.answer(text("the summary"))
    return world


def named(world, name):
    return [event for event in world.events if event.hook_name == name]


async def test_the_summary_stands_for_all_but_the_last_run(talked):
    entry = await talked.session.compact()
    summary, *kept = talked.texts()
    assert "the summary" in summary
    assert kept == ["two", "second answer"]
    assert talked.session.store.leaf_id == entry.id
    assert [shown.entry for shown in named(talked, "session_compact")] == [entry]


async def test_the_next_request_carries_the_summary_and_the_tail(talked):
    await talked.session.compact()
    await talked.say("three")
    roles = [message.role for message in talked.provider.requests[-1].messages]
    assert roles == ["custom", "user", "assistant", "user"]


async def test_the_model_is_shown_the_conversation_and_the_users_wish(talked):
    await talked.session.compact("mind the tests")
    request = talked.provider.requests[-1]
    (message,) = request.messages
    assert "first answer" in message.text
    assert "mind the tests" in message.text
    assert "second answer" not in message.text
    assert (request.tools, request.thinking_level) == ((), "off")
    assert request.max_tokens == 250


async def test_asking_for_the_summary_shows_and_stores_nothing_else(talked):
    talked.events.clear()
    before = len(talked.session.entries)
    await talked.session.compact()
    assert [event.hook_name for event in talked.events] == ["session_compact", "agent_settled"]
    assert len(talked.session.entries) == before + 1


async def test_what_was_compacted_comes_back_from_the_file(make_world, tmp_path):
    store = SessionStore.create(tmp_path / "s", tmp_path)
    world = await make_world(store=store)
    world.answer(text("first"), text("second"), text("the summary"))
    await world.say("one")
    await world.say("two")
    entry = await world.session.compact()
    shown, file = world.session.messages, world.session.file
    await world.session.shutdown()
    with SessionStore.open(file, tmp_path) as again:
        assert again.messages() == shown
        assert again.entries[-1] == entry
        assert again.warnings == ()


async def test_a_second_compaction_takes_the_first_summary_in(talked):
    await talked.session.compact()
    talked.answer(text("third answer"), text("the second summary"))
    await talked.say("three")
    await talked.session.compact()
    asked = talked.provider.requests[-1].messages[0].text
    assert "[earlier summary]" in asked
    assert "the summary" in asked
    summary, *kept = talked.texts()
    assert "the second summary" in summary
    assert kept == ["three", "third answer"]


async def test_a_summary_alone_is_not_compacted_again(talked):
    await talked.session.compact()
    talked.session.store.append_message(UserMessage.from_text("x"))
    for entry in talked.session.store.branch():
        if entry.type == "compaction":
            talked.session.store.go_to(entry.id)
    talked.answer(text("another"))
    await talked.session.compact()
    with pytest.raises(CompactionError, match="nothing to compact"):
        await talked.session.compact()


async def test_a_session_without_words_has_nothing_to_compact(world):
    with pytest.raises(CompactionError, match="nothing to compact yet"):
        await world.session.compact()
    (event,) = named(world, "session_compact_failed")
    assert (event.aborted, event.reason, event.from_extension) == (False, "manual", False)


async def test_a_tool_call_stays_with_its_result(world, make_call, make_calling):
    async def run(_params, _ctx):
        return "x" * 400

    world.tools.add("look", run)
    world.answer(make_calling(make_call("look", "1"), make_call("look", "2")), text("seen"))
    await world.say("look twice")
    world.answer(text("sum"))
    await world.session.compact()
    assert world.texts()[1:] == ["seen"]


class TestTheRecipeModel:
    """It cannot summarise: a plain digest stands in."""

    async def test_a_digest_says_what_ran(self, make_world):
        world = await make_world(recipe=True)
        await world.say("nonsense")
        await world.say("more nonsense")
        entry = await world.session.compact()
        assert entry.summary.startswith("(Put together without a language model.)")
        assert "- the user said: nonsense" in entry.summary
        assert world.texts()[1] == "more nonsense"

    async def test_the_same_conversation_gives_the_same_digest(self, make_world):
        summaries = []
        for _ in range(2):
            world = await make_world(recipe=True)
            await world.say("nonsense")
            summaries.append((await world.session.compact()).summary)
        assert summaries[0] == summaries[1]

    async def test_a_digest_of_a_digest_keeps_it(self, make_world):
        world = await make_world(recipe=True)
        await world.say("the beginning")
        await world.session.compact()
        await world.say("the middle")
        assert "the beginning" in (await world.session.compact()).summary

    async def test_nobody_is_asked_without_a_model(self, make_world):
        world = await make_world(model=None)
        await world.say("hello")
        assert "the user said: hello" in (await world.session.compact()).summary


class TestExtensions:
    async def test_whoever_cancels_leaves_the_conversation_as_it_is(self, talked):
        before = talked.texts()
        talked.on("session_before_compact", lambda e, c: Cancel(reason="not now"))
        with pytest.raises(CompactionError, match="not now") as caught:
            await talked.session.compact()
        assert (caught.value.aborted, caught.value.from_extension) == (True, True)
        assert talked.texts() == before
        (event,) = named(talked, "session_compact_failed")
        assert (event.error_message, event.aborted, event.from_extension) == ("not now", True, True)

    async def test_an_own_compaction_is_used_and_the_model_not_asked(self, talked):
        def own(event, ctx):
            return Compaction(
                summary="mine",
                first_kept_entry_id=event.preparation.first_kept_entry_id,
                details={"n": 1},
            )

        talked.on("session_before_compact", own)
        asked = len(talked.provider.requests)
        entry = await talked.session.compact()
        assert (entry.summary, entry.details, entry.from_extension) == ("mine", {"n": 1}, True)
        assert len(talked.provider.requests) == asked

    async def test_the_event_says_what_would_be_done(self, talked):
        seen = []
        talked.on("session_before_compact", lambda e, c: seen.append(e))
        await talked.session.compact("short")
        (event,) = seen
        assert [m.text for m in event.preparation.messages_to_summarize] == ["one", "first answer"]
        assert [m.text for m in event.preparation.kept_messages] == ["two", "second answer"]
        assert event.preparation.tokens_before == 15
        assert (event.reason, event.custom_instructions) == ("manual", "short")
        assert [entry.type for entry in event.branch_entries].count("message") == 4

    @pytest.mark.parametrize("place", ["nope", "first", "result"])
    async def test_a_place_that_cannot_be_kept_from_is_refused(self, world, make_call, make_calling, place):
        async def run(_params, _ctx):
            return "seen"

        world.tools.add("look", run)
        world.answer(make_calling(make_call("look", "1")))
        await world.say("look")
        messages = [entry for entry in world.session.entries if entry.type == "message"]
        entry_id = {"nope": "nope", "first": messages[0].id, "result": messages[2].id}[place]
        world.on("session_before_compact", lambda e, c: Compaction(summary="s", first_kept_entry_id=entry_id))
        with pytest.raises(CompactionError, match="which must be") as caught:
            await world.session.compact()
        assert caught.value.from_extension

    async def test_details_without_a_json_form_are_refused(self, talked):
        def own(event, ctx):
            kept = event.preparation.first_kept_entry_id
            return Compaction(summary="s", first_kept_entry_id=kept, details=object())

        talked.on("session_before_compact", own)
        with pytest.raises(CompactionError, match="no JSON form"):
            await talked.session.compact()

    async def test_a_handler_may_ask_for_it_while_a_run_goes_on(self, talked):
        """``ctx.compact`` waits for the place where no request is under way."""
        talked.provider.answers.clear()
        talked.answer(text("third answer"), text("asked by a handler"))
        talked.on("message_end", lambda e, c: c.compact("x") if e.message.role == "assistant" else None)
        await talked.say("three")
        assert "asked by a handler" in talked.texts()[0]
        assert len(named(talked, "session_compact")) == 1

    async def test_an_abort_ends_a_handler_that_takes_its_time(self, talked):
        started = asyncio.Event()

        async def slow(event, ctx):
            started.set()
            await event.signal.wait()

        talked.on("session_before_compact", slow)
        task = asyncio.create_task(talked.session.compact())
        await started.wait()
        await talked.session.abort()
        with pytest.raises(CompactionError, match="aborted"):
            await task
        assert len(talked.texts()) == 4

    async def test_it_may_be_asked_for_while_nothing_goes_on(self, talked):
        talked.runner.create_context().compact()
        await talked.until("session_compact")
        await talked.session.wait_for_idle()
        assert "the summary" in talked.texts()[0]


class TestFailure:
    async def test_a_model_that_fails_leaves_the_conversation_as_it_is(self, talked):
        talked.provider.answers[:] = [Error(message="no credit", status=402)]
        before = talked.texts()
        with pytest.raises(CompactionError, match="no credit"):
            await talked.session.compact()
        assert talked.texts() == before
        assert named(talked, "session_compact_failed")[0].error_message == "no credit"

    async def test_an_empty_answer_is_no_summary(self, talked):
        talked.provider.answers[:] = [text("  ")]
        with pytest.raises(CompactionError, match="no summary"):
            await talked.session.compact()

    async def test_a_passing_error_is_tried_again(self, talked):
        talked.provider.answers.insert(0, Error(message="busy", retryable=True))
        assert (await talked.session.compact()).summary == "the summary"
        assert len(named(talked, "retry")) == 1

    async def test_an_abort_ends_it(self, talked):
        started = asyncio.Event()

        async def forever(_request):
            started.set()
            await asyncio.Event().wait()

        talked.provider.answers[:] = [forever]
        task = asyncio.create_task(talked.session.compact())
        await started.wait()
        await talked.session.abort()
        with pytest.raises(CompactionError, match="aborted") as caught:
            await task
        assert caught.value.aborted
        assert [event.aborted for event in named(talked, "session_compact_failed")] == [True]
        assert talked.session.is_idle

    async def test_a_run_that_is_aborted_refuses_who_waits(self, talked):
        started = asyncio.Event()

        async def forever(_request):
            started.set()
            await asyncio.Event().wait()

        talked.provider.answers[:] = [forever]
        run = asyncio.create_task(talked.say("three"))
        await started.wait()
        waiting = asyncio.create_task(talked.session.compact())
        await asyncio.sleep(0)
        await talked.session.abort()
        await run
        with pytest.raises(CompactionError, match="was ended"):
            await waiting


class TestMeanwhile:
    """What is said while a compaction goes on that no run began."""

    @pytest.fixture
    async def compacting(self, talked):
        """A session in which a summary is being written; setting ``world.written`` ends that."""
        started, written = asyncio.Event(), asyncio.Event()

        async def slow(_request):
            started.set()
            await written.wait()
            return text("the summary")

        talked.provider.answers[:] = [slow, text("heard")]
        task = asyncio.create_task(talked.session.compact())
        await started.wait()
        yield talked, written
        with contextlib.suppress(CompactionError):  # of a session that ended
            await task

    @pytest.mark.parametrize("how", ["steer", "follow_up"])
    async def test_what_is_said_is_heard_afterwards(self, compacting, how):
        world, written = compacting
        await getattr(world.session, how)("meanwhile")
        written.set()
        await world.session.wait_for_idle()
        assert world.texts()[-2:] == ["meanwhile", "heard"]
        assert len(named(world, "agent_settled")) == 3

    async def test_what_an_extension_says_is_heard_before_the_session_settles(self, compacting):
        world, written = compacting

        async def say(event, ctx):
            world.session.actions.send_user_message("from an extension", deliver_as="follow_up")

        world.on("session_compact", say)
        written.set()
        await world.session.wait_for_idle()
        assert world.texts()[-2:] == ["from an extension", "heard"]
        assert len(named(world, "agent_settled")) == 3

    async def test_an_end_of_the_session_drops_it(self, compacting):
        world, written = compacting
        await world.session.follow_up("meanwhile")
        end = asyncio.create_task(world.session.shutdown())
        written.set()
        await end
        assert "meanwhile" not in world.texts()


class TestAutomatic:
    @pytest.fixture
    async def full(self, make_world):
        """A session whose last answer says that nine tenths of the window are taken."""
        world = await make_world(settings={"compact_at": 0.8})
        world.answer(text("a" * 800), text("b" * 800))
        await world.say("one")
        await world.say("two")
        last = world.session.store.branch()[-1]
        message = attrs.evolve(last.message, usage=Usage(input=890, output=10))
        world.session.store.append_message(message)
        return world

    async def test_a_conversation_that_is_nearly_full_is_compacted_before_the_request(self, full):
        full.answer(text("the summary"), text("the answer"))
        await full.say("three")
        summarising, asking = full.provider.requests[-2:]
        assert "<conversation>" in summarising.messages[0].text
        assert "the summary" in asking.messages[0].text
        assert [event.reason for event in named(full, "session_compact")] == ["threshold"]
        assert full.texts()[-2:] == ["three", "the answer"]

    async def test_below_the_share_nothing_is_compacted(self, make_world):
        world = await make_world(settings={"compact_at": 0.95})
        world.answer(attrs.evolve(text("a"), usage=Usage(input=890, output=10)))
        await world.say("one")
        await world.say("two")
        assert named(world, "session_compact") == []

    async def test_a_model_without_a_window_is_never_full(self, make_world):
        world = await make_world(recipe=True)
        await world.say("nonsense " * 10_000)
        await world.say("nonsense")
        assert named(world, "session_compact") == []

    async def test_a_failure_is_told_once_and_the_run_goes_on(self, full, make_call, make_calling):
        async def run(_params, _ctx):
            return "x"

        full.tools.add("look", run)
        full.answer(Error(message="no"), make_calling(make_call("look")), text("done"))
        await full.say("three")
        assert len(named(full, "session_compact_failed")) == 1
        assert full.texts()[-1] == "done"

    async def test_after_it_the_reported_usage_of_before_counts_no_more(self, full):
        full.answer(text("the summary"), text("the answer"), text("next"))
        await full.say("three")
        await full.say("four")
        assert len(named(full, "session_compact")) == 1
        assert full.session.context_usage().tokens < 500


class TestOverflow:
    @pytest.mark.parametrize(
        "error",
        [
            Error(message="This model's maximum context length is 1000 tokens", status=400),
            Error(message="prompt is too long: 1200 tokens > 1000 maximum", status=400),
            Error(message="Payload", status=413),
            Error(message="input exceeds the context window", status=400, retryable=True),
        ],
    )
    async def test_what_is_too_long_is_compacted_and_asked_again_once(self, talked, error):
        talked.provider.answers[:] = [error, text("the summary"), text("the answer")]
        await talked.say("three")
        assert talked.texts()[-1] == "the answer"
        assert [event.reason for event in named(talked, "session_compact")] == ["overflow"]
        assert "the summary" in talked.provider.requests[-1].messages[0].text

    async def test_too_many_tokens_a_minute_are_waited_for(self, talked):
        error = Error(message="Too many tokens, wait before trying again", status=429, retryable=True)
        talked.provider.answers[:] = [error, text("the answer")]
        await talked.say("three")
        assert talked.texts()[-1] == "the answer"
        assert named(talked, "session_compact") == []

    async def test_what_is_still_too_long_ends_the_run(self, talked):
        error = Error(message="prompt is too long", status=400)
        talked.provider.answers[:] = [error, text("the summary"), error]
        await talked.say("three")
        last = talked.session.messages[-1]
        assert (last.stop_reason, last.error_message) == ("error", "prompt is too long")
        assert len(named(talked, "session_compact")) == 1

    async def test_where_it_cannot_be_compacted_the_error_stands(self, talked):
        talked.provider.answers[:] = [Error(message="prompt is too long"), Error(message="no credit")]
        await talked.say("three")
        assert talked.session.messages[-1].error_message == "prompt is too long"

    async def test_other_errors_compact_nothing(self, talked):
        talked.provider.answers[:] = [Error(message="no credit", status=402)]
        await talked.say("three")
        assert named(talked, "session_compact") == []


async def test_context_usage_counts_what_came_after_the_last_answer(talked):
    before = talked.session.context_usage().tokens
    talked.session.store.append_message(UserMessage.from_text("x" * 400))
    assert talked.session.context_usage().tokens == before + 104


async def test_a_compaction_is_an_entry_of_the_branch_that_can_be_left(talked):
    leaf = talked.session.store.leaf_id
    await talked.session.compact()
    await talked.session.navigate_tree(leaf)
    assert talked.texts() == ["one", "first answer", "two", "second answer"]


async def test_a_kept_entry_that_was_lost_keeps_nothing(talked):
    store = talked.session.store
    store.append(CompactionEntry, summary="s", first_kept_entry_id="lost")
    store.append_message(UserMessage.from_text("after"))
    assert [message.role for message in store.messages()] == ["custom", "user"]
    assert store.messages()[-1].text == "after"

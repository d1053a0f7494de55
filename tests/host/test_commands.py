"""Commands of extensions, run from a prompt."""

import pytest

GREET = "def setup(api):\n api.register_command('greet', handler=lambda args, ctx: note(f'greet {args!r}'))"


@pytest.mark.parametrize(
    ("prompt", "note"),
    [
        ("/greet", "greet ''"),
        ("/greet  the whole  world ", "greet 'the whole  world'"),
        ("/polite:greet you", "greet 'you'"),
    ],
)
async def test_a_command_runs_with_what_follows_its_name(place, run, prompt, note):
    place.extend("global", "polite", GREET)
    async with place.open() as host:
        events = await run(host, prompt)
        assert host.session.messages == ()
    assert place.notes == [note]
    assert [event.hook_name for event in events] == ["agent_settled"]


async def test_a_text_that_is_no_command_goes_to_the_model(place, run):
    async with place.open() as host:
        await run(host, "/nobody knows")
        assert [message.role for message in host.session.messages] == ["user", "assistant"]


async def test_a_command_that_fails_is_reported_and_the_session_goes_on(place, run):
    place.extend("global", "bad", "def setup(api): api.register_command('bad', handler=lambda a, c: 1 / 0)")
    async with place.open() as host:
        events = await run(host, "/bad")
        (fault,) = [event for event in events if event.hook_name == "extension_error"]
        assert (fault.extension, fault.event) == ("bad", "command bad")
        assert (await run(host, "ls"))[-1].hook_name == "agent_settled"


async def test_a_command_may_wait_until_nothing_is_under_way(place, run):
    code = """
def setup(api):
    async def go(arguments, ctx):
        api.send_user_message("ls", deliver_as="follow_up")
        await ctx.wait_for_idle()
        note(f"waited {len(ctx.session.entries) > 0}")
    api.register_command("go", handler=go)
"""
    place.extend("global", "waiter", code)
    async with place.open() as host:
        await run(host, "/go")
        await host.session.wait_for_idle()
        assert host.session.messages[0].role == "user"
    assert place.notes == ["waited True"]


async def test_an_extension_asks_the_person_through_the_context(place, run, person):
    code = """
def setup(api):
    async def ask(arguments, ctx):
        note(f"{ctx.has_ui} {await ctx.ui.confirm('Title', 'Really?')}")
    api.register_command("ask", handler=ask)
"""
    place.extend("global", "asker", code)
    someone = person(True)
    async with place.open(mode="interactive", ui=someone) as host:
        await run(host, "/ask")
    async with place.open() as host:
        await run(host, "/ask")
    assert place.notes == ["True True", "False False"]
    assert someone.asked == [("Title", "Really?")]

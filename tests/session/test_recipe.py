import pytest

from pihost.content import TextContent, ToolResult
from pihost.session.recipe import RECIPE_MODEL, RecipeProvider

ANY = {"type": "object"}


async def read(params, ctx):
    if params["path"] == "missing":
        raise FileNotFoundError("missing")
    return f"text of {params['path']}"


async def shell(params, ctx):
    return f"ran {params['command']}"


@pytest.fixture
async def recipe(make_world):
    world = await make_world(recipe=True)
    world.tools.add("read", read, parameters=ANY)
    world.tools.add("bash", shell, parameters=ANY)
    return world


def last(world):
    return world.session.messages[-1]


async def test_a_single_step_answers_with_the_tools_text_alone(recipe):
    await recipe.say("read a.txt")
    assert (last(recipe).text, last(recipe).stop_reason) == ("text of a.txt", "stop")
    assert recipe.roles() == ["user", "assistant", "tool_result", "assistant"]


async def test_several_steps_answer_with_each_line_and_its_text(recipe):
    await recipe.say("read a.txt\n\n# then\nbash: ls")
    assert last(recipe).text == "read a.txt\ntext of a.txt\n\nbash: ls\nran ls"


async def test_each_step_is_a_turn_of_its_own(recipe):
    events = await recipe.say("read a\nread b")
    assert [event.turn_index for event in events if event.hook_name == "turn_start"] == [0, 1, 2]


async def test_it_stops_at_the_first_failed_step_and_says_what_did_not_run(recipe):
    await recipe.say("read a\nread missing\nbash: ls")
    answer = last(recipe)
    assert (answer.stop_reason, answer.error_message) == ("error", "Step 2 failed: read missing")
    assert answer.text == (
        "read a\ntext of a\n\nread missing (failed)\nFileNotFoundError: missing\n\nNot run:\n  bash: ls"
    )


async def test_a_single_failed_step_answers_with_the_error_alone(recipe):
    await recipe.say("read missing")
    assert last(recipe).text == "FileNotFoundError: missing"
    assert last(recipe).error_message == "Step 1 failed: read missing"


async def test_a_line_that_begins_with_a_dash_may_fail(recipe):
    await recipe.say("- read missing\n-read missing\nbash: ls")
    assert last(recipe).stop_reason == "stop"
    assert last(recipe).text.endswith("bash: ls\nran ls")


async def test_a_line_that_is_no_step_says_that_this_is_no_language_model(recipe):
    await recipe.say("Please fix the bug")
    answer = last(recipe)
    assert answer.error_message == "Step 1 failed: Please fix the bug"
    assert "local/recipe is not a language model" in answer.text
    assert "edit a.py: old => new" in answer.text
    assert "pihost --model provider/id" in answer.text


async def test_a_step_written_wrongly_says_its_form(recipe):
    await recipe.say("read a\nread a b")
    assert "the form is `read PATH`" in last(recipe).text
    assert last(recipe).error_message == "Step 2 failed: read a b"


async def test_a_wrong_line_may_be_allowed_to_fail(recipe):
    await recipe.say("- nonsense\nread a")
    assert last(recipe).stop_reason == "stop"
    assert last(recipe).text.endswith("read a\ntext of a")


@pytest.mark.parametrize("text", ["", "# nothing", "\n\n"])
async def test_without_steps_it_says_so(recipe, text):
    await recipe.say(text)
    assert last(recipe).text.startswith("There is no step to run. local/recipe is not a language model")


async def test_any_tool_can_be_called(recipe):
    async def shout(params, ctx):
        return ToolResult(content=[TextContent(text=params["text"].upper())])

    recipe.tools.add("shout", shout, parameters=ANY)
    await recipe.say('tool shout {"text": "hey"}')
    assert last(recipe).text == "HEY"


@pytest.mark.parametrize(("tools", "is_error"), [(None, False), (("read",), True)])
async def test_every_tool_may_be_a_step_unless_the_user_chose_some(make_world, tools, is_error):
    world = await make_world(recipe=True, settings={"tools": tools})
    world.tools.add("bash", shell, parameters=ANY, default_active=False)
    await world.say("bash: ls")
    assert world.session.messages[2].is_error is is_error


async def test_an_unknown_tool_is_a_failed_step(recipe):
    await recipe.say("tool shuot {}")
    assert "Unknown tool 'shuot'" in last(recipe).text
    assert last(recipe).stop_reason == "error"


async def test_each_prompt_is_a_recipe_of_its_own(recipe):
    await recipe.say("read a\nread b")
    await recipe.say("bash: ls")
    assert last(recipe).text == "ran ls"


async def test_call_ids_are_unique_in_the_session(recipe):
    await recipe.say("read a\nread b")
    await recipe.say("read c")
    ids = [m.tool_call_id for m in recipe.session.messages if m.role == "tool_result"]
    assert len(set(ids)) == 3


@pytest.mark.parametrize(("count", "tool"), [(1, "read"), (3, "bash"), (5, None)])
async def test_how_far_a_recipe_has_come_is_read_from_the_conversation(recipe, count, tool):
    """So that it goes on after a resume."""
    await recipe.say("read a\nbash: ls")
    progress = RecipeProvider()._progress(recipe.session.messages[:count])
    assert (progress.next and progress.next.tool) == tool


async def test_every_provider_event_fires(recipe):
    seen = {}
    recipe.on("before_provider_headers", lambda event, _: seen.update(headers=dict(event.headers)))
    recipe.on("before_provider_request", lambda event, _: seen.setdefault("payload", event.payload) and None)
    recipe.on("after_provider_response", lambda event, _: seen.update(status=event.status))
    recipe.on("provider_stream_event", lambda event, _: seen.update(data=dict(event.data)))
    await recipe.say("read a")
    assert (seen["headers"], seen["status"], seen["data"]) == ({}, 200, {"type": "text", "text": "text of a"})
    assert seen["payload"]["messages"] == [{"role": "user", "text": "read a"}]
    assert seen["payload"]["tools"] == ["read", "bash"]


async def test_follow_ups_run_one_after_another(recipe):
    async def work(params, ctx):
        await recipe.session.follow_up("read b")
        await recipe.session.follow_up("read c")

    recipe.tools.add("work", work, parameters=ANY)
    await recipe.say("tool work")
    assert [text for text in recipe.texts() if text.startswith("text of")] == [
        "text of b",
        "text of b",
        "text of c",
        "text of c",
    ]


def test_it_is_listed_as_what_it_is():
    assert RecipeProvider().models() == (RECIPE_MODEL,)
    assert RECIPE_MODEL.ref == "local/recipe"
    assert "no language model" in RECIPE_MODEL.name


def test_hints_name_the_application():
    assert "`acme --model provider/id`" in RecipeProvider("acme")._who()

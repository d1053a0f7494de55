"""Content, messages, entries, events, diagnostics, paths and contexts: the values everything is made of."""

import pickle
import stat
from pathlib import Path

import pytest

from pihost import events
from pihost.content import ImageContent, TextContent, ThinkingContent, ToolCall, ToolResult, Usage
from pihost.context import UI, AbortSignal, NoUI
from pihost.diagnostics import Diagnostic, has_errors, in_startup_order
from pihost.errors import ExtensionNotReadyError
from pihost.messages import AssistantMessage, CustomMessage, UserMessage
from pihost.model import Model
from pihost.paths import absolute, canonical, make_private_dir, normalize_name, slug


def test_a_result_from_text_reads_as_that_text():
    result = ToolResult.from_text("no such file", is_error=True)
    assert (result.text, result.is_error, result.details) == ("no such file", True, None)


def test_the_text_of_a_result_leaves_pictures_out():
    image = ImageContent(data="", mime_type="image/png")
    assert ToolResult(content=[TextContent(text="a"), image, TextContent(text="b")]).text == "a\nb"


def test_a_result_has_a_list_of_its_own():
    blocks = [TextContent(text="a")]
    result = ToolResult(content=blocks)
    blocks.clear()
    assert result.content == [TextContent(text="a")]


def test_an_answers_text_leaves_thoughts_and_calls_out():
    call = ToolCall(id="1", name="ls")
    answer = AssistantMessage(content=[ThinkingContent(text="hm"), TextContent(text="yes"), call])
    assert (answer.text, answer.tool_calls) == ("yes", (call,))


def test_a_custom_message_takes_a_plain_string():
    assert CustomMessage(kind="note", content="hello").content == (TextContent(text="hello"),)


def test_a_users_message_carries_its_pictures():
    image = ImageContent(data="", mime_type="image/png")
    assert UserMessage.from_text("look", [image]).content == (TextContent(text="look"), image)


def test_usage_adds_up():
    assert Usage(input=1, output=2, cache_read=3, cache_write=4).total == 10


def test_a_model_is_named_by_provider_and_id():
    assert Model(provider="local", id="recipe").ref == "local/recipe"


def test_diagnostics_come_by_kind_and_once():
    def diagnostic(kind, message, level="warning"):
        return Diagnostic(level=level, message=message, kind=kind)

    found = [
        diagnostic("load", "b"),
        diagnostic("trust", "a"),
        diagnostic("load", "b"),
        diagnostic("settings", "c"),
    ]
    assert [d.message for d in in_startup_order(found)] == ["a", "c", "b"]
    assert not has_errors(found)
    assert has_errors([*found, diagnostic("load", "b", "error")])


@pytest.mark.parametrize("name", ["Acme.Foo_Bar", "acme-foo-bar", "ACME--foo..bar"])
def test_names_compare_normalised(name):
    assert normalize_name(name) == "acme-foo-bar"


def test_the_home_of_a_user_who_is_not_there_stays_as_written(tmp_path):
    assert absolute("~nobody-of-that-name/x", tmp_path) == tmp_path / "~nobody-of-that-name" / "x"


def test_a_path_is_made_absolute_without_following_links(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert absolute("link/./x/..", tmp_path) == tmp_path / "link"
    assert canonical(tmp_path / "link" / "new") == canonical(tmp_path) / "real" / "new"


def test_a_slug_is_a_file_name():
    assert slug(Path("/srv/my project/ä")) == "srv-my-project"
    assert slug(Path("/")) == "root"


def test_a_private_directory_is_private_with_all_that_is_made_above_it(tmp_path):
    make_private_dir(tmp_path / "home" / "data" / "acme")
    made = [tmp_path / "home", tmp_path / "home" / "data", tmp_path / "home" / "data" / "acme"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700] * 3


def test_a_directory_that_is_there_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o755)
    make_private_dir(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


async def test_a_signal_tells_whoever_waits():
    signal = AbortSignal()
    assert not signal.aborted
    signal.abort()
    signal.abort()
    await signal.wait()
    assert signal.aborted


async def test_where_nobody_is_there_nothing_is_chosen_or_consented_to():
    ui = NoUI()
    assert isinstance(ui, UI)
    assert (await ui.select("t", ["a"]), await ui.confirm("t", "m"), await ui.input("t")) == (
        None,
        False,
        None,
    )


def test_an_error_names_extension_and_method():
    error = ExtensionNotReadyError("send_message", "it is too early", "acme")
    assert str(error) == "Extension 'acme': send_message: it is too early"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_every_event_is_named_after_its_hook():
    classes = [value for name, value in vars(events).items() if name.endswith("Event") and name != "Event"]
    for cls in classes:
        words = "".join(word.capitalize() for word in cls.hook_name.split("_"))
        assert cls.__name__ == f"{words}Event"


@pytest.mark.parametrize(
    "values", [{"trusted": "maybe"}, {"trusted": True}, {"trusted": "yes", "remember": "no"}]
)
def test_a_word_on_trust_must_be_one_of_three(values):
    with pytest.raises((TypeError, ValueError)):
        events.ProjectTrustResult(**values)


def test_a_block_must_be_a_boolean():
    with pytest.raises(TypeError):
        events.ToolCallResult(block="yes")


def test_a_users_command_is_answered_with_exactly_one_of_two():
    with pytest.raises(ValueError, match="exactly one"):
        events.UserBashResult()
    with pytest.raises(ValueError, match="exactly one"):
        events.UserBashResult(result=ToolResult(), operations=object())
    assert events.UserBashResult(result=ToolResult()).operations is None


def test_an_input_can_be_changed_taken_or_left():
    assert events.InputResult.transform("x").action == "transform"
    assert events.InputResult.handled().action == "handled"
    assert events.InputResult.continue_().action == "continue"


def test_what_a_patch_does_not_set_is_told_from_none():
    patch = events.ToolResultPatch(details=None)
    assert patch.details is None
    assert patch.content is events.UNSET
    assert not events.UNSET

"""The pieces that the fixtures are made of."""

import csv
import importlib.metadata

import pytest

from pihost.content import TextContent, ThinkingContent, ToolCall
from pihost.models import Error
from pihost.testing import FakeUI, ProviderContract, ScriptedModel, asks, write_distribution


class TestFakeUI:
    async def test_it_gives_its_answers_in_turn_and_then_dismisses(self):
        ui = FakeUI("b", "typed", True)
        ui.answer(None)
        assert await ui.select("Which?", ["apple", "banana"]) == "banana"
        assert await ui.input("What?", "a word") == "typed"
        assert await ui.confirm("Sure?", "really") is True
        assert await ui.select("Which?", ["apple"]) is None
        assert (await ui.select("Which?", ["a"]), await ui.input("?"), await ui.confirm("?", "")) == (
            None,
            None,
            False,
        )
        assert [one.kind for one in ui.dialogs[:3]] == ["select", "input", "confirm"]

    async def test_an_answer_that_is_no_option_dismisses(self):
        assert await FakeUI("pear").select("Which?", ["apple"]) is None

    def test_it_remembers_notices_and_the_status_lines_that_stand(self):
        ui = FakeUI()
        ui.notify("careful", "warning")
        ui.set_status("a", "on")
        ui.set_status("b", "on")
        ui.set_status("a", None)
        assert ui.notices == [("warning", "careful")]
        assert ui.statuses == {"b": "on"}


class TestScriptedModel(ProviderContract):
    @pytest.fixture
    def provider(self):
        return ScriptedModel([ThinkingContent(text="hm"), "hello", asks("look", place="here")])

    async def test_calls_get_ids_of_their_own(self, pihost_host, scripted_model):
        scripted_model.answer(
            [asks("ls"), asks("ls", path=".")], lambda request: f"{len(request.messages)} messages"
        )
        async with pihost_host() as bench:
            await bench.prompt("look twice")
            assert [one.tool_call_id for one in bench.results] == ["call-1", "call-2"]
            assert bench.answer == "4 messages"

    async def test_without_an_answer_left_the_request_fails_and_says_so(self, pihost_host):
        async with pihost_host() as bench:
            await bench.prompt("hello")
            assert bench.messages[-1].error_message == "the scripted model has no answer left for request 1"

    async def test_failures_are_answers_too(self, pihost_host, scripted_model):
        scripted_model.answer(Error(message="first"), RuntimeError("second"))
        async with pihost_host() as bench:
            await bench.prompt("one")
            await bench.prompt("two")
            faults = [one.error_message for one in bench.messages if one.role == "assistant"]
        assert faults[0] == "first"
        assert "second" in faults[1]


class Careless(ScriptedModel):
    """Breaks the rules in the ways that its flags say."""

    def __init__(self, flaw):
        super().__init__(*["hello"] * 9)
        self.flaw = flaw

    async def stream(self, request, hooks):
        if self.flaw == "headers":
            await hooks.after_response(200, {})
        async for piece in super().stream(request, hooks):
            if piece.type == "done" and self.flaw == "ends twice":
                yield piece
            if piece.type == "text_delta" and self.flaw == "loses text":
                continue
            yield piece


@pytest.mark.parametrize(
    ("flaw", "test"),
    [
        ("headers", "test_hooks_are_called_in_order"),
        ("ends twice", "test_an_answer_ends_in_exactly_one_done"),
        ("loses text", "test_the_pieces_are_what_the_message_holds"),
    ],
)
def test_the_contract_finds_who_breaks_it(flaw, test):
    getattr(ProviderContract(), test)(Careless(None))
    with pytest.raises(AssertionError):
        getattr(ProviderContract(), test)(Careless(flaw))


def test_a_written_distribution_is_one_to_the_standard_library(tmp_path):
    write_distribution(
        tmp_path,
        "acme-tools",
        version="2.1",
        requires=["pihost>=0.1"],
        entry_points={"pihost.extensions": {"acme": "acme:setup"}},
        files={"acme.py": "def setup(api): pass\n"},
    )
    (found,) = importlib.metadata.distributions(path=[str(tmp_path)])
    (entry,) = found.entry_points
    assert (found.name, found.version, found.requires) == ("acme-tools", "2.1", ["pihost>=0.1"])
    assert (entry.group, entry.name, entry.value) == ("pihost.extensions", "acme", "acme:setup")
    recorded = {row[0] for row in csv.reader((found.read_text("RECORD") or "").splitlines())}
    assert recorded == {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}


def test_asking_makes_a_call_and_text_a_block():
    assert asks("read", path="a") == ToolCall(id="", name="read", arguments={"path": "a"})
    message = ScriptedModel()._message(["a", asks("ls")])
    assert message.content[0] == TextContent(text="a")
    assert message.stop_reason == "tool_use"

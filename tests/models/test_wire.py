import email.utils
import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.models import (
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    http_error,
    payload_bytes,
    plain_call_ids,
    whole_text,
)


def test_a_surrogate_pair_is_one_character():
    assert whole_text("\ud83d\ude00") == "😀"


@given(st.text(st.characters()))
def test_whole_text_can_always_be_encoded(text):
    whole = whole_text(text)
    assert whole.encode().decode() == whole
    assert len(whole) <= len(text)


def test_a_payload_is_json_in_utf_8():
    assert json.loads(payload_bytes({"text": "grüße 😀", "n": [1, None]})) == {
        "text": "grüße 😀",
        "n": [1, None],
    }


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("a\udc80b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("\\ud83d", "\\ud83d"),
        ("\\ud83d \ud83d", "\\ud83d \ufffd"),
    ],
)
def test_a_lone_surrogate_is_sent_as_the_replacement_character(text, sent):
    assert json.loads(payload_bytes({text: [text]})) == {sent: [sent]}


@given(st.dictionaries(st.text(st.characters()), st.text(st.characters())))
def test_every_payload_has_a_body(payload):
    assert isinstance(json.loads(payload_bytes(payload).decode()), dict)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_can_pass_may_be_tried_again(status):
    error = http_error(status, {}, "busy")
    assert (error.message, error.status, error.retryable) == ("busy", status, True)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422, 501])
def test_what_stays_wrong_is_not_tried_again(status):
    assert not http_error(status, {}, "no").retryable


@pytest.mark.parametrize(("said", "retryable"), [("true", True), ("false", False)])
def test_the_provider_has_the_last_word(said, retryable):
    for status in (400, 500):
        assert http_error(status, {"X-Should-Retry": said}, "x").retryable is retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_the_wait_asked_for_is_part_of_the_error(headers, seconds):
    assert http_error(429, headers, "x").retry_after == seconds


def test_the_wait_may_be_a_date():
    soon = http_error(503, {"retry-after": email.utils.formatdate(time.time() + 30, usegmt=True)}, "x")
    past = http_error(503, {"retry-after": email.utils.formatdate(0, usegmt=True)}, "x")
    assert 20 < soon.retry_after <= 31
    assert past.retry_after == 0.0


def asks(*ids):
    return AssistantMessage(content=[TextContent(text="t"), *(ToolCall(id=i, name="t") for i in ids)])


def result(call_id):
    return ToolResultMessage(tool_call_id=call_id, tool_name="t")


def ids_of(messages):
    """Of each answer: the ids of its calls, and those of the results behind it."""
    found = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            found.append(([call.id for call in message.tool_calls], []))
        elif isinstance(message, ToolResultMessage):
            found[-1][1].append(message.tool_call_id)
    return found


def test_plain_ids_stay():
    messages = (UserMessage.from_text("u"), asks("toolu_1", "call-2"), result("call-2"), result("toolu_1"))
    assert plain_call_ids(messages) == messages


def test_an_id_used_again_later_gets_another_with_its_results():
    messages = [asks("1"), result("1"), asks("1", "1_2"), result("1"), result("1_2")]
    assert ids_of(plain_call_ids(messages)) == [(["1"], ["1"]), (["1_2", "1_2_2"], ["1_2", "1_2_2"])]


def test_ids_used_twice_in_one_answer_are_told_apart_in_order():
    messages = [asks("", ""), result(""), result("")]
    assert ids_of(plain_call_ids(messages)) == [(["call", "call_2"], ["call", "call_2"])]


weird_ids = st.one_of(st.text(max_size=3), st.text("ab|:", min_size=38, max_size=60), st.just("fc_1|call_1"))


@given(st.lists(st.lists(weird_ids, max_size=4), max_size=4))
def test_every_call_has_a_plain_id_of_its_own_and_its_result(answers):
    messages = [m for ids in answers for m in (asks(*ids), *map(result, ids))]
    found = ids_of(plain_call_ids(messages))
    every = [call_id for ids, _ in found for call_id in ids]
    assert len(set(every)) == len(every)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", call_id) for call_id in every)
    assert all(sorted(ids) == sorted(results) for ids, results in found)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_told_with_where_it_leads(status):
    error = http_error(status, {"Location": "https://models.example.com/v1"}, "moved")
    assert error.message == (
        f"{status}: the server sends requests on to https://models.example.com/v1; "
        "if that is right, it is the base_url"
    )
    assert not error.retryable


@pytest.mark.parametrize(
    ("status", "headers"), [(401, {"location": "/login"}), (304, {}), (302, {"location": " "})]
)
def test_what_leads_nowhere_is_told_as_it_is(status, headers):
    assert http_error(status, headers, "said").message == "said"

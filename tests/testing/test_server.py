"""The scripted server: what a client gets, and what the test is told of it."""

import http.client
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from pihost.testing import Reply, ScriptedServer, server_sent_events


@pytest.fixture
def server():
    with ScriptedServer() as running:
        yield running


def get(url, data=None):
    return urllib.request.urlopen(urllib.request.Request(url, data=data)).read()


def test_answers_come_in_turn_and_then_the_usual_one(server):
    server.answer(Reply(parts=b"one"), lambda request: Reply(parts=request.path.encode()))
    server.otherwise(Reply(parts=(b"al", b"ways")))
    assert [get(f"{server.url}/{number}") for number in range(3)] == [b"one", b"/1", b"always"]


def test_it_remembers_what_came(server):
    server.answer(Reply.of_json({}))
    get(f"{server.url}/v1?x=1", b'{"a": 1}')
    (request,) = server.received
    assert (request.method, request.path, request.payload) == ("POST", "/v1?x=1", {"a": 1})
    assert request.headers["content-length"] == "8"


def test_without_an_answer_left_it_says_so(server):
    with pytest.raises(urllib.error.HTTPError) as caught:
        get(server.url)
    with caught.value as answer:
        assert answer.code == 500
        assert b"no answer left" in answer.read()


def test_an_incomplete_answer_is_one_to_the_client(server):
    server.answer(Reply(parts=b"half", complete=False))
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc)
    connection.request("GET", "/")
    with pytest.raises(http.client.IncompleteRead) as caught:
        connection.getresponse().read()
    connection.close()
    assert caught.value.partial == b"half"


def test_events_are_frames_with_their_names():
    assert server_sent_events([{"type": "a", "n": 1}, "[DONE]"]) == (
        b'event: a\ndata: {"type": "a", "n": 1}\n\n',
        b"data: [DONE]\n\n",
    )
    assert server_sent_events(["x"], end="\r\n", split=3) == (b"dat", b"a: ", b"x\r\n", b"\r\n")

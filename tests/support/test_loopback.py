"""The test server itself: what the other tests stand on."""

from __future__ import annotations

import http.client
import json
from typing import Any

from verifytui.tests.support.loopback import Answer, Loopback, in_turn


def post(server: Loopback, **body: Any) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(
        server.root.removeprefix("http://"), timeout=5
    )
    connection.request(
        "POST",
        "/v1/chat/completions",
        json.dumps({"model": "m", **body}),
        {"x-test": "1"},
    )
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def events(raw: bytes) -> list[Any]:
    return [
        json.loads(line[6:])
        for line in raw.decode().split("\n\n")
        if line.startswith("data: {")
    ]


def test_whole_answer(loopback: Loopback) -> None:
    loopback.answer = Answer(text="hello", reasoning="hm", usage=(3, 4))
    status, raw = post(loopback)
    answer = json.loads(raw)
    assert status == 200
    assert answer["choices"][0]["message"] == {
        "role": "assistant",
        "content": "hello",
        "reasoning_content": "hm",
    }
    assert answer["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": 4,
        "total_tokens": 7,
    }
    assert loopback.requests == [{"model": "m"}]
    assert loopback.headers[0]["x-test"] == "1"


def test_stream(loopback: Loopback) -> None:
    loopback.answer = Answer(chunks=["a", "b"])
    _, raw = post(loopback, stream=True, stream_options={"include_usage": True})
    *_, a, b, finish, usage = events(raw)
    assert (a["choices"][0]["delta"], b["choices"][0]["delta"]) == (
        {"content": "a"},
        {"content": "b"},
    )
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert usage["usage"]["total_tokens"] == 18
    assert raw.endswith(b"data: [DONE]\n\n")


def test_cut_stream_ends_without_finish(loopback: Loopback) -> None:
    loopback.answer = Answer(chunks=["a", "b"], cut_after=2)
    _, raw = post(loopback, stream=True)
    assert [event["choices"][0]["finish_reason"] for event in events(raw)] == [
        None,
        None,
    ]
    assert b"[DONE]" not in raw


def test_answers_in_turn(loopback: Loopback) -> None:
    loopback.answer = in_turn(Answer(status=500, error="no"), Answer())
    assert [post(loopback)[0] for _ in range(3)] == [500, 200, 200]


def test_a_client_that_leaves_is_seen(loopback: Loopback) -> None:
    loopback.answer = Answer(stall_after=0)
    connection = http.client.HTTPConnection(
        loopback.root.removeprefix("http://"), timeout=5
    )
    connection.request("POST", "/v1/chat/completions", json.dumps({"model": "m"}))
    assert loopback.wait_until(lambda server: server.busy == 1)
    connection.close()
    assert loopback.wait_until(
        lambda server: server.aborted == 1 and server.open_connections == 0
    )

"""Everything that can go wrong between a question and its answer: the kind, one
sentence, what is tried again, what it cost.
"""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import aclosing
from email.utils import formatdate

import pytest
from verifytui.engines.models.port import ModelError, Task, Waiting
from verifytui.sessions.events import Usage
from verifytui.tests.support.asking import MESSAGES, Asked, Make, ask, both
from verifytui.tests.support.loopback import Answer, Loopback, in_turn

STATUS = [
    (
        Answer(status=401, error="Incorrect API key provided: sk-loopback-0123456789."),
        "auth",
        1,
    ),
    (Answer(status=403, error="Country not supported"), "auth", 1),
    (
        Answer(status=404, error="The model `gpt-4-0314` has been deprecated"),
        "not-found",
        1,
    ),
    (
        Answer(
            status=400,
            error="This model's maximum context length is 8192 tokens. However, your "
            "messages resulted in 9000 tokens.",
        ),
        "context",
        1,
    ),
    (
        Answer(
            status=400, error={"message": "context", "code": "context_length_exceeded"}
        ),
        "context",
        1,
    ),
    (
        Answer(
            status=400,
            error={"message": "The response was filtered", "code": "content_filter"},
        ),
        "content-filter",
        1,
    ),
    (
        Answer(
            status=400,
            error="Your request was rejected as a result of our content management "
            "policy.",
        ),
        "content-filter",
        1,
    ),
    (Answer(status=400, error="messages: wrong"), "bad-request", 1),
    (Answer(status=422, error="unprocessable"), "bad-request", 1),
    (Answer(status=429, error="slow down"), "rate-limit", 3),
    (Answer(status=500, error="boom"), "server", 3),
    (Answer(status=502, body=b"<html>bad gateway</html>"), "server", 3),
    (Answer(status=503, error="overloaded"), "server", 3),
    (Answer(status=504, error="gateway timeout"), "server", 3),
    (Answer(drop=True), "connection", 3),
]


async def failing(
    make: Make, loopback: Loopback, answer: Answer, stream: bool, **config: object
) -> tuple[ModelError, Asked, object]:
    loopback.answer = answer
    desk = make("gpt-4", stream=stream, **config)
    asked = Asked()
    with pytest.raises(ModelError) as raised:
        await ask(desk, into=asked)
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 400
    assert "sk-loopback" not in message
    assert "Traceback" not in message
    assert "gpt-4" in message
    return raised.value, asked, desk.take_spent()


@both
@pytest.mark.parametrize(
    ("answer", "kind", "requests"),
    STATUS,
    ids=lambda value: str(getattr(value, "status", value)),
)
async def test_statuses(
    loopback: Loopback,
    make: Make,
    stream: bool,
    answer: Answer,
    kind: str,
    requests: int,
) -> None:
    error, asked, spent = await failing(make, loopback, answer, stream)
    assert error.kind == kind or (kind, error.kind) == ("connection", "cut")
    assert len(loopback.requests) == requests
    assert [wait.attempt for wait in asked.waits] == list(range(1, requests))
    assert all((wait.kind, wait.model) == (error.kind, "gpt-4") for wait in asked.waits)
    assert (spent.kind, spent.attempts, spent.message) == (
        error.kind,
        requests,
        str(error),
    )
    if error.kind != "cut":
        assert (spent.usage, spent.cost) == (Usage(input=0, output=0), 0.0), (
            "what was refused costs nothing"
        )


@both
async def test_retrying_can_be_turned_off(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    error, asked, _ = await failing(
        make, loopback, Answer(status=500), stream, retries=0
    )
    assert (error.kind, asked.waits, len(loopback.requests)) == ("server", [], 1)


@both
async def test_a_failure_that_passes(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = in_turn(
        Answer(status=500),
        Answer(status=429, headers={"retry-after": "0"}),
        Answer(text="At last."),
    )
    asked = await ask(make(stream=stream))
    assert asked.reply.text == "At last."
    assert asked.reply.attempts == 3
    assert [(wait.kind, wait.attempt) for wait in asked.waits] == [
        ("server", 1),
        ("rate-limit", 2),
    ]


@both
async def test_pauses_double(loopback: Loopback, make: Make, stream: bool) -> None:
    loopback.answer = in_turn(
        Answer(status=500), Answer(status=500), Answer(status=500), Answer()
    )
    waits = (await ask(make(stream=stream, retries=3, retry_wait=0.01))).waits
    assert [wait.seconds // 0.01 for wait in waits] == [1, 2, 4], (
        "the random part is at most half of the first pause"
    )


async def test_a_pause_has_a_longest(loopback: Loopback, make: Make) -> None:
    loopback.answer = Answer(status=500)
    async with aclosing(make(retry_wait=45.0).ask("judge", Task(), MESSAGES)) as parts:
        waiting = await anext(part async for part in parts if isinstance(part, Waiting))
    assert 30 <= waiting.seconds <= 30 + 45 / 2


@both
async def test_retry_after_is_honoured(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    for header, low, high in [
        ({"retry-after": "0.03"}, 0.03, 0.03),
        ({"retry-after-ms": "20"}, 0.02, 0.02),
        ({"retry-after": formatdate(time.time() + 1, usegmt=True)}, 0, 1.0),
    ]:
        loopback.answer = in_turn(
            Answer(status=429, error="slow", headers=header), Answer()
        )
        (wait,) = (await ask(make(stream=stream))).waits
        assert low <= wait.seconds <= high


@both
async def test_a_pause_beyond_reason_is_not_waited_for(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    error, asked, _ = await failing(
        make,
        loopback,
        Answer(status=429, error="tomorrow", headers={"retry-after": "86400"}),
        stream,
    )
    assert (error.kind, error.retry_after, asked.waits) == ("rate-limit", 86400, [])


@both
async def test_refused_connection(
    make: Make, loopback: Loopback, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{port}/v1")
    error, asked, spent = await failing(make, loopback, Answer(), stream)
    assert (error.kind, len(asked.waits), spent.usage, spent.cost) == (
        "connection",
        2,
        Usage(input=0, output=0),
        0.0,
    )
    assert f"127.0.0.1:{port} " in str(error)


@both
async def test_a_refused_key_is_named_by_its_variable(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    error, _, _ = await failing(make, loopback, Answer(status=401, error="No."), stream)
    assert "check OPENAI_API_KEY in the environment" in str(error)


@both
async def test_missing_key_is_said_at_once(
    make: Make, loopback: Loopback, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiteLLM makes a retryable 500 of it."""
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    for model, variable in [
        ("gpt-4", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("deepseek/deepseek-chat", "DEEPSEEK_API_KEY"),
    ]:
        desk = make(model, stream=stream)
        with pytest.raises(ModelError, match=variable) as raised:
            await ask(desk)
        assert raised.value.kind == "missing-key"
        assert desk.take_spent().attempts <= 1


@both
async def test_missing_key_that_litellm_finds(
    make: Make, loopback: Loopback, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For providers that are not in our table the word comes from LiteLLM, as a 500 or
    another error.
    """
    from verifytui.engines.models.providers import PROVIDERS, Provider

    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    monkeypatch.setitem(PROVIDERS, "openai", Provider((), "api.openai.com"))
    desk = make("gpt-4", stream=stream)
    with pytest.raises(ModelError) as raised:
        await ask(desk)
    assert raised.value.kind == "missing-key"
    spent = desk.take_spent()
    assert (spent.attempts, spent.usage) == (1, Usage(input=0, output=0))


async def test_a_stream_that_is_cut(loopback: Loopback, make: Make) -> None:
    """LiteLLM reports it as finished with `stop`."""
    error, asked, spent = await failing(
        make, loopback, Answer(chunks=["half ", "a reply", "!"], cut_after=3), True
    )
    assert error.kind == "cut"
    assert asked.streamed(reasoning=False) == "half a reply" * 3
    assert spent.attempts == 3
    assert spent.usage.estimated
    assert spent.usage.output == 9
    assert spent.cost > 0


async def test_a_stream_without_finish_and_with_done(
    loopback: Loopback, make: Make
) -> None:
    error, _, _ = await failing(make, loopback, Answer(finish=None), True)
    assert error.kind == "cut"


@both
async def test_a_connection_that_breaks_in_the_middle(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    error, _, spent = await failing(
        make, loopback, Answer(text="x" * 4000, cut_after=2, drop=True), stream
    )
    assert error.kind == "cut"
    assert spent.usage.estimated


@both
async def test_total_time_limit(loopback: Loopback, make: Make, stream: bool) -> None:
    error, _, spent = await failing(
        make,
        loopback,
        Answer(text="x" * 400, delay=0.02, stall_after=None if stream else 0),
        stream,
        timeout=0.15,
        retries=0,
    )
    assert error.kind == "timeout"
    assert "0.15 seconds" in str(error)
    assert spent.usage.estimated
    assert await loopback.until(
        lambda server: server.aborted == 1 and server.open_connections == 0
    )


async def test_stall(loopback: Loopback, make: Make) -> None:
    error, asked, spent = await failing(
        make,
        loopback,
        Answer(chunks=["some", "more"], stall_after=2),
        True,
        stall_timeout=0.4,
    )
    assert error.kind == "stall"
    assert asked.streamed(reasoning=False) == "some" * 3
    assert len(asked.waits) == 2
    assert spent.usage.estimated
    assert await loopback.until(
        lambda server: server.aborted == 3 and server.open_connections == 0
    )


async def test_stall_before_the_first_token(loopback: Loopback, make: Make) -> None:
    error, _, _ = await failing(
        make, loopback, Answer(first_delay=60), True, stall_timeout=0.1, retries=0
    )
    assert error.kind == "stall"
    assert await loopback.until(
        lambda server: server.aborted == 1 and server.open_connections == 0
    )


async def test_a_slow_stream_does_not_stall(loopback: Loopback, make: Make) -> None:
    loopback.answer = Answer(text="x" * 240, delay=0.05)
    assert (await ask(make(stall_timeout=0.4))).reply.text == "x" * 240


@both
@pytest.mark.parametrize(
    "answer",
    [
        Answer(text=""),
        Answer(text=" \n\t "),
        Answer(text="", reasoning="I think"),
        Answer(text="<think>hm</think> "),
    ],
)
async def test_an_answer_of_nothing(
    loopback: Loopback, make: Make, stream: bool, answer: Answer
) -> None:
    error, asked, spent = await failing(make, loopback, answer, stream)
    assert (error.kind, asked.waits) == ("empty", [])
    assert spent.usage == Usage(input=11, output=7), "the provider's own figures"
    assert spent.cost == pytest.approx(11 * 30e-6 + 7 * 60e-6)


@both
async def test_an_answer_of_nothing_for_lack_of_tokens(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    error, _, _ = await failing(
        make, loopback, Answer(text="", reasoning="long", finish="length"), stream
    )
    assert error.kind == "empty"
    assert "max_tokens" in str(error)


@both
async def test_content_filter(loopback: Loopback, make: Make, stream: bool) -> None:
    error, asked, _ = await failing(
        make, loopback, Answer(text="", finish="content_filter"), stream
    )
    assert (error.kind, asked.waits) == ("content-filter", [])
    loopback.answer = Answer(text="Up to here", finish="content_filter")
    assert (await ask(make(stream=stream))).reply.finish == "content_filter"


@both
async def test_stopped_for_length_is_kept_and_said(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = Answer(text="Half of", finish="length")
    reply = (await ask(make(stream=stream))).reply
    assert (reply.text, reply.finish) == ("Half of", "length")


@both
async def test_a_megabyte(loopback: Loopback, make: Make, stream: bool) -> None:
    loopback.answer = Answer(chunks=["很长" * 5000] * 100)
    assert (await ask(make(stream=stream))).reply.text == "很长" * 500_000


@both
@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"index": 0, "message": null, "finish_reason": "stop"}]}',
    ],
)
async def test_an_answer_that_is_not_one(
    loopback: Loopback, make: Make, stream: bool, body: bytes
) -> None:
    error, _, _ = await failing(make, loopback, Answer(body=body), stream)
    assert error.kind in (
        "server",
        "cut",
        "internal",
        "connection",
        "empty",
        "bad-request",
    )


@both
@pytest.mark.parametrize(
    "answer",
    [Answer(first_delay=60), Answer(text="x" * 100, stall_after=3)],
    ids=["before", "amid"],
)
async def test_cancelling_closes_the_connection_at_once(
    loopback: Loopback, make: Make, stream: bool, answer: Answer
) -> None:
    loopback.answer = answer
    desk = make("gpt-4", stream=stream)
    asked = Asked()
    task = asyncio.ensure_future(ask(desk, into=asked))
    assert await loopback.until(lambda server: server.busy == 1)
    while stream and answer.stall_after and len(asked.parts) < 2:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await loopback.until(  # in ten seconds; the rest of the reply takes longer
        lambda server: server.aborted == 1 and server.open_connections == 0
    )
    spent = desk.take_spent()
    assert (spent.kind, spent.attempts) == ("cancelled", 1)
    assert spent.usage.estimated
    assert spent.cost > 0


@both
async def test_closing_the_iterator_closes_the_connection(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    from verifytui.engines.models.port import Task
    from verifytui.tests.support.asking import MESSAGES

    loopback.answer = Answer(text="x" * 100, delay=0.01, stall_after=3)
    if not stream:
        return
    desk = make(stream=stream)
    parts = desk.ask("judge", Task(), MESSAGES)
    await anext(parts)
    await parts.aclose()
    assert await loopback.until(
        lambda server: server.aborted == 1 and server.open_connections == 0
    )
    assert desk.take_spent().kind == "cancelled"


async def test_cancelling_while_it_waits_for_the_next_attempt(
    loopback: Loopback, make: Make
) -> None:
    loopback.answer = Answer(status=429, error="slow", headers={"retry-after": "60"})
    desk = make()
    asked = Asked()
    task = asyncio.ensure_future(ask(desk, into=asked))
    while not asked.waits:
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert desk.take_spent().attempts == 1

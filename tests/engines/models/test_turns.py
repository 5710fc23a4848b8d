"""Calls through the desk, within the limits of their models."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from verifytui.engines.models import pacing
from verifytui.engines.models.calls import Target
from verifytui.engines.models.config import NamedModel
from verifytui.engines.models.limits import RateLimits
from verifytui.engines.models.other_endpoints import embed
from verifytui.engines.models.port import ModelError
from verifytui.sessions.events import LimitWait, Usage
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import Asked, Make, ask, both
from verifytui.tests.support.embedding import Embedder
from verifytui.tests.support.loopback import Answer, Loopback, in_turn
from verifytui.tests.support.serving import Server
from verifytui.tests.support.time import SetTime

MINE = Seat(model="qwen", name="mine")


@both
async def test_sessions_share_the_places_of_a_named_model(
    loopback: Loopback, make: Make, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifytui.engines.models.attempt_permits.SILENT", 0.02)
    models = {
        "mine": NamedModel(model="qwen", api_base=loopback.base_url, concurrency=1)
    }
    hold = threading.Event()
    loopback.answer = Answer(hold=hold)
    first = asyncio.create_task(ask(make(MINE, stream=stream, models=models)))
    assert await loopback.until(lambda server: server.busy == 1, timeout=60)
    waiting = Asked()
    desk = make(MINE, stream=stream, models=models)
    second = asyncio.create_task(ask(desk, into=waiting))
    while not waiting.waits:
        await asyncio.sleep(0.005)
    assert (waiting.waits[0].kind, waiting.waits[0].message) == (
        "limit",
        "Waiting for the rate limit of mine.",
    )
    assert len(loopback.requests) == 1
    hold.set()
    reply = (await first, await second)[1].reply
    assert isinstance(reply.held, LimitWait)
    assert (reply.held.waited >= 0.02, reply.held.slowed, reply.attempts) == (
        True,
        0,
        1,
    )
    assert reply.seconds < reply.held.waited + 5
    assert (await first).reply.held is not reply.held


async def test_a_refusal_and_its_pause_are_everybodys(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SetTime()
    monkeypatch.setattr(pacing, "_here", pacing.ProcessPacing(clock))
    models = {"mine": NamedModel(model="qwen", api_base=loopback.base_url)}
    loopback.answer = in_turn(
        Answer(), Answer(status=429, headers={"retry-after": "30"}), Answer()
    )
    await ask(make(MINE, models=models))
    refused = make(MINE, models=models, retries=0)
    with pytest.raises(ModelError, match="accepts no more calls"):
        await ask(refused)
    spent = refused.take_spent()
    assert spent is not None
    assert (spent.kind, spent.held) == ("rate-limit", LimitWait(slowed=1))
    other = asyncio.create_task(ask(make(MINE, models=models)))
    await clock.go_on(29)
    assert len(loopback.requests) == 2
    await asyncio.sleep(0)
    await clock.go_on(2)
    reply = (await other).reply
    assert (reply.text, reply.held) == ("An answer.", LimitWait(waited=30.0))
    unnamed = await ask(make(stream=False))
    assert unnamed.reply.held != reply.held, (
        "a model of another name is not slowed down"
    )


async def test_a_cancelled_call_leaves_its_place(
    loopback: Loopback, make: Make
) -> None:
    models = {
        "mine": NamedModel(model="qwen", api_base=loopback.base_url, concurrency=1)
    }
    loopback.answer = Answer(hold=threading.Event())
    first = asyncio.create_task(ask(make(MINE, models=models)))
    assert await loopback.until(lambda server: server.busy == 1, timeout=60)
    waits = asyncio.create_task(ask(make(MINE, models=models)))
    await asyncio.sleep(0)
    for task in (waits, first):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    loopback.answer = Answer()
    assert (await ask(make(MINE, models=models))).reply.text == "An answer."


async def test_tokens_of_calls_and_of_vectors_count_together(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    clock = SetTime()
    here = pacing.ProcessPacing(clock)
    monkeypatch.setattr(pacing, "_here", here)
    pace = RateLimits(max_tpm=100)
    with Server() as server:
        server.says = Embedder({}, [1.0, 0.0])
        target = Target(
            model="near", call_as="openai/near", provider="openai", host="x", api_base=f"{server.url}/v1", api_key="none",
            paced_as="near", pace=pace,
        )  # fmt: skip
        assert (await embed(target, ["a", "b"], {})).usage == Usage(input=20, output=0)
        assert here.at_once("near", pace, 85) is None, (
            "20 tokens of the minute are used"
        )
        assert here.at_once("near", pace, 50) is not None


async def test_another_form_of_the_same_request_counts_as_another_call(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SetTime()
    monkeypatch.setattr(pacing, "_here", pacing.ProcessPacing(clock))
    models = {
        "mine": NamedModel(
            model="qwen-forms", api_base=loopback.base_url, max_rps=0.1, schema=True
        )
    }
    refused = Answer(status=400, error="response_format json_schema is not supported")
    loopback.answer = in_turn(refused, Answer(text="{}"))
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    asked = asyncio.create_task(
        ask(make(Seat(model="qwen-forms", name="mine"), models=models), schema=schema)
    )
    assert await loopback.until(lambda server: len(server.requests) == 1, timeout=60)
    async with asyncio.timeout(30):
        while clock.next_at > 10:
            await asyncio.sleep(0.005)
    assert len(loopback.requests) == 1
    await clock.go_on(10)
    assert (await asked).reply.text == "{}"
    assert len(loopback.requests) == 2


async def test_event_loops_of_several_threads_share_the_limits() -> None:
    shared, pace = pacing.ProcessPacing(), RateLimits(concurrency=1)
    ticket = shared.at_once("mine", pace, 0)
    assert ticket is not None
    waits = asyncio.Event()

    class Beside(pacing.Clock):
        async def wait(self, news: asyncio.Event, seconds: float) -> None:
            loop.call_soon_threadsafe(waits.set)
            async with asyncio.timeout(10):
                await news.wait()

    loop, shared._clock = asyncio.get_running_loop(), Beside()
    beside = asyncio.create_task(
        asyncio.to_thread(lambda: asyncio.run(shared.enter("mine", pace, 0)))
    )
    await waits.wait()
    shared.leave(ticket, 0)
    assert (await beside).model == "mine"

"""Asking through the desk: replies, books, seats."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from verifytui.engines.models.config import NamedModel, TokenPrices
from verifytui.engines.models.port import ModelError
from verifytui.engines.reports.batch import usage as usage_of
from verifytui.engines.reports.cached_input import in_words
from verifytui.sessions.events import Failure, Usage
from verifytui.sessions.session import Seat, Totals
from verifytui.tests.support.asking import MESSAGES, Make, ask, both
from verifytui.tests.support.loopback import Answer, Loopback


@both
async def test_a_reply(loopback: Loopback, make: Make, stream: bool) -> None:
    loopback.answer = Answer(text="Two metres per second. " * 5)
    desk = make(stream=stream)
    asked = await ask(desk)
    reply = asked.reply
    assert reply.text == "Two metres per second. " * 5
    assert reply.model == "openai/some-model"
    assert reply.usage == Usage(input=11, output=7)
    assert reply.cost is None, "the price of an unknown model is unknown, not 0"
    assert (
        reply.finish,
        reply.attempts,
        reply.reasoning,
        reply.dropped,
        reply.structured,
    ) == ("stop", 1, None, [], False)
    assert 0 < reply.seconds < 10
    assert asked.streamed(reasoning=False) == (reply.text if stream else "")
    sent = loopback.requests[0]
    assert sent["messages"] == MESSAGES
    assert sent["temperature"] == 0
    assert sent.get("stream", False) == stream


@both
async def test_named_model_goes_to_its_server_with_its_prices(
    loopback: Loopback, make: Make, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with an id LiteLLM does not know, and without handing the environment's key
    to that server.
    """
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MY_KEY", "my-own-key")
    named = NamedModel(
        model="Qwen/Qwen3-8B",
        api_base=loopback.base_url,
        prices=TokenPrices(input=1_000_000, output=2_000_000),
        params={"top_k": 5},
    )
    desk = make(
        Seat(model="Qwen/Qwen3-8B", name="mine"), stream=stream, models={"mine": named}
    )
    reply = (await ask(desk)).reply
    assert (reply.model, reply.cost) == ("Qwen/Qwen3-8B", 11 + 2 * 7)
    assert (loopback.requests[0]["model"], loopback.requests[0]["top_k"]) == (
        "Qwen/Qwen3-8B",
        5,
    )
    assert "sk-loopback" not in loopback.headers[0]["authorization"]
    named.api_key_env = "MY_KEY"
    await ask(
        make(
            Seat(model="Qwen/Qwen3-8B", name="mine"),
            stream=stream,
            models={"mine": named},
        )
    )
    assert loopback.headers[1]["authorization"] == "Bearer my-own-key"


@both
async def test_known_prices(loopback: Loopback, make: Make, stream: bool) -> None:
    reply = (await ask(make("gpt-4", stream=stream))).reply
    assert reply.cost == pytest.approx(11 * 30e-6 + 7 * 60e-6)


@both
async def test_usage_that_nobody_gave_is_estimated_and_says_so(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = Answer(text="word " * 100, usage=None)
    reply = (await ask(make("gpt-4", stream=stream))).reply
    assert reply.usage is not None
    assert reply.usage.estimated
    assert 60 < (reply.usage.output or 0) < 200
    assert 5 < (reply.usage.input or 0) < 40
    assert reply.cost is not None
    assert reply.cost > 0


@both
async def test_input_from_the_providers_cache_is_told_where_it_is_known(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = Answer(text="word", usage=(1000, 1), cached_input=620)
    told = (await ask(make("gpt-4", stream=stream))).reply.usage
    loopback.answer = Answer(text="word", usage=(1000, 1))
    untold = (await ask(make("gpt-4", stream=stream))).reply.usage
    assert (told, untold) == (
        Usage(input=1000, output=1, cached_input=620),
        Usage(input=1000, output=1),
    )
    assert msgspec.to_builtins(untold) == {
        "input": 1000,
        "output": 1,
        "estimated": False,
    }
    events = [
        Failure(kind="cut", message="", role="annotator", usage=usage, cost=0.0)
        for usage in (told, untold)
    ]
    spent = Totals()
    for event in events:
        totals = Totals.of(event)
        assert totals is not None
        spent.add(totals)
    assert spent.cached_share == 0.62
    assert in_words(usage_of(spent), spent.calls) == [
        "62.0% of the input tokens came from the provider's cache (620 of 1,000); "
        "reported by 1 of 2 calls; how much this saved is unknown"
    ]
    assert in_words(usage_of(Totals()), 0) == []


@both
@pytest.mark.parametrize("variable", ["OPENAI_API_BASE", "OPENAI_BASE_URL"])
async def test_endpoint_from_the_environment(
    loopback: Loopback,
    make: Make,
    stream: bool,
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_BASE")
    monkeypatch.setenv(variable, loopback.base_url)
    asked = await ask(make("gpt-4", stream=stream))
    assert asked.reply.text == "An answer."
    assert asked.remarks == [], "this machine needs no remark"
    assert loopback.headers[0]["authorization"] == "Bearer sk-loopback-0123456789"


async def test_local_server_needs_no_key(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert (await ask(make())).reply.text == "An answer."


@both
async def test_parameters_are_sent_and_ours_are_not(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    params = {
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 50,
        "seed": 3,
        "stop": ["END"],
        "timeout": 9,
        "stall_timeout": 8,
    }
    reply = (
        await ask(make(Seat(model="openai/some-model", params=params), stream=stream))
    ).reply
    sent = loopback.requests[0]
    assert {name: sent[name] for name in list(params)[:5]} == {
        name: params[name] for name in list(params)[:5]
    }
    assert not {"timeout", "stall_timeout"} & sent.keys()
    assert reply.dropped == []


@both
async def test_parameters_that_the_model_does_not_take(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    desk = make(Seat(model="gpt-5", params={"seed": 3, "top_p": 0.9}), stream=stream)
    first, second = await ask(desk), await ask(desk)
    assert first.reply.dropped == second.reply.dropped == ["temperature", "top_p"]
    assert [remark.message for remark in first.remarks] == [
        "gpt-5 does not support temperature, top_p; left out."
    ]
    assert [(remark.model, remark.about) for remark in first.remarks] == [
        ("gpt-5", "temperature, top_p")
    ]
    assert second.remarks == [], "said once"
    assert loopback.requests[0]["seed"] == 3
    assert not {"temperature", "top_p"} & loopback.requests[0].keys()


@both
async def test_parameters_that_the_server_refuses(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    refusal = (
        "Unsupported value: 'temperature' does not support 0 with this model. Only "
        "the default (1) value is supported."
    )
    loopback.answer = lambda body: (
        Answer(status=400, error=refusal) if "temperature" in body else Answer()
    )
    desk = make("openai/refuses-temperature", stream=stream)
    asked = await ask(desk)
    assert (asked.reply.dropped, asked.reply.attempts, asked.reply.usage) == (
        ["temperature"],
        1,
        Usage(input=11, output=7),
    )
    assert "temperature" in asked.remarks[0].message
    before = len(loopback.requests)
    await ask(desk)
    assert len(loopback.requests) == before + 1, "remembered"


async def test_what_is_not_a_model(make: Make, loopback: Loopback) -> None:
    for seat, kind, words in [
        ("nonsense", "unknown-model", "openai/nonsense"),
        (Seat(model="openai/x", name="gone"), "unknown-model", "gone"),
        ("human", "needs-person", "person"),
        ("lexical", "unknown-model", "lexical"),
    ]:
        desk = make(seat)
        with pytest.raises(ModelError, match=words) as raised:
            await ask(desk)
        assert raised.value.kind == kind
        failure = desk.take_spent()
        assert failure is not None
        assert (failure.kind, failure.usage, failure.cost, failure.attempts) == (
            kind,
            Usage(input=0, output=0),
            0.0,
            0,
        )
    with pytest.raises(ModelError, match="observer"):
        await ask(make(), role="observer")
    assert loopback.requests == []


async def test_local_only(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await ask(make(local_only=True))).reply.text == "An answer."
    monkeypatch.delenv("OPENAI_API_BASE")
    with pytest.raises(ModelError, match=r"api\.openai\.com") as raised:
        await ask(make("gpt-4", local_only=True))
    assert raised.value.kind == "not-local"


async def test_first_remote_call_names_the_host(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once in a session, before the call; `localtest` stands for a host that is not
    this machine and is not listed as private.
    """
    import socket

    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *rest, **more: resolve(
            "127.0.0.1" if host == "far.test" else host, *rest, **more
        ),
    )
    monkeypatch.setenv(
        "OPENAI_API_BASE", loopback.base_url.replace("127.0.0.1", "far.test")
    )
    monkeypatch.setenv("AIOHTTP_TRUST_ENV", "False")
    desk = make()
    first, second = await ask(desk), await ask(desk)
    assert [remark.kind for remark in first.remarks] == ["remote-host"]
    assert first.remarks[0].about == "far.test"
    assert "far.test" in first.remarks[0].message
    assert first.parts[0] is first.remarks[0]
    assert second.remarks == []
    assert (await ask(make(private_hosts=["far.test"], local_only=True))).remarks == []


async def test_books_of_several_asks(loopback: Loopback, make: Make) -> None:
    desk = make("gpt-4")
    assert desk.take_spent() is None
    await ask(desk)
    loopback.answer = Answer(status=404, error="The model does not exist")
    with pytest.raises(ModelError):
        await ask(desk)
    spent = desk.take_spent()
    assert spent is not None
    assert (spent.role, spent.kind, spent.model, spent.attempts) == (
        "judge",
        "not-found",
        "gpt-4",
        2,
    )
    assert spent.usage == Usage(input=11, output=7)
    assert spent.cost == pytest.approx(11 * 30e-6 + 7 * 60e-6)
    assert desk.take_spent() is None, "reading forgets"


async def test_lone_surrogates_are_replaced_and_pairs_joined(
    loopback: Loopback, make: Make
) -> None:
    loopback.answer = Answer(chunks=["a\ud83d", "\ude00b"])
    reply = (await ask(make())).reply
    assert (reply.text, reply.altered) == ("a😀b", False)
    loopback.answer = Answer(text="a\ud83db", reasoning="\udc00")
    reply = (await ask(make())).reply
    assert (reply.text, reply.reasoning, reply.altered) == ("a\ufffdb", "\ufffd", True)


async def test_a_hundred_at_once(loopback: Loopback, make: Make) -> None:
    loopback.answer = lambda body: Answer(text=str(len(loopback.requests)))
    desk = make(stream=False)
    replies = await asyncio.gather(*(ask(desk) for _ in range(100)))
    assert len({asked.reply.text for asked in replies}) == 100


def test_each_event_loop_can_ask(loopback: Loopback, make: Make) -> None:
    """Command line runs and tests begin a new loop each time; LiteLLM's cached clients
    must not belong to a dead one.
    """
    results: list[Any] = [
        asyncio.run(ask(make(stream=stream))).reply.text
        for stream in (True, False, True, False)
    ]
    assert results == ["An answer."] * 4

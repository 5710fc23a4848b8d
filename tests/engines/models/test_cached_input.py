"""What providers have in their caches: the marks that some of them need, what comes
back of it, and what it saves.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET
from verifytui.engines.batches import estimate
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.marking import marked
from verifytui.engines.models.port import Message, ModelReply, Task
from verifytui.engines.models.seating import seat
from verifytui.engines.reports.batch import usage
from verifytui.engines.reports.cached_input import in_words
from verifytui.sessions.events import Failure, Usage
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat, Session, Totals
from verifytui.tests.support.loopback import Answer, Loopback

RULES: Message = {"role": "system", "content": "The rules."}
ASKED: Message = {"role": "user", "content": "The question."}
SAID: list[Message] = [
    {"role": "assistant", "content": "An answer."},
    {"role": "user", "content": "And now?"},
]


async def reply_of(named: NamedModel, thread: list[Message]) -> ModelReply:
    config = Config(models={"named": named})
    prompts = Prompts(set="en", hash="", templates={})
    header = new_header(
        workspace="debate",
        title="",
        task={},
        lineup={"judge": seat("named", config)},
        settings={},
        prompts=prompts,
    )
    env = {
        "ANTHROPIC_API_KEY": "sk-ant-loopback-0123456789",
        "OPENAI_API_KEY": "sk-loopback-0123456789",
    }
    async for part in Desk(Session(header), config, env=env, stream=False).ask(
        "judge", Task(), thread
    ):
        if isinstance(part, ModelReply):
            return part
    raise AssertionError("no reply")


def held(body: dict[str, Any]) -> list[bool]:
    """Of the system turn and each turn after it, whether it ends with a mark."""
    turns = [body["system"], *(turn["content"] for turn in body["messages"])]
    return ["cache_control" in turn[-1] for turn in turns]


async def test_claude_gets_marks_after_the_rules_and_where_a_conversation_goes_on(
    loopback: Loopback,
) -> None:
    named = NamedModel(model="anthropic/claude-sonnet-4-5", api_base=loopback.root)
    loopback.answer = Answer(text="Yes.", usage=(3000, 10), cached_input=2000)
    reply = await reply_of(named, [RULES, ASKED])
    await reply_of(named, [RULES, ASKED, *SAID])
    once, going_on = loopback.requests
    assert held(once) == [True, False]
    assert held(going_on) == [True, False, False, True]
    assert reply.usage == Usage(
        input=3000,
        output=10,
        cached_input=2000,
        saved=pytest.approx(2000 * (3.0 - 0.3) / 1e6),
    )
    assert reply.cost == pytest.approx((1000 * 3.0 + 2000 * 0.3 + 10 * 15.0) / 1e6)


async def test_others_get_no_marks_and_the_users_own_stand(loopback: Loopback) -> None:
    await reply_of(
        NamedModel(model="openai/gpt-4o", api_base=loopback.base_url),
        [RULES, ASKED, *SAID],
    )
    assert "cache_control" not in json.dumps(loopback.requests[0])
    own: dict[str, Any] = {
        "cache_control_injection_points": [{"location": "message", "index": 1}]
    }
    await reply_of(
        NamedModel(
            model="anthropic/claude-sonnet-4-5", api_base=loopback.root, params=own
        ),
        [RULES, ASKED],
    )
    assert held(loopback.requests[1]) == [False, True]


def test_a_thread_without_rules_is_marked_only_where_it_goes_on() -> None:
    assert marked([ASKED]) == []
    assert [one["index"] for one in marked([ASKED, *SAID])] == [2]


TOLD = [
    {"prompt_tokens_details": {"cached_tokens": 1500}},
    {"prompt_cache_hit_tokens": 1500, "prompt_cache_miss_tokens": 500},
    {"cache_read_input_tokens": 1500, "cache_creation_input_tokens": 0},
]


@pytest.mark.parametrize("told", TOLD, ids=["openai", "deepseek", "anthropic"])
async def test_the_three_ways_in_which_providers_say_it(
    loopback: Loopback, told: dict[str, Any]
) -> None:
    used = {
        "prompt_tokens": 2000,
        "completion_tokens": 10,
        "total_tokens": 2010,
        **told,
    }
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "Yes."},
        "finish_reason": "stop",
    }
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": used,
    }
    loopback.answer = Answer(body=json.dumps(body).encode())
    reply = await reply_of(
        NamedModel(model="gpt-4o", api_base=loopback.base_url), [RULES, ASKED]
    )
    assert reply.usage == Usage(
        input=2000, output=10, cached_input=1500, saved=pytest.approx(1500 * 1.25 / 1e6)
    )
    assert reply.cost == pytest.approx((500 * 2.5 + 1500 * 1.25 + 10 * 10) / 1e6)


async def test_prices_of_the_user(loopback: Loopback) -> None:
    async def made(prices: TokenPrices) -> ModelReply:
        return await reply_of(
            NamedModel(model="openai/mine", api_base=loopback.base_url, prices=prices),
            [RULES, ASKED],
        )

    loopback.answer = Answer(usage=(1000, 100), cached_input=800)
    with_, without = (
        await made(TokenPrices(input=2, output=4, cached_input=0.5)),
        await made(TokenPrices(input=2, output=4)),
    )
    assert with_.cost == pytest.approx((200 * 2 + 800 * 0.5 + 100 * 4) / 1e6)
    assert with_.usage is not None
    assert with_.usage.saved == pytest.approx(800 * 1.5 / 1e6)
    assert without.cost == pytest.approx((1000 * 2 + 100 * 4) / 1e6)
    assert without.usage == Usage(input=1000, output=100, cached_input=800, saved=UNSET)


def test_what_is_unknown_is_not_nothing() -> None:
    def told(*usages: Usage) -> list[str]:
        total = Totals()
        for one in usages:
            event = Failure(role="judge", kind="cut", message="", usage=one, cost=0.0)
            spent = Totals.of(event)
            assert spent is not None
            total.add(spent)
        return in_words(usage(total), total.calls)

    known, unknown, silent = (
        Usage(input=100, cached_input=60, saved=0.002),
        Usage(input=100, cached_input=40),
        Usage(input=100),
    )
    dear, nothing = (
        Usage(input=100, cached_input=0, saved=-0.001),
        Usage(input=100, cached_input=0),
    )
    share = "of the input tokens came from the provider's cache"
    assert told(silent) == []
    assert told(known, nothing) == [f"30.0% {share} (60 of 200); this saved $0.0020"]
    assert told(known, silent) == [
        f"60.0% {share} (60 of 100); reported by 1 of 2 calls; this saved $0.0020"
    ]
    assert told(known, unknown) == [
        f"50.0% {share} (100 of 200); this saved $0.0020 where prices are known"
    ]
    assert told(unknown) == [
        f"40.0% {share} (40 of 100); how much this saved is unknown"
    ]
    assert told(dear) == [
        f"0.0% {share} (0 of 100); filling the cache cost $0.0010 more than it saved"
    ]
    assert in_words({"cached_input": 1, "cached_of": 4}, 9) == [
        f"25.0% {share} (1 of 4)"
    ], "a report of an earlier version"


def test_what_a_batch_costs_at_most_has_room_for_filling_caches() -> None:
    prices = estimate.CallPrices(lambda model, name: (2.0, 0.0))

    def dollars(model: str, *, fills: bool) -> float:
        return prices.of(
            "judge", Seat(model=model), 1_000_000, 0, fills=fills
        ).cost_known

    assert [
        dollars("anthropic/claude-sonnet-4-5", fills=fills) for fills in (False, True)
    ] == [2.0, 2.5]
    assert dollars("gpt-4o", fills=True) == 2.0

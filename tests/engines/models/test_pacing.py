"""When calls may begin: rates, tokens, places, refusals; in the order of coming."""

from __future__ import annotations

import asyncio
import math

import pytest
from verifytui.engines.models.limits import Gate, RateLimits
from verifytui.engines.models.pacing import ProcessPacing, Ticket
from verifytui.tests.support.time import SetTime


async def begun(
    pacing: ProcessPacing, clock: SetTime, pace: RateLimits, calls: int, tokens: int = 0
) -> list[float]:
    """The moments at which calls that come together begin; the list grows as they do.
    None of them ends.
    """
    at: list[float] = []

    async def call() -> None:
        if pacing.at_once("mine", pace, tokens) is None:
            await pacing.enter("mine", pace, tokens)
        at.append(clock.now())

    for task in [asyncio.create_task(call()) for _ in range(calls)]:
        TASKS.add(task)
    await clock.settle()
    return at


TASKS: set[asyncio.Task[None]] = set()


@pytest.mark.parametrize("rate", [0.5, 3, 60])
async def test_no_second_has_more_calls_than_max_rps(rate: float) -> None:
    clock = SetTime()
    pacing = ProcessPacing(clock)
    at = await begun(pacing, clock, RateLimits(max_rps=rate), calls=int(10 * rate))
    await clock.go_on(30)
    assert len(at) == int(10 * rate)
    seconds = max(1.0, 1 / rate)
    worst = max(
        sum(start <= one < start + seconds - 1e-6 for one in at) for start in at
    )
    assert worst <= max(rate, 1)
    assert at[-1] <= 10.6, "the limit is used"


async def test_no_minute_has_more_tokens_than_max_tpm_and_what_was_really_used_counts() -> (
    None
):
    clock = SetTime()
    pacing, pace = ProcessPacing(clock), RateLimits(max_tpm=1000)
    at = await begun(pacing, clock, pace, calls=5, tokens=400)
    await clock.go_on(59)
    assert at == [0, 0], "a third one would be too many"
    await clock.go_on(60)
    assert at == [0, 0, 60, 60]
    other = ProcessPacing(clock)
    first = other.at_once("mine", pace, 900)
    assert first is not None
    assert other.at_once("mine", pace, 200) is None
    other.leave(first, 100)
    assert other.at_once("mine", pace, 200) is not None, (
        "it used less than it was thought to"
    )


async def test_a_call_larger_than_the_limit_of_a_minute_goes_alone() -> None:
    clock = SetTime()
    at = await begun(
        ProcessPacing(clock), clock, RateLimits(max_tpm=100), calls=2, tokens=500
    )
    await clock.go_on(120)
    assert at == [0, 60]


async def test_places_are_given_in_the_order_of_coming_and_a_cancelled_call_leaves_its_own() -> (
    None
):
    clock = SetTime()
    pacing, pace = ProcessPacing(clock), RateLimits(concurrency=1)
    inside = pacing.at_once("mine", pace, 0)
    assert inside is not None
    came: list[str] = []

    async def call(name: str) -> Ticket:
        ticket = await pacing.enter("mine", pace, 0)
        came.append(name)
        return ticket

    tasks = {name: asyncio.create_task(call(name)) for name in "abc"}
    await clock.settle()
    assert pacing.at_once("mine", pace, 0) is None, "nobody passes those that wait"
    tasks["a"].cancel()
    await clock.settle()
    pacing.leave(inside, 0)
    await clock.settle()
    assert came == ["b"]
    pacing.leave(tasks["b"].result(), 0)
    await clock.settle()
    assert came == ["b", "c"]
    assert pacing.at_once("other", RateLimits(), 0) is not None, (
        "another model has its own line"
    )


async def test_a_refusal_halves_the_rate_for_all_and_it_comes_back_slowly() -> None:
    clock = SetTime()
    pacing, pace = ProcessPacing(clock), RateLimits(max_rps=10)
    tickets: list[Ticket] = []

    async def calls() -> None:
        while True:
            tickets.append(await pacing.enter("mine", pace, 0))

    def rate(before: float) -> int:
        return len(tickets) - int(before)

    work = asyncio.create_task(calls())
    await clock.go_on(10)
    assert await pacing.refuse(tickets[-1], 20)
    assert not await pacing.refuse(tickets[-2], 20), "it was under way already"
    before = len(tickets)
    await clock.go_on(19.9)
    assert rate(before) == 0, "the provider's own pause is everybody's"
    before = len(tickets)
    await clock.go_on(2)
    assert 9 <= rate(before) <= 12
    before = len(tickets)
    await clock.go_on(10)
    assert 50 < rate(before) < 75
    await clock.go_on(30)
    before = len(tickets)
    await clock.go_on(10)
    assert 98 <= rate(before) <= 101
    work.cancel()


def test_a_model_without_a_limit_is_slowed_down_from_the_rate_that_it_had() -> None:
    gate = Gate()
    for number in range(16):
        gate.join(number, 0)
        assert gate.admit(number, 5.0) == 0.0
    assert gate.rate(5.5) is None
    assert gate.refuse(3, 0, 5.5)
    assert gate.rate(5.5) == pytest.approx(8)
    assert not gate.refuse(4, 0, 5.6)
    for number in (20, 21, 22):
        gate.join(number, 0)
    assert gate.admit(20, 6.0) == 0.0
    assert gate.admit(21, 6.2) == 0.0
    gate.leave(20, None)
    assert gate.refuse(21, 0, 6.3), (
        "it began after the rate was halved, and the one before came through"
    )
    assert gate.rate(6.3) == pytest.approx(4, rel=0.05)
    assert gate.admit(22, 6.6) == 0.0
    assert not gate.refuse(22, 0, 6.7), "no call has come through"
    gate.join(23, 0)
    assert gate.admit(23, 6.7) == pytest.approx(1), "so all wait"
    assert gate.rate(1000) is not None, "somebody waits"
    assert gate.admit(23, 1000) == 0.0
    assert gate.rate(1000) is None, "the brake is off"
    assert not gate.refuse(99, 0, 1000), "a call that never began"


def test_a_single_refused_call_slows_nobody_down_but_its_pause_holds_for_all() -> None:
    gate = Gate()
    gate.join(1, 0)
    assert gate.admit(1, 0.0) == 0.0
    assert not gate.refuse(1, 7, 1.0)
    gate.join(2, 0)
    gate.join(3, 0)
    assert gate.admit(3, 1.0) == math.inf
    assert gate.admit(2, 1.0) == pytest.approx(7)
    assert gate.admit(2, 8.0) == gate.admit(3, 8.0) == 0.0

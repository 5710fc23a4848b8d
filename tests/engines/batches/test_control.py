"""What is told to a batch that runs, through its control file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from verifytui.engines.batches import order_processor
from verifytui.engines.batches.orders import (
    FILE,
    LONGEST,
    MOST_TOLD,
    ControlOrder,
    Orders,
    give,
)
from verifytui.engines.batches.run import Outcome, run_batch
from verifytui.engines.batches.state import BatchState, Limits
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.gated import Gated, batch, passes, until


class Told:
    """Keeps what a batch reports."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self, state: BatchState) -> None:
        self.state = state

    def say(self, message: str) -> None:
        self.said.append(message)

    def end(self) -> None: ...


class Run:
    """A batch at work."""

    def __init__(self, into: Path, *ids: str, limits: Limits | None = None) -> None:
        self.debate, self.told, self.into = Gated(), Told(), into
        self.task: asyncio.Task[Outcome] = asyncio.create_task(
            run_batch(batch(self.debate, *ids), into, limits or Limits(2), self.told)
        )

    async def calls(self, begun: int) -> None:
        """Until so many calls have begun."""
        await until(lambda: self.debate.begun >= begun)

    async def hears(self, **order: object) -> None:
        """Gives an order, and waits until it is obeyed."""
        before = len(self.told.said)
        give(self.into, ControlOrder(**order))  # type: ignore[arg-type]
        await until(lambda: len(self.told.said) > before)

    async def done(self) -> Outcome:
        self.debate.let_go()
        return await asyncio.wait_for(self.task, 20)

    def diary(self, event: str) -> list[dict[str, object]]:
        return [
            row
            for row in map(
                json.loads, (self.into / "runner.jsonl").read_text().splitlines()
            )
            if row["event"] == event
        ]


@asynccontextmanager
async def run(
    into: Path, *ids: str, limits: Limits | None = None
) -> AsyncIterator[Run]:
    made = Run(into, *ids, limits=limits)
    try:
        yield made
    finally:
        made.task.cancel()
        await asyncio.gather(made.task, return_exceptions=True)


@pytest.fixture(autouse=True)
def _at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_processor, "SECONDS", 0.005)


async def test_paused_no_call_begins_and_it_goes_on(tmp_path: Path) -> None:
    async with run(tmp_path / "out", "a", "b", "c") as made:
        await made.calls(2)
        await made.hears(do="pause")
        assert made.told.state.paused
        made.debate.let_go()
        await until(lambda: made.debate.running == 0)
        await passes()
        assert made.debate.begun == 2
        await made.hears(do="go-on")
        outcome = await made.done()
    assert outcome.status == "done"
    assert [row["do"] for row in made.diary("obeyed")] == ["pause", "go-on"]
    assert made.told.said == [
        "From control.jsonl: paused, calls in progress finish first.",
        "From control.jsonl: continuing.",
    ]


async def test_a_stop_keeps_what_was_done_and_holds_for_that_run_alone(
    tmp_path: Path,
) -> None:
    async with run(tmp_path / "out", "a", "b", "c", limits=Limits(1)) as made:
        calls = 0
        while not made.debate.begun or not made.told.state.done:
            calls += 1
            await made.calls(calls)
            made.debate.let_go(1)
            await until(lambda n=calls: made.debate.begun > n)  # type: ignore[misc]
        give(made.into, ControlOrder(do="stop"))
        outcome = await asyncio.wait_for(made.task, 20)
    assert outcome.status == "stopped"
    assert [row["status"] for row in outcome.summary] == ["done", "stopped", "stopped"]
    assert made.diary("ended")[-1]["status"] == "stopped"
    kept = (made.into / "a.yaml").read_bytes()
    async with run(tmp_path / "out", "a", "b", "c") as again:
        assert (await again.done()).status == "done"
    assert (made.into / "a.yaml").read_bytes() == kept
    assert again.told.said == []


async def test_concurrency_changes_both_ways(tmp_path: Path) -> None:
    async with run(tmp_path / "out", *"abcdef", limits=Limits(1)) as made:
        await made.calls(1)
        await passes()
        assert made.debate.running == 1
        await made.hears(concurrency=4)
        await until(lambda: made.debate.running == 4)
        await made.hears(concurrency=2)
        made.debate.let_go(3)
        await until(lambda: made.debate.running == 2)
        await passes()
        assert made.debate.running == 2
        assert (await made.done()).status == "done"


async def test_a_budget_ends_it_and_a_larger_one_lets_it_go_on(tmp_path: Path) -> None:
    async with run(tmp_path / "out", "a", "b") as made:
        await made.calls(2)
        await made.hears(budget_tokens=1)
        assert (await made.done()).status == "budget"
    async with run(tmp_path / "out", "a", "b", limits=Limits(1, tokens=70)) as again:
        await again.calls(1)
        await again.hears(budget_tokens=None, budget_usd=5)
        assert (await again.done()).status == "done"
    told = again.diary("obeyed")[-1]
    assert told.pop("clock") > 0
    assert told | {"time": "", "order": ""} == {
        "event": "obeyed",
        "time": "",
        "order": "",
        "was": {"budget_tokens": 70, "budget_usd": None},
        "budget_tokens": None,
        "budget_usd": 5.0,
    }


HOSTILE = [
    b"{",
    b"[" * 3000,
    b"\xff\xfe",
    b"null",
    b'"stop"',
    b'{"do": "delete"}',
    b'{"do": "stop", "file": "../x"}',
    b'{"concurrency": true}',
    b'{"concurrency": 0}',
    b'{"budget_usd": NaN}',
    b'{"budget_usd": -1}',
    b'{"budget_tokens": 1e999}',
    b'{"time": "2026-01-01"}',
    b'{"do": "\x1b]0;x\x07"}',
    b"x" * (3 * LONGEST),
]


async def test_lines_that_are_no_orders_are_named_and_ignored(tmp_path: Path) -> None:
    async with run(tmp_path / "out", "a", "b") as made:
        await made.calls(2)
        with (made.into / FILE).open("ab") as control:
            control.write(b"\n".join(HOSTILE) + b'\n\n{"do": "pau')
        await until(lambda: len(made.told.said) == len(HOSTILE))
        await passes()
        assert not made.told.state.paused
        with (made.into / FILE).open("ab") as control:
            control.write(b'se"}\n')
        await until(lambda: made.told.state.paused)
        await made.hears(do="go-on")
        assert (await made.done()).status == "done"
    assert all(
        sentence.startswith("Ignored in control.jsonl: ")
        for sentence in made.told.said[: len(HOSTILE)]
    )
    assert not any("\x1b" in sentence for sentence in made.told.said)


def test_a_flood_is_not_told_and_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    orders = Orders(tmp_path)
    with (tmp_path / FILE).open("ab") as control:
        control.write(b"".join(b"%d\n" % n for n in range(1000)))
    give(tmp_path, ControlOrder(do="pause"))
    found, ignored = orders.take()
    assert [order.do for order in found] == ["pause"]
    assert len(ignored) == MOST_TOLD + 1
    (tmp_path / FILE).write_bytes(b"")
    assert orders.take() == ([], [])
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    assert orders.take() == ([], [])
    with pytest.raises(BadInput):
        give(tmp_path, ControlOrder(do="stop"))

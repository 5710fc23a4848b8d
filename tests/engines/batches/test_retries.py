"""`--retries N`: lines that failed are tried again in the same run, at a server whose
calls fail.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from verifytui.engines.batches import retrying
from verifytui.engines.batches.batch import Batch, headers_of
from verifytui.engines.batches.results import document_of
from verifytui.engines.batches.run import BatchRunner, Outcome, run_batch
from verifytui.engines.batches.state import BatchState, Limits
from verifytui.engines.method import method
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.engines.reports.text import as_text
from verifytui.engines.starting import Starter, wishes
from verifytui.engines.tools import Tools
from verifytui.sessions.paths import paths
from verifytui.tests.support.loopback import Answer, Body, Loopback


class Told:
    """What a run says, and how far it is."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self, state: BatchState) -> None:
        self.state = state

    def say(self, message: str) -> None:
        self.said.append(message)

    def end(self) -> None: ...


class World:
    """A server, and a batch of single answers that fail as `fails` says."""

    def __init__(self, server: Loopback, folder: Path) -> None:
        self.server, self.into, self.told = server, folder / "out", Told()
        self.fails: dict[str, list[int]] = {}
        """Topic to the statuses of its next calls."""
        self.calls: Counter[str] = Counter()
        self.usage = (11, 7)
        server.answer = self.answer

    def answer(self, body: Body) -> Answer:
        name = next(name for name in "abcd" if f"Why {name}?" in str(body))
        self.calls[name] += 1
        left = self.fails.get(name)
        if left:
            return Answer(status=left.pop(0), error="no")
        return Answer(text="42", usage=self.usage)

    def batch(self) -> Batch:
        model = NamedModel(
            model="loop",
            api_base=self.server.base_url,
            prices=TokenPrices(input=2.0, output=4.0),
        )
        config = Config(models={"lb": model}, retries=0, retry_wait=0)
        path = self.into.with_name("lines.jsonl")
        lines = [{"id": one, "topic": f"Why {one}?"} for one in "abc"]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        solo = method("solo")
        wanted = wishes("solo", {"model": "lb"})
        starter = Starter(config, paths(), many=True)
        read = solo.batches["topics"].read(path, wanted)[0]
        kept, headers = headers_of(read, lambda line: solo.begin(line, starter))
        tools = Tools(config, paths())
        kind = solo.batches["topics"]
        return Batch(kind, kept, headers, wanted.given(), solo, tools)

    async def run(self, retries: int, **limits: float) -> Outcome:
        return await run_batch(
            self.batch(), self.into, Limits(2, retries=retries, **limits), self.told
        )

    def failures(self) -> list[tuple[str, int]]:
        lines = (self.into / "failures.jsonl").read_text().splitlines()
        found = map(json.loads, lines)
        return [(one["id"], one["attempts"]) for one in found if one["why"] == "failed"]


@pytest.fixture
def world(
    loopback: Loopback, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> World:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.01)
    return World(loopback, tmp_path)


async def test_a_bad_provider_needs_one_command(world: World) -> None:
    world.fails = {"a": [500] * 3, "b": [503]}
    outcome = await world.run(5)
    assert outcome.status == "done"
    assert world.calls == {"a": 4, "b": 2, "c": 1}
    assert world.failures() == []
    report = json.loads((world.into / "report.json").read_text())
    assert report["retried"] == {"lines": 2, "attempts": 4, "done": 2}
    assert (report["done"], report["failed"]) == (3, 0)
    assert (world.told.state.done, world.told.state.failed) == (3, 0)
    tried = [line for line in world.told.said if "retrying in" in line]
    assert tried == [
        "Failed; retrying in 0.01 s: 2 lines (retry 1).",
        "Failed; retrying in 0.02 s: 1 lines (retry 2).",
        "Failed; retrying in 0.04 s: 1 lines (retry 3).",
    ]
    text = as_text(document_of(outcome.report, world.batch().kind, "out"))
    assert "retried after a failure: 2 lines, 4 times" in " ".join(text.split())


async def test_it_ends_after_so_many_and_says_how_many_there_were(
    world: World,
) -> None:
    world.fails = {"a": [500] * 9}
    outcome = await world.run(2)
    assert outcome.status == "failed"
    assert world.calls == {"a": 3, "b": 1, "c": 1}
    assert world.failures() == [("a", 3)]
    assert (await world.run(0)).status == "failed"
    assert world.failures() == [("a", 4)], "earlier runs count"
    assert outcome.report.retried == {"lines": 1, "attempts": 2, "done": 0}


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_what_stays_wrong_is_not_tried_again(world: World, status: int) -> None:
    world.fails = {"a": [status] * 9}
    assert (await world.run(5)).status == "failed"
    assert world.calls == {"a": 1, "b": 1, "c": 1}
    assert not [line for line in world.told.said if "retrying in" in line]


async def test_the_budget_holds(world: World) -> None:
    world.fails, world.usage = {"a": [500]}, (900, 100)
    outcome = await world.run(5, tokens=2200)
    assert outcome.status == "budget"
    assert world.calls == {"a": 1, "b": 1, "c": 1}, "a second call does not fit"


async def test_an_order_ends_the_pause(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 10**6)
    world.fails = {"a": [500]}
    runner = BatchRunner(world.batch(), world.into, Limits(2, retries=1))
    await asyncio.to_thread(runner.prepare)

    class Stops(Told):
        def say(self, message: str) -> None:
            if "retrying in" in message:
                (runner.into / "control.jsonl").write_text('{"do": "stop"}\n')

    assert (await runner.run(Stops())).status == "stopped"
    world.fails = {}
    assert (await world.run(0)).status == "done"

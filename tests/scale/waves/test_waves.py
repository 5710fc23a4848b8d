"""Calls at the price of batches: against a server that speaks the protocol, with
failures, kills and files from anywhere.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from verifytui.cli.run_lines import line
from verifytui.engines.batches import order_processor, retrying
from verifytui.engines.batches.batch import Batch, headers_of
from verifytui.engines.batches.estimate import Likely
from verifytui.engines.batches.event_makers import EventMakers, LocalMakers
from verifytui.engines.batches.run import BatchRunner, Outcome
from verifytui.engines.batches.runs import RunNow
from verifytui.engines.batches.state import BatchState, Limits
from verifytui.engines.method import method
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.engines.starting import Starter, wishes
from verifytui.engines.tools import Tools
from verifytui.scale.waves import litellm_batches, outbox, waves
from verifytui.scale.waves.waves import WaveOptions, Waves
from verifytui.sessions.errors import BadInput, WorkersGone
from verifytui.sessions.events import Failure
from verifytui.sessions.events.debate import Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.gated import until
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tui.screens.batch_lines import bar

pytestmark = pytest.mark.slow

KEY = "sk-waves-0123456789abcdef"


class Told:
    """What a run says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self, state: BatchState) -> None: ...

    def say(self, message: str) -> None:
        self.said.append(message)

    def end(self) -> None: ...


class World:
    """A server, a folder, and a batch of debates whose seats are `lb`."""

    def __init__(self, server: Loopback, folder: Path) -> None:
        self.server, self.into = server, folder / "out"
        model = NamedModel(
            model="loop",
            api_base=server.base_url,
            api_key_env="WAVES_KEY",
            params={"top_k": 7},
            prices=TokenPrices(input=2.0, output=4.0),
        )
        self.config = Config(models={"lb": model}, retries=2, retry_wait=0.01)
        self.topics = ["a", "b", "c"]
        self.options: dict[str, Any] = {"rounds": 1}
        self.told = Told()
        self.repeats: dict[str, int] | None = None

    def batch(
        self, name: str = "debate", many: str = "topics", **options: Any
    ) -> Batch:
        debate = method(name)
        path = self.into.parent / "lines.jsonl"
        path.write_text(
            "".join(
                json.dumps({"id": one, "topic": f"Why {one}?"}) + "\n"
                for one in self.topics
            )
        )
        wanted = wishes(name, {"model": "lb", **self.options, **options})
        lines = debate.batches[many].read(path, wanted)[0]
        starter = Starter(self.config, paths(), many=True)
        lines, headers = headers_of(lines, lambda wanted: debate.begin(wanted, starter))
        return Batch(
            debate.batches[many],
            lines,
            headers,
            wanted.given(),
            debate,
            Tools(self.config, paths()),
            repeats=self.repeats,
        )

    def waves(self, way: waves.Way = "provider", **plan: Any) -> Waves:
        return Waves(self.into / "waves", self.config, WaveOptions(way, **plan))

    async def run(
        self, makers: EventMakers | None = None, limits: Limits | None = None
    ) -> Outcome:
        runner = BatchRunner(
            self.batch(), self.into, limits or Limits(4), makers=makers or self.waves()
        )
        await asyncio.to_thread(runner.prepare)
        return await runner.run(self.told)

    def events(self) -> dict[str, list[dict[str, Any]]]:
        """What the sessions hold, without times and costs."""
        left = ("time", "seconds", "cost", "usage")
        found = {}
        for name in self.topics:
            with Journal.open(self.into / f"{name}.yaml", write=False) as journal:
                events = [
                    msgspec.to_builtins(event) for event in journal.session.events
                ]
            found[name] = [
                {key: value for key, value in event.items() if key not in left}
                for event in events
            ]
        return found

    @property
    def bought(self) -> list[str]:
        return self.server.batches.bought


@pytest.fixture
def world(
    loopback: Loopback, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> World:
    monkeypatch.setenv("WAVES_KEY", KEY)
    monkeypatch.setattr(waves, "FIRST_PAUSE", 0.01)
    loopback.answer = debating()
    return World(loopback, tmp_path)


async def test_waves_make_the_events_of_calls_at_half_the_price(world: World) -> None:
    world.server.batches.looks = 1
    outcome = await world.run()
    assert outcome.status == "done"
    assert outcome.report.cost == pytest.approx(9 * (11 * 2 + 7 * 4) / 1e6 / 2)
    by_waves, bodies = world.events(), list(world.server.batches.bodies)
    assert len(world.bought) == len(set(world.bought)) == 9
    assert not world.server.requests
    assert [line for line in world.told.said if line.startswith("Wave 3")] == [
        f"Wave 3: sent 3 calls of lb to the provider (batch "
        f"batch-2).{world.told.said[-2].partition(').')[2]}",
        "Wave 3: 3 of 3 calls answered.",
    ]
    world.into = world.into.with_name("live")
    assert (await world.run(LocalMakers())).status == "done"
    assert world.events() == by_waves

    def sorted_bodies(given: list[Body]) -> list[str]:
        return sorted(
            json.dumps(
                {key: value for key, value in body.items() if key != "stream"},
                sort_keys=True,
            )
            for body in given
        )

    assert sorted_bodies(bodies) == sorted_bodies(world.server.requests)
    assert KEY not in "".join(
        path.read_text() for path in (world.into.with_name("out") / "waves").iterdir()
    )


async def test_a_failed_call_fails_its_session_alone_and_is_tried_again(
    world: World,
) -> None:
    fails = {"on": True}
    usual = debating()

    def answer(body: Body) -> Answer:
        broken = fails["on"] and "Why b?" in str(body)
        if broken:
            return Answer(status=500, error=f"no luck with {KEY}")
        return usual(body)

    world.server.answer = answer
    outcome = await world.run()
    assert [row["status"] for row in outcome.summary] == ["done", "failed", "done"]
    assert "no luck with [key hidden]" in outcome.summary[1]["error"]
    assert outcome.summary[1]["cost"] == 0
    assert KEY not in "".join(
        path.read_text() for path in (world.into / "waves").iterdir()
    )
    bought = len(world.bought)
    fails["on"] = False
    outcome = await world.run()
    assert outcome.status == "done"
    assert len(world.bought) == len(set(world.bought)) == bought + 3


async def test_a_failed_call_is_asked_again_in_the_next_wave(world: World) -> None:
    left, usual = {"b": 2}, debating()

    def answer(body: Body) -> Answer:
        if "Why b?" in str(body) and left["b"]:
            left["b"] -= 1
            return Answer(status=500, error="no luck")
        return usual(body)

    world.server.answer = answer
    outcome = await world.run(limits=Limits(4, retries=3))
    assert outcome.status == "done"
    assert len(world.bought) == len(set(world.bought)) == 9 + 2
    planned = [
        (one["wave"], one["requests"])
        for one in map(json.loads, (world.into / "waves/log.jsonl").open())
        if one["event"] == "planned"
    ]
    assert planned == [(1, 3), (2, 3), (3, 3), (4, 1), (5, 1)]
    assert outcome.report.retried == {"lines": 1, "attempts": 2, "done": 1}


FULL = (11 * 2 + 7 * 4) / 1e6
"""US dollars of a call."""


async def test_a_small_wave_is_made_as_calls_at_the_full_price(world: World) -> None:
    wanted = await world.run()
    by_batches = world.events()
    world.into = world.into.with_name("small")
    before = len(world.bought)
    usual, late = debating(), {"b": 1}

    def answer(body: Body) -> Answer:
        if "Why b?" in str(body) and late["b"]:
            late["b"] -= 1
            return Answer(status=500, error="no luck")
        return usual(body)

    world.server.answer = answer
    small = world.waves(live_up_to=2, live_max_usd=1.0)
    outcome = await world.run(small, limits=Limits(4, retries=1))
    assert outcome.status == "done"
    assert len(world.bought) - before == 9, "the fourth wave has one call left"
    assert len(world.server.requests) == 1
    found = world.events()
    assert found.pop("b")[1:] != []
    assert found == {name: by_batches[name] for name in "ac"}
    assert wanted.report.cost is not None
    assert outcome.report.live == {"calls": 1, "cost": pytest.approx(FULL)}
    assert outcome.report.cost == pytest.approx(8 * FULL / 2 + FULL)
    assert "Wave 4 has 1 calls: they are made immediately" in " ".join(world.told.said)
    kept = json.loads((world.into / "report.json").read_text())
    assert kept["live"]["calls"] == 1


async def test_a_small_wave_that_would_be_too_dear_goes_out_as_a_batch(
    world: World,
) -> None:
    outcome = await world.run(world.waves(live_up_to=5, live_max_usd=FULL / 100))
    assert outcome.status == "done"
    assert (len(world.bought), world.server.requests) == (9, [])
    assert "they would exceed" in " ".join(world.told.said)
    assert outcome.report.live == {}


async def test_what_small_waves_may_cost_holds_for_all_runs(world: World) -> None:
    most = 0.02  # some waves fit
    outcome = await world.run(world.waves(live_up_to=5, live_max_usd=most))
    assert outcome.status == "done"
    spent = outcome.report.live["cost"]
    opened = outbox.WaveOutbox.open(world.into / "waves")
    assert opened.live_spent == pytest.approx(spent)
    assert spent <= most


async def test_killed_in_a_small_wave_nothing_is_bought_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.topics = ["a", "b"]

    def small() -> Waves:
        return world.waves(live_up_to=2, live_max_usd=1.0)

    with killed_at(-1, monkeypatch) as counted:
        wanted = (await world.run(small(), limits=Limits(1))).report
        whole, moments = world.events(), counted()
    assert wanted.live["calls"] == 6
    again = 0
    for number, moment in enumerate(range(1, moments, max(moments // 25, 1))):
        world.into = world.into.with_name(f"killed-{number}")
        world.server.requests.clear()
        with killed_at(moment, monkeypatch), pytest.raises(Killed):
            await world.run(small(), limits=Limits(1))
        outcome = await world.run(small(), limits=Limits(1))
        assert outcome.status == "done", moment
        assert not world.bought
        asked = [json.dumps(body, sort_keys=True) for body in world.server.requests]
        again += len(asked) - len(set(asked))
        assert len(set(asked)) == 6, moment
        assert world.events() == whole, moment
        assert outcome.report.cost == pytest.approx(wanted.cost), moment
    assert again <= number, "only a reply that was not on disk yet is bought again"


async def test_a_small_wave_that_is_cut_off_says_what_was_sent(world: World) -> None:
    usual, small = debating(), {"live_up_to": 3, "live_max_usd": 1.0}
    held = {"b": True}

    def answer(body: Body) -> Answer:
        if "Why b?" in str(body) and held["b"]:
            return Answer(text="Late.", first_delay=600)
        return usual(body)

    world.server.answer = answer
    run = asyncio.create_task(world.run(world.waves(**small), limits=Limits(2)))

    def waits() -> bool:
        log = world.into / "waves/log.jsonl"
        return log.exists() and log.read_text().count('"ended"') == 2

    await until(waits)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert {name: len(events) for name, events in world.events().items()} == {
        "a": 0,
        "b": 1,
        "c": 0,
    }
    with Journal.open(world.into / "b.yaml", write=False) as journal:
        [lost] = journal.session.events
    assert isinstance(lost, Failure)
    assert (lost.kind, lost.role, lost.attempts) == ("cancelled", "affirmative", 1)
    assert lost.usage is not None
    assert (lost.usage.output, lost.usage.estimated) == (0, True)
    assert lost.cost == lost.usage.live_cost == pytest.approx(lost.usage.input * 2e-6)
    report = json.loads((world.into / "report.json").read_text())
    assert report["cost"] == pytest.approx(lost.cost)
    assert report["live"] == {"calls": 1, "cost": pytest.approx(lost.cost)}
    held["b"] = False
    outcome = await world.run(world.waves(**small))
    assert outcome.status == "done"
    assert len(world.server.requests) == 9 + 1, "what was answered is not asked again"
    assert outcome.report.live["calls"] == 9 + 1
    assert outcome.report.cost == pytest.approx(9 * FULL + lost.cost)


async def test_a_small_wave_whose_call_fails(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.topics = ["a", "b"]
    usual, left = debating(), {"b": 4}

    def answer(body: Body) -> Answer:
        if "Why b?" in str(body) and left["b"]:
            left["b"] -= 1
            return Answer(status=503, error=f"busy with {KEY}")
        return usual(body)

    world.server.answer = answer
    outcome = await world.run(world.waves(live_up_to=2, live_max_usd=1.0))
    assert [row["status"] for row in outcome.summary] == ["done", "failed"]
    assert left == {"b": 1}, "a call is tried as often as config.yaml says"
    assert outcome.summary[1]["error"].startswith("127.0.0.1:")
    assert " failed while answering" in outcome.summary[1]["error"]
    everything = "".join(path.read_text() for path in world.into.rglob("*.*l*"))
    assert KEY not in everything
    outcome = await world.run(world.waves(live_up_to=2, live_max_usd=1.0))
    assert outcome.status == "done"


async def test_a_refused_batch_is_sent_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def relent(message: str) -> None:
        if "retrying" in message:
            world.server.batches.status = "completed"

    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(world.told, "say", relent)
    world.server.batches.status = "failed"
    assert (await world.run(limits=Limits(4, retries=1))).status == "done"


async def test_what_an_expired_batch_leaves_is_asked_as_calls_where_that_is_wanted(
    world: World,
) -> None:
    world.server.batches.status = "expired"
    world.server.batches.leaves = lambda body: "Why b?" in str(body)
    outcome = await world.run(world.waves(live_rest=True))
    assert outcome.status == "done"
    kinds = [(event["event"], event.get("kind")) for event in world.events()["b"]]
    assert kinds[:3] == [
        ("failure", "timeout"),
        ("speech", None),
        ("failure", "timeout"),
    ]
    assert len(world.server.requests) == 3
    assert all("Why b?" in str(body) for body in world.server.requests)


async def test_a_batch_that_is_refused_as_a_whole_says_why(world: World) -> None:
    world.server.batches.status = "failed"
    outcome = await world.run()
    assert {row["error"] for row in outcome.summary} == {
        "The provider refused the batch: the file is not liked"
    }


async def test_a_refused_form_is_left_out_in_the_next_wave(world: World) -> None:
    usual = debating()

    def answer(body: Body) -> Answer:
        if "response_format" in body:
            return Answer(status=400, error="response_format is not supported")
        return usual(body)

    world.server.answer = answer
    assert (await world.run()).status == "done"
    forms = [
        body.get("response_format", {}).get("type")
        for body in world.server.batches.bodies
    ]
    assert (
        sorted(forms, key=str) == [None] * 9 + ["json_object"] * 3 + ["json_schema"] * 3
    )


@pytest.fixture
def each(monkeypatch: pytest.MonkeyPatch) -> float:
    """US dollars of a call, which the estimate knows."""
    usd = (11 * 2 + 7 * 4) / 1e6 / 2

    async def known(runner: BatchRunner) -> Likely:
        return Likely(18, usd, [])

    monkeypatch.setattr(BatchRunner, "likely", known)
    return usd


async def test_the_budget_cuts_a_wave_and_what_is_paid_counts(
    world: World, each: float
) -> None:
    world.topics = [f"t{n}" for n in range(6)]
    outcome = await world.run(limits=Limits(4, usd=each * 7.5))
    assert outcome.status == "budget"
    assert 6 <= len(world.bought) <= 7
    assert outcome.report.cost == pytest.approx(each * len(world.bought))
    outcome = await world.run(limits=Limits(4))
    assert outcome.status == "done"
    assert len(world.bought) == len(set(world.bought)) == 18


async def test_a_wave_is_cut_into_several_files(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waves, "MOST_REQUESTS", 2)
    assert (await world.run()).status == "done"
    assert len(world.server.batches.batches) == 6
    assert len(set(world.bought)) == len(world.bought) == 9


async def test_a_batch_whose_answer_was_lost_is_found_again(world: World) -> None:
    world.server.batches.deaf = [
        "POST /v1/batches",
        "GET /v1/batches/ID",
        "POST /v1/files",
    ]
    assert (await world.run()).status == "done"
    assert len(world.bought) == len(set(world.bought)) == 9


async def test_what_cannot_be_sent_is_kept_and_sent_later(world: World) -> None:
    world.server.batches.refuses = {"POST /v1/batches": (401, "who are you")}
    with pytest.raises(WorkersGone, match="could not be sent"):
        await world.run()
    world.server.batches.refuses = {}
    assert (await world.run()).status == "done"
    assert len(world.bought) == len(set(world.bought)) == 9


async def test_what_cannot_be_sent_for_a_while_is_sent_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.01)
    world.server.batches.refuses = {"POST /v1/batches": (503, "busy")}

    def relent(message: str) -> None:
        world.told.said.append(message)
        if "sent again in 0.02 s" in message:
            world.server.batches.refuses = {}

    monkeypatch.setattr(world.told, "say", relent)
    with pytest.raises(WorkersGone, match="could not be sent"):
        await world.run(world.waves(retries=1))
    assert (await world.run(world.waves(retries=2))).status == "done"
    assert len(world.bought) == len(set(world.bought)) == 9


async def test_a_stopped_run_leaves_its_batch_and_finds_it_again(world: World) -> None:
    world.server.batches.looks = 10**9
    running = asyncio.create_task(world.run())
    assert await world.server.until(lambda server: bool(server.batches.batches))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (
        "Batches still running at the provider: 1. Run the same command to "
        "collect them." in world.told.said
    )
    world.server.batches.looks = 0
    for batch in world.server.batches.batches.values():
        batch["looks"] = 0
    assert (await world.run()).status == "done"
    assert len(world.bought) == len(set(world.bought)) == 9


class Killed(BaseException):
    """The process ends here."""


@contextmanager
def killed_at(moment: int, patch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """The process ends before or after the moment-th thing that it does to the disk or
    the provider; how many there were.
    """
    count = 0

    def tick() -> None:
        nonlocal count
        count += 1
        if count == moment:
            raise Killed

    def around(module: Any, name: str) -> None:
        real = getattr(module, name)
        if asyncio.iscoroutinefunction(real):

            async def later(*given: Any, **named: Any) -> Any:
                tick()
                found = await real(*given, **named)
                tick()
                return found

            patch.setattr(module, name, later)
        else:

            def now(*given: Any, **named: Any) -> Any:
                tick()
                found = real(*given, **named)
                tick()
                return found

            patch.setattr(module, name, now)

    with patch.context() as patch:
        for name in ("upload", "create", "look", "content", "call"):
            around(litellm_batches, name)
        around(outbox.WaveOutbox, "note")
        around(outbox, "write_whole")
        around(Journal, "append")
        yield lambda: count


@pytest.mark.slow
async def test_killed_at_any_moment_nothing_is_lost_and_nothing_bought_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.topics = ["a", "b"]
    with killed_at(-1, monkeypatch) as counted:
        wanted = (await world.run(limits=Limits(1))).report
        whole, moments = world.events(), counted()
    assert moments > 60
    for number, moment in enumerate(range(1, moments, moments // 20)):
        world.into = world.into.with_name(f"killed-{number}")
        before = len(world.bought)
        with killed_at(moment, monkeypatch), pytest.raises(Killed):
            await world.run(limits=Limits(1))
        outcome = await world.run(limits=Limits(1))
        assert outcome.status == "done", (
            moment,
            [row["error"] for row in outcome.summary],
        )
        bought = world.bought[before:]
        assert len(bought) == len(set(bought)) == 6, moment
        assert (world.events(), outcome.report.cost) == (whole, wanted.cost), moment


async def test_by_files_of_ones_own(world: World, tmp_path: Path) -> None:
    for number in range(1, 4):
        asked, said = (
            tmp_path / f"asked-{number}.jsonl",
            tmp_path / f"said-{number}.jsonl",
        )
        before = [tmp_path / f"said-{number - 1}.jsonl"] if number > 1 else []
        outcome = await world.run(
            world.waves("file", requests_to=asked, replies_from=before)
        )
        assert outcome.status == "waiting"
        lines = [json.loads(line) for line in asked.read_text().splitlines()]
        assert [(line["method"], line["url"]) for line in lines] == [
            ("POST", "/v1/chat/completions")
        ] * 3
        replies = [
            {
                "id": "x",
                "custom_id": line["custom_id"],
                "error": None,
                "response": answered(world, line),
            }
            for line in lines
        ]
        said.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    outcome = await world.run(world.waves("nobody", replies_from=[said]))
    assert outcome.status == "done"
    assert not world.server.requests
    assert not world.bought


async def test_another_installation_goes_on_where_this_one_was(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has another secret, and finds the marks of the requests in the run's folder."""
    wave: Callable[[Body], Answer] = debating()

    def in_lines(body: Body) -> Answer:
        told = wave(body)
        mark = re.search(r'"mark": "(\w+)"', body["messages"][-1]["content"])
        if mark is None:
            return told
        value = json.loads(told.text) | {"mark": mark[1]}
        lines = [f"{key}: {json.dumps(one)}" for key, one in value.items()]
        return Answer("My verdict:\n\n" + "\n".join(lines))

    world.server.answer = in_lines
    said: list[Path] = []
    for number in range(1, 5):
        monkeypatch.setenv("VERIFYTUI_HOME", str(tmp_path / f"machine-{number}"))
        asked = tmp_path / f"asked-{number}.jsonl"
        makers = world.waves("file", requests_to=asked, replies_from=said[-1:])
        outcome = await world.run(makers)
        if outcome.status == "done":
            break
        lines = [json.loads(line) for line in asked.read_text().splitlines()]
        assert len(lines) == 3
        said.append(tmp_path / f"said-{number}.jsonl")
        said[-1].write_text(
            "".join(
                json.dumps(
                    {"custom_id": line["custom_id"], "response": answered(world, line)}
                )
                + "\n"
                for line in lines
            )
        )
    assert (outcome.status, len(said)) == ("done", 3)
    for name in world.topics:
        with Journal.open(world.into / f"{name}.yaml", write=False) as journal:
            verdict = journal.session.events[-2]
        assert isinstance(verdict, Verdict)
        assert verdict.read == "sliced"
        assert str(verdict.mark) in verdict.text


def answered(world: World, line: Body) -> Body:
    status, body = world.server._batched(line["body"])
    return {"status_code": status, "request_id": "r", "body": body}


async def test_hostile_files_of_replies(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifytui.scale.waves.replies.LONGEST", 20_000)
    asked, said = tmp_path / "asked.jsonl", tmp_path / "said.jsonl"
    await world.run(world.waves("file", requests_to=asked))
    lines = sorted(
        (json.loads(line) for line in asked.read_text().splitlines()),
        key=lambda line: str(line["body"]["messages"]),
    )
    names = [line["custom_id"] for line in lines]
    other = "sk-other-9876543210"
    monkeypatch.setenv("WAVES_KEY", other)
    good = {
        "custom_id": names[0],
        "response": {**answered(world, lines[0]), "request_id": other},
        "error": None,
    }
    odd = {
        "custom_id": names[1],
        "response": {
            "status_code": 200,
            "body": {"choices": [{"message": {"content": 5}}]},
        },
        "error": None,
    }
    rows = [
        b"not json at all\xff",
        b"[1, 2]",
        b'{"custom_id": 5}',
        b"[" * 5000,
        b'{"custom_id": "vt-somebody-else", "response": null}',
        json.dumps(
            {"custom_id": names[0], "error": {"message": "first a failure"}}
        ).encode(),
        json.dumps(good).encode(),
        json.dumps(
            {**good, "response": {"status_code": 200, "body": {"choices": []}}}
        ).encode(),
        json.dumps(odd).encode(),
        b'{"custom_id": "' + names[2].encode() + b'", "x": "' + b"y" * 100_000 + b'"}',
    ]
    said.write_bytes(b"\n".join(rows))
    outcome = await world.run(world.waves("nobody", replies_from=[said]))
    assert outcome.status == "waiting"
    told = next(line for line in world.told.said if line.startswith(str(said)))
    assert (
        "2 replies, 0 failed. 1 were already read. 1 match no request of this "
        "folder. 5 lines are not replies: line 1 is not JSON" in told
    )
    assert [row["status"] for row in outcome.summary] == [
        "stopped",
        "failed",
        "stopped",
    ]
    assert "cannot be read" in outcome.summary[1]["error"]
    assert [event["event"] for event in world.events()["a"]] == ["speech"]
    assert other not in "".join(
        path.read_text() for path in (world.into / "waves").iterdir()
    )
    said.write_text('{"custom_id": "x", "response": null}\n')
    with pytest.raises(BadInput, match="no reply to any request"):
        await world.run(world.waves("nobody", replies_from=[said]))


async def test_only_providers_of_batches_are_taken(world: World) -> None:
    world.config = Config(models={"lb": NamedModel(model="ollama/llama3")})
    with pytest.raises(
        BadInput, match="lb cannot be used in a batch: its provider is ollama"
    ):
        await world.run()
    assert not world.into.exists()


async def test_an_estimate_is_half_and_counts_waves(world: World) -> None:
    here = await BatchRunner(world.batch(), world.into, Limits()).estimate()
    makers = world.waves()
    there = await BatchRunner(
        world.batch(), world.into, Limits(), makers=makers
    ).estimate()
    assert there.spent.cost == pytest.approx((here.spent.cost or 0) / 2)
    assert makers.about(there) == {
        "waves": there.deepest,
        "hours": 24 * there.deepest,
        "half_assumed": ["lb"],
    }
    assert there.deepest == there.spent.calls // 3


def test_a_log_from_elsewhere_names_no_file_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "waves").mkdir()
    (tmp_path / "x.requests.jsonl").write_text('{"custom_id": "vt-x"}\n')
    planned = {
        "event": "planned",
        "file": "../x.requests.jsonl",
        "wave": 1,
        "requests": 1,
        "seat": {"model": "lb"},
        "mark": "m",
    }
    sent = {"event": "sent", "file": "../x.requests.jsonl", "batch": "b"}
    (tmp_path / "waves" / "log.jsonl").write_text(
        json.dumps(planned) + "\n" + json.dumps(sent) + '\n{"event": "sen'
    )
    assert not outbox.WaveOutbox.open(tmp_path / "waves").under_way


async def test_what_half_made_steps_have_asked_counts_in_the_budget(
    world: World, each: float
) -> None:
    usual = debating()

    def answer(body: Body) -> Answer:
        judged = '"preference"' in str(body["messages"][1]["content"])
        if judged and len(body["messages"]) == 2:
            return Answer("What?")
        return usual(body)

    world.server.answer = answer
    world.topics = [f"t{n}" for n in range(6)]
    outcome = await world.run(limits=Limits(4, usd=each * 14.5))
    assert outcome.status == "budget"
    assert len(world.bought) == 14
    assert (await world.run()).status == "done"
    assert len(world.bought) == len(set(world.bought)) > 18


async def test_a_wave_that_is_out_stands_in_the_diary(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order_processor, "SECONDS", 0.005)
    world.server.batches.looks = 10**9
    running = asyncio.create_task(world.run())
    now = RunNow(world.into)
    await until(lambda: now.look().head.outside is not None)
    now = now.look()
    out = now.as_json(0)["wave"]
    assert (out["wave"], out["answered"], out["of"]) == (1, 0, 3)
    planned = json.loads(
        (world.into / "waves" / "log.jsonl").read_text().splitlines()[1]
    )
    assert out["since"] == planned["time"]
    assert line(now).endswith(
        f"wave 1: 0 of 3 answered, sent "
        f"{datetime.fromisoformat(out['since']).astimezone():%m-%d %H:%M}"
    )
    assert "wave 1: 0 of 3 answered" in bar(now.head, 120, 0).plain
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert now.look().as_json(0)["wave"] is None


async def test_what_is_with_the_provider_is_no_call_whatever_it_is_named_by(
    world: World,
) -> None:
    fails = {"on": True}
    usual = debating()
    world.server.answer = lambda body: (
        Answer(status=500, error="no luck") if fails["on"] else usual(body)
    )
    world.topics, world.repeats = ["a"], {}
    assert (await world.run()).status == "failed"
    fails["on"], world.server.batches.looks = False, 10**9
    running = asyncio.create_task(world.run())
    assert await world.server.until(lambda server: len(server.batches.batches) == 2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    world.server.batches.looks = 0
    for batch in world.server.batches.batches.values():
        batch["looks"] = 0
    assert (await world.run(world.waves(live_rest=True))).status == "done"
    assert not world.server.requests
    assert len(world.bought) == len(set(world.bought)) == 4

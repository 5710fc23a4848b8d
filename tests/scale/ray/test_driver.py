"""A batch whose events are made by workers is that of one machine, whatever becomes of
the workers. Here they live in this process.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from itertools import count
from pathlib import Path

import msgspec
import pytest
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.run import BatchRunner, Outcome
from verifytui.engines.batches.state import Limits, NoReporter
from verifytui.engines.method import method
from verifytui.engines.models import desk, pacing
from verifytui.engines.models.cache import Cache
from verifytui.engines.models.config import Config, NamedCommand, NamedModel
from verifytui.engines.models.pacing import ProcessPacing
from verifytui.engines.models.port import ModelReply
from verifytui.scale.ray import messages, worker, worker_link, worker_pool
from verifytui.scale.ray.connect import ClusterOptions, Connection
from verifytui.sessions.errors import BadInput, WorkersGone
from verifytui.sessions.events import Failure
from verifytui.tests.scale.support.workers import (
    Nearby,
    by_hash,
    debates,
    events,
    local,
    nearby,
    said_in,
    totals_of,
)
from verifytui.tests.support import command_seat
from verifytui.tests.support.loopback import Answer, Loopback

pytestmark = pytest.mark.slow

CALLS = 8
"""Of a debate of two rounds: two speeches and a verdict each, then the candidates and
the decision.
"""


@pytest.fixture
def config(home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-tests-0123456789")
    loopback.answer = by_hash
    return local(loopback.base_url)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The workers share neither a cache nor limits of their own, as processes on
    several nodes do not.
    """
    numbers = count()
    monkeypatch.setattr(
        desk, "cache_in", lambda folder: Cache(tmp_path / f"node{next(numbers)}")
    )
    monkeypatch.setattr(desk, "here", ProcessPacing)


async def run(
    batch: Batch, into: Path, concurrency: int = 2, workers: int = 2
) -> tuple[Outcome, Nearby]:
    makers, cluster = nearby(batch.tools.config, workers)
    runner = BatchRunner(batch, into, Limits(concurrency), makers=makers)
    runner.prepare()
    return await runner.run(NoReporter()), cluster


@pytest.mark.parametrize(
    "held", [4096, 1], ids=["sessions held", "sessions lost by the workers"]
)
async def test_events_and_totals_are_those_of_one_machine(
    config: Config,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    held: int,
) -> None:
    monkeypatch.setattr(worker, "MOST_HELD", held)
    here = await BatchRunner(debates(config, 6), tmp_path / "here", Limits(4)).run(
        NoReporter()
    )
    asked = len(loopback.requests)
    there, cluster = await run(debates(config, 6), tmp_path / "there")
    assert there.status == here.status == "done"
    assert said_in(tmp_path / "there") == said_in(tmp_path / "here")
    assert totals_of(there.report) == totals_of(here.report)
    assert len(loopback.requests) == 2 * asked
    assert len(cluster.actors) == 2


async def test_a_command_runs_on_the_workers(home: Path, tmp_path: Path) -> None:
    words = [sys.executable, command_seat.__file__]
    config = Config(commands={"local": NamedCommand(command=words)}, retries=0)
    outcome, cluster = await run(debates(config, 2), tmp_path / "there")
    assert outcome.status == "done"
    assert len(cluster.actors) == 2
    said = [
        one
        for file in ("t0.yaml", "t1.yaml")
        for one in events(tmp_path / "there" / file)
    ]
    asked = {one.model for one in said if getattr(one, "model", None)}  # type: ignore[attr-defined]
    assert asked == {"command:local"}


async def test_a_lost_worker_costs_the_calls_on_their_way_and_says_so(
    config: Config, loopback: Loopback, tmp_path: Path
) -> None:
    await BatchRunner(debates(config, 4), tmp_path / "here", Limits(4)).run(
        NoReporter()
    )
    asked = len(loopback.requests)
    held = threading.Event()
    loopback.answer = lambda body: Answer(**{**vars(by_hash(body)), "hold": held})
    makers, cluster = nearby(config)
    running = asyncio.create_task(
        BatchRunner(
            debates(config, 4), tmp_path / "there", Limits(2), makers=makers
        ).run(NoReporter())
    )
    assert await loopback.until(lambda server: server.busy == 4)
    loopback.answer = by_hash
    cluster.actors[0].die()
    assert await loopback.until(lambda server: server.aborted == 2)
    held.set()
    outcome = await running
    assert outcome.status == "done"
    assert said_in(tmp_path / "there") == said_in(tmp_path / "here")
    lost = [
        event
        for path in (tmp_path / "there").glob("t*.yaml")
        for event in events(path)
        if isinstance(event, Failure)
    ]
    assert [(one.kind, one.cost, one.usage, one.attempts) for one in lost] == [
        ("connection", None, None, 1)
    ] * 2
    assert all(socket.gethostname() in one.message for one in lost)
    assert len(loopback.requests) == 2 * asked + 2
    assert outcome.report.calls == asked + 2
    assert outcome.report.usage["input"] is None  # unknown, not nothing


async def test_what_a_cancelled_call_has_cost_is_kept(
    config: Config, loopback: Loopback, tmp_path: Path
) -> None:
    loopback.answer = lambda body: Answer(hold=threading.Event())
    makers, _ = nearby(config)
    running = asyncio.create_task(
        BatchRunner(debates(config, 2), tmp_path / "out", Limits(1), makers=makers).run(
            NoReporter()
        )
    )
    assert await loopback.until(lambda server: server.busy == 2, timeout=60)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await loopback.until(lambda server: server.busy == 0)
    for path in (tmp_path / "out").glob("t*.yaml"):
        (failure,) = events(path)
        assert isinstance(failure, Failure)
        assert (
            failure.kind,
            failure.usage is not None and failure.usage.estimated,
        ) == ("cancelled", True)


async def test_equal_requests_of_several_workers_are_made_once(
    config: Config, apart: None, loopback: Loopback, tmp_path: Path
) -> None:
    batch = debates(config, 4, repeats={f"t{number}": 0 for number in range(4)})
    for header in batch.headers:
        assert header is not None
        header.task["topic"] = "How fast is Alice?"
    outcome, _ = await run(batch, tmp_path / "out", workers=4, concurrency=1)
    assert outcome.status == "done"
    sent = [json.dumps(body["messages"]) for body in loopback.requests]
    assert len(sent) == len(set(sent)) < outcome.report.calls + CALLS
    assert (
        len(
            {
                json.dumps(list(said_of(one)))
                for one in said_in(tmp_path / "out").values()
            }
        )
        == 1
    )


async def test_a_reply_that_cannot_be_kept_holds_nobody_up(
    config: Config,
    apart: None,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def put(self: Cache, key: bytes, reply: ModelReply) -> None:
        raise ValueError("it cannot be written")

    monkeypatch.setattr(Cache, "put", put)
    batch = debates(config, 3, repeats={f"t{number}": 0 for number in range(3)})
    for header in batch.headers:
        assert header is not None
        header.task["topic"] = "How fast is Alice?"
    outcome, _ = await asyncio.wait_for(
        run(batch, tmp_path / "out", workers=3, concurrency=1), 60
    )
    assert outcome.status == "done"


async def test_a_model_limited_to_one_call_gets_one_from_all_workers(
    home: Path,
    apart: None,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-tests-0123456789")
    busy = []

    def answer(body: dict[str, object]) -> Answer:
        busy.append(loopback.busy)
        said = by_hash(body)
        said.first_delay = 0.02
        return said

    loopback.answer = answer
    outcome, _ = await run(
        debates(local(loopback.base_url, concurrency=1), 4),
        tmp_path / "out",
        concurrency=1,
        workers=4,
    )
    assert outcome.status == "done"
    assert max(busy) <= 2  # the server counts a call until its last byte is written


async def test_the_driver_says_which_refusals_slow_a_model_down(
    config: Config, loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Once(pacing.ProcessPacing):
        refused = 0

        async def refuse(self, ticket: pacing.Ticket, seconds: float) -> bool:
            self.leave(ticket, 0)
            self.refused += 1
            return self.refused == 1

    limits = Once()
    monkeypatch.setattr(pacing, "_here", limits)

    def answer(body: dict[str, object]) -> Answer:
        if len(loopback.requests) <= 3:
            return Answer(status=429, headers={"retry-after": "0"})
        return by_hash(body)

    loopback.answer = answer
    outcome, _ = await run(
        debates(msgspec.structs.replace(config, retries=3, retry_wait=0), 4),
        tmp_path / "out",
    )
    assert (outcome.status, limits.refused) == ("done", 3)
    assert sum(held.slowed for held in outcome.report.limits.values()) == 1


async def test_a_key_that_a_node_lacks_is_said_with_its_name(
    home: Path, tmp_path: Path
) -> None:
    outcome, _ = await run(
        debates(Config(models={"local": NamedModel(model="openai/local")}), 1),
        tmp_path / "out",
    )
    assert outcome.status == "failed"
    assert "OPENAI_API_KEY" in outcome.summary[0]["error"]
    assert socket.gethostname() in outcome.summary[0]["error"]


async def test_without_workers_the_run_ends_and_keeps_what_is_on_disk(
    config: Config, loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers, cluster = nearby(config, 1)
    running = asyncio.create_task(
        BatchRunner(debates(config, 3), tmp_path / "out", Limits(1), makers=makers).run(
            NoReporter()
        )
    )
    assert await loopback.until(lambda server: len(server.requests) >= CALLS)
    monkeypatch.setattr(worker_pool, "PATIENCE", 0.2)
    cluster.none_left = True
    cluster.actors[0].die()
    with pytest.raises(WorkersGone, match="run the same command again"):
        await running
    assert any(len(said) > 1 for said in said_in(tmp_path / "out").values())
    outcome, _ = await run(debates(config, 3), tmp_path / "out")
    assert (outcome.status, outcome.report.done) == ("done", 3)


def said_of(session: list[dict[str, object]]) -> list[object]:
    return [one.get("text") for one in session]


async def test_a_worker_lost_while_it_lacks_a_session_holds_nobody_up(
    config: Config, loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers, _ = nearby(config)
    make, take_in, lost = worker.Worker._make, worker_link.WorkerLink._take_in, []

    async def lets_go(self: worker.Worker, message: messages.Make) -> None:
        if not lost:
            self._held.clear()
        await make(self, message)

    def dies(self: worker_link.WorkerLink, message: messages.ToDriver) -> None:
        take_in(self, message)
        if isinstance(message, messages.SessionUnknown) and not lost:
            lost.append(self)
            self._lost(self)

    monkeypatch.setattr(worker.Worker, "_make", lets_go)
    monkeypatch.setattr(worker_link.WorkerLink, "_take_in", dies)
    outcome = await asyncio.wait_for(
        BatchRunner(debates(config, 4), tmp_path / "out", Limits(4), makers=makers).run(
            NoReporter()
        ),
        60,
    )
    assert lost
    assert (outcome.status, outcome.report.done) == ("done", 4)


async def test_a_worker_that_cannot_be_understood_is_lost(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers, _ = nearby(config)
    heard, understood = [], worker_link.for_driver

    def garbled(data: bytes) -> list[messages.ToDriver]:
        taken = understood(data)
        if (
            any(isinstance(message, messages.EventMade) for message in taken)
            and not heard
        ):
            heard.append(data)
            return understood(b"\xc1")
        return taken

    monkeypatch.setattr(worker_link, "for_driver", garbled)
    lost: list[worker_link.WorkerLink] = []
    end = worker_link.WorkerLink._end

    def ends(self: worker_link.WorkerLink) -> None:
        lost.append(self)
        end(self)

    monkeypatch.setattr(worker_link.WorkerLink, "_end", ends)
    outcome = await asyncio.wait_for(
        BatchRunner(debates(config, 2), tmp_path / "out", Limits(2), makers=makers).run(
            NoReporter()
        ),
        60,
    )
    assert heard
    assert (outcome.status, outcome.report.done) == ("done", 2)
    await asyncio.sleep(0)
    for task in lost[0]._tasks:  # else asyncio writes a traceback to the terminal
        assert task.cancelled() or task.exception() is None


async def test_why_a_worker_could_not_begin_is_said_in_a_line(home: Path) -> None:
    class Falls:
        def remote(self, *_: object) -> None:
            raise RuntimeError(
                "The actor died, \x1b[36mray::Worker\x1b[39m (pid=17)\n  File "
                "x\nModuleNotFoundError: No module named 'verifytui'\n"
            )

    connection = Connection(ClusterOptions("local", 1), method, Config())
    connection._actor = Falls()
    with pytest.raises(BadInput) as caught:
        await connection.hire()
    assert (
        str(caught.value)
        == "No Ray worker could start: ModuleNotFoundError: No module named 'verifytui'"
    )

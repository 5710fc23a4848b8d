"""Workers of a batch in the process of the test.

They take the place of those on Ray and exchange the same messages.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.debate.method import new_debate
from verifytui.engines.method import method
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.seating import seat
from verifytui.engines.reports.batch import BatchReport
from verifytui.engines.tools import Tools
from verifytui.prompts import load
from verifytui.scale.ray.connect import ClusterOptions, Connection
from verifytui.scale.ray.driver import RayMakers
from verifytui.scale.ray.worker import Hello, Worker
from verifytui.scale.ray.worker_pool import WorkerPool
from verifytui.sessions.events import Event, Failure, plain
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.tests.support.loopback import Answer, Body
from verifytui.tests.support.request_marks import without_mark


class _Call:
    """A method of an actor, as Ray has it."""

    def __init__(self, actor: Actor, method: Callable[..., Awaitable[Any]]) -> None:
        self._actor, self._method = actor, method

    def remote(self, *arguments: Any) -> Awaitable[Any]:
        return self._actor.answer(self._method(*arguments))


class Actor:
    """A worker; `die` has it end as a process does that is killed."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.dead = asyncio.Event()

    def __getattr__(self, name: str) -> _Call:
        return _Call(self, getattr(self.worker, name))

    async def answer(self, work: Any) -> Any:
        answering, dying = (
            asyncio.ensure_future(work),
            asyncio.ensure_future(self.dead.wait()),
        )
        await asyncio.wait({answering, dying}, return_when=asyncio.FIRST_COMPLETED)
        dying.cancel()
        if self.dead.is_set():
            answering.cancel()
            raise ConnectionError("the actor died")
        return answering.result()

    def die(self) -> None:
        self.dead.set()
        for task in [*self.worker._running.values()]:
            task.cancel()


class Nearby(Connection):
    """A cluster of workers in this process. `none_left`: no further one can begin."""

    def __init__(self, config: Config, workers: int) -> None:
        super().__init__(ClusterOptions("local", workers), method, config)
        self.actors: list[Actor] = []
        self.none_left = False

    async def open(self) -> str:
        self.workers = self._wanted.workers or 1
        return ""

    async def hire(self) -> tuple[Any, Hello]:
        if self.none_left:
            await asyncio.Event().wait()
        actor = Actor(Worker(*self._made_with))
        actor.worker._watch_driver = lambda: None  # type: ignore[method-assign]
        self.actors.append(actor)
        return actor, msgspec.json.decode(await actor.hello.remote(), type=Hello)

    def dismiss(self, actor: Actor) -> None:
        actor.die()

    async def close(self, actors: Any) -> None:
        for actor in actors:
            actor.die()


def nearby(config: Config, workers: int = 2) -> tuple[RayMakers, Nearby]:
    """Makers with workers in this process, and their cluster."""
    cluster = Nearby(config, workers)
    return RayMakers(WorkerPool(cluster)), cluster


def local(url: str, **more: Any) -> Config:
    """A configuration with the model `local` at this address."""
    return Config(
        models={"local": NamedModel(model="openai/local", api_base=url, **more)},
        retries=0,
    )


def debates(config: Config, count: int, repeats: dict[str, int] | None = None) -> Batch:
    """Debates of two rounds, t0, t1, …"""
    debate = method("debate")
    lineup = {
        role: seat("local", config) for role in ("affirmative", "negative", "judge")
    }
    headers = [
        new_debate(
            topic=f"How fast is Alice {number}?",
            lineup=lineup,
            settings={"rounds": 2, "stop": "forced"},
            prompts=load("en"),
        )
        for number in range(count)
    ]
    lines = [
        BatchLine(f"t{number}", (), f"line {number + 1}") for number in range(count)
    ]
    return Batch(
        debate.batches["topics"],
        lines,
        headers,
        {},
        debate,
        Tools(config, paths()),
        repeats=repeats,
    )


def said_in(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What stands in each session of a batch but for times and lost calls, and the
    numbers of its events are checked.
    """
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        with Journal.open(path, write=False) as journal:
            events = journal.session.events
            assert [event.number for event in events] == list(range(1, len(events) + 1))
            kept = [plain(event) for event in events if not isinstance(event, Failure)]
            found[path.stem] = [
                {
                    name: value
                    for name, value in one.items()
                    if name not in ("number", "time", "seconds")
                }
                for one in kept
            ]
    return found


def totals_of(report: BatchReport) -> dict[str, Any]:
    """The report without what the clock says."""
    found = report.as_json()
    for part in (found, found["per_item"]):
        part.pop("seconds")
    return found


def by_hash(body: Body) -> Answer:
    """An answer that depends on all that was sent and on nothing else."""
    messages = body["messages"]
    assert isinstance(messages, list)
    digest = hashlib.sha256(without_mark(json.dumps(messages)).encode()).hexdigest()[:8]
    last = str(messages[-1]["content"])
    if "JSON" not in last:
        return Answer(
            text=f"It is {digest}.\n\nAnswer: {int(digest, 16) % 3} m/s",
            usage=(120, 40),
        )
    if "candidates" in last:
        return Answer(text='{"candidates": ["1 m/s"]}', usage=(90, 9))
    said = {
        "preference": False,
        "supported_side": "none",
        "reason": digest,
        "answer": "1 m/s",
    }
    return Answer(text=json.dumps(said), usage=(80, 20))


def events(path: Path) -> list[Event]:
    """The events of a session file."""
    with Journal.open(path, write=False) as journal:
        return list(journal.session.events)

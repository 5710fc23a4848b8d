"""Batches on Ray: two workers against one and against one machine, what an event takes
beside it, how long a start takes, and the driver.

Debates over a server on the loopback that answers at once, so nothing hides what we
ourselves take. `python benchmarks/on_ray.py [DEBATES [TURNS]]` starts a cluster of its
own for each run. What bounds the driver is the time of a processor that it needs for an
event.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from verifytui.benchmarks.engine import Server
from verifytui.engines.batches.event_makers import EventMakers, LocalMakers
from verifytui.engines.batches.run import BatchRunner
from verifytui.engines.batches.state import BatchState, Limits, NoReporter
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.scale.ray.connect import ClusterOptions, Connection
from verifytui.scale.ray.driver import RayMakers
from verifytui.scale.ray.worker_pool import WorkerPool
from verifytui.tests.scale.support.workers import debates, events, local

AT_ONCE = 16
"""Sessions at a time of each worker."""
WARM = 40
"""Debates of the batch that does not count."""
TURNS = 3


class Run(NamedTuple):
    """What one batch took, in seconds."""

    start: float
    """Until the first worker was there."""
    work: float
    """From then on, until the report was written."""
    driver: float
    """Of a processor, in this process, from then on."""
    events: int


class Clock(NoReporter):
    """Looks at the clock when the sessions begin to run."""

    def begin(self, state: BatchState) -> None:
        self.began, self.used = time.perf_counter(), time.process_time()


def on_ray(config: Config, workers: int) -> EventMakers:
    return RayMakers(
        WorkerPool(Connection(ClusterOptions("local", workers), method, config))
    )


async def timed(config: Config, makers: EventMakers, count: int, at_once: int) -> Run:
    """A short batch first, in which LiteLLM is loaded wherever calls are made, then the
    one that counts.
    """

    async def stays() -> None: ...

    close, makers.close = makers.close, stays  # type: ignore[method-assign]
    first = await once(config, makers, WARM, AT_ONCE)
    run = await once(config, makers, count, at_once)
    await close()
    return run._replace(start=first.start)


async def once(config: Config, makers: EventMakers, count: int, at_once: int) -> Run:
    with tempfile.TemporaryDirectory() as name:
        clock, runner = (
            Clock(),
            BatchRunner(
                debates(config, count), Path(name), Limits(at_once), makers=makers
            ),
        )
        began = time.perf_counter()
        outcome = await runner.run(clock)
        work, driver = (
            time.perf_counter() - clock.began,
            time.process_time() - clock.used,
        )
        assert outcome.status == "done", outcome.report
        return Run(clock.began - began, work, driver, made_in(Path(name)))


def made_in(folder: Path) -> int:
    """How many events stand in the sessions of a batch."""
    return sum(len(events(file)) for file in folder.glob("t*.yaml"))


def told(name: str, runs: list[Run], each: Callable[[Run], float], unit: str) -> None:
    values = [each(run) for run in runs]
    print(
        f"  {name}: median {statistics.median(values):.2f} {unit} "
        f"({min(values):.2f} to {max(values):.2f})"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    os.environ.setdefault("OPENAI_API_KEY", "none")
    server = Server(0)
    config = local(server.url)
    ways: dict[str, Callable[[], EventMakers]] = {
        "one machine": LocalMakers,
        "Ray, one worker": lambda: on_ray(config, 1),
        "Ray, two workers": lambda: on_ray(config, 2),
    }
    try:
        found: dict[str, list[Run]] = {name: [] for name in ways}
        alone: dict[str, list[Run]] = {name: [] for name in list(ways)[:2]}
        for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else TURNS):
            for name, make in ways.items():
                found[name].append(asyncio.run(timed(config, make(), count, AT_ONCE)))
            for name in alone:
                alone[name].append(asyncio.run(timed(config, ways[name](), 20, 1)))
    finally:
        server.close()
    print(f"{count} debates, {AT_ONCE} at a time a worker")
    for name, runs in found.items():
        told(f"{name}, events a second", runs, lambda run: run.events / run.work, "")
        told(
            f"{name}, driver's processor for an event",
            runs,
            lambda run: 1000 * run.driver / run.events,
            "ms",
        )
    told(
        "Ray, start until the first worker",
        found["Ray, one worker"] + found["Ray, two workers"],
        lambda run: run.start,
        "s",
    )
    ratio = [
        two.events / two.work / (one.events / one.work)
        for one, two in zip(*list(found.values())[1:], strict=True)
    ]
    print(
        f"  two workers against one: median {statistics.median(ratio):.2f} "
        f"({min(ratio):.2f} to {max(ratio):.2f})"
    )
    print("one debate after another")
    for name, runs in alone.items():
        told(
            f"{name}, for an event",
            runs,
            lambda run: 1000 * run.work / run.events,
            "ms",
        )


if __name__ == "__main__":
    main()

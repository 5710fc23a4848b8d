"""Sessions of every method under random plans of faults: nothing finished is lost, and
what comes out is what comes out without faults.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelRemark
from verifytui.engines.step import step
from verifytui.sessions.events import Event, Failure
from verifytui.sessions.journal import Journal
from verifytui.tests.support.fault_plan import Plan
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.worlds import World, must_be_read, told, truth, world

pytestmark = pytest.mark.slow

WORKSPACES = ("debate", "rag", "relevance")
PATIENT = Config(retries=0, timeout=100, stall_timeout=100, cache=False)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "plan_seed" in metafunc.fixturenames:
        count = metafunc.config.getoption("plans")
        metafunc.parametrize(
            ("workspace", "plan_seed"),
            [(WORKSPACES[seed % 3], seed) for seed in range(count)],
        )


class Played:
    """A session on disk, or in memory, and all the events that were told."""

    def __init__(self, world: World, path: Path | None) -> None:
        self.world, self.path = world, path
        self.journal = Journal.create(path, world.header)
        self.events: list[Event] = []

    async def on(self, config: Config, stream: bool) -> bool:
        """Steps until the session is finished (True) or a call fails."""
        desk = Desk(lambda: self.journal.session, config, stream=stream)
        engine = self.world.engine()
        for _ in range(200):
            if engine.finished(self.journal.session):
                return True
            async with aclosing(step(self.journal, engine, desk)) as parts:
                async for part in parts:
                    if isinstance(part, Event):
                        self.events.append(part)
                    else:
                        assert not isinstance(part, ModelRemark) or part.kind in (
                            "remote-host",
                            "again",
                            "demonstrations",
                        ), part
            if self.events and isinstance(self.events[-1], Failure):
                return False
        raise AssertionError("the session does not end")

    def reopen(self) -> None:
        """As after a restart.

        The file holds what was told, and nothing else but the failures of stopped
        calls, which nobody was told.
        """
        self.journal.close()
        self.journal = (
            Journal.open(self.path) if self.path is not None else self.journal
        )
        assert self.journal.torn is None
        assert [event.number for event in self.journal.session.events] == list(
            range(1, len(self.journal.session.events) + 1)
        )
        stopped = [
            event
            for event in self.journal.session.events
            if isinstance(event, Failure) and event.kind == "cancelled"
        ]
        heard = [event for event in self.journal.session.events if event not in stopped]
        assert heard == self.events


@pytest.fixture
def served(loopback: Loopback, home: Path, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    return loopback


async def test_a_plan_of_faults(
    served: Loopback,
    tmp_path: Path,
    workspace: str,
    plan_seed: int,
    record_property: Callable[[str, object], None],
) -> None:
    rng = random.Random(plan_seed)
    served.answer = truth
    smooth = Played(world(workspace, plan_seed), None)
    assert await smooth.on(PATIENT, stream=False)

    troubles = random.Random(plan_seed + 1)
    rough = Played(
        world(workspace, plan_seed, lambda: troubles.random() < 0.3),
        tmp_path / "rough.yaml",
    )
    plan = Plan(
        served, truth, plan_seed, read=must_be_read, often=rng.choice([0.2, 0.5, 0.8])
    )
    loop = asyncio.get_running_loop()
    hasty = Config(
        retries=rng.randint(0, 2),
        retry_wait=0.001,
        timeout=0.6,
        stall_timeout=0.2,
        cache=rng.random() < 0.5,
    )
    done = False
    for _ in range(rng.randint(2, 12)):
        going = asyncio.ensure_future(rough.on(hasty, stream=rng.random() < 0.5))
        plan.left = lambda going=going: loop.call_soon_threadsafe(going.cancel)  # type: ignore[assignment, misc]
        try:
            done = await going
        except asyncio.CancelledError:
            done = False
        served.admit()
        rough.reopen()
        if done:
            break
    plan.calm()
    rough.world = world(workspace, plan_seed)
    assert await rough.on(PATIENT, stream=rng.random() < 0.5)
    rough.reopen()
    assert told(rough.journal.session.events) == told(smooth.journal.session.events)
    record_property("faults", dict(plan.given))

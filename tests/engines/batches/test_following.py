"""How far a batch is, read by a thread while a screen draws what was read before."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest
from verifytui.engines.batches.batch_snapshot import BatchSnapshot
from verifytui.engines.batches.run_journal import LineNow, RunEnded
from verifytui.engines.batches.runs import RunNow
from verifytui.tests.support.followed import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_look_gives_another_state_and_leaves_the_former_as_it_was(
    world: World,
) -> None:
    world.begin(2)
    first = BatchSnapshot(world.folder).look()
    assert first.look() is first, "nothing has come"
    world.write(
        LineNow(id="q0", status="done", input=10, output=5, cost_known=0.5),
        LineNow(id="q1", status="running"),
        LineNow(id="q2", status="waiting", title="Late?"),
    )
    second = first.look()
    assert [line.status for line in first.lines.values()] == ["waiting", "waiting"]
    assert (first.counts()["left"], first.spent().tokens) == (2, 0)
    assert second.counts() == {"failed": 0, "running": 1, "done": 1, "left": 1}
    assert (second.spent().tokens, second.lines["q0"].title) == (15, "Why 0?")
    world.write(RunEnded(status="stopped"))
    world.dies()
    assert second.look().lines["q1"].status == "stopped"
    assert second.lines["q1"].status == "running"


def test_a_run_that_was_given_out_stays_as_it_was(world: World) -> None:
    world.begin(1)
    first = RunNow(world.folder).look()
    world.write(LineNow(id="q0", status="failed"))
    assert first.look().counts()["failed"] == 1
    assert first.counts()["failed"] == 0
    assert first.head.lines["q0"].status == "waiting"


@pytest.mark.slow
def test_100_000_lines_are_drawn_while_a_thread_reads_them(world: World) -> None:
    world.begin(100_000)
    states = [BatchSnapshot(world.folder)]
    failed: list[BaseException] = []

    def read() -> None:
        try:
            for n in range(3):
                states.append(states[-1].look())
                rows = range(n * 1000, n * 1000 + 5000)
                world.write(*(LineNow(id=f"q{i}", status="done") for i in rows))
                world.write(*(LineNow(id=f"new{n}-{i}", status="done") for i in rows))
        except BaseException as error:
            failed.append(error)

    reader = Thread(target=read)
    reader.start()
    drawn = 0
    while reader.is_alive():
        state = states[-1]
        lines = [line for line in state.lines.values() if line.status == "done"]
        assert len(lines) == state.counts()["done"]
        drawn += 1
    reader.join()
    assert not failed
    assert drawn > 1
    assert sum(states[-1].look().counts().values()) == 115_000

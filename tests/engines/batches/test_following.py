"""How far a batch is, read by a thread while a screen draws what was read before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from verifytui.engines.batches import batch_snapshot, run_journal, snapshot_store
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


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The entries of diaries that were decoded; every diary has a store."""
    seen: list[str] = []
    entry = batch_snapshot._entry

    def decoded(data: bytes) -> object:
        seen.append(data.decode())
        return entry(data)

    monkeypatch.setattr(batch_snapshot, "_entry", decoded)
    monkeypatch.setattr(snapshot_store, "FROM", 1)
    return seen


def test_only_the_last_entry_of_a_line_is_decoded(
    world: World, opened: list[str]
) -> None:
    world.begin(3)
    for n in range(50):
        world.write(*(LineNow(id=f"q{i}", status="running", events=n) for i in (0, 1)))
    world.write(LineNow(id='q", "status": "1', status="done"))
    now = BatchSnapshot(world.folder).look()
    assert len(opened) == 4 + 2 + 1
    assert [now.lines[f"q{i}"].events for i in range(3)] == [49, 49, 0]
    assert now.lines['q", "status": "1'].status == "done"
    assert now.counts() == {"failed": 0, "running": 2, "done": 1, "left": 1}


def test_what_was_read_once_is_not_read_again(
    world: World, opened: list[str], tmp_path: Path
) -> None:
    world.begin(3)
    world.write(LineNow(id="q0", status="done", input=7), LineNow(id="q1", status="x"))
    first = RunNow(world.folder).look()
    del opened[:]
    again = RunNow(world.folder).look()
    assert (again.counts(), again.spent()) == (first.counts(), first.spent())
    assert (opened, bool(again.head._packed)) == ([], True)
    assert (again.as_json(1), again.look()) == (first.as_json(1), again)
    assert dict(again.head.lines) == first.head.lines
    world.write(LineNow(id="q1", status="running"), RunEnded(status="stopped"))
    world.dies()
    last = RunNow(world.folder).look()
    assert len(opened) == 2
    assert last.state == "stopped"
    assert [one.status for one in last.lines()] == ["done", "stopped", "waiting"]
    assert RunNow(world.folder).look().counts() == last.counts()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-5],
        lambda data: data.replace(b"verifytui-followed", b"verifytui-forwarded"),
        lambda data: data.replace(b"failed", b"falied"),
    ],
)
def test_a_store_that_is_damaged_or_of_another_diary_is_passed_over(
    world: World, opened: list[str], spoil: Callable[[bytes], bytes]
) -> None:
    world.begin(3)
    first = BatchSnapshot(world.folder).look()
    path = world.folder / snapshot_store.FILE
    path.write_bytes(spoil(path.read_bytes()))
    again = BatchSnapshot(world.folder).look()
    assert (again.lines, again.counts()) == (first.lines, first.counts())
    diary = world.folder / run_journal.FILE
    diary.write_bytes(diary.read_bytes().replace(b"q1", b"z1"))
    assert "z1" in BatchSnapshot(world.folder).look().lines


def test_a_runner_that_died_since_the_diary_was_stored_leaves_lines_stopped(
    world: World, opened: list[str]
) -> None:
    world.begin(2)
    world.write(LineNow(id="q0", status="running"))
    assert BatchSnapshot(world.folder).look().counts()["running"] == 1
    world.dies()
    now = BatchSnapshot(world.folder).look()
    assert now.counts() == {"failed": 0, "running": 0, "done": 0, "left": 2}
    assert now.lines["q0"].status == "stopped"

"""The runs of a machine: noted down, found again, summed up, and led as a whole."""

from __future__ import annotations

import asyncio
import json
import os
from itertools import count
from pathlib import Path

import pytest
from verifytui.engines.batches import order_processor, registry
from verifytui.engines.batches.batch_group import BatchGroup
from verifytui.engines.batches.changes import changes_in
from verifytui.engines.batches.orders import ControlOrder, give
from verifytui.engines.batches.registry import enlist, forget, records
from verifytui.engines.batches.run import BatchRunner
from verifytui.engines.batches.run_journal import (
    LineNow,
    OrderApplied,
    RunEnded,
    RunJournal,
    RunStart,
)
from verifytui.engines.batches.runs import RunNow
from verifytui.engines.batches.state import Limits, NoReporter
from verifytui.engines.reports.run_changes import in_words
from verifytui.sessions.paths import paths
from verifytui.tests.support.gated import Gated, batch, until
from verifytui.texts import speaking


@pytest.fixture(autouse=True)
def _at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_processor, "SECONDS", 0.005)


def begun(folder: Path, *entries: object, **began: object) -> RunNow:
    """A batch whose runner has written this."""
    folder.mkdir()
    (folder / "batch.json").write_text('{"lines": {}}')
    diary = RunJournal(folder)
    diary.write(
        RunStart(
            method="debate",
            kind="topics",
            lines=2,
            concurrency=4,
            command="verifytui debate",
            **began,
        )
    )  # type: ignore[arg-type]
    diary.write(*entries)  # type: ignore[arg-type]
    diary.close()
    return RunNow(folder).look()


def test_every_run_is_noted_down_once_and_can_be_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count()
    monkeypatch.setattr(
        registry, "timestamp", lambda: f"2026-01-01T00:00:{next(seconds):02}.000Z"
    )
    folders = [tmp_path / name for name in ("a", "b", "a")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        enlist(folder, paths())
    assert [one.path.name for one in records(paths())] == ["a", "b"]
    shelf = paths().state / "runs"
    assert {path.stat().st_mode & 0o777 for path in shelf.iterdir()} == {0o600}
    (shelf / "x.json").write_bytes(b"\xff{")
    (shelf / "y.json").write_text(json.dumps({"folder": "/etc", "begun": ""}))
    os.mkfifo(shelf / "z.txt")
    assert len(records(paths())) == 2
    assert forget(tmp_path / "a", paths())
    assert not forget(tmp_path / "a", paths())
    assert [one.path.name for one in records(paths())] == ["b"]


def test_a_run_that_cannot_be_noted_down_runs_all_the_same(tmp_path: Path) -> None:
    paths().state.mkdir(parents=True)
    (paths().state / "runs").write_text("in the way")
    enlist(tmp_path, paths())
    assert records(paths()) == []


def test_what_a_dead_runner_of_another_machine_says(tmp_path: Path) -> None:
    run = begun(
        tmp_path / "one",
        LineNow(id="a", status="done"),
        LineNow(id="b", status="running"),
    )
    assert (run.state, run.counts()) == (
        "none",
        {"failed": 0, "running": 0, "done": 1, "left": 1},
    )
    away = begun(tmp_path / "two")
    text = (away.folder / "runner.jsonl").read_text()
    (away.folder / "runner.jsonl").write_text(
        text.replace('"lines"', '"host": "node7", "lines"')
    )
    away = RunNow(away.folder).look()
    assert (away.state, away.alive) == ("elsewhere", False)
    RunJournal(away.folder).write(RunEnded(status="budget"))
    assert away.look().state == "budget"


def test_a_study_is_summed_up_and_no_part_leads_out_of_its_folder(
    tmp_path: Path,
) -> None:
    begun(tmp_path / "study", OrderApplied(do="pause"))
    home = tmp_path / "study"
    (home / "batch.json").unlink()
    names = ["level=0", "level=2", "../outside", "/etc", "", ".."]
    (home / "manifest.json").write_text(
        json.dumps(
            {
                "format": "verifytui-study-run/1",
                "conditions": [{"folder": name} for name in names],
            }
        )
    )
    begun(tmp_path / "outside", LineNow(id="x", status="done"))
    begun(
        home / "level=0",
        LineNow(id="a", status="done", input=10, output=1, cost_known=0.5),
        LineNow(id="b", status="failed"),
    )
    run = RunNow(home).look()
    assert [*run.parts] == ["level=0", "level=2"]
    assert (
        run.kind,
        run.counts()["done"],
        run.counts()["failed"],
        run.spent().cost_known,
    ) == ("study", 1, 1, 0.5)


def test_a_cost_that_nobody_knows_is_no_amount(tmp_path: Path) -> None:
    unknown = LineNow(id="a", status="done", input=10, output=1, unpriced=("judge",))
    assert begun(tmp_path / "none", unknown).cost_in_words() == "unknown"
    assert (
        begun(
            tmp_path / "some", unknown, LineNow(id="b", status="done", cost_known=0.5)
        ).cost_in_words()
        == "$0.50+"
    )


async def test_an_order_to_one_part_holds_for_all_and_stands_in_every_diary(
    tmp_path: Path,
) -> None:
    debate = Gated()
    parts = [
        BatchRunner(batch(debate, "a", "b"), tmp_path / name, Limits(2))
        for name in ("one", "two")
    ]
    for part in parts:
        part.prepare()
    task = asyncio.create_task(BatchGroup(parts, Limits(2)).run(NoReporter()))
    await until(lambda: debate.begun == 2)
    order = give(tmp_path / "two", ControlOrder(do="pause", concurrency=3))
    runs = [RunNow(tmp_path / name) for name in ("one", "two")]
    for run in runs:
        await until(lambda run=run: order in run.look().head.answers)  # type: ignore[misc]
        now = run.look()
        assert (now.state, now.concurrency) == ("paused", 3)
    give(tmp_path / "one", ControlOrder(do="go-on"))
    debate.let_go()
    assert await asyncio.wait_for(task, 20) == "done"
    for name in ("one", "two"):
        assert [
            (one["what"], one["was"], one["is"]) for one in changes_in(tmp_path / name)
        ] == [
            ("concurrency", 2, 3),
            ("state", "running", "paused"),
            ("state", "paused", "running"),
        ]
        assert json.loads((tmp_path / name / "report.json").read_text())[
            "changes"
        ] == changes_in(tmp_path / name)


def test_changes_that_were_edited_do_no_harm() -> None:
    odd = [
        {"what": "x"},
        "stop",
        {"time": "\x1b[2J", "what": "[/x]\x1b", "was": 1, "is": "\x07"},
    ]
    whole = {
        "time": "2026-11-21T04:44:00.123Z",
        "what": "budget_usd",
        "was": None,
        "is": 5.0,
    }
    told = in_words([*odd, whole])  # type: ignore[list-item]
    assert len(told) == 3
    assert "\x1b" not in "".join(told)
    assert told[-1].endswith("budget in dollars: none → $5.00")
    assert in_words([whole | {"was": 0.004, "is": 0.006}])[-1].endswith(
        "$0.0040 → $0.0060"
    )
    with speaking("zh"):
        assert in_words([whole])[1].endswith("美元预算：无 → $5.00")

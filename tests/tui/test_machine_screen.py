"""The list of the runs of this machine: what each says, how it is led, and the way into
it and back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.batches.registry import enlist, records
from verifytui.engines.batches.run_journal import LineNow, OrderApplied, RunEnded
from verifytui.engines.models.config import Config
from verifytui.sessions.paths import paths
from verifytui.tests.support.followed import COMMAND, World
from verifytui.tests.support.piloting import everything, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens import batch as batch_screen
from verifytui.tui.screens import machine as screen_of
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.machine import MachineScreen

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _quick(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_language("en")
    monkeypatch.setattr(screen_of, "SECONDS", 0.1)
    monkeypatch.setattr(batch_screen, "SECONDS", 0.1)


def world(folder: Path) -> World:
    folder.mkdir()
    enlist(folder, paths())
    return World(folder)


@asynccontextmanager
async def listed(size: tuple[int, int] = (120, 36)) -> AsyncIterator[Pilot[None]]:
    app = VerifyTui(Config())
    async with app.run_test(size=size, notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press("O")
        await wait(pilot, lambda: isinstance(app.screen, MachineScreen))
        yield pilot
        assert app.defects == []


async def sees(pilot: Pilot[None], *words: str) -> None:
    await wait(pilot, lambda: all(word in everything(pilot.app) for word in words))


async def test_nothing_was_begun_yet() -> None:
    async with listed((80, 24)) as pilot:
        await sees(pilot, "Runs", "No batch or study has been started on this")
        await pilot.press("p", "x", "D", "enter", "escape")
        await wait(pilot, lambda: not isinstance(pilot.app.screen, MachineScreen))


async def test_runs_are_shown_led_and_forgotten(tmp_path: Path) -> None:
    over, works = world(tmp_path / "over"), world(tmp_path / "[red]works")
    for each in (over, works):
        each.begin(3)
    over.write(
        LineNow(id="q0", status="failed", error="Late."), RunEnded(status="failed")
    )
    over.dies()
    async with listed((80, 24)) as pilot:
        await sees(
            pilot,
            "RUNNING",
            "DONE, SOME",
            "[red]works",
            "0/3",
            "1/3 !1",
            COMMAND,
            "4 at a time",
            "p pause",
        )
        await pilot.press("p")
        await wait(pilot, lambda: works.orders() == [{"do": "pause"}])
        await sees(pilot, "Sent to the run: pause")
        works.write(OrderApplied(do="pause"))
        await sees(pilot, "PAUSED", "p continue")
        await wait(pilot, lambda: "Sent to the run" not in everything(pilot.app))
        await pilot.press(
            "plus", "backspace", "8", "enter", "dollar_sign", *"$5", "enter", "x", "y"
        )
        await wait(
            pilot,
            lambda: (
                works.orders()[1:]
                == [{"concurrency": 8}, {"budget_usd": 5.0}, {"do": "stop"}]
            ),
        )
        await pilot.press("D")
        await sees(pilot, "stop it first")
        await pilot.press("j")
        await sees(pilot, "D remove from list", str(tmp_path)[-10:])
        await pilot.press("p")
        await sees(pilot, "It is not running, so the command has no effect.")
        await pilot.press("D")
        await wait(
            pilot, lambda: [one.path.name for one in records(paths())] == ["[red]works"]
        )
    works.dies()
    assert (tmp_path / "over" / "batch.json").exists()


async def test_a_run_is_opened_and_escape_leads_back(tmp_path: Path) -> None:
    works = world(tmp_path / "works")
    works.begin(3)
    async with listed() as pilot:
        await sees(pilot, "RUNNING")
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(pilot.app.screen, BatchScreen))
        await pilot.press("escape")
        await wait(pilot, lambda: isinstance(pilot.app.screen, MachineScreen))
        await sees(pilot, "RUNNING")
        works.dies()
        for path in works.folder.iterdir():
            path.unlink()
        works.folder.rmdir()
        await sees(pilot, "FOLDER GONE")
        await pilot.press("enter")
        await sees(pilot, "This folder no longer contains a batch or study.")

"""A batch that is followed on screen, while its folder grows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.batches.batch_snapshot import LineState
from verifytui.engines.batches.orders import ControlOrder
from verifytui.engines.batches.run_journal import (
    LineNow,
    OrderApplied,
    RunEnded,
    RunPaused,
)
from verifytui.engines.figures.certificates import JudgeFacts
from verifytui.engines.judges.certificate import (
    CertificationResult,
    certificate_path,
    keep,
)
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Failure
from verifytui.sessions.session import Totals
from verifytui.tests.support.certifying import certificate
from verifytui.tests.support.followed import COMMAND, World
from verifytui.tests.support.piloting import everything, header, recorded, wait
from verifytui.tests.support.screens_host import HOSTILE
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens import batch as screen_of
from verifytui.tui.screens import batch_lines
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.run_controls import read_budget
from verifytui.tui.widgets.long_list import LongList

pytestmark = pytest.mark.slow


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "out"
    folder.mkdir()
    return World(folder)


@asynccontextmanager
async def followed(
    folder: Path, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[Pilot[None]]:
    app = VerifyTui(Config(), folder=folder)
    async with app.run_test(size=size, notifications=True) as pilot:
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        yield pilot
        assert app.defects == []


@pytest.fixture(autouse=True)
def _quick(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_of, "SECONDS", 0.02)


async def sees(pilot: Pilot[None], *texts: str) -> None:
    await wait(pilot, lambda: all(text in everything(pilot.app) for text in texts))


def order_of(pilot: Pilot[None]) -> list[str]:
    """The ids of the lines, from the top."""
    assert isinstance(pilot.app.screen, BatchScreen)
    return [line.id for line in pilot.app.screen._shown]


async def test_a_batch_that_runs_is_followed_as_it_goes_on(world: World) -> None:
    world.begin(1000, budget_usd=5.0)
    async with followed(world.folder) as pilot:
        await sees(
            pilot,
            "RUNNING",
            "0 of 1,000",
            "of $5.00",
            "4 at a time",
            "5  left 1,000",
            "Why 3?",
        )
        world.write(
            LineNow(
                id="q0",
                status="done",
                events=5,
                input=1200,
                output=34,
                cost_known=0.5,
                result="42",
            ),
            LineNow(
                id="q1",
                status="running",
                events=1,
                input=10,
                output=10,
                cost_known=0.25,
            ),
            LineNow(id="q7", status="failed", events=1, error="The server says no."),
        )
        await sees(
            pilot,
            "2 of 1,000",
            "cost $0.75 of $5.00",
            "1,254 tokens",
            "2  failed 1",
            "The server says no.",
            "(estimated)",
        )
        assert order_of(pilot)[:4] == ["q7", "q1", "q0", "q2"]
        await pilot.press("2")
        await sees(pilot, "[failed 1]")
        assert order_of(pilot) == ["q7"]
        await pilot.press("5", "j", "j")
        assert order_of(pilot)[:3] == ["q2", "q3", "q4"]
        world.write(LineNow(id="q2", status="running"))
        await wait(pilot, lambda: order_of(pilot)[:2] == ["q3", "q4"])
        assert pilot.app.screen.query_one(LongList).cursor == 1, (
            "the cursor stays on its line"
        )
        await pilot.press("1", "end")
        await sees(pilot, "Why 999?")


async def test_orders_from_the_screen(world: World) -> None:
    world.begin(3)
    async with followed(world.folder) as pilot:
        await sees(pilot, "RUNNING", "p pause", "x stop")
        await pilot.press("p")
        await wait(pilot, lambda: world.orders() == [{"do": "pause"}])
        await sees(pilot, "Sent to the run: pause")
        world.write(OrderApplied(do="pause"))
        await sees(pilot, "PAUSED", "finishing calls in progress", "p continue")
        assert "Sent to the run" not in everything(pilot.app)
        world.write(RunPaused())
        await wait(pilot, lambda: "calls in progress" not in everything(pilot.app))
        await pilot.press(
            "p",
            "plus",
            "backspace",
            "8",
            "enter",
            "dollar_sign",
            *"200k tokens",
            "enter",
        )
        await wait(pilot, lambda: len(world.orders()) == 4)
        assert world.orders()[1:] == [
            {"do": "go-on"},
            {"concurrency": 8},
            {"budget_tokens": 200_000},
        ]
        world.write(
            OrderApplied(do="go-on"),
            OrderApplied(concurrency=8),
            OrderApplied(budget_tokens=200_000),
        )
        await sees(pilot, "RUNNING", "8 at a time", "of 200,000 tokens")
        await pilot.press("x")
        await sees(pilot, "Stop it?")
        await pilot.press("n", "x", "y")
        await wait(pilot, lambda: world.orders()[-1] == {"do": "stop"})
        assert [order.get("do") for order in world.orders()].count("stop") == 1
        world.write(RunEnded(status="stopped"))
        world.dies()
        await sees(pilot, "STOPPED", COMMAND, "y copy the command")
        await pilot.press("x", "p")
        await sees(pilot, "It is not running, so the command has no effect.")
        assert len(world.orders()) == 5


async def test_a_runner_that_was_killed_and_another_one(world: World) -> None:
    world.begin(3)
    world.write(LineNow(id="q1", status="running", events=2))
    async with followed(world.folder, (80, 24)) as pilot:
        await sees(pilot, "RUNNING", "running 1")
        world.dies()
        await sees(pilot, "NOT RUNNING", COMMAND, "running 0", "started")
        again = World(world.folder)
        again.begin(3)
        await sees(pilot, "RUNNING", "left 3")
        again.dies()


async def test_a_session_is_opened_and_the_way_leads_back(world: World) -> None:
    world.begin(3)
    recorded(
        header("one"),
        [Failure(role="judge", kind="timeout", message="Late.")],
        world.folder / "q2.yaml",
    ).close()
    world.write(LineNow(id="q2", status="failed", events=1, error=HOSTILE))
    async with followed(world.folder) as pilot:
        app = pilot.app
        assert isinstance(app, VerifyTui)
        await sees(pilot, "failed 1")
        assert "\x1b" not in everything(app)
        await pilot.press("down", "enter")
        await sees(pilot, "has not started")
        await pilot.press("up", "enter")
        await wait(
            pilot,
            lambda: (
                app.workspace.play is not None
                and app.workspace.play.journal.path == world.folder / "q2.yaml"
            ),
        )
        assert app.workspace.play is not None
        assert not app.workspace.play.journal.writable, "the runner may need it"
        await pilot.press("o")
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        await sees(pilot, "failed 1")
        await pilot.press("o")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("escape")
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        await pilot.press("escape")
        await wait(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_finished_batch_shows_the_figures_of_its_report(world: World) -> None:
    from verifytui.engines.batches.run import run_batch
    from verifytui.tests.support.gated import Gated, batch

    world.dies()
    for file in world.folder.iterdir():
        file.unlink()
    debate = Gated()
    debate.let_go()
    await run_batch(batch(debate, "a", "b"), world.folder)
    path = world.folder / "report.json"
    report = json.loads(path.read_text())
    made_with = {"method": ["debate"], "prompts": ["en 0123456789ab"]}
    report |= {"verified_by": {"judge": ["gpt-4"]}, "made_with": made_with}
    path.write_text(json.dumps(report))
    sides = JudgeFacts("gpt-4", "en 0123456789ab", "side", ("debate", "judge"))
    async with followed(world.folder) as pilot:
        await sees(pilot, "DONE", "2 of 2", "2 debates: 2 done", "cost $0.01")
        await sees(pilot, "winning side: no labels")
        # written while it is open
        result = CertificationResult("certified", [], certificate("s", sides), [])
        keep(result, "s", certificate_path("s"))
        await sees(pilot, "winning side: certified (120 labels")
    (world.folder / "runner.jsonl").unlink()
    async with followed(world.folder) as pilot:
        await sees(pilot, "DONE", "2 of 2", "cost $0.01")


@pytest.mark.parametrize(
    "spoilt",
    [
        b"[[[[",
        b"\xff\n{}\nnull\n",
        b'{"event": "line"}\n{"event": "began"}\n',
        b"x" * 100_000,
    ],
)
async def test_a_diary_that_cannot_be_read_harms_nothing(
    world: World, spoilt: bytes
) -> None:
    (world.folder / "runner.jsonl").write_bytes(spoilt)
    (world.folder / "summary.jsonl").write_bytes(b'{"id": []}\n[1]\n' + spoilt)
    async with followed(world.folder) as pilot:
        world.write(RunEnded(status="nonsense"))
        world.dies()
        await sees(pilot, "NOT RUNNING")


@pytest.mark.parametrize(
    ("spent", "shown"),
    [(Totals(input=900, output=27), "927"), (Totals(input=None), "?"), (Totals(), "")],
)
def test_a_line_of_which_only_the_summary_is_known_shows_its_tokens(
    spent: Totals, shown: str
) -> None:
    line = LineState("a", "a.yaml", status="done", spent=spent)
    layout = batch_lines.LineLayout.of([line])
    assert batch_lines.row(line, 80, layout)[-1][0].strip() == shown


def test_ids_have_the_room_that_they_need_and_titles_that_are_not_there_give_theirs() -> (
    None
):
    titled, bare = (
        LineState("line-000123", "f", "Why?"),
        LineState("line-000123" * 2, "f"),
    )
    for line in (titled, bare):
        row = batch_lines.row(line, 80, batch_lines.LineLayout.of([line]))
        assert row[1][0].strip() == line.id
        assert sum(len(text) for text, _ in row) == 80
    assert row[2][0] == ""


def test_budgets_as_people_write_them() -> None:
    assert (
        read_budget("$5")
        == read_budget("5 美元")
        == read_budget("5.00 USD")
        == ControlOrder(budget_usd=5.0)
    )
    assert (
        read_budget("200,000 tokens")
        == read_budget("200k 词元")
        == ControlOrder(budget_tokens=200_000)
    )
    assert (
        read_budget(" None ")
        == read_budget("无")
        == ControlOrder(budget_usd=None, budget_tokens=None)
    )
    assert [
        read_budget(text)
        for text in ("", "many", "0", "$-1", "1..2", "0 tokens", "9" * 400)
    ] == [None] * 7


async def test_100_000_lines_are_drawn_while_they_change(world: World) -> None:
    world.begin(100_000)
    async with followed(world.folder) as pilot:
        await wait(pilot, lambda: "0 of 100,000" in everything(pilot.app), 120)
        for step in range(3):
            rows = range(step * 2000, step * 2000 + 2000)
            world.write(*(LineNow(id=f"q{n}", status="done") for n in rows))
            world.write(*(LineNow(id=f"new{n}", status="failed") for n in rows))
            for size in (
                (80, 24),
                (120, 36),
                (100, 30),
            ):  # draws at once, whatever is read
                await pilot.resize_terminal(*size)
                await pilot.press("down", str(step + 1))
        await pilot.press("1", "home")
        await wait(pilot, lambda: "12,000 of 106,000" in everything(pilot.app), 120)
        assert order_of(pilot)[:6000] == [f"new{n}" for n in range(6000)]

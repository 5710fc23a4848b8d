"""A study followed on screen: conditions and measures, plots, flips, two conditions
compared, the items of one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.cli.app import main
from verifytui.engines.batches.run_journal import (
    LineNow,
    OrderApplied,
    RunJournal,
    RunStart,
)
from verifytui.engines.models.config import Config
from verifytui.tests.support.followed import World
from verifytui.tests.support.piloting import everything, wait
from verifytui.tests.support.rankings import beir
from verifytui.tests.support.study_folders import run_of, study_of
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens import study as screen_of
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.compare import CompareScreen
from verifytui.tui.screens.comparison import ComparisonScreen
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.home import HomeScreen
from verifytui.tui.screens.study import PlotScreen, StudyScreen

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _quick(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_of, "SECONDS", 0.02)


def answers(right: int, of: int = 20) -> dict[str, str | None]:
    return {f"q{n}": "42" if n < right else "[/x]" for n in range(of)}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return study_of(tmp_path / "levels", {0: answers(5), 2: answers(15), 3: {}})


async def opened(app: VerifyTui, pilot: Pilot[None], words: str = "25.0%") -> None:
    await wait(
        pilot, lambda: isinstance(app.screen, StudyScreen) and words in everything(app)
    )


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_folder_of_a_study_shows_figures_costs_and_what_was_published(
    study: Path, size: tuple[int, int]
) -> None:
    app = VerifyTui(Config(), folder=study)
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot)
        rows = {
            line[line.index("level=") :].split()[0]: line
            for line in everything(app).split("\n")
            if "level=" in line and "·" not in line
        }
        assert "20/20" in rows["level=0"]
        assert "75.0%" in rows["level=2"]
        assert " * " in rows["level=2"]
        assert "41.0%" in rows["level=3"]
        assert "$4.96 left" in everything(app)
        assert "11.2 to 46.9%" in everything(app)
        await pilot.press("j", "j", "enter")
        assert "This condition has not started." in everything(app)
        assert app.defects == []


async def test_flips_and_both_sessions_of_one(study: Path) -> None:
    app = VerifyTui(Config(), folder=study)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await pilot.press("d")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ComparisonScreen)
                and "10 worse, 0 better" in everything(app)
            ),
        )
        await pilot.press("j", "d")
        await wait(pilot, lambda: isinstance(app.screen, CompareScreen))
        await pilot.press("escape", "escape", "escape")
        await wait(pilot, lambda: isinstance(app.screen, StudyScreen))
        await pilot.press("j", "d")
        assert "Select a condition other than the reference" in everything(app).replace(
            "another", "other"
        )
        await pilot.press("i", "k", "i", "d")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ComparisonScreen)
                and "level=2 | level=0" in everything(app)
            ),
        )
        assert app.defects == []


async def test_the_plot_and_the_items_of_a_condition(study: Path) -> None:
    app = VerifyTui(Config(), folder=study)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await pilot.press("K")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, PlotScreen)
                and "95 % interval" in everything(app)
            ),
        )
        await pilot.press("escape", "enter")
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        await pilot.press("enter")
        await wait(
            pilot,
            lambda: len(app.screen_stack) == 1 and "Question q0?" in everything(app),
        )
        assert app.defects == []


async def test_a_session_that_ends_is_counted_while_the_study_runs(
    tmp_path: Path,
) -> None:
    study = study_of(tmp_path / "levels", {0: answers(5), 2: {}, 3: {}}, measured=False)
    app = VerifyTui(Config(), folder=study)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        run_of(study / "level=2", answers(20))
        diary = RunJournal(study / "level=2")
        diary.write(RunStart(method="debate", kind="topics", lines=20, concurrency=1))
        diary.write(*(LineNow(id=f"q{n}", status="done") for n in range(8)))
        await wait(pilot, lambda: "67.6 to 100.0%" in everything(app))
        diary.close()
        assert app.defects == []


async def test_a_study_that_runs_is_paused_and_stopped_from_its_screen(
    study: Path,
) -> None:
    world = World(study)
    (study / "batch.json").unlink()
    world.begin(60)
    app = VerifyTui(Config(), folder=study)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await wait(pilot, lambda: "p pause" in everything(app))
        await pilot.press("p")
        assert world.orders() == [{"do": "pause"}]
        world.write(OrderApplied(do="pause", was={"state": "running"}))
        await wait(pilot, lambda: "p continue" in everything(app))
        await pilot.press("p", "x")
        await wait(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await wait(pilot, lambda: len(world.orders()) == 3)
        assert world.orders()[1:] == [{"do": "go-on"}, {"do": "stop"}]
        world.dies()
        await wait(pilot, lambda: "p continue" not in everything(app))
        await pilot.press("p")
        assert len(world.orders()) == 3, "nobody would obey"
        assert app.defects == []


async def test_a_study_that_cannot_be_read_says_why(study: Path) -> None:
    (study / "items.jsonl").write_text("nonsense\n")
    app = VerifyTui(Config(), folder=study)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "the items")
        await pilot.press("enter", "d", "K", "right", "i", "escape")
        await wait(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app.defects == []


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A study of three recorded runs."""
    data = beir(tmp_path)
    runs = "".join(
        f"  {name}: {{run: {name}.trec}}\n" for name in ("bad", "good", "tied")
    )
    told = (
        f"format: verifytui-study/1\nname: small\nitems: {{adapter: qrels, file: "
        f".}}\nconditions:\n{runs}measures: [ndcg_30]\n"
    )
    (data / "small.yaml").write_text(told)
    assert (
        main(["study", str(data / "small.yaml"), "--into", str(tmp_path / "out")]) == 0
    )
    return tmp_path / "out"


async def test_recorded_runs_are_compared_query_by_query(recorded: Path) -> None:
    app = VerifyTui(Config(), folder=recorded)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, "3 recorded runs")
        await pilot.press("enter")
        assert "A recorded run has no sessions. Press d to" in everything(app)
        await pilot.press("j", "d")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ComparisonScreen)
                and "0 worse, 12 better" in everything(app)
            ),
        )
        await pilot.press("j", "d", "enter")
        assert app.defects == []

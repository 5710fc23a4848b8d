"""Two batches compared on screen: figures, what differs, the items that came out
otherwise, both sessions of one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.tests.support.piloting import wait
from verifytui.tests.support.screens_host import HOSTILE, picture, shown, text_of
from verifytui.tests.support.study_folders import run_of
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.compare import CompareScreen
from verifytui.tui.screens.comparison import ComparisonScreen, of_folders
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.widgets.long_list import LongList

pytestmark = pytest.mark.slow


@pytest.fixture
def runs(home: Path, tmp_path: Path) -> tuple[Path, Path]:
    first = run_of(
        tmp_path / "runs" / "one", {f"q{n}": "42" if n < 15 else "7" for n in range(20)}
    )
    second = run_of(
        tmp_path / "runs" / "two",
        {f"q{n}": None if n == 0 else HOSTILE if n < 4 else "42" for n in range(20)},
        level=0,
    )
    return first, second


async def test_figures_stand_under_what_was_made_otherwise(
    runs: tuple[Path, Path],
) -> None:
    async with shown(of_folders(*runs), (160, 36)) as (host, _):
        lines = picture(host)
        made, right, tokens = (
            next(n for n, line in enumerate(lines) if word in line)
            for word in ("level need not agree | full consensus", "accuracy ", "tokens")
        )
        assert made < right < tokens
        assert "75.0%" in lines[right]
        assert "80.0%" in lines[right]
        assert "n 20, +5 −4" in lines[right]
        assert "inconclusive n ≈ " in lines[right]
        assert "accuracy: 4 worse, 5 better, 11 the same, 0 not measured" in text_of(
            host
        )


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_only_what_flipped_is_listed_until_x(
    runs: tuple[Path, Path], size: tuple[int, int]
) -> None:
    async with shown(of_folders(*runs), size) as (host, pilot):
        rows = [line for line in picture(host) if "Question q" in line]
        assert "[/x]" in text_of(host)
        assert sum(" - q" in line for line in rows) == 4
        assert not any("q9 " in line for line in rows)
        assert "inconclusive" in text_of(host)
        await pilot.press("1", "tab", "end")
        assert "= q14" in text_of(host)


async def test_an_item_opens_both_sessions(runs: tuple[Path, Path]) -> None:
    async with shown(of_folders(*runs), (120, 36)) as (host, pilot):
        await pilot.press("enter", "j", "enter")
        assert isinstance(host.screen, CompareScreen)
        assert "I say 42." in text_of(host)
        await pilot.press("escape", "escape")
        assert isinstance(host.screen, ComparisonScreen)
        await pilot.press("escape")
        assert host.result is None


async def test_other_items_are_refused_in_one_sentence(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    other = run_of(tmp_path / "other", {"q0": "42", "r1": "42"})
    async with shown(of_folders(runs[0], other), (120, 36)) as (host, pilot):
        await pilot.press("tab", "enter", "1", "d")
        assert "The runs have different items" in text_of(host)
        assert "worse" not in text_of(host)
        await pilot.press("escape")
        assert host.result is None


async def test_from_a_batch_through_the_library_and_back(
    runs: tuple[Path, Path],
) -> None:
    app = VerifyTui(Config(), folder=runs[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        await pilot.press("o")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("o")
        await wait(pilot, lambda: "runs/two" in text_of(app) or "two" in text_of(app))
        await pilot.press("i", "j", "d")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ComparisonScreen) and "75.0%" in text_of(app)
            ),
        )
        await pilot.press("escape")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await wait(
            pilot, lambda: app.screen.query_one(LongList).virtual_size.height > 1
        )
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        await pilot.press("escape")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        assert app.defects == []


async def test_a_batch_is_compared_with_one_beside_it(runs: tuple[Path, Path]) -> None:
    app = VerifyTui(Config(), folder=runs[1])
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        await pilot.press("d", "enter")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ComparisonScreen) and "one | two" in text_of(app)
            ),
        )
        await pilot.press("escape")
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))
        assert app.defects == []

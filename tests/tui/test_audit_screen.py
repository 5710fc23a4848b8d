"""The folder of an audit on screen: probes, the items that each changed, their
sessions.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.tests.support.audited import folder_of, written
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.piloting import everything, wait
from verifytui.tests.support.screens_host import picture
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.compare import CompareScreen
from verifytui.tui.screens.comparison import ComparisonScreen
from verifytui.tui.screens.library import LibraryScreen

pytestmark = pytest.mark.slow
PICTURES = Path(__file__).parent / "__snapshots__" / "test_audit_screen"
BOTH = pytest.mark.parametrize("size", [(80, 24), (120, 36)])


@pytest.fixture
def audit(
    home: Path, loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An audit of a judge that believes a professor."""
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    return folder_of(tmp_path, loopback)


@BOTH
async def test_each_probe_has_its_verdict_and_the_items_that_it_changed(
    audit: Path, size: tuple[int, int]
) -> None:
    app = VerifyTui(Config(), folder=audit)
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: "Biased: authority." in everything(app))
        lines = everything(app).split("\n")
        row = next(one for one in lines if "+100.0" in one)
        assert "authority" in row
        assert "[+41.0, +100.0]" in row
        assert "biased" in row
        assert "length: 0 of 12 items changed" in everything(app)
        await pilot.press("j")
        await wait(pilot, lambda: "authority: 12 of 12 items" in everything(app))
        assert "Where is archive 00?" in everything(app)
        assert "accepted  |  refused" in everything(app)
        await pilot.press("tab", "d")
        await wait(pilot, lambda: isinstance(app.screen, CompareScreen))
        assert "A professor of this subject" in everything(app)
        await pilot.press("escape", "enter")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        assert "professor" in everything(app)
        assert app.defects == []


async def test_its_sessions_are_listed_and_lead_back(audit: Path) -> None:
    app = VerifyTui(Config(), folder=audit)
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: "Biased" in everything(app))
        await pilot.press("o")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("escape")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, ComparisonScreen) and "Biased" in everything(app)
            ),
        )
        assert app.defects == []


@BOTH
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_how_it_looks(
    size: tuple[int, int], language: str, home: Path, tmp_path: Path
) -> None:
    """Compared with a picture in letters; one that is not there is written down."""
    set_language(language)
    app = VerifyTui(Config(), folder=written(tmp_path))
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: "+100.0" in everything(app))
        await pilot.press("j")
        await wait(pilot, lambda: "l0-0.authority" in everything(app))
        drawn = "\n".join(line.rstrip() for line in picture(app)) + "\n"
        assert app.defects == []
    file = PICTURES / f"{language}-{size[0]}x{size[1]}.txt"
    if not file.exists():
        file.write_text(drawn, "utf-8")
        pytest.fail(f"look at {file}")
    assert drawn == file.read_text("utf-8")


async def test_what_is_no_audit_says_why_and_what_has_none_is_a_batch(
    audit: Path,
) -> None:
    (audit / "report.json").write_text("{}")
    app = VerifyTui(Config(), folder=audit)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: "not the report of an audit" in everything(app))
        await pilot.press("1", "tab", "enter", "d", "o", "escape")
        assert app.defects == []
    (audit / "audit.jsonl").unlink()
    app = VerifyTui(Config(), folder=audit)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: isinstance(app.screen, BatchScreen))


async def test_what_came_of_asking_again_is_shown(audit: Path) -> None:
    said = {"verdict": "changed", "n": 50, "flips": 0.5, "placebo": 0.0}
    line = json.dumps({**said, "date": "2026-11-27T00:00:00Z"})
    (audit / "again.jsonl").write_text(line + "\n")
    app = VerifyTui(Config(), folder=audit)
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: "2026-11-27: changed. Of 50" in everything(app))
        assert app.defects == []

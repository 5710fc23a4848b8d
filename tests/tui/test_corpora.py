"""The corpora screen: list, add with progress, cancel, search by hand, open, bring up to date, delete."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList
from verifytui.engines.models.config import Config
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.sessions.paths import paths
from verifytui.tests.support.piloting import everything, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.paths import completed
from verifytui.tui.workspaces.rag.drafts import example_draft
from verifytui.tui.workspaces.rag.screens.corpora import CorporaScreen
from verifytui.tui.workspaces.rag.screens.document import DocumentScreen

pytestmark = pytest.mark.slow


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 40)) as made:
        await wait(made, lambda: app.workspace.play is not None)
        await made.press("C")
        await wait(made, lambda: isinstance(app.screen, CorporaScreen) and names(made) == ["example"])
        yield made
        assert app.defects == []


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "keeper.txt").write_text(
        "Before that it was dark.\n\nThe lighthouse keeper was Amalia Brand.\n\nAfter that it was not.", "utf-8"
    )
    (folder / "zh.md").write_text("# 灯塔\n\n灯塔的看守人叫林小海，他在那里住了三十年。", "utf-8")
    (folder / "bad.txt").write_bytes(b"\x00\x01\x02\xff" * 50)
    return folder


def names(pilot: Pilot[None]) -> list[str]:
    screen = pilot.app.screen
    return [one.name for one in screen._listed] if isinstance(screen, CorporaScreen) else []


def note(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen.query_one("#note").render())  # type: ignore[attr-defined]


async def add(pilot: Pilot[None], path: Path) -> None:
    await pilot.press("c")
    pilot.app.screen.query_one("#path", Input).value = str(path)
    await pilot.press("enter", "enter")


async def test_a_folder_is_added_searched_opened_and_deleted(pilot: Pilot[None], documents: Path) -> None:
    await add(pilot, documents)
    await wait(pilot, lambda: names(pilot) == ["example", "papers"])
    assert "2 files read in" in note(pilot)
    assert "bad.txt" in note(pilot)
    assert "zh+en" in everything(pilot.app) or "en+zh" in everything(pilot.app)
    await pilot.press("down", "slash")
    pilot.app.screen.query_one("#query", Input).value = "lighthouse keeper zzz"
    await pilot.press("enter")
    await wait(pilot, lambda: pilot.app.screen.query_one("#found", OptionList).option_count > 0)
    assert "zzz" in note(pilot)
    await pilot.press("enter")
    await wait(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
    shown = "".join(str(pilot.app.screen.query_one(f"#{part}").render()) for part in ("before", "passage", "after"))  # type: ignore[attr-defined]
    assert "Amalia Brand" in shown
    await pilot.press("escape", "escape", "D")
    await wait(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
    assert "papers" in everything(pilot.app)
    await pilot.press("y")
    await wait(pilot, lambda: names(pilot) == ["example"])
    assert documents.is_dir()


async def test_bringing_up_to_date_reads_what_changed(pilot: Pilot[None], documents: Path) -> None:
    await add(pilot, documents)
    await wait(pilot, lambda: names(pilot) == ["example", "papers"])
    (documents / "new.txt").write_text("A third document about whales.", "utf-8")
    await pilot.press("down", "t")
    await wait(pilot, lambda: "1 files read in, 2 unchanged" in note(pilot))


async def test_the_bundled_corpus_stays(pilot: Pilot[None]) -> None:
    for key in ("D", "t"):
        await pilot.press(key)
        assert "comes along" in note(pilot)
    assert isinstance(pilot.app.screen, CorporaScreen)


async def test_what_cannot_be_read_in_is_said(pilot: Pilot[None], tmp_path: Path) -> None:
    await add(pilot, tmp_path / "nowhere")
    await wait(pilot, lambda: "nowhere" in note(pilot))
    assert names(pilot) == ["example"]


async def test_reading_in_shows_how_far_it_is_and_can_be_stopped(
    pilot: Pilot[None], documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = threading.Event()
    build = Corpora.build

    def slow(self: Corpora, name: str, sources: Any, *, progress: Any, cancelled: Any) -> Any:
        progress(1, 3, "keeper.txt")
        began.set()
        while not cancelled():
            threading.Event().wait(0.01)
        return build(self, name, sources, progress=progress, cancelled=cancelled)

    monkeypatch.setattr(Corpora, "build", slow)
    await add(pilot, documents)
    await wait(pilot, began.is_set)
    await wait(pilot, lambda: "1 of 3" in note(pilot))
    pilot.app.screen.query_one("#corpora").focus()
    await pilot.press("x")
    await wait(pilot, lambda: "as it was" in note(pilot))
    assert names(pilot) == ["example"]
    await pilot.press("x")
    assert "Nothing" in note(pilot)


async def test_leaving_stops_what_is_read_in(pilot: Pilot[None], documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()

    def slow(self: Corpora, name: str, sources: Any, *, progress: Any, cancelled: Any) -> Any:
        while not cancelled():
            threading.Event().wait(0.01)
        stopped.set()
        raise RuntimeError("nobody sees this")

    monkeypatch.setattr(Corpora, "build", slow)
    await add(pilot, documents)
    await pilot.press("escape", "escape")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await wait(pilot, stopped.is_set)


async def test_a_corpus_that_cannot_be_opened_says_why(home: Path) -> None:
    broken = paths().corpora / "broken"
    broken.mkdir(parents=True)
    (broken / "meta.json").write_text("{", "utf-8")
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("C")
        await wait(pilot, lambda: names(pilot) == ["example", "broken"])
        await pilot.press("down")
        await wait(pilot, lambda: "broken" in str(app.screen.query_one("#detail").render()))  # type: ignore[attr-defined]
    assert app.defects == []


def test_paths_are_completed(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "paper.txt").touch()
    (tmp_path / ".hidden").touch()
    (tmp_path / "evil\x1b[2J").touch()
    assert completed(f"{tmp_path}/pap") == f"{tmp_path}/paper.txt"
    assert completed(f"{tmp_path}/papers") is None
    assert completed(f"{tmp_path}/papere") is None
    assert completed(f"{tmp_path}/.h") == f"{tmp_path}/.hidden"
    assert completed(f"{tmp_path}/evil") is None
    assert completed("") is None
    assert completed(f"{tmp_path}/none/x") is None
    assert str(completed(f"{tmp_path}/")).endswith("paper.txt")

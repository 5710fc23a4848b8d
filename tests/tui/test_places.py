"""The places and their stack: what is opened in one leads back to the same row."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea
from verifytui.engines.batches.registry import enlist
from verifytui.engines.batches.run_journal import LineNow
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Failure
from verifytui.sessions.paths import paths
from verifytui.tests.support.followed import World
from verifytui.tests.support.key_meanings import apart, of_app, of_widgets
from verifytui.tests.support.piloting import everything, header, recorded, wait
from verifytui.texts import set_language, t
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens import batch as batch_screen
from verifytui.tui.screens import machine as machine_screen
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.go import PLACES
from verifytui.tui.screens.help import HelpScreen
from verifytui.tui.screens.home import HomeScreen
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.machine import MachineScreen
from verifytui.tui.screens.place import Place
from verifytui.tui.workspaces.rag.screens.corpora import CorporaScreen

pytestmark = pytest.mark.slow


async def never() -> None:
    """LiteLLM is not loaded: it takes seconds, and says only prices here."""
    await asyncio.Event().wait()


@pytest.fixture
def world(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A batch of three that runs, with a session for each line."""
    set_language("en")
    monkeypatch.setattr(litellm_loading, "warm", lambda: None)
    monkeypatch.setattr(litellm_loading, "ready", never)
    monkeypatch.setattr(batch_screen, "SECONDS", 0.1)
    monkeypatch.setattr(machine_screen, "SECONDS", 0.1)
    folder = tmp_path / "live60"
    folder.mkdir()
    enlist(folder, paths())
    world = World(folder)
    world.begin(3)
    for name in ("q1", "q2", "q3"):
        failure = Failure(role="judge", kind="timeout", message="Late.")
        recorded(header(name), [failure], folder / f"{name}.yaml").close()
        world.write(LineNow(id=name, status="failed", events=1, error="Late."))
    return world


@asynccontextmanager
async def opened(
    *keys: str, size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[VerifyTui, Pilot[None]]]:
    app = VerifyTui(Config())
    async with app.run_test(size=size, notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open)
        await pilot.press(*keys)
        yield app, pilot
        assert app.defects == []


def at(app: VerifyTui, kind: type[Place], row: int) -> bool:
    screen = app.screen
    if not isinstance(screen, kind) or not screen.query("LongList"):
        return False
    return getattr(screen.query_one("LongList"), "cursor", -1) == row


async def test_escape_leads_back_to_the_same_rows(world: World) -> None:
    async with opened("O") as (app, pilot):
        await wait(pilot, lambda: "RUNNING" in everything(app))
        await pilot.press("enter")
        await wait(pilot, lambda: "failed 3" in everything(app))
        assert "Runs › Batch" in everything(app)
        await pilot.press("down", "down", "enter")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        play = app.workspace.play
        assert play is not None
        assert play.journal.path == world.folder / "q3.yaml"
        assert "Runs › live60 › q3" in everything(app)
        assert "esc" in everything(app)
        await pilot.press("escape")
        await wait(pilot, lambda: at(app, BatchScreen, 2))
        await pilot.press("o")
        await wait(pilot, lambda: at(app, LibraryScreen, 0))
        await pilot.press("down", "enter")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("escape")
        await wait(pilot, lambda: at(app, LibraryScreen, 1))
        await pilot.press("escape")
        await wait(pilot, lambda: at(app, BatchScreen, 2))
        await pilot.press("escape")
        await wait(pilot, lambda: at(app, MachineScreen, 0))
        await pilot.press("escape")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        assert "›" not in everything(app)
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1, "the last place was left"
    world.dies()


async def test_g_and_a_letter_go_to_a_place_from_anywhere(world: World) -> None:
    async with opened("g") as (app, pilot):
        await wait(pilot, lambda: "Go to" in everything(app))
        for _, text in PLACES.values():
            assert t(text) in everything(app)
        await pilot.press("u")
        await wait(pilot, lambda: at(app, MachineScreen, 0))
        await pilot.press("enter")
        await wait(pilot, lambda: at(app, BatchScreen, 0))
        await pilot.press("g", "escape")
        await wait(pilot, lambda: at(app, BatchScreen, 0))
        await pilot.press("g", "s")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("g", "s")
        await wait(pilot, lambda: isinstance(app.screen, LibraryScreen))
        await pilot.press("g", "c")
        await wait(pilot, lambda: isinstance(app.screen, CorporaScreen))
        await wait(pilot, lambda: "Why leaves change colour" in everything(app))
        await pilot.press("g", "m")
        await wait(pilot, lambda: isinstance(app.screen, LineupScreen))
        assert app.front == "debate", "places belong to no tab"
        await pilot.press("g", "h")
        await wait(pilot, lambda: "RUNNING 3/4" in everything(app))
        await wait(pilot, lambda: "q3: Late." in everything(app))
        await pilot.press("enter")
        await wait(pilot, lambda: at(app, BatchScreen, 0))
        await pilot.press("escape")
        await wait(pilot, lambda: at(app, HomeScreen, 0))
        await pilot.press("escape")
        await wait(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("g", "r")
        await wait(pilot, lambda: app.front == "relevance")
    world.dies()


async def test_the_question_mark_explains_every_place(world: World) -> None:
    async with opened("O") as (app, pilot):
        await wait(pilot, lambda: "RUNNING" in everything(app))
        for about, then in (
            ("machine", ("enter",)),
            ("batch", ("o",)),
            ("library", ()),
        ):
            await pilot.press("question_mark")
            await wait(pilot, lambda: isinstance(app.screen, HelpScreen))
            note = app.screen.query_one("#note", Static)
            assert str(note.render()) == t(f"place.{about}_about")
            assert "go to" in everything(app)
            await pilot.press("escape", *then)
            await wait(pilot, lambda: isinstance(app.screen, Place))
            await pilot.pause()
    world.dies()


OPENING = {
    "debate": "comOlgsv",
    "relevance": "cC",
    "rag": "cC",
}
"""Keys that open a place, a sheet or a form in a tab, beside `/`."""


async def test_no_key_has_two_meanings_and_help_is_everywhere(world: World) -> None:
    """In all places, with the focus on each element; what none of them opens here is
    read from the classes.
    """
    bound = [*of_app(), *of_widgets()]
    unexplained = []
    async with opened(size=(80, 24)) as (app, pilot):

        def walk() -> None:
            screen = app.screen
            for widget in screen.focus_chain or [None]:
                screen.set_focus(widget)
                bound.extend(
                    (type(each.node).__name__, each.binding.key, each.binding.action)
                    for each in screen.active_bindings.values()
                    if not isinstance(each.node, Input | TextArea | App)
                )

        for tab, keys in OPENING.items():
            await app.show_tab(tab)
            walk()
            if tab == "debate":
                await pilot.press("space")
                await wait(pilot, lambda: not app.workspace.running)
                await pilot.press("slash")
                await wait(pilot, lambda: app.screen.query("SearchBar"))
                walk()
                await pilot.press("escape")
            for key in keys:
                await pilot.press(key)
                await wait(pilot, lambda: len(app.screen_stack) == 2)
                await wait(pilot, lambda: app.screen.is_mounted)
                walk()
                await pilot.press("f1")
                await wait(pilot, lambda: isinstance(app.screen, HelpScreen))
                if t("help.here") not in everything(app):
                    unexplained.append((tab, key))
                await pilot.press("f1")
                await wait(pilot, lambda: len(app.screen_stack) == 2)
                while len(app.screen_stack) > 1:
                    await pilot.press("escape")
                    await pilot.pause()
    world.dies()
    assert apart(bound) == {}
    assert not unexplained
    assert {"s", "p", "x", "d", "O"} <= {key for _, key, _ in bound}


def test_a_second_meaning_is_found() -> None:
    assert apart([("A", "x", "stop"), ("B", "x", "plot")]) == {
        "x": {"A: stop", "B: plot"}
    }
    assert apart([("A", "n", "round"), ("SearchBar", "n", "go(True)")]) == {}
    assert "n" in apart([("A", "n", "round"), ("B", "n", "stage(1)")])

"""A key pressed twice at once opens one screen, and nothing ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import OptionList
from verifytui import texts
from verifytui.engines.models.config import Config
from verifytui.tests.support.piloting import wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.help import HelpScreen
from verifytui.tui.terminal.compat import Palette

pytestmark = pytest.mark.slow

OPENING = (
    "c",
    "o",
    "m",
    "l",
    "question_mark",
    "s",
    "d",
    "v",
    "C",
    "ctrl+p",
    "e",
    "slash",
    "f",
    "right_square_bracket",
)


@pytest.mark.parametrize("key", OPENING)
async def test_a_key_pressed_twice_opens_one_screen(
    key: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        VerifyTui, "is_headless", False
    )  # keys are given one after another, as in a terminal
    app = VerifyTui(Config())
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: app.is_open)
        for _ in range(2):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await settled(pilot)
        assert app.is_running
        assert len(app.screen_stack) <= 2
        assert not app.defects


@pytest.mark.parametrize("action", ["new", "library", "lineup", "level"])
async def test_a_dialog_that_is_about_to_open_is_not_opened_again(
    action: str, home: Path
) -> None:
    app = VerifyTui(Config())
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await app.action_do(action)
        await app.action_do(action)
        await wait(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 2


async def test_one_key_pressed_twice_in_every_dialog_opens_one_palette(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VerifyTui, "is_headless", False)
    app = VerifyTui(Config())
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: app.is_open)
        for key in ("c", "o", "m", "question_mark"):
            for each in (key, "ctrl+p", "ctrl+p"):
                app.post_message(Key(each, None))
            await settled(pilot)
            assert len(app.screen_stack) <= 3
            while len(app.screen_stack) > 1:
                app.post_message(Key("escape", None))
                await settled(pilot)
        assert app.is_running
        assert not app.defects


async def settled(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, VerifyTui)
    await pilot.pause()
    await wait(pilot, lambda: not app.typeahead.busy)
    await pilot.pause(0.05)


async def test_a_page_key_in_a_list_that_is_not_laid_out_does_nothing(
    home: Path,
) -> None:
    app = VerifyTui(Config())
    async with app.run_test() as pilot:
        await wait(pilot, lambda: app.is_open)
        hidden = OptionList("one", "two")
        hidden.display = False
        await pilot.app.screen.mount(hidden)
        hidden.highlighted = 0
        hidden.action_page_up()
        hidden.action_page_down()


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_text_that_the_app_names_is_there(language: str) -> None:
    root = Path(texts.__file__).parents[1]
    files = [file for room in ("cli", "tui") for file in (root / room).rglob("*.py")]
    named = {
        key
        for file in files
        for key in re.findall(r'\bt\("([a-z_]+\.[a-z_0-9]+)"', file.read_text())
    }
    assert named
    assert not named - set(texts.catalogue(language))


async def test_a_palette_lower_in_the_stack_lets_no_second_one_open(
    home: Path,
) -> None:
    app = VerifyTui(Config())
    async with app.run_test() as pilot:
        await wait(pilot, lambda: app.is_open)
        app.do_palette()
        await wait(pilot, lambda: isinstance(app.screen, Palette))
        await pilot.pause()
        await app.push_screen(HelpScreen([]))
        app.do_palette()
        await pilot.pause()
        assert sum(isinstance(one, Palette) for one in app.screen_stack) == 1
        assert isinstance(app.screen, HelpScreen)


async def test_palettes_do_not_collide(home: Path) -> None:
    """One may still be on its way out of the app when the next one comes."""
    app = VerifyTui(Config())
    async with app.run_test() as pilot:
        await wait(pilot, lambda: app.is_open)
        for _ in range(3):
            await app.push_screen(Palette("a", "b"))
        await pilot.pause()
        assert len(app.screen_stack) == 4
        assert not app.defects

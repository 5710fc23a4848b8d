"""A command in the app: in the line-up, refused before the first call where it cannot
be run, and its reply.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config, NamedCommand
from verifytui.engines.starting import wishes
from verifytui.tests.support import command_seat
from verifytui.tests.support.piloting import events, everything, seat, tui, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow

COMMANDS = {
    "mine": NamedCommand(command=[sys.executable, command_seat.__file__]),
    "gone": NamedCommand(command=["no-such-program"]),
}


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """A debate of one round before its first speech; the program of one side is not
    there.
    """
    set_language("en")
    config = Config(commands=COMMANDS, model="mine", retries=0)
    told = {"rounds": 1, "model": ["mine", "negative=gone"]}
    app = VerifyTui(config, draft(wishes("debate", told, topic="How far?"), config))
    async with app.run_test(size=(120, 36), notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


async def test_a_command_is_checked_chosen_and_answers(pilot: Pilot[None]) -> None:
    await pilot.press("space")
    await wait(pilot, lambda: "no-such-program" in everything(pilot.app))
    assert events(pilot) == []
    if not isinstance(pilot.app.screen, LineupScreen):
        await pilot.press("m")
    await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen))
    await pilot.press("home", "down", "tab", *"gone", "enter")
    await wait(pilot, lambda: "not a program on your PATH" in everything(pilot.app))
    assert events(pilot) == []
    await pilot.press(*["backspace"] * 4, *"mine", "enter")
    await wait(pilot, lambda: seat(pilot, "negative").model == "command:mine")
    await pilot.press("escape")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await pilot.press("r")
    await wait(pilot, lambda: tui(pilot).workspace.play.session.result is not None, 60)  # type: ignore[union-attr]
    asked = [one for one in events(pilot) if getattr(one, "model", None)]
    assert {one.model for one in asked} == {"command:mine"}  # type: ignore[union-attr]
    assert "It was built in 1873 [1]." in everything(pilot.app)

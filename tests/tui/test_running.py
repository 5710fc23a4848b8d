"""What one does while something runs: looking back, searching, other tabs and sessions, leaving."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.starting import wishes
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.piloting import events, press, said, shown, tui, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.widgets.entry import LiveEntry
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow

SIZE = (120, 36)
VERDICT = '{"reason": "Not yet.", "preference": false, "supported_side": null, "answer": null}'


class Gate:
    """A model that answers when it is let: each answer waits for its turn."""

    def __init__(self) -> None:
        self.turns = [threading.Event() for _ in range(40)]
        self.asked = 0

    def __call__(self, body: Body) -> Answer:
        turn, self.asked = self.turns[self.asked], self.asked + 1
        if "JSON" in body["messages"][-1]["content"]:
            return Answer(text=VERDICT, hold=turn)
        return Answer(text=f"Speech number {self.asked}.\n\nAnswer: {self.asked}", hold=turn)

    def let(self, count: int) -> None:
        for turn in self.turns[:count]:
            turn.set()


@pytest.fixture
def gate(loopback: Loopback) -> Iterator[Gate]:
    set_language("en")
    made = Gate()
    loopback.answer = made
    yield made
    made.let(40)


def config(loopback: Loopback) -> Config:
    return Config(models={"lb": NamedModel(model="openai/lb", api_base=loopback.base_url)}, model="lb", retries=0)


def debate(config: Config, topic: str = "How fast?") -> Play:
    return draft(wishes("debate", {}, topic=topic), config)


@pytest.fixture
async def pilot(home: Path, loopback: Loopback, gate: Gate) -> AsyncIterator[Pilot[None]]:
    """A debate whose first speech is there and whose second one is on its way."""
    made_for = config(loopback)
    app = VerifyTui(made_for, debate(made_for))
    async with app.run_test(size=SIZE, notifications=True) as made:
        await wait(made, lambda: app.is_open)
        gate.let(1)
        await made.press("r")
        await wait(made, lambda: gate.asked == 2 and len(events(made)) == 1 and bool(app.query(LiveEntry)))
        yield made
        assert app.defects == []


async def test_looking_back_while_a_speech_is_on_its_way(pilot: Pilot[None], gate: Gate) -> None:
    app = tui(pilot)
    assert app.workspace.play is not None
    await pilot.press("left")
    await wait(pilot, lambda: shown(pilot) == [] and not app.query(LiveEntry))
    gate.let(3)
    await wait(pilot, lambda: len(events(pilot)) == 3 and gate.asked == 4)
    assert (app.workspace.play.cursor, app.workspace.running) == (0, True)
    assert shown(pilot) == []
    await pilot.press("slash", *"number 2", "enter")
    await wait(pilot, lambda: shown(pilot) == ["Speech", "Speech"])
    await pilot.press("escape", "v")
    await wait(pilot, lambda: isinstance(app.screen, RawScreen))
    await pilot.press("escape", "end")
    await wait(pilot, lambda: len(shown(pilot)) == 3 and bool(app.query(LiveEntry)))
    assert app.workspace.running
    await press(pilot, "x")
    assert "running" not in said(pilot)

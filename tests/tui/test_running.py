"""What one does while something runs: looking back, searching, other tabs and sessions,
leaving.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.starting import wishes
from verifytui.sessions.journal import Journal
from verifytui.sessions.locks import in_use
from verifytui.sessions.session import Seat
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.piloting import (
    events,
    everything,
    press,
    said,
    shown,
    tui,
    wait,
)
from verifytui.tests.support.saved import kinds, saved
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.docked_form import DockedForm
from verifytui.tui.screens.home import HomeScreen
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.widgets.event_view import LiveEntry
from verifytui.tui.workspaces.drafts import draft

pytestmark = pytest.mark.slow

SIZE = (120, 36)
VERDICT = (
    '{"reason": "Not yet.", "preference": false, "supported_side": null, "answer": '
    "null}"
)


class Gate:
    """A model that answers when it is let: each answer waits for its turn."""

    def __init__(self) -> None:
        self.turns = [threading.Event() for _ in range(40)]
        self.asked = 0

    def __call__(self, body: Body) -> Answer:
        turn, self.asked = self.turns[self.asked], self.asked + 1
        if "JSON" in body["messages"][-1]["content"]:
            return Answer(text=VERDICT, hold=turn)
        return Answer(
            text=f"Speech number {self.asked}.\n\nAnswer: {self.asked}", hold=turn
        )

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
    return Config(
        models={"lb": NamedModel(model="openai/lb", api_base=loopback.base_url)},
        model="lb",
        retries=0,
    )


def debate(config: Config, topic: str = "How fast?") -> Play:
    return draft(wishes("debate", {}, topic=topic), config)


@pytest.fixture
async def pilot(
    home: Path, loopback: Loopback, gate: Gate
) -> AsyncIterator[Pilot[None]]:
    """A debate whose first speech is there and whose second one is on its way."""
    made_for = config(loopback)
    app = VerifyTui(made_for, debate(made_for))
    async with app.run_test(size=SIZE, notifications=True) as made:
        await wait(made, lambda: app.is_open)
        gate.let(1)
        await made.press("r")
        await wait(
            made,
            lambda: (
                gate.asked == 2
                and len(events(made)) == 1
                and bool(app.query(LiveEntry))
            ),
        )
        yield made
        assert app.defects == []


async def test_looking_back_while_a_speech_is_on_its_way(
    pilot: Pilot[None], gate: Gate
) -> None:
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


async def test_a_session_goes_on_when_another_is_opened_and_is_gone_back_to(
    pilot: Pilot[None], gate: Gate, home: Path
) -> None:
    app = tui(pilot)
    first = app.workspace.play
    assert first is not None
    second = debate(app.config, "How far?")
    await app.open_play(second)
    assert app.workspace.play is second
    await wait(pilot, lambda: "● 1" in everything(app))
    assert not app.query(LiveEntry)
    gate.let(3)
    await wait(pilot, lambda: len(first.session.events) == 3 and gate.asked == 4)
    assert second.session.events == []
    await pilot.press("R")
    await wait(
        pilot,
        lambda: (
            isinstance(app.screen, HomeScreen)
            and "How fast?" in everything(app)
            and "r2/3" in everything(app)
        ),
    )
    await pilot.press("enter")
    await wait(
        pilot,
        lambda: (
            app.workspace.play is first
            and len(shown(pilot)) == 3
            and bool(app.query(LiveEntry))
        ),
    )
    assert "●" not in everything(app).splitlines()[0]
    gate.let(4)
    await wait(pilot, lambda: len(shown(pilot)) == 4)
    await press(pilot, "x")


async def test_the_library_leads_to_the_session_that_runs_and_nobody_writes_twice(
    pilot: Pilot[None], gate: Gate
) -> None:
    app = tui(pilot)
    first = app.workspace.play
    assert first is not None
    path = first.journal.path
    assert path is not None
    await pilot.press("f")
    await wait(pilot, lambda: app.workspace.play is not first)
    assert (in_use(path), first.journal.writable, len(app.runs.unseen)) == (
        True,
        True,
        1,
    )
    fork = app.workspace.play
    await app.opening.open_path(path)
    await wait(
        pilot, lambda: app.workspace.play is first and bool(app.query(LiveEntry))
    )
    assert fork is not None
    assert (app.runs.unseen, fork.journal.writable) == ([], False)
    await press(pilot, "x")


async def test_a_run_that_ends_unseen_is_told_and_closed_and_one_is_stopped_in_the_list(
    pilot: Pilot[None], gate: Gate
) -> None:
    app = tui(pilot)
    first = app.workspace.play
    assert first is not None
    await app.open_play(debate(app.config, "How far?"))
    gate.let(40)
    await wait(pilot, lambda: "finished. How fast?" in said(pilot))
    await wait(pilot, lambda: not app.runs.unseen)
    assert not first.journal.writable
    gate.turns += [threading.Event()]
    gate.asked = 40
    await pilot.press("r")
    await wait(pilot, lambda: gate.asked == 41)
    last = app.workspace.play
    assert last is not None
    await app.open_play(debate(app.config, "How high?"))
    await pilot.press("R")
    await wait(
        pilot,
        lambda: isinstance(app.screen, HomeScreen) and "How far?" in everything(app),
    )
    await pilot.press("x")
    await wait(
        pilot,
        lambda: not app.runs.unseen and "running" not in everything(app),
    )
    assert not last.journal.writable
    await pilot.press("escape")


async def test_leaving_asks_once_for_all_that_runs(
    pilot: Pilot[None], gate: Gate, home: Path
) -> None:
    app = tui(pilot)
    await app.open_play(debate(app.config, "How far?"))
    await pilot.press("r")
    await wait(pilot, lambda: gate.asked == 3)
    await pilot.press("q")
    await wait(
        pilot,
        lambda: (
            isinstance(app.screen, ConfirmScreen) and "2 sessions" in everything(app)
        ),
    )
    await pilot.press("n")
    await wait(pilot, lambda: not isinstance(app.screen, ConfirmScreen))
    assert len(app.runs.working) == 2
    await pilot.press("q")
    await wait(pilot, lambda: isinstance(app.screen, ConfirmScreen))
    await pilot.press("y")
    await wait(pilot, lambda: not app.is_running)
    assert sorted(kinds(path) for path in saved(home)) == [
        ["failure"],
        ["speech", "failure"],
    ]


@pytest.mark.parametrize("which", ["question", "cases"])
async def test_other_workspaces_go_on_unseen_too(home: Path, which: str) -> None:
    set_language("en")
    app = VerifyTui(Config(model="human"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open)
        await app.show_tab("rag" if which == "question" else "relevance")
        workspace = app.workspace
        header = workspace.example(Config()).session.header
        header.lineup = {role: Seat(model="human") for role in header.lineup}
        play = Play(Journal.create(None, header))
        await workspace.open(play)
        await pilot.press("r")
        await wait(pilot, lambda: workspace.dock.has_keys)
        await pilot.press("x", "y")
        await workspace.open(workspace.example(Config()))
        await wait(
            pilot, lambda: "◆ 1" in everything(app) and not app.query(DockedForm)
        )
        (runner,) = app.runs.unseen
        await app.opening.show_run(runner)
        await wait(pilot, lambda: workspace.dock.has_keys)
        assert app.query_one(DockedForm).query_one(TextArea).text == "xy"
        events_before = len(play.session.events)
        await pilot.press("f10")
        await wait(pilot, lambda: len(play.session.events) > events_before)
        await workspace.runner.halt()
    assert app.defects == []

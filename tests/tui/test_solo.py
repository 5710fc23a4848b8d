"""One model alone on the screen: a transcript of one speaker in the Debate tab."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static
from verifytui.engines.models.config import Config
from verifytui.engines.solo.method import new_solo
from verifytui.prompts import load
from verifytui.sessions.events import Note
from verifytui.sessions.events.solo import SoloResult
from verifytui.sessions.journal import Journal
from verifytui.tests.support.commanding import HILL
from verifytui.tests.support.piloting import events, press, said, shown, wait
from verifytui.texts import t
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play

pytestmark = pytest.mark.slow


def draft(strategy: str = "direct") -> Play:
    return Play(
        Journal.create(
            None,
            new_solo(
                topic=HILL,
                settings={"strategy": strategy},
                prompts=load("en", workspace="solo"),
            ),
        )
    )


async def test_it_runs_looks_back_and_forks(home: Path) -> None:
    app = VerifyTui(Config(), draft())
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        assert app.front == "debate"
        await press(pilot, "r")
        assert shown(pilot) == ["Attempt", "SoloResult"]
        assert isinstance(events(pilot)[-1], SoloResult)
        await press(pilot, "left", "f")
        play = app.workspace.play
        assert play is not None
        assert (play.session.method, len(play.session.events)) == ("solo", 1)
        await press(pilot, "space")
        assert isinstance(events(pilot)[-1], SoloResult)
        assert app.defects == []


async def test_keys_of_a_debate_say_that_there_is_no_such_setting(home: Path) -> None:
    app = VerifyTui(Config(), draft())
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        for key in ("l", ">", "<", "w"):
            await press(pilot, key)
        assert "Only debates have this setting." in said(pilot)
        assert events(pilot) == []
        assert app.defects == []


async def test_a_recorded_session_plays_again(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "alone.yaml"
    with Journal.create(path, draft().session.header) as journal:
        journal.append(Note(text="begun"))
    app = VerifyTui(Config(), Play(Journal.open(path), 0))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space", "r")
        assert shown(pilot) == ["Note", "Attempt", "SoloResult"]
        assert app.defects == []


async def test_reflection_goes_step_by_step_iteration_by_iteration(home: Path) -> None:
    app = VerifyTui(Config(), draft("reflect"))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space", "space")
        assert shown(pilot) == ["Attempt", "Review"]
        assert [
            str(line.content) for line in app.screen.query(".round").results(Static)
        ] == [t("block.iteration", n=1)]
        await press(pilot, "r")
        assert shown(pilot) == ["Attempt", "Review", "Attempt", "Review", "SoloResult"]
        await press(pilot, "left", "left", "f", "r")
        assert shown(pilot) == ["Attempt", "Review", "Attempt", "Review", "SoloResult"]
        assert app.defects == []

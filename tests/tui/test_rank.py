"""A ranking in the RAG tab."""

from __future__ import annotations

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.rank.method import example, new_ranking
from verifytui.engines.starting import Starter
from verifytui.prompts import load
from verifytui.sessions.events.rank import Ranking
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.piloting import everything, press, said, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.docked_form import ScoresForm

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_ranking_runs_in_the_rag_tab_and_no_key_breaks_it(
    language: str, home: object
) -> None:
    from verifytui.engines.method import method

    header = method("rank").begin(example(language), Starter(Config(), paths()))
    app = VerifyTui(Config(), Play(Journal.create(None, header)))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open and app.front == "rag")
        assert "Next: correctness" in everything(app)
        assert "script is not a language model" in " ".join(everything(app).split())
        await press(pilot, "space")
        assert "Next: citation accuracy" in everything(app)
        await press(pilot, "r")
        play = app.workspace.play
        assert play is not None
        await wait(
            pilot, lambda: not app.workspace.running and play.session.result is not None
        )
        names = [one["id"] for one in header.task["candidates"]]
        await wait(pilot, lambda: f"{names[0]} = {names[2]} >" in everything(app))
        shown = everything(app)
        assert any(
            line.split()[-5:] == ["1.5✓", "1✓", "2✓", "1.5✓", "1.5✓"]
            for line in shown.splitlines()
        )
        for key in ("l", "+"):
            await press(pilot, key)
            assert len(app.screen_stack) == 1
        assert "This session ranks answers: there is no rule," in said(pilot)
        for key in ("[", "]", "d", "p", "b", "c", "e", "h", "1", "tab", "home", "end"):
            await press(pilot, key)
            if len(app.screen_stack) > 1:
                await press(pilot, "escape")
        assert app.defects == []


async def test_a_person_ranks_without_knowing_whose_an_answer_is(home: object) -> None:
    header = new_ranking(
        question="When was it built?",
        answers=[
            {"name": "mine", "text": "In 1873."},
            {"name": "theirs", "text": "In 1901."},
        ],
        lineup={"ranker": Seat(model="human")},
        settings={"truthfulness": False, "bias": False},
        prompts=load("en", workspace="rank"),
    )
    app = VerifyTui(Config(), Play(Journal.create(None, header)))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open and app.front == "rag")
        await pilot.press("space")
        await wait(
            pilot,
            lambda: app.query(ScoresForm) and app.query_one("#answer1").has_focus,
        )
        assert "Score answers 1 to 2" in everything(app)
        assert "1  In 1873." in everything(app) or "1  In 1901." in everything(app)
        assert "mine" not in everything(app)
        await pilot.press(*"0.9", "tab", *"2", "f10")
        await wait(pilot, lambda: "from 0 to 1" in everything(app))
        await pilot.press("backspace", *"0.1", "f10")
        play = app.workspace.play
        assert play is not None
        await wait(pilot, lambda: len(play.session.events) == 1)
        made = play.session.events[0]
        assert isinstance(made, Ranking)
        assert sorted(made.scores.values()) == [0.1, 0.9]
        assert app.defects == []

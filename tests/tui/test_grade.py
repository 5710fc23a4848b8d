"""A grading in the Relevance tab."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from verifytui.engines.grade.method import new_grade
from verifytui.engines.models.config import Config
from verifytui.prompts import load
from verifytui.sessions.events.grade import Grade
from verifytui.sessions.journal import Journal
from verifytui.tests.support.piloting import (
    everything,
    labels_given,
    press,
    said,
    tui,
    wait,
)
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.raw import RawScreen

CASES = [
    {"id": "near", "text": "He climbed in at night and took a ring and a watch."},
    {"id": "far", "text": "A clerk signed a contract."},
]


@pytest.mark.slow
async def test_a_grading_runs_in_the_relevance_tab_and_no_key_breaks_it(
    home: object,
) -> None:
    header = new_grade(
        query="He climbed in at night and took a ring.",
        candidates=CASES,
        prompts=load("en", workspace="grade"),
    )
    app = VerifyTui(Config(), Play(Journal.create(None, header)))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open and app.front == "relevance")
        assert "the grade of near" in everything(app)
        await press(pilot, "space")
        assert "Of the shorter case's content words" in everything(app)
        await press(pilot, "r")
        play = app.workspace.play
        assert play is not None
        assert [type(event).__name__ for event in play.session.events] == [
            "Grade",
            "Score",
            "Grade",
            "Score",
            "RelevanceResult",
        ]
        assert isinstance(play.session.events[0], Grade)
        assert "demonstrations" not in everything(app)
        assert "material -" not in everything(app)
        level = play.session.events[1].value  # type: ignore[attr-defined]
        row = next(
            line
            for line in everything(app).splitlines()
            if "near " in line and ("✓" in line or "✗" in line)
        )
        assert row.split("near")[-1].count("✓") == bin(level).count("1")
        await press(pilot, "v")
        assert isinstance(app.screen, RawScreen), "the grade of the candidate in front"
        await press(pilot, "escape")
        for key in ("C", "l"):
            await press(pilot, key)
            assert len(app.screen_stack) == 1
            assert "there are no demonstrations" in said(pilot)
        await press(pilot, "2")
        assert [label.value for label in labels_given(pilot)] == [2]
        await _every_key(pilot)
        assert app.defects == []


async def test_a_debate_of_graded_chinese_cases_is_chinese_and_asks_for_models_first(
    home: object,
) -> None:
    query, cases = (
        "被告人夜间翻窗入户，窃得戒指一枚。",
        [{"id": "c", "text": "被告人夜间入户，窃得手表一块。"}],
    )
    app = VerifyTui(
        Config(),
        Play(
            Journal.create(
                None,
                new_grade(
                    query=query, candidates=cases, prompts=load("zh", workspace="grade")
                ),
            )
        ),
    )
    async with app.run_test(size=(140, 36), notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open and app.front == "relevance")
        await press(pilot, "r")
        parent = app.workspace.title
        await press(pilot, "h")
        await wait(
            pilot, lambda: app.front == "debate" and app.workspace.play is not None
        )
        assert app.workspace.play is not None
        task = app.workspace.play.session.header.task
        assert "案件" in task["topic"]
        assert "Case A" not in str(task)
        await wait(
            pilot,
            lambda: "The built-in script does not know this topic," in everything(app),
        )
        assert "An example." not in everything(app)
        assert f'handed over from "{parent[:20]}' in everything(app)
        assert "A debate of this pair. Press m to choose" in said(pilot)


async def _every_key(pilot: Pilot[None]) -> None:
    for key in (
        "left",
        "right",
        "t",
        "e",
        "d",
        "l",
        "v",
        "K",
        "T",
        "y",
        "m",
        "u",
        "b",
        "w",
        "h",
        "j",
        "plus",
        "minus",
        "o",
        "question_mark",
    ):
        await press(pilot, key)
        while len(tui(pilot).screen_stack) > 1:
            await press(pilot, "escape")
        await press(pilot, "escape")

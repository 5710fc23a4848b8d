"""The first sight of RAG and Relevance: lines written by hand, labelled as that, and
`lexical` beside them as the baseline.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Static
from verifytui.engines.models.config import Config
from verifytui.sessions.events.relevance import Score
from verifytui.tests.support.piloting import events, everything, press, tui, wait
from verifytui.texts import set_language, t
from verifytui.tui.app import VerifyTui
from verifytui.tui.workspaces.drafts import draft
from verifytui.tui.workspaces.rag.drafts import NewQuestion
from verifytui.tui.workspaces.rag.drafts import example_draft as question_draft
from verifytui.tui.workspaces.relevance.drafts import example_draft as cases_draft
from verifytui.tui.workspaces.relevance.workspace import RelevanceWorkspace

pytestmark = pytest.mark.slow


@pytest.fixture(params=["en", "zh"])
def language(request: pytest.FixtureRequest, home: Path) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


async def test_the_cases_have_all_levels_and_the_baseline_beside_them(
    language: str, home: Path
) -> None:
    app = VerifyTui(Config(language=language), cases_draft(Config()))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        workspace = app.workspace
        assert isinstance(workspace, RelevanceWorkspace)
        assert workspace.cases is not None
        head = workspace.query_one("#candidates-head", Static)
        assert t("relevance.head_baseline") not in str(head.render())
        await press(pilot, "r")
        await wait(
            pilot, lambda: workspace.cases is not None and workspace.cases.baseline, 60
        )
        await wait(pilot, lambda: t("relevance.head_baseline") in str(head.render()))
        shown = everything(app)
        assert t("model.script") in shown
        assert t("relevance.baseline") in shown
        scores = {
            event.candidate: event.value
            for event in events(pilot)
            if isinstance(event, Score)
        }
        assert set(scores.values()) == {0, 1, 2, 3}
        assert workspace.cases.baseline.keys() == scores.keys()
        assert workspace.cases.baseline != scores
        assert app.defects == []
    (kept,) = (home / "sessions").glob("*.yaml")
    assert "model: script" in kept.read_text("utf-8")
    assert "model: lexical" not in kept.read_text("utf-8")


async def test_the_question_is_answered_twice_and_the_baseline_stands_below(
    language: str, home: Path
) -> None:
    app = VerifyTui(Config(language=language), question_draft(Config()))
    async with app.run_test(size=(200, 60)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        assert "".join(t("rag.invitation_script").split())[:12] in "".join(
            everything(app).split()
        )
        await press(pilot, "r")
        await wait(pilot, lambda: t("rag.baseline") in everything(app), 60)
        assert t("model.script") in everything(app)
        assert t("rag.said", n=1) in everything(app)
        assert app.defects == []


async def test_where_it_has_no_lines_the_line_up_opens_with_the_reason(
    home: Path,
) -> None:
    asked = NewQuestion("Who was Marie Curie?", {"model": "script"})
    app = VerifyTui(Config(), draft(asked.wishes(), Config()))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space", "space")
        await wait(pilot, lambda: t("place.models") in everything(app))
        assert "The script cannot speak as generator" in everything(app)
        assert tui(pilot).defects == []

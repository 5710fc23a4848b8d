"""Panes have titles, one of them has an edge, and columns get the room they need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widget import Widget
from verifytui.engines.batches.batch_snapshot import LineState
from verifytui.engines.debate.rounds import Ruling
from verifytui.engines.models.config import Config
from verifytui.engines.relevance.plan import CurrentStages
from verifytui.sessions.events.rag import RagAnswer, RagResult, Retrieval
from verifytui.sessions.events.relevance import Judgement
from verifytui.sessions.summary import SessionSummary
from verifytui.tests.support.piloting import everything, press, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens import batch_lines
from verifytui.tui.screens.library_rows import LibraryTable
from verifytui.tui.title_columns import cause
from verifytui.tui.workspaces.debate.rounds import ruled
from verifytui.tui.workspaces.rag.drafts import example_draft
from verifytui.tui.workspaces.relevance.wording import CandidateRow, judged_line

REFUSED = (
    "127.0.0.1:8000 refused to answer for openai/qwen3-32b because of its content "
    "rules: change the text or the model."
)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (200, REFUSED),
        (90, REFUSED.partition(": change")[0]),
        (50, "127.0.0.1:8000 .. because of its content rules"),
    ],
)
def test_the_cause_of_an_error_stays_visible(width: int, shown: str) -> None:
    assert cause(REFUSED, width) == shown


def test_titles_and_errors_of_a_batch_have_the_room_that_ids_do_not_need() -> None:
    line = LineState("q8", "f", "Why is 8 no prime?", status="failed", error=REFUSED)
    row = batch_lines.row(line, 104, batch_lines.LineLayout.of([line]))
    cells = [len(text) for text, _ in row]
    assert cells == [9, 3, 19, 64, 9]
    assert "content rules" in row[3][0]


def test_columns_of_the_library_are_as_wide_as_what_they_say() -> None:
    entries = [
        SessionSummary(
            place=f"{name}.yaml",
            id=name,
            title=f"{name} " + "word " * 12,
            workspace="debate",
            models=["script"],
            result="1.5",
        )
        for name in ("a", "b")
    ]
    head = LibraryTable(entries, by_id=False).head(100).plain
    assert head.index("kind") == 72
    assert len(head) == 100


def test_a_limit_says_whose_answer_the_judge_takes() -> None:
    ruling = Ruling("extracts", "negative", "1.5")
    assert Content.assemble(*ruled(ruling)).plain == "limit: J takes N"


def test_your_own_label_is_not_cut_on_a_narrow_screen() -> None:
    made = Judgement(
        role="annotator", kind="material", candidate="c1", relevant=False, read="json"
    )
    standing = CurrentStages(made={"judgement-material": made})
    line = judged_line(CandidateRow("c1", "Theft", standing, 2, 3, False, 1)).plain
    assert line.startswith("Judged  you 2   material not relevant")
    assert line.endswith("score -   baseline (lexical) 1   gold 3")


def edged(app: VerifyTui) -> list[str | None]:
    """The panes of the tab in front that have an edge."""
    return [
        pane.id
        for pane in app.workspace.query(Widget)
        if (pane.styles.border_left[0] == "outer" and "entry" not in pane.classes)
        or pane.styles.border_top[0] == "solid"
    ]


async def stands(pilot: Pilot[None], app: VerifyTui, *panes: str) -> None:
    await wait(pilot, lambda: edged(app) == [*panes])


@pytest.mark.slow
async def test_one_glance_tells_where_the_keys_go(home: Path) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 36)) as pilot:
        await stands(pilot, app, "answer")
        await press(pilot, "n")
        await wait(pilot, lambda: "References  iteration 1 of 1" in everything(app))
        left, answer, scores = (
            app.query_one(f"#{name}") for name in ("left", "answer", "scores")
        )
        assert answer.size.width > max(left.size.width, scores.size.width)
        assert "Answer  script" in everything(app)
        assert "Verification  script" in everything(app)
        await press(pilot, "tab")
        await stands(pilot, app, "scores")
        await pilot.resize_terminal(80, 24)
        await press(pilot, "b")
        await stands(pilot, app, "scores")
        await press(pilot, "b")
        await stands(pilot, app, "left")
        assert "References  iteration 1 of 1" in everything(app)
        await press(pilot, "right_square_bracket")
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        await stands(pilot, app, "words")
        assert "─ TRANSCRIPT ─" in everything(app)
        await press(pilot, "b")
        await stands(pilot, app, "rounds")
        assert "─ ROUNDS ─" in everything(app)
        await press(pilot, "right_square_bracket")
        await stands(pilot, app, "candidates-side")
        await press(pilot, "b")
        await stands(pilot, app, "query")
        await press(pilot, "o")
        await wait(pilot, lambda: "esc" in everything(app))
        listed = app.screen.query_one("#split")
        assert listed.styles.border_left[0] == "outer"
        await press(pilot, "slash")
        assert listed.styles.border_left[0] == "blank"
    assert app.defects == []


@pytest.mark.slow
async def test_a_long_result_is_shown_from_its_top(home: Path) -> None:
    play = example_draft(Config())
    said = RagAnswer(
        role="generator",
        model="m",
        iteration=1,
        text="word " * 900,
        answer="word " * 900,
    )
    play.journal.append(Retrieval(iteration=1, query="q", retriever="corpus"))
    play.journal.append(said)
    play.journal.append(
        RagResult(answer=said.answer, iterations=1, stopped_by="single", kept=1)
    )
    play.cursor = 2
    app = VerifyTui(Config(), play)
    async with app.run_test(size=(120, 36)) as pilot:
        await stands(pilot, app, "answer")
        answer = app.query_one("#answer")
        await press(pilot, "pagedown", "right")
        await wait(pilot, lambda: "RESULT" in everything(app))
        await wait(pilot, lambda: answer.scroll_y == 0)
        await press(pilot, "pagedown")
        await wait(pilot, lambda: answer.scroll_y > 0)
        await app.workspace.refresh_view()
        await pilot.pause()
        assert answer.scroll_y > 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [100, 107, 112, 115, 120])
async def test_the_answer_has_the_widest_column(home: Path, width: int) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(width, 30)) as pilot:
        await wait(pilot, lambda: app.is_open)
        await press(pilot, "r")
        widths = {
            name: app.query_one(f"#{name}").outer_size.width
            for name in ("left", "answer", "scores")
        }
        assert widths["answer"] > max(widths["left"], widths["scores"]), widths
        first = r"reference correctness 0\.25 0\.95 ?▃▇"
        assert re.search(first, everything(app)), "a line of scores does not fit"

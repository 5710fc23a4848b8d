"""Passages as the references show them, and the scores of several iterations."""

from __future__ import annotations

import pytest
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import RagAnswer, RagResult, Retrieval, Verification
from verifytui.sessions.journal import Journal
from verifytui.tests.support.piloting import everything, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.reflow import reflow
from verifytui.tui.workspaces.rag.drafts import example_draft
from verifytui.tui.workspaces.rag.passages import QUERY, marked_passage, query_words

GOOD = {
    "reference_correctness": 1.0,
    "correctness": 0.9,
    "citation_accuracy": 1.0,
    "truthfulness": 1.0,
    "bias": 0.0,
    "conciseness": 0.8,
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The tower\nwas built\n in 1889.", "The tower was built in 1889."),
        ("one\n\n\ntwo\nthree", "one\n\ntwo three"),
        ("北宋的毕昇\n发明了活字，\n印刷术", "北宋的毕昇发明了活字，印刷术"),
        ("用 Python\n写成", "用 Python 写成"),
        ("well-\nknown", "well-known"),
        (
            "# Towers\nThe first:\n- Paris\n- Pisa\n1. one",
            "# Towers\nThe first:\n- Paris\n- Pisa\n1. one",
        ),
    ],
)
def test_hard_line_breaks_are_joined_and_paragraphs_and_lists_kept(
    text: str, shown: str
) -> None:
    assert reflow(text) == shown


def marked(query: str, text: str) -> list[str]:
    spans = marked_passage(text, (), query_words(query)).spans
    return sorted(text[span.start : span.end] for span in spans if span.style == QUERY)


def test_words_of_the_query_are_marked_by_their_stems_and_chinese_ones_by_the_dictionary(
    home: object,
) -> None:
    assert marked(
        "Who was building the towers?", "He builds a tower; the TOWER of who was."
    ) == ["TOWER", "builds", "tower"]
    assert marked("谁发明了活字印刷术？", "毕昇发明了活字印刷术。") == [
        "发明",
        "活字印刷术",
    ]


async def test_each_iteration_has_its_scores_its_judgement_and_the_query_after_it(
    home: object,
) -> None:
    header = example_draft(Config()).session.header
    journal = Journal.create(None, header)
    passages = [
        Reference(
            n=n, id=str(n), title=f"Title {n}", text="Some of the\nwords of a tower."
        )
        for n in (1, 2, 3)
    ]
    judged = [("false", "the tower of Paris", 0.2), ("true", "", 0.9)]
    for number, (judgement, query, correct) in enumerate(judged, 1):
        journal.append(
            Retrieval(
                iteration=number,
                query="a tower",
                references=passages,
                retriever="corpus",
            )
        )
        journal.append(
            RagAnswer(
                role="generator",
                model="script",
                iteration=number,
                text="Then. [1]",
                answer="Then. [1]",
                citations=[1],
            )
        )
        scores = {**GOOD, "correctness": correct, "bias": None}
        journal.append(
            Verification(
                role="verifier",
                model="script",
                iteration=number,
                judgement=judgement,
                revised_query=query,
                read="json",
                **scores,
            )  # type: ignore[arg-type]
        )
    journal.append(
        RagResult(answer="Then. [1]", iterations=2, stopped_by="indicator", kept=2)
    )
    app = VerifyTui(Config(), Play(journal))
    async with app.run_test(size=(200, 60)) as pilot:
        await wait(
            pilot,
            lambda: (
                tui(pilot).workspace.play is not None and "RESULT" in everything(app)
            ),
        )
        screen = everything(app)
        assert "reference correctness" in screen
        assert "0.20 0.90 ▂▆" in screen
        assert "?    ?" in screen  # the bias, which could not be read
        assert "accepted" in screen
        await wait(  # there is room for what the answer does not cite
            pilot, lambda: everything(app).count("Some of the words of a tower.") == 3
        )
        assert (
            app.query_one("#rag-result").styles.border_top[1].hex.lower()
            == app.theme_variables["success"].lower()
        )

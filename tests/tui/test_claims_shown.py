"""Claims of an answer on screen, with the words that they rest on; and where references
were found.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot
from verifytui.engines.models.config import Config
from verifytui.engines.rag.plan import SCORES, RagIteration
from verifytui.engines.rag.starting import new_question
from verifytui.prompts import load
from verifytui.sessions.events import Event, Reference
from verifytui.sessions.events.rag import (
    Check,
    Claim,
    Claims,
    RagAnswer,
    RagResult,
    Retrieval,
    Sentence,
    Verdict,
    Verification,
)
from verifytui.sessions.journal import Journal
from verifytui.tests.support.piloting import everything, press, said, tui, wait
from verifytui.texts import speaking
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.workspaces.rag import wording
from verifytui.tui.workspaces.rag.claims import place_of
from verifytui.tui.workspaces.rag.scores import scores_line
from verifytui.tui.workspaces.rag.screens.document import DocumentScreen
from verifytui.tui.workspaces.rag.widgets.references import References
from verifytui.tui.workspaces.rag.wording import QuestionView

pytestmark = pytest.mark.slow

REFERENCES = [
    Reference(
        n=1,
        id="a.md@0",
        title="Kites",
        file="a.md",
        start=0,
        end=50,
        score=0.03,
        text="Kites were flown first in China, [/] long ago.",
        found_by={"bm25": 3, "dense": 1},
        dense_score=0.83,
        alike=["old/a.md@1200"],
        metadata={"version": "3.4", "author": "[b]Anna\x1b[31m"},
    ),
    Reference(
        n=2,
        id="b",
        title="Planes",
        text="The first aeroplane\nflew in 1903. It was made of wood.",
        score=0.02,
    ),
]
ITEMS = [
    Claim(
        text="An aeroplane flew in 1903.",
        verdict="supported",
        n=2,
        words="first aeroplane\nflew in 1903",
    ),
    Claim(text="It was [red]steel.", verdict="contradicted", n=2, words="made of wood"),
    Claim(text="It crossed the sea.", verdict="not-found"),
    Claim(text="Kites are old.", verdict="supported", n=1),
    Claim(text="Nobody could read this."),
]


def played(*more: Event) -> Play:
    header = new_question(
        question="When did one fly?",
        references=REFERENCES,
        prompts=load("en", workspace="rag"),
    )
    journal = Journal.create(None, header)
    journal.append(
        Retrieval(
            iteration=1,
            query="When did one fly?",
            references=REFERENCES,
            retriever="corpus",
        )
    )
    journal.append(
        RagAnswer(
            role="generator",
            model="gpt-4o",
            iteration=1,
            text="In 1903.",
            answer="In 1903.",
            citations=[],
        )
    )
    for event in more:
        journal.append(event)
    return Play(journal)


def claims() -> Claims:
    return Claims(
        role="verifier", model="gpt-4o", iteration=1, items=ITEMS, read="json"
    )


def marked(pilot: Pilot[None], row: int) -> list[tuple[str, str]]:
    """What claims rest on in a reference: the words, and their colour."""
    shown = pilot.app.screen.query_one(References).get_option_at_index(row).prompt
    assert isinstance(shown, Content)
    styles = [
        (shown.plain[span.start : span.end], str(span.style)) for span in shown.spans
    ]
    return [(text, style) for text, style in styles if "on $" in style]


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_claims_are_walked_with_the_words_they_rest_on(
    home: Path, size: tuple[int, int]
) -> None:
    app = VerifyTui(Config(), played(claims()))
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "}")
        screen = " ".join(everything(app).split())
        assert (
            "2 supported · 1 contradicted · 1 not found · 1 could not be read"
            in " ".join(
                str(app.query_one("#claims").render()).split()  # type: ignore[attr-defined]
            )
        )
        assert "▸✓ An aeroplane flew in 1903. [2]" in screen
        assert marked(pilot, 1) == [
            ("made of wood", "on $error 22%"),
            ("first aeroplane flew in 1903", "bold on $success 50%"),
        ]
        await press(pilot, "full_stop")
        claims_drawn = str(app.query_one("#claims").render())  # type: ignore[attr-defined]
        assert "▸✗ It was [red]steel. [2] contradicted" in " ".join(
            claims_drawn.split()
        )
        assert marked(pilot, 1)[-1] == ("made of wood", "bold on $error 50%")
        await press(pilot, "}", "}")
        assert "No words of the passage are quoted." in " ".join(
            everything(app).split()
        )
        await press(pilot, "{", "{", "{", "{")
        assert "▸? Nobody could read this." in " ".join(everything(app).split())
    assert app.defects == []


async def test_without_claims_the_key_says_how_to_have_them(home: Path) -> None:
    app = VerifyTui(Config(), played())
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "}")
        assert "--claims" in said(pilot)
        assert not app.query_one("#claims").display


async def test_a_reference_says_where_it_was_found_and_what_was_left_out_for_it(
    home: Path,
) -> None:
    app = VerifyTui(Config(), played(claims()))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        assert "bm25 3 · dense 1  cosine 0.83" in everything(app)
        assert "near-duplicates: 1 (enter)" in everything(app)
        tui(pilot).screen.query_one(References).focus()
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, DocumentScreen))
        await wait(pilot, lambda: "old/a.md  from character 1,200" in everything(app))
        assert "version 3.4 · author [b]Anna" in everything(app)
        assert "bm25 3 · dense 1" in everything(app)
        assert "(enter)" not in everything(app)
        assert "\x1b" not in everything(app)
    assert app.defects == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_narrow_line_has_room_for_scores_and_claims(language: str) -> None:
    scores = dict.fromkeys(SCORES, 0.9)
    turn = RagIteration(
        1,
        verification=Verification(
            iteration=1, role="verifier", judgement="true", read="json", **scores
        ),
        claims={"answer": claims()},
    )
    with speaking(language):
        line = scores_line(turn, 76)
    assert line.plain.endswith("✓ 2  ✗ 1  - 1  ? 1")
    assert "✓ 2" in line.truncate(76).plain


def test_words_are_found_where_lines_are_broken_elsewhere() -> None:
    assert place_of("made of\n  wood", "It was made of wood.") == (7, 19)
    assert place_of("分区内消息\n的顺序", "只保证分区内消息的顺序。") == (3, 11)
    assert place_of("steel (x", "made of wood") is None
    assert place_of(" ", "made of wood") is None


def test_a_contradicted_claim_takes_the_green_from_the_result() -> None:
    said = ["It flew.", "It was steel."]
    turn = RagIteration(
        1,
        answer=RagAnswer(role="generator", iteration=1, answer=" ".join(said)),
        check=Check(iteration=1, sentences=[Sentence(text=text) for text in said]),
        verification=Verification(iteration=1, role="verifier", judgement="true"),
    )
    ended = RagResult(
        answer=" ".join(said), iterations=1, stopped_by="indicator", kept=1
    )

    def shown(*verdicts: Verdict) -> tuple[str, str, dict[str, str]]:
        items = [
            Claim(text=text, verdict=verdict, sentence=n)
            for n, (text, verdict) in enumerate(zip(said, verdicts, strict=True), 1)
        ]
        turn.claims = {"answer": Claims(role="verifier", iteration=1, items=items)}
        with speaking("en"):
            content, look = wording.result(QuestionView(turn, []), ended)
        marks = {
            content.plain[span.start : span.end]: str(span.style)
            for span in content.spans
            if str(span.style).startswith("on $")
        }
        head = content.plain.splitlines()[0].partition("RESULT")[2]
        return head.strip(), look, marks

    assert shown("supported", "supported") == ("accepted", "accepted", {})
    assert shown("not-found", "contradicted") == (
        "1 of 2 claims contradicted",
        "open",
        {said[0]: "on $warning 25%", said[1]: "on $error 25%"},
    )

"""The RAG workspace with a pilot at the keys: the example by `lexical`, looking back,
edits, references, decisions, hand-over, faults.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, TextArea
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.rag.plan import turns
from verifytui.engines.rag.starting import new_question
from verifytui.prompts import load
from verifytui.sessions.events import Event, Reference
from verifytui.sessions.events.rag import (
    Check,
    Decision,
    RagAnswer,
    RagResult,
    Retrieval,
    Verification,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Seat
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.piloting import events, everything, press, said, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.workspaces.rag.drafts import example_draft
from verifytui.tui.workspaces.rag.screens.decide import DecideForm
from verifytui.tui.workspaces.rag.screens.document import DocumentScreen
from verifytui.tui.workspaces.rag.screens.new_question import NewQuestionScreen
from verifytui.tui.workspaces.rag.screens.rule import RuleScreen
from verifytui.tui.workspaces.rag.widgets.references import References
from verifytui.tui.workspaces.rag.workspace import RagWorkspace

pytestmark = pytest.mark.slow

STEPS = ["Retrieval", "RagAnswer", "Check", "Verification", "Claims", "Decision"]


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app on its example question."""
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 40)) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


def rag(pilot: Pilot[None]) -> RagWorkspace:
    workspace = tui(pilot).workspace
    assert isinstance(workspace, RagWorkspace)
    return workspace


def kinds(pilot: Pilot[None]) -> list[str]:
    return [type(event).__name__ for event in events(pilot)]


async def top(pilot: Pilot[None], screen: type) -> None:
    await wait(pilot, lambda: isinstance(pilot.app.screen, screen))


def header(**more: object) -> Header:
    references = [
        Reference(n=1, id="a", title="Kites", text="Kites were flown first in China."),
        Reference(
            n=2,
            id="b",
            title="Planes",
            text="The first aeroplane flew in 1903. It was made of wood.",
        ),
    ]
    made = {
        "question": "When did the first aeroplane fly?",
        "references": references,
        "prompts": load("en", workspace="rag"),
        **more,
    }
    return new_question(**made)  # type: ignore[arg-type]


def recorded(path: Path | None, *happened: Event, **more: object) -> Play:
    journal = Journal.create(path, header(**more))
    for event in happened:
        journal.append(event)
    return Play(journal)


def found() -> Retrieval:
    return Retrieval(
        iteration=1,
        query="When did the first aeroplane fly?",
        retriever="given",
        references=[
            Reference(
                n=1,
                id="a",
                title="Kites",
                text="Kites were flown first in China.",
                score=1.5,
            ),
            Reference(
                n=2,
                id="b",
                title="Planes",
                text="The first aeroplane flew in 1903. It was made of wood.",
                score=4.25,
                flags=["instructions"],
            ),
        ],
    )


ANSWER = RagAnswer(
    role="generator",
    model="gpt-4o",
    iteration=1,
    text="In 1903 [2].",
    answer="In 1903 [2].",
    citations=[2],
    seconds=1.0,
)


async def test_the_example_is_stepped_through_a_revision(
    pilot: Pilot[None], home: Path
) -> None:
    assert "handwritten" in " ".join(everything(pilot.app).split())
    assert not list(home.rglob("*.yaml"))
    for number, kind in enumerate(STEPS, 1):
        await press(pilot, "space")
        assert (len(events(pilot)), kinds(pilot)[-1]) == (number, kind)
    first = next(event for event in events(pilot) if isinstance(event, RagAnswer))
    assert "1 of 3 claims contradicted" in " ".join(everything(pilot.app).split())
    await press(pilot, "r")
    assert kinds(pilot) == [*STEPS, *STEPS, "RagResult"]
    last = [event for event in events(pilot) if isinstance(event, RagAnswer)][-1]
    assert first.answer != last.answer
    shown = everything(pilot.app)
    assert "iteration 1 said" in shown
    assert "query revised to" in shown
    assert "no model" in shown
    (kept,) = (home / "sessions").glob("*.yaml")
    assert "event: result" in kept.read_text(encoding="utf-8")
    await press(pilot, "space")
    assert "The question is finished." in said(pilot)


async def test_n_goes_to_the_end_of_the_iteration_and_digits_jump(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "n")
    assert kinds(pilot) == STEPS
    await press(pilot, "r", "1")
    play = rag(pilot).play
    assert play is not None
    assert play.cursor == 6
    assert "iteration 1 of 1" in everything(pilot.app)
    await press(pilot, "2")
    assert play.cursor == 12
    await press(pilot, "left", "left")
    assert play.cursor == 10
    await press(pilot, "9")
    assert "no iteration 9" in said(pilot)


async def test_a_debate_and_a_question_are_open_at_the_same_time(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "space")
    await press(pilot, "right_square_bracket")
    await wait(
        pilot,
        lambda: tui(pilot).front == "debate" and tui(pilot).workspace.play is not None,
    )
    assert "round" in str(pilot.app.screen.query_one("#keys").render())  # type: ignore[attr-defined]
    await press(pilot, "space")
    assert kinds(pilot) == ["Speech"]
    await press(pilot, "left_square_bracket")
    await wait(pilot, lambda: tui(pilot).front == "rag")
    assert "iteration" in str(pilot.app.screen.query_one("#keys").render())  # type: ignore[attr-defined]
    assert kinds(pilot) == ["Retrieval"]
    await press(pilot, "w")  # a key of the debate's
    assert kinds(pilot) == ["Retrieval"]


async def test_a_session_opens_in_the_tab_of_its_method(
    home: Path, tmp_path: Path
) -> None:
    journal = Journal.create(tmp_path / "asked.yaml", header())
    journal.append(found())
    journal.close()
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        assert app.front == "debate"
        await app.opening.open_path(tmp_path / "asked.yaml")
        await wait(pilot, lambda: app.front == "rag")
        assert kinds(pilot) == ["Retrieval"]
        assert "Planes" in everything(app)
    assert app.defects == []


async def test_what_is_cited_is_marked_and_flags_are_told_in_words(
    home: Path, tmp_path: Path
) -> None:
    app = VerifyTui(Config(), recorded(tmp_path / "s.yaml", found(), ANSWER))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        assert kinds(pilot)[-1] == "Check"
        assert "contains instructions" in everything(app)
        row = app.screen.query_one(References).get_option_at_index(1).prompt
        marked = [
            row.plain[span.start : span.end]
            for span in row.spans
            if "on $primary" in str(span.style)
        ]  # type: ignore[union-attr]
        assert [text.strip() for text in marked] == [
            "The first aeroplane flew in 1903."
        ]
        await press(pilot, "@")
        chosen = rag(pilot).reference
        assert chosen is not None
        assert chosen.n == 2


async def test_an_answer_is_read_as_markdown_and_its_citations_keep_their_look(
    home: Path,
) -> None:
    text = (
        "**In 1903** [2], \\(t_1 \\le 2\\):\n\n| Way | Why |\n|---|---|\n| *up* | [1] |"
    )
    app = VerifyTui(
        Config(),
        recorded(
            None, found(), msgspec.structs.replace(ANSWER, text=text, answer=text)
        ),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: "**In 1903** [2], t₁ ≤ 2:" in everything(app))
        await wait(
            pilot,
            lambda: "up*  [1]" in everything(app) and "| Way |" not in everything(app),
        )
        drawn = [
            segment
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.text.strip()
        ]
        at = [segment.text for segment in drawn].index("In 1903")
        mark, words, cited = (drawn[n].style for n in (at - 1, at, at + 2))
        assert [drawn[n].text.strip() for n in (at - 1, at + 2)] == ["**", "[2]"]
        assert [
            style is not None and bool(style.bold) for style in (mark, words, cited)
        ] == [False, True, True]
        assert (
            len({style.color for style in (mark, words, cited) if style is not None})
            == 3
        )


async def test_unread_is_shown_as_unread_and_never_as_nought(home: Path) -> None:
    unread = Verification(
        role="verifier",
        model="gpt-4o",
        iteration=1,
        text="Fine!",
        bias=0.9,
        problems=["nothing in it can be read"],
    )
    app = VerifyTui(Config(), recorded(None, found(), ANSWER, unread))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        figures = str(app.screen.query_one("#figures").render())  # type: ignore[attr-defined]
        assert figures.count("unread") >= 6
        assert "0.90" in figures
        assert "0.00" not in figures
        assert "1 is bad" in figures


@pytest.mark.parametrize("again", [False, True])
async def test_an_unread_decision_is_the_persons(
    home: Path, tmp_path: Path, again: bool
) -> None:
    unread = Verification(role="verifier", model="gpt-4o", iteration=1, text="Fine!")
    undecided = Decision(iteration=1, rule="nonempty", revise=None)
    app = VerifyTui(
        Config(),
        recorded(
            tmp_path / "s.yaml", found(), ANSWER, Check(iteration=1), unread, undecided
        ),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("r")
        await wait(pilot, lambda: bool(app.query(DecideForm)))
        await pilot.press("escape")
        await wait(pilot, lambda: not app.query(DecideForm))
        assert len(events(pilot)) == 5
        await pilot.press("space")
        await wait(pilot, lambda: bool(app.query(DecideForm)))
        if again:
            await pilot.press("right")
            app.query_one(DecideForm).query_one(
                "#query", Input
            ).value = "first aeroplane flight year"
        await pilot.press("f10")
        await wait(
            pilot,
            lambda: (
                len(events(pilot)) > (7 if again else 6)
                or kinds(pilot)[-1] == "RagResult"
            ),
        )
        await wait(pilot, lambda: not app.workspace.running)
        decision = next(
            event
            for event in events(pilot)
            if isinstance(event, Decision) and event.rule == "person"
        )
        assert decision.revise is again
        if again:
            assert [
                event.query for event in events(pilot) if isinstance(event, Retrieval)
            ][-1] == "first aeroplane flight year"
            edited = [
                event for event in events(pilot) if isinstance(event, Verification)
            ][-1]
            assert (edited.edited, edited.bias) == (True, None)
        else:
            result = events(pilot)[-1]
            assert isinstance(result, RagResult)
            assert (result.answer, result.stopped_by) == ("In 1903 [2].", "indicator")
    assert app.defects == []


async def test_the_revised_query_is_edited_in_a_fork(pilot: Pilot[None]) -> None:
    await press(pilot, "n")
    before = rag(pilot).play
    await pilot.press("e")
    await top(pilot, EditScreen)
    pilot.app.screen.query_one(
        "#text", TextArea
    ).text = "When was the Eiffel Tower finished?"
    await press(pilot, "f10")
    await wait(pilot, lambda: rag(pilot).play is not before)
    await press(pilot, "space", "space", "space")
    assert kinds(pilot)[-3:] == ["Claims", "Decision", "Retrieval"]
    edited = next(event for event in events(pilot) if isinstance(event, Verification))
    assert edited.edited
    assert [event.query for event in events(pilot) if isinstance(event, Retrieval)][
        -1
    ] == "When was the Eiffel Tower finished?"


async def test_the_answer_is_edited_in_a_fork(pilot: Pilot[None]) -> None:
    await press(pilot, "space", "space")
    await pilot.press("e")
    await top(pilot, EditScreen)
    pilot.app.screen.query_one("#text", TextArea).text = "Since 1889 [3]."
    await press(pilot, "f10")
    await wait(
        pilot,
        lambda: (
            isinstance(events(pilot)[-1], RagAnswer)
            and events(pilot)[-1].model == "human"
        ),
    )  # type: ignore[attr-defined]
    assert events(pilot)[-1].citations == [3]  # type: ignore[attr-defined]


async def test_a_dropped_reference_is_not_answered_from(pilot: Pilot[None]) -> None:
    await press(pilot, "space")
    retrieval = events(pilot)[-1]
    assert isinstance(retrieval, Retrieval)
    gone = retrieval.references[0]
    await press(pilot, "D")
    assert "answered without it" in everything(pilot.app)
    await press(pilot, "n")
    (turn,) = turns(rag(pilot).play.session)  # type: ignore[union-attr]
    assert turn.retrieval is not None
    assert turn.retrieval.dropped == [gone.id]
    assert turn.answer is not None
    assert gone.n not in turn.answer.citations
    await press(pilot, "r")
    assert all(
        gone.id not in [one.id for one in event.references]
        for event in events(pilot)[-8:]
        if isinstance(event, Retrieval)
    )


async def test_a_pinned_reference_stays(pilot: Pilot[None]) -> None:
    await press(pilot, "space")
    retrieval = events(pilot)[-1]
    assert isinstance(retrieval, Retrieval)
    kept = retrieval.references[-1]
    pilot.app.screen.query_one(References).go(kept.n)
    await press(pilot, "i")
    assert "pinned" in everything(pilot.app)
    await press(pilot, "r")
    again = [event for event in events(pilot) if isinstance(event, Retrieval)][-1]
    assert again.iteration == 2
    assert kept.id in [one.id for one in again.references]


async def test_a_reference_is_dropped_or_pinned_never_both(pilot: Pilot[None]) -> None:
    await press(pilot, "space")
    marks = []
    for key in ("i", "D", "i", "i", "D", "D"):
        await press(pilot, key)
        retrieval = events(pilot)[-1]
        assert isinstance(retrieval, Retrieval)
        first = retrieval.references[0]
        marks.append((first.pinned, first.id in retrieval.dropped))
    assert marks == [
        (True, False),
        (False, True),
        (True, False),
        (False, False),
        (False, True),
        (False, False),
    ]


async def test_after_the_answer_a_dropped_reference_makes_a_fork(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "r")
    before = rag(pilot).play
    await press(pilot, "1", "D")
    await wait(pilot, lambda: rag(pilot).play is not before)
    play = rag(pilot).play
    assert play is not None
    assert play.session.header.parent is not None
    assert kinds(pilot) == ["Retrieval"]


async def test_a_reference_opens_at_its_place(pilot: Pilot[None]) -> None:
    await press(pilot, "space")
    pilot.app.screen.query_one("#references", OptionList).focus()
    await pilot.press("enter")
    await top(pilot, DocumentScreen)
    chosen = rag(pilot).reference
    assert chosen is not None
    passage = str(pilot.app.screen.query_one("#passage").render())  # type: ignore[attr-defined]
    assert passage.strip() == chosen.text.strip()
    assert pilot.app.screen.query("#after")


async def test_rule_bounds_and_k_are_changed(pilot: Pilot[None]) -> None:
    await pilot.press("l")
    await top(pilot, RuleScreen)
    await pilot.press("right")
    pilot.app.screen.query_one("#bias", Input).value = "7"
    await pilot.press("f10")
    assert "0 to 1" in str(pilot.app.screen.query_one("#note").render())  # type: ignore[attr-defined]
    pilot.app.screen.query_one("#bias", Input).value = "0.5"
    await press(pilot, "f10")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    assert events(pilot) == []
    await press(pilot, ">")
    session = rag(pilot).play.session  # type: ignore[union-attr]
    assert (
        session.setting("indicator"),
        session.setting("bounds")["bias"],
        session.setting("k"),
    ) == ("thresholds-all", 0.5, 6)
    await press(pilot, "space")
    assert len(events(pilot)[-1].references) == 6  # type: ignore[attr-defined]


async def test_what_is_looked_for_is_changed_and_put_back(pilot: Pilot[None]) -> None:
    for typed, held in (("kind=", "kind="), ("kind=md", None), ("", None)):
        await pilot.press("l")
        await top(pilot, RuleScreen)
        pilot.app.screen.query_one("#where", Input).value = typed
        await pilot.press("f10")
        if held:
            assert held in str(pilot.app.screen.query_one("#note").render())  # type: ignore[attr-defined]
            await pilot.press("escape")
            if len(pilot.app.screen_stack) > 1:
                await pilot.press("y")
        await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
        await wait(
            pilot,
            lambda typed=typed, held=held: (
                rag(pilot).play.session.setting("where")
                == ((typed or None) if not held else None)
            ),
        )  # type: ignore[union-attr]
        if typed == "kind=md":
            await press(pilot, "space")
            assert {Path(one.file).suffix for one in events(pilot)[-1].references} == {
                ".md"
            }  # type: ignore[attr-defined]
            assert "kind=md" in str(pilot.app.screen.query_one("#about").render())  # type: ignore[attr-defined]


async def test_a_question_of_ones_own(pilot: Pilot[None], tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(
        "The lighthouse keeper was called Amalia Brand. She lived there from 1871.",
        encoding="utf-8",
    )
    await pilot.press("c")
    await top(pilot, NewQuestionScreen)
    await pilot.press("f10")
    assert "question" in str(pilot.app.screen.query_one("#note").render()).lower()  # type: ignore[attr-defined]
    pilot.app.screen.query_one(
        "#question-text", TextArea
    ).text = "Who was the lighthouse keeper?"
    source = pilot.app.screen.query_one("#source")
    source.value = "path:"  # type: ignore[attr-defined]
    pilot.app.screen.query_one("#path", Input).value = str(tmp_path / "none")
    await pilot.press("f10")
    await wait(
        pilot,
        lambda: (
            "none" in everything(pilot.app)
            and isinstance(pilot.app.screen, NewQuestionScreen)
        ),
    )
    pilot.app.screen.query_one("#path", Input).value = str(tmp_path / "docs")
    await press(pilot, "f10")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await press(pilot, "r")
    assert isinstance(events(pilot)[-1], RagResult)
    assert "Amalia Brand" in str(events(pilot)[-1].answer)  # type: ignore[attr-defined]


async def test_references_are_pasted_in(pilot: Pilot[None]) -> None:
    await pilot.press("c")
    await top(pilot, NewQuestionScreen)
    pilot.app.screen.query_one(
        "#question-text", TextArea
    ).text = "Who was the lighthouse keeper?"
    pilot.app.screen.query_one("#source").value = "pasted:"  # type: ignore[attr-defined]
    await pilot.press("f10")
    await top(pilot, EditScreen)
    await pilot.press("escape")
    await top(pilot, NewQuestionScreen)
    assert pilot.app.screen.query_one("#source").value == "pasted:"  # type: ignore[attr-defined]
    await pilot.press("f10")
    await top(pilot, EditScreen)
    pilot.app.screen.query_one(
        "#text", TextArea
    ).text = "[1] The sea is wet.\n[2] The lighthouse keeper was called Amalia Brand."
    await press(pilot, "f10")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    play = rag(pilot).play
    assert play is not None
    assert [one["text"] for one in play.session.header.task["references"]] == [
        "The sea is wet.",
        "The lighthouse keeper was called Amalia Brand.",
    ]
    await press(pilot, "r")
    assert "Amalia Brand" in str(events(pilot)[-1].answer)  # type: ignore[attr-defined]


async def test_side_by_side_and_back(pilot: Pilot[None]) -> None:
    await press(pilot, "r", "S")
    assert len(pilot.app.screen.query(".iteration")) == 2
    assert "Iteration 2" in everything(pilot.app)
    await press(pilot, "S")
    assert pilot.app.screen.query_one("#one").display


async def test_a_narrow_screen_shows_one_column_at_a_time(home: Path) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "r")
        columns = ("left", "answer", "scores")
        seen = []
        for _ in columns:
            seen.append(
                [name for name in columns if app.screen.query_one(f"#{name}").display]
            )
            await press(pilot, "b")
        assert seen == [["answer"], ["scores"], ["left"]]
        assert "bias(1 bad)" in everything(app)
        await pilot.resize_terminal(40, 10)
        await press(pilot, "left", "b", "b", "S", "S")
    assert app.defects == []


async def test_a_debate_is_made_of_the_answer(pilot: Pilot[None]) -> None:
    await press(pilot, "h")
    assert "There is no answer to debate yet." in said(pilot)
    await press(pilot, "r", "h")
    await wait(
        pilot,
        lambda: tui(pilot).front == "debate" and tui(pilot).workspace.play is not None,
    )
    asked, play = tui(pilot).workspace_of("rag").play, tui(pilot).workspace.play
    assert asked is not None
    assert play is not None
    made = play.session.header
    assert made.parent is not None
    assert (made.parent.id, made.parent.number, made.parent.why) == (
        asked.session.header.id,
        13,
        "handover",
    )
    assert made.task["topic"] == asked.session.header.task["question"]
    last = turns(asked.session)[-1]
    assert [one["text"] for one in made.task["evidence"]] == [
        one.text for one in last.retrieval.references
    ]  # type: ignore[union-attr]
    await press(pilot, "space")
    assert events(pilot)[0].answer == last.answer.answer  # type: ignore[attr-defined, union-attr]


# With a model behind a real server


def reply(body: Body) -> Answer:
    if (
        '"bias"' in body["messages"][-1]["content"]
        or "revised_query" in body["messages"][-1]["content"]
    ):
        scores = (
            "reference_correctness",
            "correctness",
            "citation_accuracy",
            "truthfulness",
            "conciseness",
        )
        told = {
            **dict.fromkeys(scores, 0.9),
            "bias": 0.1,
            "judgement": "true",
            "revised_query": "",
        }
        return Answer(json.dumps(told))
    return Answer("In 1903 [2].")


@pytest.fixture
async def model(
    home: Path, loopback: Loopback
) -> AsyncIterator[tuple[Pilot[None], Loopback]]:
    loopback.answer = reply
    config = Config(
        models={"m": NamedModel(model="openai/m", api_base=loopback.base_url)}
    )
    app = VerifyTui(
        config, recorded(None, lineup={"generator": Seat(model="openai/m", name="m")})
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        yield pilot, loopback
        assert app.defects == []


async def test_a_model_answers_and_verifies(
    model: tuple[Pilot[None], Loopback],
) -> None:
    pilot, server = model
    await pilot.press("r")
    await wait(pilot, lambda: kinds(pilot)[-1:] == ["RagResult"], 60)
    assert len(server.requests) == 2
    assert "openai/m" in everything(pilot.app) or "m (" in everything(pilot.app)
    await press(pilot, "left", "left")
    await pilot.press("v")
    await top(pilot, RawScreen)
    await wait(pilot, lambda: "V verifier · 4" in everything(pilot.app))


async def test_a_stopped_answer_leaves_the_references(
    model: tuple[Pilot[None], Loopback],
) -> None:
    pilot, server = model
    server.answer = Answer("In 1903 [2].", first_delay=30)
    await press(pilot, "space")
    await pilot.press("space")
    await wait(pilot, lambda: server.requests, 60)
    await pilot.press(">")
    await press(pilot, "x")
    assert kinds(pilot)[0] == "Retrieval"
    assert "RagAnswer" not in kinds(pilot)
    assert rag(pilot).play.session.setting("k") == 6  # type: ignore[union-attr]


async def test_a_refused_key_opens_the_line_up(
    model: tuple[Pilot[None], Loopback],
) -> None:
    pilot, server = model
    server.answer = Answer("no", status=401)
    await press(pilot, "space")
    await pilot.press("space")
    await top(pilot, LineupScreen)
    assert kinds(pilot)[-1] == "Failure"
    await pilot.press("escape")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    server.answer = reply
    await pilot.press("t")
    await wait(pilot, lambda: kinds(pilot)[-1] == "RagAnswer", 30)

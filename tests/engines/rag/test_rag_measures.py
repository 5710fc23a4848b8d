"""What is counted of one question: answers, references, and whether the verification
knew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from verifytui.engines.figures.measure import Item
from verifytui.engines.method import method
from verifytui.engines.rag.blocks import block
from verifytui.engines.rag.facts import STAGES
from verifytui.sessions.events import Event
from verifytui.sessions.events.rag import Check, RagAnswer, RagResult, Retrieval
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat, Session
from verifytui.tests.support import iterations as made

MEASURES = method("rag").batches["questions"].measures
ITEM = Item("q", "q", "", {"question": "Who?", "answers": ["Beorn"]})


def session(events: Sequence[Event], **settings: Any) -> Session:
    header = new_header(
        workspace="rag",
        title="Who?",
        task={"question": "Who?", "corpus": "given"},
        lineup={"generator": Seat(model="lexical")},
        settings={"iterations": 2, **settings},
        prompts=Prompts(set="en", hash="sha256:00", templates={}),
    )
    return Session(header, list(events))


def one(
    iteration: int, answer: str, passage: str, revised: str | None, **said: Any
) -> list[Event]:
    return [
        made.retrieval(iteration, "Who?", passage),
        made.answer(iteration, answer),
        Check(iteration=iteration),
        made.verification(iteration, revised, **said),
        made.decision(iteration, bool(revised)),
    ]


def end(answer: str | None, iterations: int) -> RagResult:
    return RagResult(answer=answer, iterations=iterations, stopped_by="indicator")


def measured(of: Session, name: str) -> list[tuple[float | None, str, int | None]]:
    return [
        (given.value, given.state, given.round) for given in MEASURES[name].of(of, ITEM)
    ]


WRONG_THEN_RIGHT = session(
    [
        *one(
            1,
            "Gandalf [1].",
            "About Gandalf.",
            "Which bear?",
            judgement="false",
            bias=0.9,
        ),
        *one(2, "Beorn [1].", "It was Beorn.", "", judgement="true", bias=0.1),
        end("Beorn [1].", 2),
    ]
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy_first", [(0.0, "wrong", None)]),
        ("accuracy_last", [(1.0, "right", None)]),
        (
            "accuracy_by_iteration",
            [(0.0, "wrong", 1), (1.0, "right", 2), (1.0, "right", 3)],
        ),
        (
            "reference_accuracy",
            [(0.0, "wrong", 1), (1.0, "right", 2), (1.0, "right", 3)],
        ),
        ("reference_gain", [(1.0, "measured", None)]),
        ("judgement_accuracy", [(1.0, "right", None)]),
        ("revision_accuracy", [(1.0, "right", None)]),
        ("contains_paper", [(1.0, "right", None)]),
        ("exact_match", [(1.0, "right", None)]),
        ("bias", [(0.1, "measured", None)]),
        ("correctness", [(None, "unread", None)]),
        ("iterations", [(2.0, "measured", None)]),
    ],
)
def test_a_wrong_answer_that_was_revised(name: str, expected: list[Any]) -> None:
    assert measured(WRONG_THEN_RIGHT, name) == expected


@pytest.mark.parametrize(
    ("answer", "judgement", "query", "knew", "timed"),
    [
        ("Beorn.", "true", "", "right", "right"),
        (
            "Beorn.",
            "true",
            "Who else?",
            "right",
            "right",
        ),  # a query beside `true` is not used
        ("Beorn.", "false", "Who else?", "wrong", "wrong"),
        ("Gandalf.", "unclear", "Who else?", "right", "right"),
        ("Gandalf.", "true", "", "wrong", "wrong"),
        ("Gandalf.", "false", "", "right", "wrong"),
        ("Gandalf.", None, None, "unread", "unread"),
        (
            "The references do not hold the answer.",
            "true",
            "Who else?",
            "wrong",
            "right",
        ),
    ],
)
def test_judgement_and_revision_are_held_against_the_answer(
    answer: str, judgement: str | None, query: str | None, knew: str, timed: str
) -> None:
    of = session([*one(1, answer, "x", query, judgement=judgement), end(answer, 1)])
    assert [state for _, state, _ in measured(of, "judgement_accuracy")] == [knew]
    assert [state for _, state, _ in measured(of, "revision_accuracy")] == [timed]


def test_without_a_chain_the_query_is_the_judgement() -> None:
    events = one(1, "Gandalf.", "x", "Which bear?")
    events[3] = made.verification(1, "Which bear?", judgement=None)
    events[3].role = "reviser"
    of = session([*events, end("Gandalf.", 1)], chain=False)
    assert (
        measured(of, "judgement_accuracy")
        == measured(of, "revision_accuracy")
        == [(1.0, "right", None)]
    )


def test_what_is_missing_is_wrong_and_says_why() -> None:
    nothing = session([made.retrieval(1), end(None, 0)])
    assert measured(nothing, "webglm") == [(0.0, "undecided", None)]
    assert measured(nothing, "judgement_accuracy") == []
    stopped = session([made.retrieval(1)])
    assert measured(stopped, "accuracy_last") == [(0.0, "failed", None)]
    assert {found[:2] for found in measured(stopped, "accuracy_by_iteration")} == {
        (0.0, "failed")
    }
    assert measured(stopped, "iterations") == []


def test_each_stage_has_its_seconds() -> None:
    """Over all iterations; a stage that did not happen has none."""
    events: list[Event] = [
        Retrieval(iteration=1, query="Why?", seconds=0.25),
        RagAnswer(iteration=1, role="generator", model="m", text="So.", seconds=1.0),
        Retrieval(iteration=2, query="How?", seconds=0.5),
        RagAnswer(iteration=2, role="generator", model="m", text="So.", seconds=2.0),
    ]
    stages = [MEASURES[f"seconds_{stage}"] for stage in STAGES]
    running = session(events)
    assert not any([*stage.of(running, ITEM)] for stage in stages)
    ended = session(
        [*events, RagResult(answer="So.", iterations=2, stopped_by="limit", kept=2)]
    )
    seconds = [[value.value for value in stage.of(ended, ITEM)] for stage in stages]
    assert seconds == [[0.75], [3.0], [], []]
    shown = block(ended.events[-1], ended).facts[-1]
    assert shown == ("seconds per stage", "retrieval 0.8 s, answer 3.0 s")

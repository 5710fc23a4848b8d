"""The verifier's word on the answer that a session ended with, and when a rule revises
it.
"""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.figures.verdicts import MachineVerdict
from verifytui.engines.rag.verification_measures import RagVerdicts
from verifytui.sessions.events import Event
from verifytui.sessions.events.rag import RagAnswer, Verification
from verifytui.sessions.session import Session
from verifytui.tests.support.small_rag import make_rag

RAG = RagVerdicts()
SCORES = {
    "reference_correctness": 0.2,
    "correctness": 0.25,
    "citation_accuracy": 1.0,
    "truthfulness": 0.5,
    "bias": 0.75,
    "conciseness": 0.9,
}


def ended(**changed: Any) -> Session:
    """A session whose second answer is verified so."""
    header, events = make_rag()
    made: dict[str, Any] = {"judgement": "true", "model": "v", **SCORES, **changed}
    answer = made.pop("answer", "2 m/s")

    def other(event: Event) -> Event:
        if isinstance(event, Verification) and event.iteration == 2:
            kept = {"number": event.number, "time": event.time, "text": event.text}
            return Verification(**{"role": "verifier", "iteration": 2, **kept, **made})
        if isinstance(event, RagAnswer) and event.iteration == 2:
            event.answer = answer
        return event

    return Session(header, [other(event) for event in events])


@pytest.mark.parametrize(
    ("judgement", "holds"), [("true", True), ("false", False), ("unclear", False)]
)
def test_the_word_on_the_last_answer(judgement: str, holds: bool) -> None:
    verdict = RAG.of(ended(judgement=judgement))
    assert verdict == MachineVerdict(holds, judgement, SCORES, "v", False)


def test_a_word_that_could_not_be_read() -> None:
    verdict = RAG.of(ended(judgement=None, bias=None))
    assert verdict == MachineVerdict(None, "", {**SCORES, "bias": None}, "v", False)


def test_scores_that_this_machine_does_not_give_are_not_there() -> None:
    verdict = RAG.of(ended(unmeasured=["bias", "conciseness"]))
    assert verdict is not None
    assert list(verdict.scores) == list(SCORES)[:4]


def test_an_answer_that_does_not_answer() -> None:
    verdict = RAG.of(ended(answer="I do not know."))
    assert verdict is not None
    assert verdict.abstains is False  # the first one answers, and is kept
    header, events = make_rag("I do not know.")
    for event in events:
        if isinstance(event, RagAnswer):
            event.answer = "I do not know."
    verdict = RAG.of(Session(header, events))
    assert verdict is not None
    assert verdict.abstains


def test_where_there_is_no_word() -> None:
    whole = ended()
    assert RAG.of(Session(whole.header, whole.events[:-1])) is None
    assert RAG.of(ended(role="reviser", **dict.fromkeys(SCORES))) is None
    unverified = [one for one in whole.events if not isinstance(one, Verification)]
    assert RAG.of(Session(whole.header, unverified)) is None
    unanswered = [one for one in whole.events if not isinstance(one, RagAnswer)]
    assert RAG.of(Session(whole.header, unanswered)) is None


def test_the_rule_and_its_bounds() -> None:
    session = ended()
    session.header.settings |= {"indicator": "thresholds-any", "bounds": {"bias": 0.5}}
    rule, bounds = RAG.rule(session)
    assert rule == "thresholds-any"
    assert bounds["bias"] == 0.5
    assert set(bounds) == set(RAG.signs)


@pytest.mark.parametrize(
    ("rule", "clauses", "holds", "revises"),
    [
        ("thresholds-all", (True, True), False, True),
        ("thresholds-all", (True, False), False, False),
        ("thresholds-any", (True, False), False, True),
        ("thresholds-any", (False, False), False, False),
        ("thresholds-all", (True, True), True, False),
        ("thresholds-all", (True, None), False, None),
        ("thresholds-any", (True, None), False, True),
        ("thresholds-all", (True, True), None, None),
        ("thresholds-all", (False, True), None, False),
    ],
)
def test_when_an_answer_is_revised(
    rule: str,
    clauses: tuple[bool | None, bool | None],
    holds: bool | None,
    revises: bool | None,
) -> None:
    given = dict(zip(("correctness", "bias"), clauses, strict=True))
    assert RAG.revises(rule, given, holds) is revises


def test_less_bias_is_better() -> None:
    assert {name for name, way in RAG.better.items() if way == "lower"} == {"bias"}
    assert set(RAG.better) == set(SCORES)

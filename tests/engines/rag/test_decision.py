"""The indicator: three rules, each in three-valued logic."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from verifytui.engines.rag.decision import conjunction, decide, disjunction
from verifytui.engines.rag.settings import SETTINGS
from verifytui.engines.rag.verification import read
from verifytui.sessions.events.rag import Verification

BOUNDS = SETTINGS["bounds"].default
QUERY = "Which character turns into a bear?"


def judged(**given: Any) -> Verification:
    """A verification that every clause speaks for a revision in, with changes."""
    bad = {
        "reference_correctness": 0.21,
        "correctness": 0.21,
        "bias": 0.82,
        "truthfulness": 0.91,
        "judgement": "false",
        "revised_query": QUERY,
    }
    return Verification(role="verifier", iteration=1, **{**bad, **given})


def revise(rule: str, **given: Any) -> bool | None:
    return decide(judged(**given), rule, BOUNDS).revise


RULES = [
    ({}, True, True, True),
    ({"revised_query": ""}, False, False, False),
    ({"revised_query": "  "}, False, False, False),
    ({"revised_query": None}, None, None, None),
    ({"judgement": "true"}, False, False, False),
    ({"judgement": "true", "revised_query": ""}, False, False, False),
    ({"judgement": "true", "edited": True}, True, False, False),
    ({"judgement": "unclear"}, True, True, True),
    ({"judgement": None}, True, None, None),
    ({"judgement": None, "revised_query": ""}, False, False, False),
    # on the bound is not beyond it
    ({"reference_correctness": 0.27}, True, False, True),
    ({"correctness": 0.26}, True, False, True),
    ({"bias": 0.7}, True, False, True),
    ({"truthfulness": 0.92}, True, False, True),
    ({"reference_correctness": 0.9, "correctness": 0.9, "bias": 0.1, "truthfulness": 1.0}, True, False, False),
    ({"reference_correctness": 0.9, "correctness": 0.9, "bias": 0.1}, True, False, True),
    # an unread score: false parts decide the conjunction, true parts the disjunction
    ({"bias": None}, True, None, True),
    ({"bias": None, "correctness": 0.9}, True, False, True),
    ({"reference_correctness": 0.9, "correctness": 0.9, "bias": None, "truthfulness": 1.0}, True, False, None),
    ({"bias": None, "judgement": "true"}, False, False, False),
    # a score that this verifier cannot measure is no part of the rule
    ({"bias": None, "unmeasured": ["bias"]}, True, True, True),
    ({"bias": None, "unmeasured": ["bias"], "truthfulness": 1.0}, True, False, True),
    # scores that no rule looks at
    ({"citation_accuracy": 0.0, "conciseness": 0.0}, True, True, True),
]  # fmt: skip


@pytest.mark.parametrize(("given", "nonempty", "every", "some"), RULES)
def test_the_rules(
    given: dict[str, Any], nonempty: bool | None, every: bool | None, some: bool | None
) -> None:
    assert (
        revise("nonempty", **given),
        revise("thresholds-all", **given),
        revise("thresholds-any", **given),
    ) == (nonempty, every, some)


def test_every_clause_is_shown_with_value_and_bound() -> None:
    made = decide(judged(bias=None), "thresholds-all", {**BOUNDS, "correctness": 0.1})
    assert [
        (clause.name, clause.value, clause.bound, clause.holds)
        for clause in made.clauses
    ] == [
        ("reference_correctness", 0.21, 0.27, True),
        ("correctness", 0.21, 0.1, False),
        ("bias", None, 0.7, None),
        ("truthfulness", 0.91, 0.92, True),
        ("judgement", "false", "not true", True),
        ("revised_query", QUERY, "not empty", True),
    ]
    assert (made.iteration, made.rule, made.revise) == (1, "thresholds-all", False)
    assert [clause.name for clause in decide(judged(), "nonempty", BOUNDS).clauses] == [
        "revised_query"
    ]


def test_a_query_beside_the_judgement_true_is_shown_with_the_reason_why_it_is_not_used() -> (
    None
):
    made = decide(judged(judgement="true"), "nonempty", BOUNDS)
    assert [(clause.name, clause.value, clause.holds) for clause in made.clauses] == [
        ("judgement", "true", False),
        ("revised_query", QUERY, True),
    ]
    assert made.revise is False


@pytest.mark.parametrize("rule", ["nonempty", "thresholds-all", "thresholds-any"])
@pytest.mark.parametrize(
    ("query", "revise"), [(QUERY, True), ("", False), (None, None)]
)
@pytest.mark.parametrize("judgement", ["true", "false", "unclear", None])
def test_an_answer_that_does_not_answer_is_revised_whatever_it_scores(
    rule: str, query: str | None, revise: bool | None, judgement: str | None
) -> None:
    """Such an answer violates no common sense and departs from nothing: no score speaks
    against it.
    """
    perfect = {
        "reference_correctness": 0.1,
        "correctness": 0.0,
        "truthfulness": 1.0,
        "bias": 0.0,
    }
    made = decide(
        judged(**perfect, judgement=judgement, revised_query=query),
        rule,
        BOUNDS,
        abstains=True,
    )
    assert (made.revise, made.rule) == (revise, rule)
    assert [(clause.name, clause.holds) for clause in made.clauses] == [
        ("abstention", True),
        ("revised_query", revise),
    ]


def test_three_valued_logic() -> None:
    for parts in product([True, False, None], repeat=3):
        possible = {
            all(sure)
            for sure in product(
                *[[True, False] if part is None else [part] for part in parts]
            )
        }
        assert conjunction(parts) == (possible.pop() if len(possible) == 1 else None)
        possible = {
            any(sure)
            for sure in product(
                *[[True, False] if part is None else [part] for part in parts]
            )
        }
        assert disjunction(parts) == (possible.pop() if len(possible) == 1 else None)


# the verifications that the paper prints, each with what the two threshold rules make
# of it
CASES = [
    ((0.21, 0.21, 0.81, 0.91, 0.82, 0.89), True, True),  # appendices E and F
    ((0.03, 0.13, 0.25, 0.41, 0.76, 0.87), True, True),  # Table 12: soda as a chaser
    ((0.99, 0.51, 0.0, 0.01, 0.97, 0.89), False, True),  # Table 9: charge of a battery
    ((0.81, 0.37, 0.43, 0.38, 0.91, 0.11), False, True),  # Table 10: SomethinGate
    ((0.88, 0.09, 0.19, 0.47, 0.96, 0.9), False, True),  # Table 11: first gear
]


@pytest.mark.parametrize(("scores", "every", "some"), CASES)
def test_the_papers_own_cases(
    scores: tuple[float, ...], every: bool, some: bool
) -> None:
    names = ("correctness", "citation_accuracy", "truthfulness", "bias", "conciseness")
    form = {
        "1": {"reference_correctness": scores[0]},
        "2": dict(zip(names, scores[1:], strict=True)),
        "3": "false",
        "4": QUERY,
    }
    verified = read(json.dumps(form))
    made = judged(
        **{
            name: getattr(verified, name)
            for name in ("reference_correctness", *names, "judgement", "revised_query")
        }
    )
    assert [
        decide(made, rule, BOUNDS).revise
        for rule in ("nonempty", "thresholds-all", "thresholds-any")
    ] == [True, every, some]

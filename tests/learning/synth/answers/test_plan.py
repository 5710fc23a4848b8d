"""Which question is for which task, and which negatives it gets: by the seed and the
ids alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.starting import wishes
from verifytui.learning.synth.answers.plan import (
    NEGATIVES,
    AnswerSynthesis,
    Steps,
    parse_negatives,
)
from verifytui.learning.synth.answers.samples import same_questions
from verifytui.sessions.errors import BadInput

STEPS = Steps(*[wishes("rag")] * 3)


def plan(ids: Sequence[str], **given: object) -> AnswerSynthesis:
    return AnswerSynthesis(
        [BatchLine(one, (), one) for one in ids],
        {one: {"id": one} for one in ids},
        STEPS,
        **given,
    )  # type: ignore[arg-type]


def test_halves_go_by_the_seed_and_not_by_the_order() -> None:
    ids = [f"q{n}" for n in range(21)]
    halves = plan(ids).halves
    assert plan(ids[::-1]).halves == halves
    assert list(plan(ids[::-1]).halves) == ids[::-1]
    assert Counter(halves.values()) == {"answering": 10, "verification": 11}
    assert plan(ids, seed=1).halves != halves
    assert Counter(plan(["a", "b"], share=0.99).halves.values()) == {
        "answering": 1,
        "verification": 1,
    }
    assert set(plan(ids, share=1.0).halves.values()) == {"answering"}


def test_kinds_are_dealt_out_evenly() -> None:
    ids = [f"q{n}" for n in range(40)]
    assert all(kinds == list(NEGATIVES) for kinds in plan(ids).kinds.values())
    dealt = plan(ids, each=1).kinds
    assert Counter(kind for kinds in dealt.values() for kind in kinds) == dict.fromkeys(
        NEGATIVES, 5
    )
    assert all(len(kinds) == 3 for kinds in plan(ids, each=3).kinds.values())
    assert not any(plan(ids, negatives=()).kinds.values())


def test_every_question_is_asked_as_often_as_it_is_answered() -> None:
    asked = plan(["a", "b"], samples=2).asked()
    assert [(line.id, line.cluster) for line in asked] == [
        ("a.1", "a"),
        ("a.2", "a"),
        ("b.1", "b"),
        ("b.2", "b"),
    ]


def test_kinds_are_named_or_none() -> None:
    assert parse_negatives("bad-query, repeated-words") == [
        "repeated-words",
        "bad-query",
    ]
    assert parse_negatives("none") == []
    with pytest.raises(BadInput, match="no kind “swap”"):
        parse_negatives("swap")


def test_what_is_asked_twice_stands_in_one_half() -> None:
    found = same_questions(
        {"a": "Who built it?", "b": "who  built it", "c": "Who sold it?", "d": "?"}
    )
    assert found == {"a": "a", "b": "a", "c": "c", "d": "d"}

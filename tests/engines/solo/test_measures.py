"""What is counted of one model alone, attempt by attempt."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.engines.method import method
from verifytui.engines.solo.method import new_solo
from verifytui.engines.solo.replies import result
from verifytui.prompts import load
from verifytui.sessions.events.solo import Attempt, Review
from verifytui.sessions.session import Session


def session(
    strategy: str,
    answers: list[str | None],
    satisfied: bool = False,
    ended: bool = True,
    **settings: Any,
) -> Session:
    """A session with these attempts; with `reflect` each but the last has a review, and
    the last if it is `satisfied`.
    """
    made = Session(
        new_solo(
            topic="Why?",
            settings={"strategy": strategy, **settings},
            prompts=load("en", workspace="solo"),
        )
    )
    for number, answer in enumerate(answers, 1):
        made.events.append(Attempt(role="solver", iteration=number, answer=answer))
        if strategy == "reflect" and (number < len(answers) or satisfied):
            made.events.append(
                Review(
                    role="solver", iteration=number, satisfied=number == len(answers)
                )
            )
    if ended:
        made.events.append(result(made))
    return made


def measured(name: str, of: Session, **fields: Any) -> list[MeasuredValue]:
    return list(
        method("solo")
        .measures[name]
        .of(of, Item("a", "a", "", {"topic": "Why?", **fields}))
    )


@pytest.mark.parametrize(
    ("answers", "satisfied", "values"),
    [
        (["2", "2", "3"], False, [0.5, 0, 1]),
        (["2", "2.0"], True, [0, 0, 0]),
        (["2"], True, [0, 0, 0]),
        (["2", None, "3"], False, [None, None, None]),
        (["2", "3", None], False, [1, 1, None]),
        (["2"], False, []),
    ],
)
def test_disagreement_is_between_neighbours(
    answers: list[str | None], satisfied: bool, values: list[float | None]
) -> None:
    found = measured("disagreement", session("reflect", answers, satisfied))
    assert [one.value for one in found] == values
    assert [one.round for one in found] == [None, *range(1, len(values))][: len(values)]
    assert {one.state for one in found if one.value is None} <= {"unread"}


def test_the_curve_of_disagreement_does_not_climb_as_sessions_are_satisfied() -> None:
    """Two of eight change their answer for ever, the others are satisfied at once."""
    restless = [session("reflect", ["1", "2", "3", "4", "5"], iterations=5)] * 2
    settled = [session("reflect", ["1"], True, iterations=5)] * 6
    found = [measured("disagreement", each) for each in (*restless, *settled)]
    for number in (1, 2, 3, 4):
        values = [one.value for each in found for one in each if one.round == number]
        assert len(values) == 8
        assert sum(value or 0 for value in values) / 8 == 0.25


def test_disagreement_of_what_has_not_ended_has_failed_and_of_other_strategies_is_nothing() -> (
    None
):
    assert measured("disagreement", session("reflect", ["2"], ended=False))[
        0
    ] == MeasuredValue(None, "failed")
    assert measured("disagreement", session("sc", ["2", "3"])) == []


def test_the_answer_of_a_session_that_ended_stands_up_to_the_limit() -> None:
    found = measured(
        "accuracy_by_round",
        session("reflect", ["2", "3"], True, iterations=4),
        answers=["3"],
    )
    assert [(one.value, one.state, one.round) for one in found] == [
        (0, "wrong", 1),
        (1, "right", 2),
        (1, "right", 3),
        (1, "right", 4),
    ]
    assert measured("accuracy_by_round", session("reflect", ["2"])) == []


def test_a_session_that_has_not_ended_has_failed_in_the_attempts_that_it_lacks() -> (
    None
):
    begun, nothing = (
        session("reflect", ["3"], ended=False, iterations=3),
        session("direct", [], ended=False),
    )
    assert [
        one.state for one in measured("accuracy_by_round", begun, answers=["3"])
    ] == ["right", "failed", "failed"]
    assert measured("accuracy_by_round", nothing, answers=["3"]) == [
        MeasuredValue(0.0, "failed", 1)
    ]


def test_what_two_methods_call_by_one_name_is_pooled_alike() -> None:
    ours, theirs = (method(name).measures for name in ("solo", "debate"))
    for name in set(ours) & set(theirs):
        assert [
            getattr(ours[name], what)
            for what in ("better", "share", "low", "high", "pooled", "by_round")
        ] == [
            getattr(theirs[name], what)
            for what in ("better", "share", "low", "high", "pooled", "by_round")
        ]


def test_samples_are_counted_one_by_one() -> None:
    of = session("sc", ["1", "2", None, "2"], samples=4)
    assert [one.value for one in measured("accuracy_by_round", of, answers=["2"])] == [
        0,
        0,
        0,
        1,
    ]
    assert measured("sample_agreement", of) == [MeasuredValue(0.5, "measured")]
    assert measured("sample_agreement", session("sc", [None, None], samples=2)) == [
        MeasuredValue(0, "undecided")
    ]
    assert measured("attempts", of) == [MeasuredValue(4, "measured")]


def test_a_translation_has_chrf_by_round_and_no_accuracy() -> None:
    of = session("reflect", ["Wipe them out.", "Wipe out a division."])
    found = measured(
        "chrf_by_round", of, kind="translation", answers=["Wipe out a division."]
    )
    assert found[0].value is not None
    assert found[0].value < 100
    assert found[1].value == pytest.approx(100)
    assert measured("accuracy_by_round", of, kind="translation", answers=["x"]) == []

"""Answers after each round, attempt or sample, compared with the right answer, for
every method with such parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...sessions.session import Session
from ..metrics import translation
from .common import is_translation, listed, rightness
from .measure import Item, Measure, MeasuredValue, State, right_if

OPPOSED = "pairs of answers that differ"
"""The rule of `disagreement`: of the answers that a method sets against each other, the
sides of a round or neighbouring attempts (MAD paper, Figure 1)."""


class RoundAnswer(NamedTuple):
    """The answer after a round, or the reason why there is none."""

    round: int
    answer: str | None
    missing: State | None = None


def stands(number: int, answer: str | None) -> RoundAnswer:
    """The answer after a round that was made."""
    return RoundAnswer(number, answer, None if answer is not None else "undecided")


def measures(
    answers: Callable[[Session], Sequence[RoundAnswer]],
) -> tuple[Measure, Measure]:
    """Accuracy and chrF by round.

    `answers`: those of a session, up to the limit of rounds.
    """

    def accuracy(session: Session, item: Item) -> Iterator[MeasuredValue]:
        right = rightness(item)
        for answer in answers(session) if right is not None else ():
            if answer.answer is None or right is None:
                yield MeasuredValue(0.0, answer.missing or "undecided", answer.round)
            else:
                yield right_if(right(answer.answer), round_=answer.round)

    def chrf(session: Session, item: Item) -> Iterator[MeasuredValue]:
        references = listed(item, "answers") if is_translation(item) else ()
        for answer in answers(session) if references else ():
            counts = translation.chrf_counts(answer.answer or "", references)
            yield MeasuredValue(
                translation.chrf_of(counts),
                answer.missing or "measured",
                answer.round,
                tuple(counts),
            )

    return (
        Measure(
            "accuracy_by_round",
            "higher",
            accuracy,
            share=True,
            low=0,
            high=1,
            by_round=True,
            rule="the answer as it stands",
        ),
        Measure(
            "chrf_by_round",
            "higher",
            chrf,
            low=0,
            high=100,
            pooled=translation.chrf_of,
            by_round=True,
            rule="the answer as it stands",
        ),
    )

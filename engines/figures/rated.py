"""Labels that people gave to answers without knowing their author, as measures.

An answer without a label is not measured. Labels are read with the run and stored in
the item of each session, because measures are pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...sessions.session import Session
from .measure import Item, Measure, MeasuredValue, Rule, right_if

RATED = "rated"
"""Field of an item: what people said of the session's answer, by scale; one value a
person.
"""


class RatingScale(NamedTuple):
    """One question that people answer about an answer: is it right, how good is it?"""

    measure: str
    """As a label has it in `measure`."""
    low: int
    high: int

    @property
    def values(self) -> range:
        return range(self.low, self.high + 1)


CORRECT = RatingScale("correct", 0, 1)
QUALITY = RatingScale("quality", 1, 5)
AMBIGUITY = RatingScale("ambiguity", 0, 1)
SCALES = (CORRECT, QUALITY, AMBIGUITY)


def measures() -> dict[str, Measure]:
    """By name: `human_correct` and `human_ambiguity`, what most people said;
    `human_quality`, the mean over people.
    """
    made = (
        Measure(
            "human_correct",
            "higher",
            _most(CORRECT),
            share=True,
            low=0,
            high=1,
        ),
        Measure(
            "human_ambiguity", "higher", _most(AMBIGUITY), share=True, low=0, high=1
        ),
        Measure(
            "human_quality",
            "higher",
            _mean(QUALITY),
            low=QUALITY.low,
            high=QUALITY.high,
        ),
    )
    return {one.name: one for one in made}


def _values(item: Item, scale: RatingScale) -> Sequence[int]:
    found = item.fields.get(RATED)
    values = found.get(scale.measure, ()) if isinstance(found, Mapping) else ()
    return [value for value in values if value in scale.values]


def _most(scale: RatingScale) -> Rule:
    """Right or wrong as most people said; without a value where as many said one as the
    other.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        values = _values(item, scale)
        right = sum(values)
        if values and 2 * right == len(values):
            yield MeasuredValue(None, "undecided")
        elif values:
            yield right_if(2 * right > len(values))

    return of


def _mean(scale: RatingScale) -> Rule:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        values = _values(item, scale)
        if values:
            yield MeasuredValue(math.fsum(values) / len(values), "measured")

    return of

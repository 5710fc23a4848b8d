"""All figures of one machine beside people, for the answers of a run or for pairs of
cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...sessions.errors import BadInput
from ...texts import t
from ..metrics.bootstrap import RESAMPLES
from ..metrics.compare import LEAST_PAIRS, RaterComparison, compare
from .answers import RunAnswers
from .confusion import Confusion, confusion
from .judged_item import JudgedItem, labelled
from .levels import QUESTIONS, SCORE, Levels, questions
from .ppi import CorrectedMean, LabeledItem, UnlabeledItem, corrected, drift
from .roc import Roc, ScoredItem, roc
from .thresholds import FOLDS, ChosenThresholds, Goal, choose, lacking, usable

RIGHT = "right"
"""The question that answers are held to."""
FAR = 0.001
"""A drift with a smaller p says that the labelled things are no random sample: then no
rate is corrected.
"""
Why = Literal["drift", "by_level", "few"]
"""Why no rate is corrected: the labelled things are no random sample, as the machine's
word or the way they were drawn says; or too few.
"""


@dataclass(frozen=True)
class CalibrationItem:
    """One thing to be right or wrong about."""

    name: str
    """`right`, or one of `levels.QUESTIONS`."""
    confusion: Confusion
    rocs: Mapping[str, Roc]
    """By score."""
    unread: Mapping[str, int]
    """Labelled things without the score."""
    corrected: CorrectedMean | None
    """The rate of all that the machine has judged; None where nothing may be said."""
    not_corrected: Why | None
    drift: float | None
    """The p value of the machine saying as much of the labelled ones as of the others.
    """
    predict: str = ""
    """The score that corrects the rate; "": the judgement does."""


@dataclass(frozen=True)
class Calibration:
    """One machine beside people."""

    name: str
    """The run, or the rater."""
    question: tuple[CalibrationItem, ...]
    judged: int
    """What the machine has judged."""
    answers: RunAnswers | None = None
    chosen: ChosenThresholds | None = None
    too_few: tuple[int, int] | None = None
    """The right and wrong labelled answers, where they are too few to choose bounds on.
    """
    levels: Levels | None = None
    compared: RaterComparison | None = None
    """The levels of both beside each other."""


def of_answers(
    name: str,
    found: RunAnswers,
    goal: Goal,
    *,
    predict: str = "",
    folds: int = FOLDS,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Calibration:
    """The machine of a run beside those who say what is right.

    `predict`: the score that corrects the rate; "": its judgement does.

    Raises: BadInput for a score that the machine does not give.
    """
    things = found.things
    against = {score: way == "lower" for score, way in found.verdicts.better.items()}
    if predict and not any(predict in one.scores for one in things):
        there = ", ".join(
            score for score in against if any(score in one.scores for one in things)
        )
        raise BadInput(t("wrong.calibrate.no_score", name=predict, there=there))
    one = _question(RIGHT, things, against, resamples, predict=predict)
    bounded = any(
        score in thing.scores for thing in usable(things) for score in found.rules.signs
    )
    few = lacking(things) if bounded else None
    chosen = (
        choose(things, found.rules, goal, folds, seed, resamples)
        if bounded and few is None
        else None
    )
    return Calibration(
        name, (one,), len(things), answers=found, chosen=chosen, too_few=few
    )


def of_levels(found: Levels, resamples: int = RESAMPLES) -> Calibration:
    """A machine's levels beside people's."""
    # what was picked by the machine's level may show in one question only: it holds for
    # all
    drifts = any(_drifts(drift(*_parted(found.things(name)))) for name in QUESTIONS)
    why: Why | None = "by_level" if found.by_level else "drift" if drifts else None
    made = [
        _question(
            name,
            found.things(name),
            {SCORE: False} if name.startswith("at_") else {},
            resamples,
            why=why,
        )
        for name in questions(found)
    ]
    compared = compare(found.truth, found.machine, resamples=resamples)
    return Calibration(
        found.machine.name,
        tuple(made),
        len(found.machine.labels),
        levels=found,
        compared=compared,
    )


def _question(
    name: str,
    things: Sequence[JudgedItem],
    scores: Mapping[str, bool],
    resamples: int,
    *,
    why: Why | None = None,
    predict: str = "",
) -> CalibrationItem:
    """`scores`: by name, whether a high one speaks against.

    `why`: no rate is corrected. `predict`: the score that corrects it.
    """

    def says(one: JudgedItem) -> float:
        """What the machine says, 0 to 1; 0 where that is unread: any rule will do that
        is the same for all.
        """
        if not predict:
            return float(one.holds is True)
        value = one.scores.get(predict)
        if value is None:
            return 0.0
        if scores[predict]:
            return 1 - value
        return value

    known = labelled(things)
    rocs, unread = {}, {}
    for score, against in scores.items():
        given = [one for one in known if score in one.scores]
        values = [
            (one, value) for one in given if (value := one.scores[score]) is not None
        ]
        if given:
            rocs[score] = roc(
                ScoredItem(
                    one.cluster, 1 - value if against else value, bool(one.truth)
                )
                for one, value in values
            )
            unread[score] = len(given) - len(values)
    told, others = _parted(things, says)
    apart = drift(told, others)
    why = why or (
        "few"
        if others and len(known) < LEAST_PAIRS
        else "drift"
        if _drifts(apart)
        else None
    )
    rate = None if why else corrected(told, others)
    return CalibrationItem(
        name, confusion(things, resamples), rocs, unread, rate, why, apart, predict
    )


def _parted(
    things: Sequence[JudgedItem],
    says: Callable[[JudgedItem], float] = lambda one: float(one.holds is True),
) -> tuple[list[LabeledItem], list[UnlabeledItem]]:
    """The labelled ones, and the others. `says`: what the machine says, 0 to 1."""
    told = [
        LabeledItem(one.cluster, float(one.truth), says(one), one.unit)
        for one in things
        if one.truth is not None
    ]
    return told, [
        UnlabeledItem(one.cluster, says(one)) for one in things if one.truth is None
    ]


def _drifts(p: float | None) -> bool:
    return p is not None and p < FAR

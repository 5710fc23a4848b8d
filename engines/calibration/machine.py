"""All figures of one machine beside people, for the answers of a run or for pairs of
cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from .thresholds import (
    FOLDS,
    ChosenThresholds,
    Goal,
    ScoreCutoff,
    by_cutoff,
    choose,
    lacking,
    usable,
)

RIGHT = "right"
"""The question that answers are held to."""
FAR = 0.001
"""A drift with a smaller p says that the labelled things are no random sample: then no
rate is corrected.
"""
Why = Literal["drift", "by_level", "few", "by_verdict"]
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
    cutoff: ScoreCutoff | None = None
    """The score that stands for the machine's judgement."""
    levels: Levels | None = None
    compared: RaterComparison | None = None
    """The levels of both beside each other."""


def _usable_cutoff(
    cutoff: str, things: Sequence[JudgedItem], against: Mapping[str, bool]
) -> ScoreCutoff:
    """The score that stands for the judgement.

    Raises: BadInput where its bound must be chosen and the labels are too few.
    """
    cut = _cutoff(cutoff, things, against)
    few = lacking(things) if cut.chosen else None
    if few is not None:
        raise BadInput(t("wrong.calibrate.few_for_cutoff", right=few[0], wrong=few[1]))
    return cut


def of_answers(
    name: str,
    answers: RunAnswers,
    goal: Goal,
    *,
    predict: str = "",
    cutoff: str = "",
    folds: int = FOLDS,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Calibration:
    """The machine of a run beside those who say what is right.

    `predict`: the score that corrects the rate; "": its judgement does. `cutoff`:
    `SCORE` or `SCORE=X`, the score that stands for its judgement.

    Raises: BadInput for a score that the machine does not give.
    """
    things = answers.things
    against = {score: way == "lower" for score, way in answers.verdicts.better.items()}
    if predict and not any(predict in thing.scores for thing in things):
        there = ", ".join(
            score for score in against if any(score in thing.scores for thing in things)
        )
        raise BadInput(t("wrong.calibrate.no_score", name=predict, names=there))
    cut = None
    if cutoff:
        cut = _usable_cutoff(cutoff, things, against)
        things, cut = by_cutoff(things, cut, goal, folds, seed)
    one = _question(
        RIGHT,
        things,
        against,
        resamples,
        predict=predict,
        by_verdict=answers.by_verdict,
    )
    if answers.by_verdict:
        # bounds and areas would take the shares of the verdicts for those of the run
        return Calibration(name, (one,), len(things), answers=answers)
    bounded = any(
        score in thing.scores
        for thing in usable(things)
        for score in answers.rules.signs
    )
    few = lacking(things) if bounded else None
    chosen = (
        choose(things, answers.rules, goal, folds, seed, resamples)
        if bounded and few is None
        else None
    )
    return Calibration(
        name,
        (one,),
        len(things),
        answers=answers,
        chosen=None if cut is not None else chosen,
        too_few=None if cut is not None else few,
        cutoff=cut,
    )


def _cutoff(
    asked: str, things: Sequence[JudgedItem], against: Mapping[str, bool]
) -> ScoreCutoff:
    """What `--cutoff` asks for. Raises: BadInput."""
    score, given, value = asked.partition("=")
    there = [name for name in against if any(name in thing.scores for thing in things)]
    if score not in there:
        names = ", ".join(there)
        raise BadInput(t("wrong.calibrate.no_score", name=score, names=names))
    try:
        bound = float(value) if given else 0.5
    except ValueError:
        bound = -1.0
    if not 0 <= bound <= 1:
        raise BadInput(t("wrong.calibrate.cutoff", value=asked))
    return ScoreCutoff(score, ">" if against[score] else "<", bound, not given)


def of_levels(levels: Levels, resamples: int = RESAMPLES) -> Calibration:
    """A machine's levels beside people's."""
    # what was picked by the machine's level may show in one question only: it holds for
    # all
    drifts = any(_drifts(drift(*_parted(levels.things(name)))) for name in QUESTIONS)
    why: Why | None = "by_level" if levels.by_level else "drift" if drifts else None
    made = [
        _question(
            name,
            levels.things(name),
            {SCORE: False} if name.startswith("at_") else {},
            resamples,
            why=why,
        )
        for name in questions(levels)
    ]
    compared = compare(levels.truth, levels.machine, resamples=resamples)
    return Calibration(
        levels.machine.name,
        tuple(made),
        len(levels.machine.labels),
        levels=levels,
        compared=compared,
    )


def question_of_answers(answers: RunAnswers) -> CalibrationItem:
    """How many of a run's answers are right, and how its machine judges them."""
    return _question(RIGHT, answers.things, {}, RESAMPLES)


def _question(
    name: str,
    things: Sequence[JudgedItem],
    scores: Mapping[str, bool],
    resamples: int,
    *,
    why: Why | None = None,
    predict: str = "",
    by_verdict: bool = False,
) -> CalibrationItem:
    """`scores`: by name, whether a high one speaks against.

    `why`: no rate is corrected. `predict`: the score that corrects it. `by_verdict`:
    the labelled things were drawn by the machine's verdict.
    """

    def says(judged_item: JudgedItem) -> float:
        """What the machine says, 0 to 1; 0 where that is unread: any rule will do that
        is the same for all.
        """
        if not predict:
            return float(judged_item.holds is True)
        value = judged_item.scores.get(predict)
        if value is None:
            return 0.0
        if scores[predict]:
            return 1 - value
        return value

    known = labelled(things)
    rocs, unread = _curves(known, scores)
    told, others = _parted(things, says)
    apart = least_drift(things, scores, by_verdict=by_verdict)
    why = why or (
        "few"
        if others and len(known) < LEAST_PAIRS
        else "drift"
        if _drifts(apart)
        else "by_verdict"
        if by_verdict
        else None
    )
    rate = None if why else corrected(told, others)
    return CalibrationItem(
        name,
        confusion(things, resamples, by_verdict=by_verdict),
        {} if by_verdict else rocs,
        unread,
        rate,
        why,
        apart,
        predict,
    )


def _curves(
    known: Sequence[JudgedItem], scores: Mapping[str, bool]
) -> tuple[dict[str, Roc], dict[str, int]]:
    """Of each score its curve, and how many of its values could not be read."""
    rocs, unread = {}, {}
    for score, against in scores.items():
        given = [one for one in known if score in one.scores]
        values = [
            (one, value) for one in given if (value := one.scores[score]) is not None
        ]
        if not given:
            continue
        rocs[score] = roc(
            ScoredItem(one.cluster, 1 - value if against else value, bool(one.truth))
            for one, value in values
        )
        unread[score] = len(given) - len(values)
    return rocs, unread


def least_drift(
    things: Sequence[JudgedItem], scores: Iterable[str], *, by_verdict: bool = False
) -> float | None:
    """The smallest p value of the judgement and of each score saying as much of the
    labelled things as of the others, times their number (Bonferroni): within each
    verdict, where errors may be drawn more often, and over all.

    `by_verdict`: within each verdict alone, where only scores can differ.
    """
    strata = [
        [thing for thing in things if thing.holds is word] for word in (True, False)
    ]
    strata += [] if by_verdict else [list(things)]
    tests = [] if by_verdict else [drift(*_parted(things))]
    for own in strata:
        for score in scores:
            given = [one for one in own if one.scores.get(score) is not None]
            tests.append(drift(*_parted(given, partial(_score_of, score))))
    found = [p for p in tests if p is not None]
    return min(1.0, min(found) * len(found)) if found else None


def _score_of(score: str, judged_item: JudgedItem) -> float:
    return judged_item.scores[score] or 0.0


def _parted(
    things: Sequence[JudgedItem],
    says: Callable[[JudgedItem], float] = lambda one: float(one.holds is True),
) -> tuple[list[LabeledItem], list[UnlabeledItem]]:
    """The labelled ones, and the others. `says`: what the machine says, 0 to 1."""
    told = [
        LabeledItem(thing.cluster, float(thing.truth), says(thing), thing.unit)
        for thing in things
        if thing.truth is not None
    ]
    return told, [
        UnlabeledItem(thing.cluster, says(thing))
        for thing in things
        if thing.truth is None
    ]


def _drifts(p: float | None) -> bool:
    return p is not None and p < FAR

"""Bounds of scores, chosen on people's labels: what a rule with these bounds finds is
measured on labels that it was not chosen on.

A rule says of each answer whether it is to be revised, from its scores' clauses and the
machine's word. It is right to revise what people call wrong, and to leave what they
call right. Bounds are chosen one after the other, each the best there is while the
others stay, until none changes: from the present bounds, from none, and from bounds
that nearly everything is past. Among equally good bounds the nearest to the present one
is taken, so nothing is changed without a gain.

What bounds reach on the labels that they were chosen on flatters them. So the labels
are parted into folds, whole clusters each; for each fold the bounds, and the rule, are
chosen on the others. The interval is over clusters, for these decisions as they fell.

Sources: Youden 1950; Stone 1974 (cross-validation); Varma and Simon 2006 (everything
that is chosen is chosen within the folds).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ..metrics.bootstrap import RESAMPLES, IntervalEstimate, figure, resampled
from ..metrics.compare import NO_VARIATION
from .judged_item import JudgedItem, Share, share

Goal = Literal["youden", "accuracy"]
"""What is to be as large as it can be: sensitivity + specificity − 1, or the share of
right decisions.
"""

LEAST_LABELS, LEAST_OF_EACH, FOLDS = 50, 10, 10
ROUNDS = 10
"""How often all bounds are gone through, at the most."""

Clauses = Mapping[str, bool | None]
"""By score, whether it is past its bound; None: it could not be read."""
Decide = Callable[[str, Clauses, bool | None], bool | None]
"""A rule by its name, the clauses of an answer, and whether the machine calls it right;
returns whether to revise, None: no decision.
"""
Bounds = dict[str, float]


@dataclass(frozen=True)
class Rules:
    """How a method decides by bounds."""

    names: tuple[str, ...]
    """Its rules that look at bounds."""
    signs: Mapping[str, str]
    """Score to `<` or `>`: how it stands to its bound where it speaks for a revision.
    """
    decide: Decide
    bounds: Mapping[str, float]
    """The present ones, as the run was made with."""
    rule: str = ""
    """The present rule, where it is one of these."""


class RuleResult(NamedTuple):
    """What a rule reaches: how it decided about each labelled answer, set beside
    people's word.
    """

    found: Share
    """Of what people call wrong, what it revises: sensitivity."""
    spared: Share
    """Of what people call right, what it leaves: specificity."""
    right: Share
    """The decisions that are right, of all."""
    youden: IntervalEstimate


class ThresholdRule(NamedTuple):
    """One rule: with the present bounds, and with the chosen ones."""

    now: RuleResult
    bounds: Bounds
    """Chosen on all labels."""
    reached: RuleResult
    """By bounds that were chosen on other labels than those counted."""


class ChosenThresholds(NamedTuple):
    """What was chosen on the labels, and what it is worth."""

    goal: Goal
    labels: int
    clusters: int
    folds: int
    judgement: RuleResult
    """Of the machine's word alone, without a bound: it revises what the machine does
    not call right.
    """
    rules: dict[str, ThresholdRule]
    rule: str
    """The rule that is best on all labels."""
    reached: RuleResult
    """Of the whole procedure: rule and bounds chosen on other labels than those
    counted.
    """
    against: str
    """The present rule, with which the procedure is compared; "" is the machine's word
    alone, where no rule looks at bounds now.
    """
    gain: IntervalEstimate
    """How much larger the goal's figure is for the procedure than for the present way
    to decide: Youden's index, or right decisions.
    """


def lacking(things: Sequence[JudgedItem]) -> tuple[int, int] | None:
    """How many right and wrong labelled answers there are, where these are too few to
    choose bounds on; None where there are enough.
    """
    known = usable(things)
    right = sum(bool(one.truth) for one in known)
    wrong = len(known) - right
    if (
        len(known) < LEAST_LABELS
        or min(right, wrong) < LEAST_OF_EACH
        or _clusters(known) < 2
    ):
        return (right, wrong)
    return None


def usable(things: Sequence[JudgedItem]) -> list[JudgedItem]:
    """The labelled answers that bounds decide about."""
    return [
        thing
        for thing in things
        if thing.truth is not None and not thing.abstains and thing.scores
    ]


def choose(
    things: Sequence[JudgedItem],
    rules: Rules,
    goal: Goal = "youden",
    folds: int = FOLDS,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> ChosenThresholds:
    """Rule and bounds for these labels, enough of them (`lacking`), with what they
    reach held out.
    """
    known = usable(things)
    parts = _folds(known, folds, seed)
    by_rule: dict[str, list[bool | None]] = {
        name: [None] * len(known) for name in rules.names
    }
    by_best: list[bool | None] = [None] * len(known)
    for held_out in parts:
        inside = [one for place, one in enumerate(known) if place not in held_out]
        fitted = {
            name: _Search(inside, rules, name, goal).best() for name in rules.names
        }
        best = _best(fitted)
        for place in held_out:
            for name, one in fitted.items():
                by_rule[name][place] = _revises(known[place], rules, name, one.bounds)
            by_best[place] = by_rule[best][place]
    whole = {
        name: _Search(
            known,
            rules,
            name,
            goal,
        ).best()
        for name in rules.names
    }
    made = {}
    now = alone = [None if one.holds is None else not one.holds for one in known]
    for name in rules.names:
        present = [_revises(one, rules, name, rules.bounds) for one in known]
        now = present if name == rules.rule else now
        made[name] = ThresholdRule(
            _reached(known, present, resamples),
            whole[name].bounds,
            _reached(known, by_rule[name], resamples),
        )
    return ChosenThresholds(
        goal=goal,
        labels=len(known),
        clusters=_clusters(known),
        folds=len(parts),
        judgement=_reached(known, alone, resamples),
        rules=made,
        rule=_best(whole),
        reached=_reached(known, by_best, resamples),
        against=rules.rule,
        gain=_reaches(known, [by_best, now], goal, resamples),
    )


class ScoreCutoff(NamedTuple):
    """A bound of one score, as the machine's word."""

    score: str
    sign: str
    """How a score stands to the bound where it speaks against the answer."""
    bound: float
    chosen: bool
    """Whether it was chosen on the labels: then a labelled answer is judged by a bound
    that was chosen on others.
    """


def by_cutoff(
    things: Sequence[JudgedItem],
    cutoff: ScoreCutoff,
    goal: Goal = "youden",
    folds: int = FOLDS,
    seed: int = 0,
) -> tuple[list[JudgedItem], ScoreCutoff]:
    """The same answers, judged by one score alone, and the bound in force."""
    name = "cutoff"
    rules = Rules(
        (name,),
        {cutoff.score: cutoff.sign},
        lambda _, clauses, __: clauses.get(cutoff.score),
        {cutoff.score: cutoff.bound},
    )
    bounds = dict.fromkeys(range(len(things)), rules.bounds)
    if cutoff.chosen:
        places = [n for n, thing in enumerate(things) if usable([thing])]
        known = [things[n] for n in places]
        whole = _Search(known, rules, name, goal).best().bounds
        cutoff = cutoff._replace(bound=whole[cutoff.score])
        bounds = dict.fromkeys(range(len(things)), whole)
        for held_out in _folds(known, folds, seed):
            inside = [one for n, one in enumerate(known) if n not in held_out]
            fitted = _Search(inside, rules, name, goal).best().bounds
            bounds |= {places[n]: fitted for n in held_out}
    made = []
    for n, thing in enumerate(things):
        against = _revises(thing, rules, name, bounds[n])
        holds = None if against is None else not against and not thing.abstains
        said = "" if holds is None else str(holds).casefold()
        made.append(replace(thing, holds=holds, said=said))
    return made, cutoff


class _Fit(NamedTuple):
    """Bounds, and how well they do on the labels that they were chosen on."""

    bounds: Bounds
    value: float


def _best(fitted: Mapping[str, _Fit]) -> str:
    """The rule that does best; of equal ones the first."""
    return max(fitted, key=lambda name: fitted[name].value)


def _folds(known: Sequence[JudgedItem], folds: int, seed: int) -> list[set[int]]:
    """The places of each fold: whole clusters, dealt out in a drawn order."""
    clusters = sorted({one.cluster for one in known})
    random.Random(f"{seed}\0folds").shuffle(clusters)  # noqa: S311
    count = min(folds, len(clusters))
    of = {cluster: place % count for place, cluster in enumerate(clusters)}
    return [
        {place for place, one in enumerate(known) if of[one.cluster] == part}
        for part in range(count)
    ]


class _Search:
    """The bounds of one rule that do best on some labels."""

    def __init__(
        self, known: Sequence[JudgedItem], rules: Rules, name: str, goal: Goal
    ) -> None:
        self._known, self._rules, self._name, self._goal = known, rules, name, goal
        self._right = sum(bool(one.truth) for one in known)
        self._wrong = len(known) - self._right
        self._decisions: dict[tuple[object, ...], bool | None] = {}

    def best(self) -> _Fit:
        """The best of three climbs: from the present bounds, from bounds that no score
        is past, and from those that nearly all are.
        """
        none = {
            name: 0.0 if sign == "<" else 1.0
            for name, sign in self._rules.signs.items()
        }
        every = {name: 1.0 - end for name, end in none.items()}
        return max(
            (self._climb(dict(start)) for start in (self._rules.bounds, none, every)),
            key=lambda fit: fit.value,
        )

    def _climb(self, bounds: Bounds) -> _Fit:
        value = -math.inf
        for _ in range(ROUNDS):
            before = value
            for name in self._rules.signs:
                bounds, value = self._step(bounds, name)
            if value <= before:
                break
        return _Fit(bounds, value)

    def _step(self, bounds: Bounds, name: str) -> _Fit:
        """The best bound of one score while the others stay."""
        sign, present = self._rules.signs[name], self._rules.bounds[name]
        found = spared = 0
        turning: dict[float, list[int]] = {}
        for one in self._known:
            clauses, score = clauses_of(one, self._rules, bounds), one.scores.get(name)
            within = self._decide(
                clauses if score is None else {**clauses, name: False}, one.holds
            )
            found, spared = (
                found + self._finds(one, within),
                spared + self._spares(one, within),
            )
            if score is not None:
                past = self._decide({**clauses, name: True}, one.holds)
                change = turning.setdefault(score, [0, 0])
                change[0] += self._finds(one, past) - self._finds(one, within)
                change[1] += self._spares(one, past) - self._spares(one, within)
        order = sorted(turning, reverse=sign == ">")
        options = []
        for place in range(len(order) + 1):
            fired, kept = (
                order[place - 1] if place else None,
                order[place] if place < len(order) else None,
            )
            if fired is not None:
                found, spared = found + turning[fired][0], spared + turning[fired][1]
            bound = bound_between(fired, kept, sign, present)
            if bound is not None:
                options.append(
                    (self._value(found, spared), -abs(bound - present), bound)
                )
        value, _, bound = max(options)
        return _Fit({**bounds, name: bound}, value)

    def _finds(self, judged_item: JudgedItem, decision: bool | None) -> bool:
        return not judged_item.truth and decision is True

    def _spares(self, judged_item: JudgedItem, decision: bool | None) -> bool:
        return bool(judged_item.truth) and decision is False

    def _value(self, found: int, spared: int) -> float:
        if self._goal == "accuracy":
            return (found + spared) / len(self._known)
        return (
            (found / self._wrong if self._wrong else 0.0)
            + (spared / self._right if self._right else 0.0)
            - 1
        )

    def _decide(self, clauses: Clauses, holds: bool | None) -> bool | None:
        key = (*clauses.items(), holds)
        if key not in self._decisions:
            self._decisions[key] = self._rules.decide(self._name, clauses, holds)
        return self._decisions[key]


def clauses_of(
    judged_item: JudgedItem, rules: Rules, bounds: Mapping[str, float]
) -> dict[str, bool | None]:
    """Of each score that the machine gives, whether it is past its bound."""
    found: dict[str, bool | None] = {}
    for name, sign in rules.signs.items():
        if name in judged_item.scores:
            score = judged_item.scores[name]
            found[name] = (
                None
                if score is None
                else score < bounds[name]
                if sign == "<"
                else score > bounds[name]
            )
    return found


def bound_between(
    fired: float | None, kept: float | None, sign: str, present: float
) -> float | None:
    """A bound from 0 to 1 that the score `fired` is past and `kept` is not; None in the
    place of a score: there is none. None: no bound is.

    The present bound where it does that, else the middle with as few digits as will do.
    """
    below = sign == "<"

    def does(bound: float) -> bool:
        past = fired is None or (fired < bound if below else fired > bound)
        return past and (kept is None or not (kept < bound if below else kept > bound))

    low, high = (fired, kept) if below else (kept, fired)
    middle = ((0.0 if low is None else low) + (1.0 if high is None else high)) / 2
    options = (
        present,
        *(round(middle, digits) for digits in range(1, 7)),
        middle,
        1.0 if below else 0.0,
        0.0 if below else 1.0,
    )
    return next((bound for bound in options if 0 <= bound <= 1 and does(bound)), None)


def _revises(
    judged_item: JudgedItem, rules: Rules, name: str, bounds: Mapping[str, float]
) -> bool | None:
    return rules.decide(name, clauses_of(judged_item, rules, bounds), judged_item.holds)


def _reached(
    known: Sequence[JudgedItem], decisions: Sequence[bool | None], resamples: int
) -> RuleResult:
    told = list(zip(known, decisions, strict=True))
    return RuleResult(
        found=share(
            (one.cluster, decision is True) for one, decision in told if not one.truth
        ),
        spared=share(
            (one.cluster, decision is False) for one, decision in told if one.truth
        ),
        right=share(
            (one.cluster, decision is (not one.truth)) for one, decision in told
        ),
        youden=_reaches(known, [decisions], "youden", resamples),
    )


def _reaches(
    known: Sequence[JudgedItem],
    decisions: Sequence[Sequence[bool | None]],
    goal: Goal,
    resamples: int,
) -> IntervalEstimate:
    """The goal's figure of some decisions, less that of others where there are two,
    over clusters drawn again.
    """
    cells: dict[str, list[int]] = {}
    for place, one in enumerate(known):
        counts = cells.setdefault(one.cluster, [0] * (2 + 2 * len(decisions)))
        counts[bool(one.truth)] += 1
        for which, decision in enumerate(decisions):
            counts[2 + 2 * which + bool(one.truth)] += decision[place] is (
                not one.truth
            )

    def of(counts: Sequence[float]) -> float | None:
        wrong, right = counts[:2]
        if not wrong or not right:
            return None
        hits = zip(counts[2::2], counts[3::2], strict=True)
        if goal == "accuracy":
            values = [(found + spared) / (wrong + right) for found, spared in hits]
        else:
            values = [found / wrong + spared / right - 1 for found, spared in hits]
        return values[0] - sum(values[1:])

    whole = [sum(column) for column in zip(*cells.values(), strict=True)]
    return figure(
        of(whole),
        lambda: map(of, resampled(cells.values(), resamples)),
        NO_VARIATION,
        len(cells),
    )


def _clusters(known: Sequence[JudgedItem]) -> int:
    return len({one.cluster for one in known})

"""What comes next when answers are ranked: a pure function of the session's events."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, groupby
from typing import Any, Literal, NamedTuple

from ...sessions.events.rank import Ranking, RankResult
from ...sessions.session import Session
from ..metrics.presentation_order import presentation_order
from ..settings import Setting, Settings, Switch, Text, Whole

QUALITY = ("correctness", "citation_accuracy", "truthfulness", "bias", "conciseness")
"""Criteria in the order in which they are requested.

`bias`: 1 is bad, for the others 1 is good.
"""
CRITERIA = (*QUALITY, "revision")
"""And by the query that each system would search with next, where the answers have one.
"""

SETTINGS = Settings(
    "rank",
    [
        Setting("both_orders", Switch(), default=False),
        Setting("seed", Whole(0, 1_000_000), default=0),
        *(
            Setting(
                name,
                Switch(),
                default=True,
                without=True,
            )
            for name in CRITERIA
        ),
        Setting("measured", Text(longest=80, optional=True), counted=True),
    ],
    builtins=("lexical", "script"),
    judging=("ranker",),
    asked=("both_orders", *CRITERIA),
)


class ScoreOrder:
    """Answers in the order of their scores, the best first.

    Equal scores have no order.
    """

    def __init__(self, scores: Mapping[str, float], *, inverted: bool = False) -> None:
        """`inverted`: the lowest score is best."""
        self._scores = {
            name: -score if inverted else score for name, score in scores.items()
        }
        best = sorted(self._scores, key=lambda name: -self._scores[name])
        self._groups = [
            list(group) for _, group in groupby(best, key=self._scores.__getitem__)
        ]

    @property
    def listed(self) -> list[str | list[str]]:
        """The names, those with equal scores in a list."""
        return [group[0] if len(group) == 1 else group for group in self._groups]

    @property
    def ranks(self) -> dict[str, float]:
        """Name to rank, 1 is best; equal scores share the mean of their ranks."""
        return {
            name: place + (len(group) - 1) / 2
            for place, group in self._placed()
            for name in group
        }

    @property
    def places(self) -> dict[str, int]:
        """Name to rank; equal scores all have the best of their ranks: 1, 2, 2, 4."""
        return {name: place for place, group in self._placed() for name in group}

    def alike(self, other: ScoreOrder) -> float | None:
        """The share of pairs that both orders rank alike, as equal too; None for fewer
        than two names.
        """
        pairs = list(combinations(self._scores, 2))
        same = sum(self._sign(*pair) == other._sign(*pair) for pair in pairs)
        if pairs:
            return same / len(pairs)
        return None

    def _placed(self) -> list[tuple[int, list[str]]]:
        starts, at = [], 1
        for group in self._groups:
            starts.append((at, group))
            at += len(group)
        return starts

    def _sign(self, one: str, other: str) -> int:
        first, second = self._scores[one], self._scores[other]
        return (first > second) - (first < second)


RANKER = "ranker"
ROLES = (RANKER,)

UNMEASURED = ("truthfulness", "bias", "revision")
"""What `lexical` cannot rank by: who compares words has no knowledge of its own."""


class RankedItem(NamedTuple):
    """One of the answers."""

    name: str
    text: str
    references: list[dict[str, Any]]
    """What it cites: its own, or those that the session has for all."""
    revised_query: str | None
    """What its system would search with next; "": nothing, None: it was not said."""


class RankStep(NamedTuple):
    """The next step. `role` is asked; "" for the result, which is computed."""

    what: Literal["ranking", "result"]
    role: str
    criterion: str = ""
    turn: int = 1


setting = SETTINGS.in_force
"""Setting of a session, by name."""


def question(session: Session) -> str:
    """The question that was answered."""
    return str(session.header.task.get("question", ""))


def accepted(session: Session) -> list[str]:
    """Accepted answers; empty: unknown."""
    return [str(one) for one in session.header.task.get("accepted") or ()]


def answers(session: Session) -> list[RankedItem]:
    """All answers, as they were given."""
    task = session.header.task
    common = task.get("references") or []
    return [
        RankedItem(
            str(one["id"]),
            str(one.get("text") or ""),
            one.get("references") or common,
            one.get("revised_query"),
        )
        for one in task.get("candidates") or ()
    ]


def criteria(session: Session) -> list[str]:
    """The criteria under the current settings and line-up.

    Citations are ranked only with references, revised queries only if there are any,
    and `lexical` ranks by what words can show.
    """
    there = answers(session)
    idle = {
        "citation_accuracy": not any(one.references for one in there),
        "revision": all(one.revised_query is None for one in there),
    }
    wanted = [
        name
        for name in CRITERIA
        if setting(session, name) and not idle.get(name, False)
    ]
    if session.seat(RANKER).model != "lexical":
        return wanted
    return [
        name
        for name in wanted
        if name not in UNMEASURED and (name != "correctness" or accepted(session))
    ]


def turns(session: Session) -> tuple[int, ...]:
    """The orders in which the answers are shown: 1, and 2 for the opposite one."""
    if setting(session, "both_orders"):
        return (1, 2)
    return (1,)


def shown(session: Session, criterion: str, turn: int) -> list[str]:
    """The names of the answers in the order in which they are shown.

    It depends on the seed, the question, the criterion and the answers, not on their
    given order.
    """
    texts = {answer.name: answer.text for answer in answers(session)}
    made = presentation_order(
        texts, setting(session, "seed"), question(session), criterion
    )
    if turn == 1:
        return made
    return made[::-1]


def rankings(session: Session) -> dict[tuple[str, int], Ranking]:
    """The ranking in force for each criterion and turn: the last."""
    return {
        (event.criterion, event.turn): event
        for event in session.events
        if isinstance(event, Ranking)
    }


def upcoming(session: Session) -> RankStep | None:
    """The next step; None when the session is finished.

    A ranking that comes after the result asks for a new result.
    """
    after = next(
        (
            event
            for event in reversed(session.events)
            if isinstance(event, Ranking | RankResult)
        ),
        None,
    )
    if isinstance(after, RankResult):
        return None
    made = rankings(session)
    for criterion in criteria(session):
        for turn in turns(session):
            if (criterion, turn) not in made:
                return RankStep("ranking", RANKER, criterion, turn)
    return RankStep("result", "")


def result(session: Session) -> RankResult:
    """Ranks, places and scores, computed from the rankings in force."""
    made, everybody = rankings(session), answers(session)
    rank_result = RankResult(ranks={})
    for criterion in dict.fromkeys(name for name, _ in made):
        read = [one.scores for (name, _), one in made.items() if name == criterion]
        if not all(read):
            rank_result.unread.append(criterion)
            continue
        worst = 1.0 if criterion == "bias" else 0.0
        scores = {
            one.name: sum(each.get(one.name, worst) for each in read) / len(read)
            for one in everybody
        }
        order = ScoreOrder(scores, inverted=criterion == "bias")
        (
            rank_result.scores[criterion],
            rank_result.ranks[criterion],
            rank_result.places[criterion],
        ) = (
            scores,
            order.ranks,
            order.places,
        )
        if criterion in QUALITY:
            rank_result.high_quality[criterion] = {
                name: high_quality(criterion, score) for name, score in scores.items()
            }
        if len(read) == 2:
            alike = ScoreOrder(read[0], inverted=criterion == "bias").alike(
                ScoreOrder(read[1], inverted=criterion == "bias")
            )
            rank_result.consistent |= {} if alike is None else {criterion: alike}
    return rank_result


def high_quality(criterion: str, score: float) -> bool:
    """Whether a score is that of a high-quality answer: 1 for correctness, citation
    accuracy and truthfulness, bias below .3, conciseness above .5 (CoV-RAG, section
    4.2).
    """
    return {"bias": score < 0.3, "conciseness": score > 0.5}.get(criterion, score >= 1)

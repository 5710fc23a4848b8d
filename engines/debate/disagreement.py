"""How far the debaters disagree, round by round (MAD paper, section 1 and Figure 4,
"share of opposition between the debaters").

The paper does not say who decides whether two speeches oppose each other. Two measures
are offered, and the mode stands beside every figure: `answer`, the share of pairs of
debaters whose stated answers differ, and `stance`, the observer's rating of the round.
Where there is no figure, `Disagreement.missing` says what it would have needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from ...sessions.events.debate import Disagreement, Speech, Stance
from ...sessions.session import Session
from .answers import same
from .plan import debaters, observed, setting


class RoundDisagreement(NamedTuple):
    """One whole round: its figure (None if nothing can be compared), and how many pairs
    or ratings are left out.
    """

    round: int
    value: float | None
    excluded: int


def mode_of(session: Session) -> Literal["answer", "stance", "none"]:
    """How disagreement is measured.

    Without ratings, the stance is not measured; nothing is where fewer than two speak.
    """
    if len(debaters(session)) < 2:
        return "none"
    if setting(session, "disagreement") != "stance":
        return "answer"
    rated = observed(session) or any(
        isinstance(event, Stance) for event in session.events
    )
    if rated:
        return "stance"
    return "none"


def by_round(session: Session, start: int = 0) -> list[RoundDisagreement]:
    """The rounds in which everybody has spoken, in order; `start`: the index of the
    event to begin with.
    """
    mode, order = mode_of(session), debaters(session)
    if mode == "none":
        return []
    stated: dict[int, dict[str, str | None]] = {}
    ratings: dict[int, float | None] = {}
    for event in session.events[start:]:
        if isinstance(event, Speech):
            stated.setdefault(event.round, {})[event.role] = event.answer
        elif isinstance(event, Stance):
            ratings[event.round] = event.value
    whole = [
        (number, said)
        for number, said in sorted(stated.items())
        if len(said) == len(order)
    ]
    if mode == "stance":
        return [
            RoundDisagreement(
                number, ratings.get(number), int(ratings.get(number) is None)
            )
            for number, _ in whole
        ]
    return [_compared(number, [said[role] for role in order]) for number, said in whole]


def _compared(number: int, answers: list[str | None]) -> RoundDisagreement:
    pairs = list(combinations(answers, 2))
    known = [
        (one, other) for one, other in pairs if one is not None and other is not None
    ]
    return RoundDisagreement(
        number,
        _mean([0.0 if same(one, other) else 1.0 for one, other in known]),
        len(pairs) - len(known),
    )


def summed(
    mode: Literal["answer", "stance", "none"], rounds: Sequence[RoundDisagreement]
) -> Disagreement:
    """The figures of several rounds. The mean is over the rounds with a figure."""
    values = [measured.value for measured in rounds]
    return Disagreement(
        mode=mode,
        per_round=values,
        mean=_mean(values),
        excluded=sum(measured.excluded for measured in rounds),
    )


def disagreement(session: Session) -> Disagreement:
    """The disagreement in all rounds in which everybody has spoken."""
    return summed(mode_of(session), by_round(session))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if known:
        return sum(known) / len(known)
    return None

"""The result of a query: its candidates in order, computed from the session's events."""

from __future__ import annotations

from ...sessions.events.relevance import Agreement, RelevanceResult
from ...sessions.session import Session
from ..cases import rating
from ..cases.rating import GOLD, MACHINE, concluded, rater_name
from ..cases.task import gold
from .plan import RelevanceState


def result(session: Session) -> RelevanceResult:
    """The result as `cases.rating.concluded` makes it."""
    fold = RelevanceState(session)
    return concluded(machine(fold), raters(session, fold))


def machine(fold: RelevanceState) -> dict[str, int | None]:
    """Candidate to the machine's level, in the order given; None: unread, or not judged
    yet.
    """
    return {
        id_: one.score.value if one.score is not None else None
        for id_, one in fold.candidates.items()
    }


def raters(
    session: Session, fold: RelevanceState | None = None
) -> dict[str, dict[str, int]]:
    """Rater to candidate to level: the machine, the data's own labels, then each
    annotator's last ones. Those without any are left out.
    """
    fold = fold or RelevanceState(session)
    found: dict[str, dict[str, int]] = {
        MACHINE: {
            id_: level for id_, level in machine(fold).items() if level is not None
        },
        GOLD: gold(session),
    }
    for id_, one in fold.candidates.items():
        for annotator, label in one.labels.items():
            if label.value is not None:
                found.setdefault(rater_name(annotator), {})[id_] = label.value
    return {rater: levels for rater, levels in found.items() if levels}


def agreements(session: Session, fold: RelevanceState | None = None) -> list[Agreement]:
    """How far the raters of a session agree, as `cases.rating.agreements`."""
    return rating.agreements(raters(session, fold))

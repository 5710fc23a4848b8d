"""The result of a query: its candidates in order, computed from the session's events."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from ...sessions.events.relevance import LEAST_PAIRS, Agreement, RelevanceResult
from ...sessions.session import Session
from ..metrics.agreement import bits, cohen_kappa, confusion
from ..metrics.compare import margins, rates, too_few
from .plan import Fold, gold

MACHINE, GOLD = "machine", "gold"
"""Names of raters that are not people."""


def result(session: Session) -> RelevanceResult:
    """Most relevant first; equal scores in the order given; unread ones last."""
    scores = machine(Fold(session))
    ranking = sorted(scores, key=lambda one: -1 if (value := scores[one]) is None else value, reverse=True)
    return RelevanceResult(
        ranking=ranking,
        scores=[scores[one] for one in ranking],
        unread=sum(value is None for value in scores.values()),
        agreement=agreements(session),
    )


def machine(fold: Fold) -> dict[str, int | None]:
    """Candidate to the machine's level, in the order given; None: unread, or not judged yet."""
    return {id_: one.score.value if one.score is not None else None for id_, one in fold.candidates.items()}


def raters(session: Session, fold: Fold | None = None) -> dict[str, dict[str, int]]:
    """Rater to candidate to level: the machine, the data's own labels, then each annotator's last ones. Those without any are left out."""
    fold = fold or Fold(session)
    found: dict[str, dict[str, int]] = {
        MACHINE: {id_: level for id_, level in machine(fold).items() if level is not None},
        GOLD: gold(session),
    }
    for id_, one in fold.candidates.items():
        for annotator, label in one.labels.items():
            if label.value is not None:
                found.setdefault(rater_name(annotator), {})[id_] = label.value
    return {rater: levels for rater, levels in found.items() if levels}


def agreements(session: Session, fold: Fold | None = None) -> list[Agreement]:
    """The table, the base rates and Cohen's kappa of every two raters that have rated a candidate in common."""
    rated = raters(session, fold)
    made = [_agreement(one, other, rated[one], rated[other]) for one, other in combinations(rated, 2)]
    return [agreement for agreement in made if agreement.pairs]


def _agreement(one: str, other: str, first: Mapping[str, int], second: Mapping[str, int]) -> Agreement:
    both = [id_ for id_ in first if id_ in second]
    table = confusion([first[id_] for id_ in both], [second[id_] for id_ in both])
    base = [rates(margin) for margin in margins(table)] if both else []
    made = Agreement(
        raters=[one, other],
        pairs=len(both),
        table=table,
        shares=[of.levels for of in base],
        positives=[of.bits for of in base],
    )
    if len(both) < LEAST_PAIRS:
        made.why = too_few(len(both))
    else:
        made.material, made.legal = cohen_kappa(bits(table, "material")), cohen_kappa(bits(table, "legal"))
        made.levels = cohen_kappa(table, "quadratic")
    return made


def rater_name(annotator: str) -> str:
    """An annotator's name as a rater, distinct from the machine and the data."""
    return f"{annotator} (annotator)" if annotator in (MACHINE, GOLD) else annotator

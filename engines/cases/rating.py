"""The result of judging candidates, and how far their raters agree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from ...sessions.events.relevance import LEAST_PAIRS, Agreement, RelevanceResult
from ..metrics.agreement import bits, cohen_kappa, confusion
from ..metrics.compare import margins, rates, too_few

MACHINE, GOLD = "machine", "gold"
"""Names of raters that are not people."""


def concluded(
    scores: Mapping[str, int | None], rated: Mapping[str, Mapping[str, int]]
) -> RelevanceResult:
    """Return the result: most relevant first, equal scores in the given order, unread
    ones last.

    `rated`: levels by rater and candidate.
    """
    ranking = sorted(
        scores,
        key=lambda one: -1 if (value := scores[one]) is None else value,
        reverse=True,
    )
    return RelevanceResult(
        ranking=ranking,
        scores=[scores[one] for one in ranking],
        unread=sum(value is None for value in scores.values()),
        agreement=agreements(rated),
    )


def agreements(rated: Mapping[str, Mapping[str, int]]) -> list[Agreement]:
    """Return the table, the base rates and Cohen's kappa of every two raters that have
    rated a candidate in common.
    """
    made = [
        _agreement(one, other, rated[one], rated[other])
        for one, other in combinations(rated, 2)
    ]
    return [agreement for agreement in made if agreement.pairs]


def _agreement(
    one: str, other: str, first: Mapping[str, int], second: Mapping[str, int]
) -> Agreement:
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
        made.material, made.legal = (
            cohen_kappa(bits(table, "material")),
            cohen_kappa(bits(table, "legal")),
        )
        made.levels = cohen_kappa(table, "quadratic")
    return made


def rater_name(annotator: str) -> str:
    """Return an annotator's name as a rater, distinct from the model and the data."""
    if annotator in (MACHINE, GOLD):
        return f"{annotator} (annotator)"
    return annotator

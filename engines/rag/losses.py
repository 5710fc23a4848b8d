"""Which lines are missing in which figures of the report, and why."""

from __future__ import annotations

from collections.abc import Sequence

from ..batches.report import Loss, Row
from . import metrics
from .answers import item
from .claims_report import without_figures
from .facts import Facts
from .plan import SCORES

CONTAINMENT = ("contains", "contains_paper")
"""What is not measured where the accepted answers are long."""


def losses(rows: Sequence[Row]) -> list[Loss]:
    """The lines that figures have not got."""
    made = []
    labelled = any(row.line.answers for row in rows)
    with_gold = any(item(row).gold for row in rows)
    verifications = [
        row.facts.verification
        for row in rows
        if isinstance(row.facts, Facts) and row.facts.verification is not None
    ]
    measured = {
        name
        for name in SCORES
        if any(getattr(one, name) is not None for one in verifications)
    }
    """A score that no verifier here gives is null in the report: then no single line is left out of it."""
    all_long = all(
        metrics.is_long(row.line.answers) for row in rows if row.line.answers
    )
    without = without_figures(rows)
    for place, row in enumerate(rows):
        one, known = item(row), isinstance(row.facts, Facts) and row.status == "done"
        unverified = known and row.facts.stopped_by == "no-references"
        claims: dict[str, tuple[str, ...]] = {}
        for name, why in without.get(place, {}).items():
            claims[why] = (*claims.get(why, ()), f"claims.{name}")
        if one.why is not None or unverified:
            of = ("accuracy_decided",) if one.why is not None and one.accepted else ()
            reason = one.why or "no-references"
            made.append(
                Loss(row, reason, (*of, "scores", "check", *claims.pop(reason, ())))
            )
        made += [Loss(row, why, names) for why, names in claims.items()]
        if known and row.facts.verification is not None:
            verification = row.facts.verification
            empty = [name for name in SCORES if getattr(verification, name) is None]
            for why in ("unread", "unmeasured"):
                names = [
                    name
                    for name in empty
                    if (name in verification.unmeasured) == (why == "unmeasured")
                ]
                scores = tuple(
                    f"scores.{name}"
                    for name in names
                    if why == "unread" or name in measured
                )
                made += [Loss(row, why, scores)] if scores else []
        if metrics.is_long(row.line.answers) and not all_long:
            made.append(Loss(row, "long-answers", CONTAINMENT))
        unlabelled = [
            *(["accuracy"] if labelled and not row.line.answers else []),
            *(["retrieval"] if with_gold and not one.gold else []),
        ]
        if unlabelled:
            made.append(Loss(row, "unlabelled", tuple(unlabelled)))
    return made

"""What each line brought, as summary.jsonl has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...sessions.events.rag import Check
from ..batches.report import Row
from .answers import MEASURES, f1_of, item, step_of
from .claims_report import claimed_of
from .facts import Facts
from .plan import SCORES
from .retrieved import NAMES


def details(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For each line of summary.jsonl how it came out under each measure, and what verifier and check said of its last answer."""
    return [_details(row) for row in rows]


def _details(row: Row) -> dict[str, Any]:
    one = item(row)
    known = row.facts if isinstance(row.facts, Facts) and row.status == "done" else None
    verification, check = (
        (known.verification, known.check) if known is not None else (None, None)
    )
    measures: dict[str, Any] = {
        name: right(one) if one.accepted else None for name, right in MEASURES.items()
    }
    claims = claimed_of(row)
    of_gold = {
        name: None if one.found_last is None else float(getattr(one.found_last, name))
        for name in NAMES
    }
    return {
        "accepted_by": step_of(one, one.answer) if one.accepted else None,
        "measures": {**measures, "f1": f1_of(one) if one.accepted else None, **of_gold},
        "judgement": verification.judgement if verification is not None else None,
        "scores": {name: getattr(verification, name) for name in SCORES}
        if verification is not None
        else None,
        "check": check_counts(check) if check is not None else None,
        "claims": {**claims.verdicts, **claims.values} if claims is not None else None,
        "left_out": one.why
        or (
            "no-references"
            if known is not None and known.stopped_by == "no-references"
            else None
        ),
    }


def check_counts(check: Check) -> dict[str, Any]:
    """What was counted of the citations of one answer; the mean support of its sentences, None where none was measured."""
    supports = [one.support for one in check.sentences if one.support is not None]
    return {
        "sentences": len(check.sentences),
        "citations": len(
            {number for one in check.sentences for number in one.citations}
            | set(check.unknown)
        ),
        "uncited": check.uncited,
        "unknown": len(check.unknown),
        "empty": check.empty,
        "support": sum(supports) / len(supports) if supports else None,
    }

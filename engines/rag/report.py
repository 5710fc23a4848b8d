"""What came out of a batch of questions, or of answers that were verified: totals, shares and means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...sessions.events.rag import Clause
from ..batches.equivalence import compared
from ..batches.gates import COMMON, Figure, Figures, mean_of, shares_of
from ..batches.report import (
    Row,
    by_step,
    clustered,
    clustered_means,
    right_or_wrong,
    totals,
    unanswered,
    verified_by,
)
from . import metrics
from .answers import MEASURES, f1_of, item, step_of
from .claims_report import claims_report
from .claims_report import figures as claims_figures
from .details import check_counts
from .facts import Facts
from .losses import CONTAINMENT, losses
from .plan import SCORES
from .retrieval_report import figures as retrieval_figures
from .retrieval_report import retrieval_report

LONG_ANSWERS = (
    "every accepted answer has more than ten words, which nobody repeats word for word"
)

STOPPED = ("indicator", "limit", "repeated-query", "unread", "no-references", "single")

CHECKED: dict[str, Any] = {"left_out": "check.excluded", "counted": "check.answers"}
"""Where a report says how many answers there were to verify, and how many lines had none."""

FIGURES: Figures = {
    "accuracy": Figure("accuracy"),
    "accuracy_decided": mean_of("accuracy_decided"),
    **{
        name: Figure(name)
        for name in ("webglm", "exact_match", "f1", "accuracy_first", "accuracy_last")
    },
    **{name: mean_of(name) for name in ("contains", "contains_paper")},
    **{
        name: mean_of(name)
        for name in ("reference_accuracy_first", "reference_accuracy_last")
    },
    **{
        f"verified.{name}": mean_of(f"{name}_accuracy")
        for name in ("judgement", "revision")
    },
    **{name: mean_of(f"scores.{name}") for name in SCORES},
    **{name: Figure(f"check.{name}", **CHECKED) for name in ("uncited", "unknown")},
    "support": mean_of("check.support"),
    "empty_marks": Figure("check.empty", "check.sentences", most=math.inf, **CHECKED),
    **retrieval_figures(),
    **claims_figures(),
    "undecided": Figure("undecided", "done"),
    "no_references": Figure("no_references", "done"),
    "empty": Figure("empty", "lines"),
    "iterations": Figure("iterations", most=math.inf),
    **{
        f"length.{unit}": Figure(f"length.{unit}", most=math.inf)
        for unit in ("words", "characters")
    },
    **shares_of("judgements", ("true", "false", "unclear", "unread"), **CHECKED),
    **shares_of("stopped_by", STOPPED, "done"),
    **{
        f"clauses.{name}": Figure(
            f"clauses.{name}.fired", f"clauses.{name}.of", **CHECKED
        )
        for name in (*SCORES, "judgement", "revised_query")
    },
    **COMMON,
}
"""What `--fail-under` and `--fail-over` can hold. `accuracy` and what is compared like it count every line that says what is right."""


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and metrics of a batch.

    What is measured on the text of an answer counts every line that says what is right, whatever the verifier said of it: a missing or
    empty answer is wrong, and `missing` says how many there are and why. `accuracy_decided` counts those with an answer alone. Where
    nothing could be counted a metric is null.
    """
    done: list[tuple[Row, Facts]] = [
        (row, row.facts) for row in rows if isinstance(row.facts, Facts)
    ]
    items = [(row, item(row)) for row in rows]
    known = [(row, one) for row, one in items if row.line.answers]
    missing = unanswered((row, one.why) for row, one in known)
    measured = {
        name: right_or_wrong([(row.line, right(one)) for row, one in known])
        for name, right in MEASURES.items()
    }
    for name in (
        "accuracy",
        "webglm",
        "exact_match",
        "accuracy_first",
        "accuracy_last",
    ):
        measured[name] = measured[name] and {
            **(measured[name] or {}),
            "missing": missing,
        }
    if measured["accuracy"] is not None:
        measured["accuracy"]["by"] = by_step(
            [step_of(one, one.answer) for _, one in known], metrics.RUNGS
        )
    for name in CONTAINMENT:
        if known and measured[name] is None:
            measured[name] = {
                "value": None,
                "reason": LONG_ANSWERS,
                "excluded": len(known),
            }
    decided = right_or_wrong(
        [
            (row.line, MEASURES["accuracy"](one) if one.why is None else None)
            for row, one in known
        ]
    )
    of_f1 = clustered_means([(row.line, f1_of(one)) for row, one in known], 0.0, 1.0)
    lengths = [
        (row.line, *metrics.length(one.answer)) for row, one in items if one.why is None
    ]
    return {
        **totals(rows),
        "verified_by": verified_by(rows, "verifier"),
        "stopped_by": dict(Counter(one.stopped_by for _, one in done)),
        "undecided": sum(one.undecided for _, one in done),
        "no_references": sum(one.stopped_by == "no-references" for _, one in done),
        "empty": sum(one.why == "empty" for _, one in items),
        "unread": sum(row.unread for row in rows),
        "iterations": sum(one.iterations for _, one in done) / len(done)
        if done
        else None,
        "judgements": dict(
            Counter(judged for _, one in done for judged in one.judgements)
        ),
        "clauses": _clauses([clause for _, one in done for clause in one.clauses]),
        "scores": _scores(rows),
        "check": _check(rows),
        "claims": claims_report(rows),
        **measured,
        "accuracy_decided": decided,
        **compared(rows),
        "f1": of_f1 and {**of_f1, "excluded": 0, "missing": missing},
        "retrieval": retrieval_report(
            (row.line, one.found_last, one.why) for row, one in items if one.gold
        ),
        "retrieval_first": retrieval_report(
            (row.line, one.found_first, one.why) for row, one in items if one.gold
        ),
        "length": {
            unit: clustered_means(
                [(line, count) for line, count, counted in lengths if counted == unit],
                0.0,
                math.inf,
            )
            for unit in sorted({counted for _, _, counted in lengths})
        },
        "left_out": [loss.as_json() for loss in losses(rows)],
    }


def _clauses(clauses: Sequence[Clause]) -> dict[str, dict[str, int]]:
    """How often each clause of the decisions spoke for a revision, and how often it could not be read."""
    return {
        name: {
            "fired": sum(one.holds is True for one in clauses if one.name == name),
            "of": sum(one.name == name for one in clauses),
            "unread": sum(one.holds is None for one in clauses if one.name == name),
        }
        for name in dict.fromkeys(one.name for one in clauses)
    }


def _verifiable(rows: Sequence[Row]) -> list[tuple[Row, Facts | None]]:
    """The lines whose last answer was verified or was to be, with their facts: None where there was nothing to verify, or no reply."""
    found = [
        row.facts if row.status == "done" and isinstance(row.facts, Facts) else None
        for row in rows
    ]
    by_setting = [
        one is not None and one.verification is None and one.check is not None
        for one in found
    ]
    return [
        (row, one)
        for row, one, spared in zip(rows, found, by_setting, strict=True)
        if not spared
    ]


def _scores(rows: Sequence[Row]) -> dict[str, Any]:
    """Mean of each score over the last verifications.

    `excluded` counts the lines that have none: those that could not be read, and those without an answer or references, or not finished.
    Lines that no verification was wanted for do not count.
    """
    lines = _verifiable(rows)
    found: dict[str, Any] = {}
    for name in SCORES:
        of = [
            (row.line, one.verification)
            for row, one in lines
            if one is not None and one.verification is not None
        ]
        values = [
            (line, value)
            for line, one in of
            if (value := getattr(one, name)) is not None
        ]
        measured = clustered_means(values, 0.0, 1.0)
        found[name] = measured and {**measured, "excluded": len(lines) - len(values)}
    return found


def _check(rows: Sequence[Row]) -> dict[str, Any]:
    """What was computed of the citations in the last answers: shares of sentences without one and of citations of no reference, empty
    brackets, and the mean support of sentences that cite. `excluded` counts the lines without an answer from references."""
    known = [
        (row.line, row.facts.check)
        for row in rows
        if row.status == "done" and isinstance(row.facts, Facts)
    ]
    made = [(line, check_counts(check)) for line, check in known if check is not None]
    excluded = len(rows) - len(made)

    def part(measured: dict[str, Any] | None, count: int) -> dict[str, Any] | None:
        return measured and {**measured, "excluded": excluded, "answers": count}

    def among(name: str, whole: str) -> dict[str, Any] | None:
        return part(
            clustered(
                [
                    (line, number < one[name])
                    for line, one in made
                    for number in range(one[whole])
                ]
            ),
            len(made),
        )

    supports = [
        (line, one["support"]) for line, one in made if one["support"] is not None
    ]
    return {
        "answers": len(made),
        "excluded": excluded,
        "sentences": sum(one["sentences"] for _, one in made),
        "uncited": among("uncited", "sentences"),
        "unknown": among("unknown", "citations"),
        "empty": sum(one["empty"] for _, one in made),
        "support": part(clustered_means(supports, 0.0, 1.0), len(supports)),
    }

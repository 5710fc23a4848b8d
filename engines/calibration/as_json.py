"""A machine beside people, for programs. A share is {value, low, high, count, of}; what is undefined is null."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ..metrics.bootstrap import Figure
from ..metrics.report import comparison_json
from .calibrated import Calibrated, Question
from .confusion import Confusion
from .judged import Share
from .roc import Roc
from .telling import too_few
from .thresholds import Chosen, Reached


def as_json(one: Calibrated) -> dict[str, Any]:
    """One object."""
    made: dict[str, Any] = {"name": one.name, "judged": one.judged}
    if one.answers is not None:
        found = one.answers
        made |= {
            "kind": "answers",
            "truth": {
                "by": found.by,
                "raters": list(found.raters),
                "seen_machine": found.seen,
                "disputed": found.disputed,
            },
            "models": found.models,
            "left_out": found.left_out,
            "questions": [_question(each) for each in one.question],
            "bounds": None
            if one.chosen is None
            else {"now": dict(found.rules.bounds), **_chosen(one.chosen)},
            "no_bounds": None if one.too_few is None else too_few(one.too_few),
        }
    if one.levels is not None and one.compared is not None:
        made |= {
            "kind": "levels",
            "truth": {
                "by": one.levels.truth.kind,
                "raters": list(one.levels.raters),
                "seen_machine": one.levels.truth.seen_machine,
            },
            "drawn_by_level": one.levels.by_level,
            "compared": comparison_json(one.compared),
            "questions": [_question(each) for each in one.question],
        }
    return made


def _question(one: Question) -> dict[str, Any]:
    return {
        "question": one.name,
        **_confusion(one.confusion),
        "roc": {
            name: {**_roc(roc), "unread": one.unread[name]}
            for name, roc in one.rocs.items()
        },
        "corrected": None
        if one.corrected is None
        else {**one.corrected._asdict(), "like": one.corrected.like._asdict()},
        "corrected_by": one.predict or None,
        "not_corrected": one.not_corrected,
        "drift_p": one.drift,
    }


def _confusion(one: Confusion) -> dict[str, Any]:
    return {
        **{name: _plain(value) for name, value in one._asdict().items()},
        "right": _words(one.right),
        "wrong": _words(one.wrong),
    }


def _words(counts: dict[str, int]) -> dict[str, int]:
    return {word or "unread": count for word, count in counts.items()}


def _roc(one: Roc) -> dict[str, Any]:
    """The curve; the first point's bound is null: nothing counts as right there."""
    points = [
        [
            None if math.isinf(point.bound) else point.bound,
            point.sensitivity,
            point.false_positives,
        ]
        for point in one.points
    ]
    return {**one._asdict(), "points": points}


def _chosen(one: Chosen) -> dict[str, Any]:
    return {
        "goal": one.goal,
        "labels": one.labels,
        "clusters": one.clusters,
        "folds": one.folds,
        "rule": one.rule,
        "judgement_alone": _reached(one.judgement),
        "rules": {
            name: {
                "now": _reached(rule.now),
                "bounds": rule.bounds,
                "held_out": _reached(rule.reached),
            }
            for name, rule in one.rules.items()
        },
        "held_out": _reached(one.reached),
        "against": one.against or "judgement_alone",
        "gain": one.gain._asdict(),
    }


def _reached(one: Reached) -> dict[str, Any]:
    return {name: _plain(value) for name, value in one._asdict().items()}


def _plain(value: Any) -> Any:
    return (
        asdict(value)
        if isinstance(value, Share)
        else value._asdict()
        if isinstance(value, Figure)
        else value
    )

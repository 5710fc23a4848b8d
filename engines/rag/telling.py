"""The report of a batch of questions or answers, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...texts import own_words, t
from ...texts.settings import listed, word
from ..batches.equivalence import compared_in_words
from ..batches.report import (
    by_in_words,
    left_out_in_words,
    mean_in_words,
    share_in_words,
    states_in_words,
    totals_in_words,
)
from .claims_report import in_words as claims_in_words
from .retrieval_report import PARTS
from .retrieval_report import in_words as retrieval_in_words

SHARES = (
    "accuracy",
    "accuracy_decided",
    "contains",
    "contains_paper",
    "webglm",
    "exact_match",
    "accuracy_first",
    "accuracy_last",
    "reference_accuracy_first",
    "reference_accuracy_last",
    "judgement_accuracy",
    "revision_accuracy",
)


def in_words(found: dict[str, Any], many: str) -> str:
    """The report for people."""
    lines = [
        states_in_words(
            found, many, by_in_words("verified", found["verified_by"], "verifier")
        )
    ]
    again = (found["iterations"] or 0) > 1
    told = {
        name: t(f"report.share.{name}")
        for name in SHARES
        if again or name not in ("accuracy_first", "accuracy_last")
    }
    if not (found["accuracy"] or {}).get("missing"):
        del told["accuracy_decided"]
    lines += [
        _share_in_words(label, found[name])
        for name, label in told.items()
        if found[name] is not None
    ]
    parts = [
        part
        for part in PARTS
        if found.get(part) is not None and (again or part == PARTS[0])
    ]
    lines += [line for part in parts for line in retrieval_in_words(found[part], part)]
    lines += compared_in_words(found)
    lines += [mean_in_words("F1", found["f1"])] if found["f1"] else []
    lines += [
        t("report.batch.length", part=part["value"], unit=word(unit), part2=part["of"])
        for unit, part in found["length"].items()
    ]
    for name, part in found["scores"].items():
        if part is not None:
            lines.append(
                mean_in_words(
                    t(f"asked.{name}")
                    + (t("report.batch.bad") if name == "bias" else ""),
                    part,
                )
            )
    if found["judgements"]:
        lines.append(
            t("report.batch.judgements")
            + listed(
                f"{word(judged)} {count}"
                for judged, count in sorted(found["judgements"].items())
            )
        )
    if found["clauses"]:
        fired = (
            t("report.batch.fired", name=word(name), n=part["fired"], of=part["of"])
            for name, part in found["clauses"].items()
        )
        lines.append(t("report.batch.clauses") + listed(fired))
    lines += _check_in_words(found["check"])
    lines += claims_in_words(found["claims"]) if found.get("claims") else []
    if found["done"]:
        lines.append(
            t("report.batch.stopped_by")
            + listed(
                f"{word(why)} {count}"
                for why, count in sorted(found["stopped_by"].items())
            )
        )
        lines.append(
            t(
                "report.batch.questions",
                found=found["undecided"],
                found2=found["no_references"],
                found3=found["empty"],
                found4=found["unread"],
            )
        )
    return "\n".join(
        [*lines, *left_out_in_words(found["left_out"]), totals_in_words(found)]
    )


def _share_in_words(label: str, part: dict[str, Any]) -> str:
    return (
        share_in_words(label, part)
        if part["value"] is not None
        else t("report.batch.not_given", label=label, part=own_words(part["reason"]))
    )


def _check_in_words(part: Mapping[str, Any]) -> list[str]:
    uncited, unknown = part["uncited"], part["unknown"]
    told = (
        [t("report.batch.uncited", uncited=uncited["count"], uncited2=uncited["of"])]
        if uncited
        else []
    )
    told += (
        [t("report.batch.unknown", unknown=unknown["count"], unknown2=unknown["of"])]
        if unknown
        else []
    )
    return (
        [
            t(
                "report.batch.check",
                part=part["answers"],
                names=", ".join(told),
                part2=part["empty"],
            )
        ]
        if told
        else []
    )

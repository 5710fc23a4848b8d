"""What the searches of a batch found of the gold passages: means over its lines, for report.json, for gates and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ...texts import t
from ...texts.settings import listed, word
from ..batches.gates import Figures, mean_of
from ..batches.lines import Line
from ..batches.report import clustered, clustered_means, mean_in_words, share_in_words
from .retrieved import MEANS, NAMES, Retrieved

PARTS = ("retrieval", "retrieval_first")
"""Where report.json has what the last references hold, and what the first ones held."""


def figures() -> Figures:
    """What a gate can hold: `recall`, … of the last references, `retrieval_first.recall`, … of the first ones."""
    last, first = PARTS
    return {
        **{name: mean_of(f"{last}.{name}") for name in NAMES},
        **{f"{first}.{name}": mean_of(f"{first}.{name}") for name in NAMES},
    }


def retrieval_report(
    lines: Iterable[tuple[Line, Retrieved | None, str | None]],
) -> dict[str, Any] | None:
    """Means and their intervals over lines with gold passages, each with its figures and why it has no references (None: it has).

    None without such lines. A line without figures is left out: `excluded`. One without references counts as 0: `missing` says why.
    """
    listed = list(lines)
    known = [(line, found) for line, found, _ in listed if found is not None]
    if not known:
        return None
    left = {"excluded": len(listed) - len(known)}
    means = {
        name: clustered_means(
            [(line, getattr(found, name)) for line, found in known], 0.0, 1.0
        )
        for name in MEANS
    }
    hits = clustered([(line, found.hit_rate) for line, found in known])
    missing: dict[str, int] = {}
    for _, found, why in listed:
        if found is not None and not found.shown:
            missing[why or "no-references"] = missing.get(why or "no-references", 0) + 1
    return {
        **{name: mean and {**mean, **left} for name, mean in means.items()},
        "hit_rate": hits and {**hits, **left},
        "references": clustered_means(
            [(line, float(found.shown)) for line, found in known], 0.0, math.inf
        ),
        "missing": missing,
    }


def in_words(part: Mapping[str, Any], which: str) -> list[str]:
    """The figures for people, a line each. `which`: `retrieval` or `retrieval_first`."""
    hits, shown = part["hit_rate"], part["references"]
    missing = (
        t(
            "report.retrieval.missing",
            n=sum(part["missing"].values()),
            listed=missing_in_words(part["missing"]),
        )
        if part["missing"]
        else ""
    )
    lines = [
        t(
            f"report.retrieval.{which}",
            n=hits["of"],
            shown=shown["value"],
            missing=missing,
        )
    ]
    lines += [
        "  " + mean_in_words(t(f"report.measure.{name}"), part[name]) for name in MEANS
    ]
    lines.append("  " + share_in_words(t("report.measure.hit_rate"), hits))
    return lines if hits["count"] else [*lines, "  " + t("report.retrieval.none")]


def missing_in_words(missing: Mapping[str, int]) -> str:
    """`2 failed, 1 no-references`"""
    return listed(f"{count} {word(why)}" for why, count in missing.items())

"""What a run of this many items can show, before it is made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ...texts import t
from ...texts.settings import listed
from ..metrics.power import (
    DISCORDANT,
    SPREAD,
    Design,
    items_needed,
    repeats_needed,
    smallest_detectable,
)


@dataclass(frozen=True)
class Detectable:
    """The smallest difference a design can show, and what its margin needs."""

    design: Design
    margin: float
    """As a share of what a measure can be; so is `difference`."""
    difference: float | None
    """None: so few items show no difference at all."""
    items: int | None
    """Items that show a difference of the margin; None: too many to be named."""
    repeats: int | None
    """Repeats of each item that do; None: no number does."""

    def as_json(self) -> dict[str, Any]:
        return {
            "items": self.design.items,
            "clusters": self.design.clusters,
            "repeats": self.design.repeats,
            "tests": self.design.tests,
            "difference": self.difference,
            "margin": self.margin,
            "items_for_margin": self.items,
            "repeats_for_margin": self.repeats,
        }

    def in_words(self) -> str:
        """One or two lines."""
        design = self.design
        if self.difference is None:
            return t("report.planning.nothing", items=design.items)
        mean = design.kind == "mean"
        first = t(
            "report.planning.detectable",
            items=design.items,
            details=_details(design),
            difference=self.difference,
            assumption=t(
                f"report.planning.assumed_{design.kind}",
                spread=SPREAD if mean else DISCORDANT,
            ),
        )
        if not self.margin:
            return first
        if self.difference <= self.margin:
            return first + "\n" + t("report.planning.enough", margin=self.margin)
        if self.items is None:
            return first + "\n" + t("report.planning.too_many", margin=self.margin)
        key = "items" if self.repeats is None else "items_or_repeats"
        needs = t(
            f"report.planning.{key}",
            margin=self.margin,
            items=self.items,
            repeats=self.repeats,
        )
        return f"{first}\n{needs}"


def _details(design: Design) -> str:
    """` (20 clusters, 2 tests)`: what makes the design other than plain items."""
    parts = []
    if design.clusters != design.items:
        parts.append(t("report.planning.clusters", n=design.clusters))
    if design.repeats > 1:
        parts.append(t("report.planning.repeats", n=design.repeats))
    if design.tests > 1:
        parts.append(t("report.planning.tests", n=design.tests))
    if parts:
        return t("report.planning.details", parts=listed(parts))
    return ""


def detectable(
    clusters: Collection[str],
    margin: float,
    repeats: int = 1,
    tests: int = 1,
    *,
    share: bool = True,
) -> Detectable:
    """What a comparison of runs over these items can show; `clusters`: of each item.

    `share`: each item is right or wrong.
    """
    items, groups = len(clusters), len(set(clusters))
    design = Design(items, groups, repeats, max(1, tests), "share" if share else "mean")
    needed = items_needed(margin, design) if items and margin else None
    more = repeats_needed(margin, design) if items and margin else None
    return Detectable(design, margin, smallest_detectable(design), needed, more)

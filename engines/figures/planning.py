"""What a run of so many items can show, before it is made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ...texts import t
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
        simple = design.clusters == design.items and design.repeats == design.tests == 1
        first = t(
            "report.planning.detectable",
            items=design.items,
            details=""
            if simple
            else t(
                "report.planning.details",
                clusters=design.clusters,
                repeats=design.repeats,
                tests=design.tests,
            ),
            difference=self.difference,
            assumed=t(
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

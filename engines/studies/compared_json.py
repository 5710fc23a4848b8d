"""A comparison as JSON lines: an object for each measure of each run."""

from __future__ import annotations

from typing import Any

from .comparing import Comparison, Versus


def rows(comparison: Comparison) -> list[dict[str, Any]]:
    """The objects, each with the runs, the items and what the runs were not made alike with."""
    return [
        {**one.as_json(), **_about(versus)} for versus, one in comparison.differences
    ]


def _about(versus: Versus) -> dict[str, Any]:
    paired = versus.paired
    return {
        "first": str(versus.first.path),
        "second": str(versus.second.path),
        "items": len(paired.ids),
        "clusters": len(set(paired.clusters.values())),
        "only_a": len(paired.only_first),
        "only_b": len(paired.only_second),
        "other_content": len(paired.other_content),
        "unfinished": len(paired.unfinished),
        "differs": {
            one.name: [list(values) for values in one.values]
            for one in versus.differing
        },
    }

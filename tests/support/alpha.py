"""Krippendorff's alpha of levels, of the parts that its items add."""

from __future__ import annotations

from collections.abc import Iterable

from verifytui.engines.metrics.agreement import Ratings, add, alpha_from, alpha_parts


def krippendorff_alpha(items: Iterable[Ratings]) -> float | None:
    """Krippendorff's alpha with the ordinal metric, over all items with two ratings or
    more; ratings may be missing.
    """
    return alpha_from(add(alpha_parts(one) for one in items))

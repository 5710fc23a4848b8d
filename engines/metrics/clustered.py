"""The standard error of a mean whose items come in clusters, and how much the clusters cost.

Sources: Liang and Zeger 1986 (the sandwich estimator; for a mean it is the sum over clusters); Cameron and Miller 2015 (G / (G − 1)); Kish
1965 (design effect); Miller 2024 (of evaluations of language models).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence


def standard_error(
    values: Sequence[float], clusters: Iterable[Hashable] | None = None
) -> float | None:
    """√(G / (G − 1) · Σ over clusters (Σ over items (value − mean))²) / n, in the values' unit; None with fewer than two clusters G.

    Without clusters every item is its own: the standard error of the mean, s / √n.
    """
    names = range(len(values)) if clusters is None else clusters
    mean = math.fsum(values) / len(values) if values else 0.0
    by_cluster: dict[Hashable, list[float]] = {}
    for name, value in zip(names, values, strict=True):
        by_cluster.setdefault(name, []).append(value - mean)
    count = len(by_cluster)
    if count < 2:
        return None
    return math.sqrt(
        count
        / (count - 1)
        * math.fsum(math.fsum(each) ** 2 for each in by_cluster.values())
    ) / len(values)


def design_effect(
    values: Sequence[float], clusters: Iterable[Hashable]
) -> float | None:
    """How many times as many items the clusters ask for as independent ones would: the square of both standard errors' ratio.

    None with fewer than two clusters, or where all values are the same.
    """
    alone, together = standard_error(values), standard_error(values, clusters)
    return None if not alone or together is None else (together / alone) ** 2

"""The standard error of a mean whose items come in clusters.

Sources: Liang and Zeger 1986 (the sandwich estimator); Cameron and Miller 2015
(G / (G - 1)); Miller 2024 (of evaluations of language models).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence


def standard_error(
    values: Sequence[float], clusters: Iterable[Hashable] | None = None
) -> float | None:
    """√(G / (G − 1) · Σ over clusters (Σ over items (value − mean))²) / n, in the
    values' unit; None with fewer than two clusters G.

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

"""95 % intervals of shares and means, where items of one cluster (a topic, a question, a query, repeats) are not independent.

A share of clustered items is worth that of fewer independent ones: as many as would have the variance found between the clusters. The score
interval is taken with this number, made smaller where there are few clusters (Korn and Graubard 1998; Wilson 1927).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .clustered import standard_error

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

_T95 = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582)
"""Two-sided 95 % quantiles of Student's distribution with 1 to 5 degrees of freedom."""


class Clustered(NamedTuple):
    """An interval over clusters."""

    low: float
    high: float
    clusters: int


def t95(degrees: int) -> float:
    """The two-sided 95 % quantile of Student's distribution, off by .0014 at most; degrees of freedom from 1."""
    if degrees <= len(_T95):
        return _T95[degrees - 1]
    z, n = Z95, degrees  # Abramowitz and Stegun 26.7.5
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + terms[0] / n + terms[1] / n**2 + terms[2] / n**3


def score_interval(share: float, counted: float) -> tuple[float, float]:
    """The 95 % score interval of a share of so many independent items, more than 0 (Wilson 1927)."""
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * counted)) / (1 + z2 / counted)
    half = (
        Z95
        * math.sqrt(share * (1 - share) / counted + z2 / (4 * counted * counted))
        / (1 + z2 / counted)
    )
    return 0.0 if share == 0 else max(0.0, middle - half), 1.0 if share == 1 else min(
        1.0, middle + half
    )


def clustered_share(told: Iterable[tuple[str, bool]]) -> Clustered | None:
    """The interval of the share of true values, each with its cluster. None without values.

    Where every cluster says the same, all true or all false, each counts once. One cluster counts as one item.
    """
    by_cluster: dict[str, list[bool]] = {}
    for name, right in told:
        by_cluster.setdefault(name, []).append(right)
    sizes = [(sum(found), len(found)) for found in by_cluster.values()]
    hits, counted, clusters = (
        sum(hit for hit, _ in sizes),
        sum(size for _, size in sizes),
        len(sizes),
    )
    if not counted:
        return None
    share = hits / counted
    return Clustered(*score_interval(share, _worth(share, sizes, counted)), clusters)


def _worth(share: float, sizes: Sequence[tuple[int, int]], counted: int) -> float:
    """How many independent items a share of these clusters (hits, items) is worth, at most all of them."""
    clusters = len(sizes)
    if clusters == counted or clusters == 1 or share in (0, 1):
        return clusters
    between = math.fsum((hits - share * size) ** 2 for hits, size in sizes)
    if not between:
        return counted
    variance = clusters / (clusters - 1) * between / counted**2
    return min(counted, share * (1 - share) / variance * (Z95 / t95(clusters - 1)) ** 2)


def clustered_mean(told: Iterable[tuple[str, float]]) -> Clustered | None:
    """The interval of a mean of values, each with its cluster. None with fewer than two clusters."""
    listed = list(told)
    names, values = [name for name, _ in listed], [value for _, value in listed]
    error = standard_error(values, names)
    if error is None:
        return None
    mean, clusters = math.fsum(values) / len(values), len(set(names))
    half = t95(clusters - 1) * error
    return Clustered(mean - half, mean + half, clusters)

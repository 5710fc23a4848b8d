"""The score interval of a share, and the quantiles that intervals use."""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

_T95 = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582)
"""Two-sided 95 % quantiles of Student's distribution with 1 to 5 degrees of freedom."""


def t95(degrees: int) -> float:
    """The two-sided 95 % quantile of Student's distribution, off by .0014 at most;
    degrees of freedom from 1.
    """
    if degrees <= len(_T95):
        return _T95[degrees - 1]
    z, n = Z95, degrees  # Abramowitz and Stegun 26.7.5
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + terms[0] / n + terms[1] / n**2 + terms[2] / n**3


def score_interval(share: float, counted: float, z: float = Z95) -> tuple[float, float]:
    """The score interval of a share of this many independent items, more than 0
    (Wilson 1927); of 95 % by default.
    """
    z2 = z * z
    middle = (share + z2 / (2 * counted)) / (1 + z2 / counted)
    half = (
        z
        * math.sqrt(share * (1 - share) / counted + z2 / (4 * counted * counted))
        / (1 + z2 / counted)
    )
    return 0.0 if share == 0 else max(0.0, middle - half), 1.0 if share == 1 else min(
        1.0, middle + half
    )

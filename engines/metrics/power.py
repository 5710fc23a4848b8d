"""How many paired items a difference needs, and which difference so many items can show: two-sided test at 5 %, power 80 %.

`spread` is the standard deviation of the items' differences (second − first). Of right and wrong it is √(b + c − (c − b)²), with the shares
of items that only the first, only the second run has right. `effect` is the design effect of clusters (`clustered.design_effect`).

Sources: Guenther 1981 (the correction for Student's distribution); Connor 1987 (right and wrong); Kish 1965 (design effect).
"""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL, POWER = 0.05, 0.8


def needed_n(
    spread: float,
    difference: float,
    effect: float = 1.0,
    level: float = LEVEL,
    power: float = POWER,
) -> int | None:
    """How many items show a difference of this size: effect · (((z₁ + z₂) · spread / difference)² + z₁² / 2), rounded up.

    z₁ is the quantile of 1 − level / 2, z₂ that of the power. None where the difference is 0; 2 at the least.
    """
    if not difference:
        return None
    first, both = _quantiles(level, power)
    return max(
        2, math.ceil(effect * ((both * spread / difference) ** 2 + first**2 / 2))
    )


def minimum_detectable(
    spread: float,
    n: float,
    effect: float = 1.0,
    level: float = LEVEL,
    power: float = POWER,
) -> float | None:
    """The smallest difference that so many items show, in the unit of `spread`: `needed_n` solved for it. None where n is too small."""
    first, both = _quantiles(level, power)
    worth = n / effect - first**2 / 2
    return both * spread / math.sqrt(worth) if worth > 0 else None


def _quantiles(level: float, power: float) -> tuple[float, float]:
    normal = NormalDist()
    first = normal.inv_cdf(1 - level / 2)
    return first, first + normal.inv_cdf(power)

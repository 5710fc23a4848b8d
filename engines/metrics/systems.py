"""How far two measures put systems into the same order.

Sources: Kendall 1945 (tau-b); Voorhees 1998 (of systems in retrieval).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b, from −1 to 1, of two measures of the same systems: 1 where every two stand in the same order in both.

    (pairs in the same order − pairs in the opposite one) / √(pairs not tied in the first · pairs not tied in the second). Without ties it
    is Kendall's tau. None with fewer than two systems, or where either measure ties all of them.
    """
    agreeing = untied_first = untied_second = 0
    for (one, its), (other, others) in combinations(zip(first, second, strict=True), 2):
        up, its_up = (other > one) - (other < one), (others > its) - (others < its)
        agreeing += up * its_up
        untied_first += up != 0
        untied_second += its_up != 0
    return (
        agreeing / (untied_first * untied_second) ** 0.5
        if untied_first and untied_second
        else None
    )

"""p values corrected for being several: the chance that any of them is a false alarm
stays below the level.

Source: Holm 1979.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's corrected p values, in the same order: the smallest times their number m,
    the next times m − 1 …; none falls, none is above 1.

    A p that is None stays None and is not counted.
    """
    known = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    least = 0.0
    for before, (p, place) in enumerate(known):
        least = max(least, min(1.0, p * (len(known) - before)))
        corrected[place] = least
    return corrected

"""Measures what a search found against what it should find: recall, reciprocal rank,
nDCG, context precision.

`places`: for every place of a list, best first, which of the wanted are there, by
number; several places may hold one of them, and one place several. `grades`: the grade
of each wanted one; 0 is not wanted. Without anything wanted a figure is undefined: do
not ask.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from .ranking import expected_ndcg

Places = Sequence[Collection[int]]


def recall(places: Places, grades: Sequence[int]) -> float:
    """The share of the wanted that stand somewhere in the list, 0 to 1."""
    wanted = {number for number, grade in enumerate(grades) if grade > 0}
    return len(wanted & set().union(*places)) / len(wanted)


def reciprocal_rank(places: Places, grades: Sequence[int]) -> float:
    """1 / the first place that holds a wanted one, from 1; 0 where none does."""
    return next(
        (1 / place for place, held in enumerate(_relevant(places, grades), 1) if held),
        0.0,
    )


def context_precision(places: Places, grades: Sequence[int]) -> float:
    """The mean of precision@k over the places k that hold a wanted one; 0 where none
    does.

    As ragas defines it (docs.ragas.io, Context Precision): what is wanted and not in
    the list lowers `recall`, not this figure.
    """
    precisions: list[float] = []
    for place, held in enumerate(_relevant(places, grades), 1):
        if held:
            precisions.append((len(precisions) + 1) / place)
    if precisions:
        return math.fsum(precisions) / len(precisions)
    return 0.0


def ndcg(places: Places, grades: Sequence[int], k: int = 0) -> float:
    """nDCG@k, 0 to 1 (Järvelin and Kekäläinen 2002): the gain is the grade, the
    discount log2(rank + 1).

    `k`: number of requested passages, so that a shorter list cannot be ideal; a longer
    one counts whole. Each gold passage is gained once, and each place gains at most
    one, the best that is left. A gold passage that is only found together with a gained
    one is the same passage, and not another one to find.
    """
    gained: set[int] = set()
    names = []
    for place, numbers in enumerate(places):
        best = max(
            set(numbers) - gained,
            key=lambda number: (grades[number], -number),
            default=None,
        )
        names.append(f"at {place}" if best is None else str(best))
        gained |= set() if best is None else {best}
    same = set().union(*places) - gained
    labels = {
        str(number): grade for number, grade in enumerate(grades) if number not in same
    }
    return expected_ndcg([[name] for name in names], labels, max(len(names), k, 1))


def _relevant(places: Places, grades: Sequence[int]) -> list[bool]:
    return [any(grades[number] > 0 for number in numbers) for numbers in places]

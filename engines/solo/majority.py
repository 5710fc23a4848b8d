"""The answer that most samples give (Wang et al. 2022, "Self-Consistency Improves Chain
of Thought Reasoning in Language Models").
"""

from __future__ import annotations

from collections.abc import Sequence

from ..metrics.equivalence import same


def groups(answers: Sequence[str | None]) -> list[list[int]]:
    """Numbers, from 1, of the answers that say the same, the largest group first.

    An answer joins the first group in which it says the same as every other one
    (`metrics.equivalence`). None is in no group. Of groups of one size the one that was
    begun first goes first.
    """
    found: list[list[int]] = []
    for number, answer in enumerate(answers, 1):
        if answer is None:
            continue
        joined = next(
            (
                group
                for group in found
                if all(same(answer, answers[other - 1] or "") for other in group)
            ),
            None,
        )
        if joined is None:
            found.append([number])
        else:
            joined.append(number)
    return sorted(found, key=len, reverse=True)

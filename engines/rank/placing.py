"""Orders of answers: how they are shuffled, and what place each has by its score."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import combinations, groupby


def shuffled(texts: Mapping[str, str], seed: str) -> list[str]:
    """The names in an order by chance: by the digest of seed, name and text, so that it
    is the same on every machine.
    """
    return sorted(
        texts,
        key=lambda name: hashlib.sha256(
            f"{seed}\0{name}\0{texts[name]}".encode("utf-8", "replace")
        ).digest(),
    )


class ScoreOrder:
    """Answers in the order of their scores, the best first. Equal scores have no order."""

    def __init__(self, scores: Mapping[str, float], *, inverted: bool = False) -> None:
        """`inverted`: the lowest score is best."""
        self._scores = {
            name: -score if inverted else score for name, score in scores.items()
        }
        best = sorted(self._scores, key=lambda name: -self._scores[name])
        self._groups = [
            list(group) for _, group in groupby(best, key=self._scores.__getitem__)
        ]

    @property
    def listed(self) -> list[str | list[str]]:
        """The names, those with equal scores in a list."""
        return [group[0] if len(group) == 1 else group for group in self._groups]

    @property
    def ranks(self) -> dict[str, float]:
        """Name to rank, 1 is best; equal scores share the mean of their ranks."""
        return {
            name: place + (len(group) - 1) / 2
            for place, group in self._placed()
            for name in group
        }

    @property
    def places(self) -> dict[str, int]:
        """Name to rank; equal scores all have the best of their ranks: 1, 2, 2, 4."""
        return {name: place for place, group in self._placed() for name in group}

    def alike(self, other: ScoreOrder) -> float | None:
        """The share of pairs that both orders rank alike, as equal too; None for fewer
        than two names.
        """
        pairs = list(combinations(self._scores, 2))
        same = sum(self._sign(*pair) == other._sign(*pair) for pair in pairs)
        if pairs:
            return same / len(pairs)
        return None

    def _placed(self) -> list[tuple[int, list[str]]]:
        starts, at = [], 1
        for group in self._groups:
            starts.append((at, group))
            at += len(group)
        return starts

    def _sign(self, one: str, other: str) -> int:
        first, second = self._scores[one], self._scores[other]
        return (first > second) - (first < second)

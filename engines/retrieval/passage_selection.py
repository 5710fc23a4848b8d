"""Chooses the k best passages of a ranking, without near-duplicates and without too
many of one document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import NamedTuple

from .near import Shingles, near
from .port import PassageFilter
from .ranks import RankedPassage, Ranking

DEEPEST = 20_000
"""Passages that are looked at, at most, to fill k places with what is not alike."""

Look = Callable[[int], tuple[Shingles, Hashable]]
"""The shingles of a passage, and what tells its document apart."""


class SelectedPassage(NamedTuple):
    """A candidate that becomes a reference, and the near-duplicates left out for it."""

    candidate: RankedPassage
    alike: list[int]


def choose(
    ranked: Ranking, k: int, wanted: PassageFilter, look: Look
) -> tuple[list[SelectedPassage], dict[str, int]]:
    """The k best candidates without what is skipped, and how many were skipped,
    by the setting that says so.

    `ranked(depth)` gives the candidates. Near-duplicates are looked for among all that
    were ranked to fill the k places.
    """
    if wanted.duplicates == "all" and not wanted.per_document:
        return [SelectedPassage(one, []) for one in ranked(k)[:k]], {}
    chosen: list[SelectedPassage] = []
    words: list[Shingles] = []
    passed: Counter[str] = Counter()
    documents: Counter[Hashable] = Counter()
    depth, seen = max(4 * k, 20), 0
    while True:
        candidates = ranked(depth)
        for one in candidates[seen:]:
            its_words, document = look(one.at)
            twin = (
                next(
                    (at for at, other in enumerate(words) if near(its_words, other)),
                    None,
                )
                if wanted.duplicates == "one"
                else None
            )
            if twin is not None:
                chosen[twin].alike.append(one.at)
                passed["duplicates"] += 1
            elif len(chosen) < k:
                if wanted.per_document and documents[document] >= wanted.per_document:
                    passed["per_document"] += 1
                    continue
                documents[document] += 1
                chosen.append(SelectedPassage(one, []))
                words.append(its_words)
        seen = len(candidates)
        if len(chosen) >= k or seen < depth or depth >= DEEPEST:
            return chosen, dict(passed)
        depth *= 4

"""Finds passages that say nearly the same, by the words that the index holds of them.

Two passages are near-duplicates if their resemblance is at least NEAR: the share of runs of WORDS words (shingles) that both hold among
all that one of them holds (Broder, On the resemblance and containment of documents, 1997). It must hold for the text alone and for the
text with its title, so short texts under different titles stay apart.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .store import Array

WORDS = 3
NEAR = 0.6


class Shingles:
    """The shingles of a passage, a number for each."""

    def __init__(self, tokens: Array, title: int) -> None:
        """`tokens`: the numbers of its words, of which the first `title` are those of its title."""
        self._tokens, self._title = tokens, title
        self._runs = _runs(tokens)
        self.all = frozenset(self._runs)

    @functools.cached_property
    def text(self) -> frozenset[int]:
        """Those of its text alone."""
        short = len(self._tokens) - self._title < WORDS
        return frozenset(_runs(self._tokens[self._title :]) if short else self._runs[self._title :])


def near(one: Shingles, other: Shingles) -> bool:
    """True if two passages say nearly the same."""
    return _resemble(one.all, other.all) and _resemble(one.text, other.text)


def _resemble(one: frozenset[int], other: frozenset[int]) -> bool:
    less, more = sorted((len(one), len(other)))
    if less < NEAR * more:
        return False
    both = len(one & other)
    return both >= NEAR * (less + more - both)


def _runs(tokens: Array) -> list[int]:
    """A 64-bit number for every run of WORDS words; one for all of them where they are fewer."""
    import numpy

    words = tokens.astype("uint64") + numpy.uint64(1)
    words *= numpy.uint64(0x9E3779B97F4A7C15)
    words ^= words >> numpy.uint64(29)
    size = min(WORDS, len(words))
    count = len(words) - size + 1 if size else 0
    made = numpy.zeros(count, dtype="uint64")
    for at in range(size):
        made = made * numpy.uint64(0xBF58476D1CE4E5B9) + words[at : at + count]
    found: list[int] = made.tolist()
    return found

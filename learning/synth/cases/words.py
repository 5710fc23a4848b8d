"""Cases as numbered words, tokenized like a corpus."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ....engines.retrieval.near import Shingles, Sketches, near
from ....engines.retrieval.tokeniser import Tokeniser, fold

if TYPE_CHECKING:
    from ....engines.retrieval.store import Array


class _IndexedWords(dict[str, int]):
    """Words as written, each with the number of its indexed form."""

    def __init__(self) -> None:
        self._folded: dict[str, int] = {}

    def __missing__(self, raw: str) -> int:
        number = self[raw] = self._folded.setdefault(fold(raw), len(self._folded))
        return number


class WordNumbers:
    """Assigns each word a number, the same in all texts."""

    def __init__(self) -> None:
        self._tokeniser = Tokeniser()
        self._numbers = _IndexedWords()

    def of(self, text: str) -> Array:
        """The words of a text, in order."""
        import numpy

        raw = self._tokeniser.raw(text)
        return numpy.fromiter(
            map(self._numbers.__getitem__, raw), dtype="int64", count=len(raw)
        )

    def shingles(self, text: str) -> Shingles:
        """The shingles of a text."""
        return Shingles(self.of(text), 0)


class NearDuplicates:
    """Named texts, and their near-duplicates."""

    def __init__(self, words: WordNumbers) -> None:
        self._words = words
        self._texts: dict[str, str] = {}
        self._sketches = Sketches()

    def add(self, name: str, text: str, shingles: Shingles | None = None) -> None:
        """Adds a text. `shingles`: its shingles, if known."""
        self._texts[name] = text
        self._sketches.add(name, shingles or self._words.shingles(text))

    def like(self, shingles: Shingles) -> list[str]:
        """The names of all near-duplicates, in the order of addition."""
        return [
            name
            for name in self._sketches.suspects(shingles)
            if near(shingles, self._words.shingles(self._texts[name]))
        ]

    def doubles(self) -> list[tuple[str, str]]:
        """All pairs of near-duplicates, the earlier text first."""
        shingles = functools.lru_cache(2)(
            lambda name: self._words.shingles(self._texts[name])
        )
        return [
            (one, other)
            for one, other in self._sketches.pairs()
            if near(shingles(one), shingles(other))
        ]

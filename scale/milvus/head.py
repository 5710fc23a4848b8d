"""The head of a collection, which describes it, and the figures for ranking."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ...engines.retrieval.bm25 import norm, weight
from ...engines.retrieval.dense import DenseMeta

FORMAT = 1
HEAD = 0
"""The id of the row with the head among the words. No word has it."""
EMPTY = 0
"""The number of a word that no passage has and no query contains, for passages without
words.
"""


class Head(msgspec.Struct, kw_only=True):
    """Stored as JSON in a row of its own."""

    verifytui: int = FORMAT
    """Version of this format."""
    origin: str
    """Created with the collection; distinguishes it from others of the same name."""
    stamp: str
    """Changes each time the collection is filled or updated."""
    whole: bool = False
    """False while the collection is being filled and cannot be searched."""
    words: str
    """Name of the tokenizer."""
    words_id: str
    mean: float
    """Average passage length in words when the collection was created. All weights
    depend on it.
    """
    passages: int = 0
    documents: int = 0
    languages: str = ""
    built: str = ""
    """When the source index was built, in UTC (ISO 8601)."""
    dense: DenseMeta | None = None
    """The model and the size of the vectors."""
    fields: list[str] = []
    """The metadata fields of the documents, in order of first occurrence."""


class CollectionWord(NamedTuple):
    """A word of a collection."""

    number: int
    frequency: int
    """Number of passages that contain it."""


class QueryScores:
    """Scores passages for one query, equal to an index on disk with the same average
    length and frequencies.
    """

    def __init__(
        self, head: Head, words: Sequence[int], frequencies: dict[int, int]
    ) -> None:
        """`words`: the words of the query by number, with their counts."""
        import numpy

        self._float = numpy.float32
        self._mean = head.mean
        self._weights = {
            number: numpy.float32(weight(frequencies[number], head.passages))
            for number in words
        }
        self._words = words

    @property
    def vector(self) -> dict[int, float]:
        """The query as a sparse vector."""
        return {
            number: float(self._weights[number]) * times
            for number, times in Counter(self._words).items()
        }

    def score(self, counts: dict[int, int], length: int) -> float:
        """The score of a passage, from the count of each word of the query (absent: 0)
        and its `length` in words. Rounds like the index on disk, so that almost equal
        scores have the same order.
        """
        against = float(norm(length, self._mean))
        total = self._float(0)
        for number in self._words:
            times = counts.get(number, 0)
            if times:
                total += self._float(
                    float(self._weights[number]) * (times / (against + times))
                )
        return float(total)


def place_of_word(word: str) -> int:
    """The id of a word's row: a positive 63-bit number, the same everywhere."""
    return (
        int.from_bytes(
            hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(),
            "big",
        )
        >> 1
    ) or 1


def place_of_file(file: str) -> int:
    """A number for a document's name, so that filters need no quotes."""
    return place_of_word(f"file {file}")

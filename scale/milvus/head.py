"""What a collection says of itself, and the figures that its passages are ranked by."""

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
"""The id of the row among the words that holds the head. No word has it."""
EMPTY = 0
"""The number of a word that no passage has and no query asks for: a passage without
words needs one.
"""


class Head(msgspec.Struct, kw_only=True):
    """Kept as JSON in a row of its own."""

    verifytui: int = FORMAT
    """Version of this form."""
    origin: str
    """Made with the collection: tells it apart from others of the same name."""
    stamp: str
    """Another one each time that the collection is filled or brought up to date."""
    whole: bool = False
    """False while it is being filled: nobody searches in it then."""
    words: str
    """Name of the tokeniser."""
    words_id: str
    mean: float
    """The average length of a passage in words when the collection was made.

    The weights of all passages rest on it.
    """
    passages: int = 0
    documents: int = 0
    languages: str = ""
    built: str = ""
    """When the index was built that it was filled from, in UTC (ISO 8601)."""
    dense: DenseMeta | None = None
    """The model of its vectors, and their size."""
    fields: list[str] = []
    """The names in the metadata of its documents, in the order in which they first
    occur.
    """


class CollectionWord(NamedTuple):
    """A word of a collection."""

    number: int
    frequency: int
    """Passages that have it."""


class QueryScores:
    """Scores of passages for one query, equal to those of an index on disk with the
    same average length and frequencies.
    """

    def __init__(
        self, head: Head, words: Sequence[int], frequencies: dict[int, int]
    ) -> None:
        """`words`: those of the query by number, as often as they count."""
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
        """The score of a passage that has each word of the query so often (absent: not
        at all), and `length` words in all.

        Every rounding is that of the index on disk, so the order of almost equal scores
        is the same, too.
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
    """The id of a word's row: a positive number of 63 bits, the same everywhere."""
    return (
        int.from_bytes(
            hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(),
            "big",
        )
        >> 1
    ) or 1


def place_of_file(file: str) -> int:
    """A number for a document's name: what a server looks for needs no quotes."""
    return place_of_word(f"file {file}")

"""BM25 by bm25s (Lucene's form) over numbers of words, saved and memory-mapped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .store import Array

K1, B = 0.9, 0.4
"""Anserini's defaults rather than Lucene's 1.2 and 0.75: passages are of about one length, so length and repetition should count little."""


def build(folder: Path, passages: Any, size: int) -> None:
    """Indexes `passages`, which can be gone through several times, each a list of word numbers below `size`, and saves it."""
    import numpy

    bm25s = _bm25s()
    bm25 = bm25s.BM25(k1=K1, b=B)
    bm25.vocab_dict = {}
    with numpy.errstate(invalid="ignore", divide="ignore"):  # where no passage has a word, their mean length is 0
        bm25.scores = bm25.build_index_from_ids(range(size), passages, show_progress=False)
    bm25.save(folder, show_progress=False)


class Scores:
    """A saved index. OSError or ValueError where it cannot be read."""

    def __init__(self, folder: Path) -> None:
        import numpy

        self._bm25 = _bm25s().BM25.load(folder, mmap=True, load_vocab=False, show_progress=False)
        scores = self._bm25.scores
        for name in ("data", "indices", "indptr"):
            scores[name] = numpy.asarray(scores[name])  # still mapped, without what a memmap costs at each slice
        self.size: int = scores["num_docs"]
        self.frequencies: Array = scores["indptr"]

    def frequency(self, word: int) -> int:
        """In how many passages a word stands."""
        return int(self.frequencies[word + 1] - self.frequencies[word])

    def best(self, words: list[int], k: int) -> list[tuple[int, float]]:
        """Passage and score of the at most k best for a query, best first, those without any of its words left out; equal ones in order."""
        import numpy

        if not words or k < 1 or not self.size:
            return []
        scores = self._bm25.get_scores_from_ids(words)
        k = min(k, self.size)
        least = numpy.partition(scores, self.size - k)[self.size - k]
        found = numpy.flatnonzero(scores >= least) if least > 0 else numpy.flatnonzero(scores > 0)
        order = found[numpy.lexsort((found, -scores[found]))][:k]
        return [(int(at), float(scores[at])) for at in order]


def _bm25s() -> Any:
    import logging

    import bm25s

    logging.getLogger("bm25s").setLevel(logging.CRITICAL)
    return bm25s

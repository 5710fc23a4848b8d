"""BM25 by bm25s (Lucene's form) over numbers of words, saved and memory-mapped."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .store import load

if TYPE_CHECKING:
    from .store import Array

K1, B = 0.9, 0.4
"""Anserini's defaults rather than Lucene's 1.2 and 0.75: passages are of about one length, so length and repetition should count little."""


def build(folder: Path, passages: Any, size: int) -> None:
    """Indexes and saves `passages`: lists of word numbers below `size`. They are read several times."""
    import numpy

    bm25s = _bm25s()
    bm25 = bm25s.BM25(k1=K1, b=B)
    bm25.vocab_dict = {}
    with numpy.errstate(invalid="ignore", divide="ignore"):  # where no passage has a word, their mean length is 0
        bm25.scores = bm25.build_index_from_ids(range(size), passages, show_progress=False)
    bm25.save(folder, show_progress=False)


class Scores:
    """A saved index.

    Raises: OSError or ValueError if it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._arrays = {name: load(folder, f"{name}.csc.index") for name in ("data", "indices", "indptr")}
        self._parameters: dict[str, Any] = json.loads((folder / "params.index.json").read_bytes())
        self.size = int(self._parameters["num_docs"])
        self.frequencies: Array = self._arrays["indptr"]

    @functools.cached_property
    def _bm25(self) -> Any:
        """Made at the first query, since importing bm25s takes longer than opening an index."""
        bm25 = _bm25s().BM25(k1=self._parameters["k1"], b=self._parameters["b"])
        bm25.scores = {**self._arrays, "num_docs": self.size}
        bm25.nonoccurrence_array = None  # Lucene's form has none
        return bm25

    def frequency(self, word: int) -> int:
        """The number of passages with a word."""
        return int(self.frequencies[word + 1] - self.frequencies[word])

    def best(self, words: list[int], k: int) -> list[tuple[int, float]]:
        """The k best passages with their scores, best first; equal ones in order. Passages without any word of the query are left out."""
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

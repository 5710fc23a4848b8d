"""BM25 in Lucene's form: bm25s' own matrix of scores, made in stretches so that it
needs little memory, saved and memory-mapped.

Scores are those of bm25s to the bit, and the files are such as `bm25s.BM25.load` reads.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .store import ArrayWriter, load, piece

if TYPE_CHECKING:
    from .store import Array

K1, B = 0.9, 0.4
"""Anserini's defaults rather than Lucene's 1.2 and 0.75: passages are of about one
length, so length and repetition should count little.
"""

SLICE = 4_000_000
"""Scores that are in memory at once.

A word that is in more passages than that has a slice of its own.
"""

_BLOCK = 256
"""Passages of which the best one stands for all when the best of a million are looked
for.
"""


class Builder:
    """Builds the matrix from passages that come in stretches.

    Each stretch goes to disk as rows of word, passage and count, ordered by words. At
    the end the scores are computed for one slice of words after another, each gathered
    from all stretches.
    """

    def __init__(self, folder: Path, occurrences: Array) -> None:
        """`occurrences`: how often each word occurs, by its number."""
        import numpy

        folder.mkdir()
        self._folder = folder
        self._spill = ArrayWriter(folder, "stretches", "i", 3)
        self._frequencies = numpy.zeros(len(occurrences), dtype="int64")
        self._lengths: list[Array] = []
        self._cuts = _cuts(occurrences)
        self._bounds: list[Array] = []
        """Start of each slice in each stretch, in rows of the spill."""

    def add(self, words: Array, lengths: Array) -> None:
        """The next passages: their words, one passage after another (int32), and how
        many each has.
        """
        import numpy

        before = sum(map(len, self._lengths))
        self._lengths.append(lengths.astype("int32"))
        count = max(1, len(lengths))
        keys = words.astype("int64") * count + numpy.repeat(
            numpy.arange(len(lengths)), lengths
        )
        keys.sort()
        firsts = _starts(keys)
        rows = numpy.empty((len(firsts), 3), dtype="int32")
        rows[:, 2] = numpy.diff(firsts, append=len(keys))
        keys = keys[firsts]
        rows[:, 0], rows[:, 1] = keys // count, keys % count + before
        starts = _starts(rows[:, 0])
        self._frequencies[rows[starts, 0]] += numpy.diff(starts, append=len(rows))
        self._bounds.append(
            numpy.searchsorted(rows[:, 0], self._cuts) + len(self._spill) // 3
        )
        self._spill.write(rows)

    def finish(self, check: Callable[[], None]) -> None:
        """Computes and saves the scores.

        `check` is called now and then; it may raise to stop.
        """
        import numpy

        lengths = numpy.concatenate([*self._lengths, numpy.empty(0, dtype="int32")])
        count = len(lengths)
        with self._spill:
            pass
        starts = numpy.concatenate(([0], numpy.cumsum(self._frequencies)))
        weights = _weights(self._frequencies, count)
        mean = numpy.float64(lengths.sum(dtype="int64")) / max(1, count)
        # where no passage has a word, their mean length is 0
        with numpy.errstate(invalid="ignore", divide="ignore"):
            norms = norm(lengths, mean)
        names = ("data", "f"), ("indices", "i")
        scores, passages = (
            ArrayWriter(self._folder, f"{name}.csc.index", code) for name, code in names
        )
        with scores, passages:
            for at in range(len(self._cuts) - 1):
                check()
                low, high = int(self._cuts[at]), int(self._cuts[at + 1])
                self._slice(
                    at, starts[low : high + 1], weights, norms, scores, passages
                )
        with ArrayWriter(self._folder, "indptr.csc.index", "q") as pointers:
            pointers.write(starts.astype("int64"))
        (self._folder / "stretches.npy").unlink()
        (self._folder / "vocab.index.json").write_text("{}", "utf-8")
        parameters = {
            "k1": K1,
            "b": B,
            "delta": 0.5,
            "method": "lucene",
            "idf_method": "lucene",
            "dtype": "float32",
            "int_dtype": "int32",
        }
        (self._folder / "params.index.json").write_text(
            json.dumps({**parameters, "num_docs": count, "backend": "numpy"}), "utf-8"
        )

    def _slice(
        self,
        at: int,
        starts: Array,
        weights: Array,
        norms: Array,
        scores: ArrayWriter,
        passages: ArrayWriter,
    ) -> None:
        """Writes the scores of the words of a slice, ordered by words and passages."""
        import numpy

        heads = starts[:-1] - starts[0]
        found = numpy.empty(int(starts[-1] - starts[0]), dtype="float32")
        where = numpy.empty(len(found), dtype="int32")
        for bounds in self._bounds:
            low, high = int(bounds[at]), int(bounds[at + 1])
            if low == high:
                continue
            rows = piece(self._folder, "stretches", low, high)
            words, of, times = rows[:, 0], rows[:, 1], rows[:, 2].astype("float32")
            firsts = _starts(words)
            counts = numpy.diff(firsts, append=len(words))
            local = words[firsts] - self._cuts[at]
            places = numpy.arange(len(words)) + numpy.repeat(
                heads[local] - firsts, counts
            )
            heads[local] += counts
            found[places] = weights[words] * (times / (norms[of] + times))
            where[places] = of
        scores.write(found)
        passages.write(where)

    def abandon(self) -> None:
        self._spill.__exit__(InterruptedError, None, None)


def _starts(ordered: Array) -> Array:
    """Return the index of each value's first occurrence in a sorted array."""
    import numpy

    if len(ordered):
        return numpy.flatnonzero(
            numpy.concatenate(([True], ordered[1:] != ordered[:-1]))
        )
    return numpy.empty(0, dtype="int64")


def _cuts(occurrences: Array) -> Array:
    """Where slices of words begin, each of at most SLICE occurrences or of one word,
    and the number of words.
    """
    import numpy

    total = numpy.concatenate(([0], numpy.cumsum(occurrences, dtype="int64")))
    cuts = [0]
    while cuts[-1] < len(occurrences):
        end = (
            int(
                numpy.searchsorted(
                    total,
                    total[cuts[-1]] + SLICE,
                    side="right",
                )
            )
            - 1
        )
        cuts.append(max(cuts[-1] + 1, end))
    return numpy.array(cuts)


def weight(frequency: int, count: int) -> float:
    """Lucene's inverse document frequency of a word that `frequency` of `count`
    passages have; 0 where none has it.
    """
    if frequency:
        return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    return 0.0


def norm(lengths: Any, mean: float) -> Any:
    """The norm of a word's count in a passage of this length, or in each of several:
    the passage's part of a score is count / (norm + count). `mean`: the average length.
    """
    return K1 * ((1 - B) + B * lengths / mean)


def _weights(frequencies: Array, count: int) -> Array:
    """The weight of each word, in float32."""
    import numpy

    values, which = numpy.unique(frequencies, return_inverse=True)
    return numpy.array(
        [weight(value, count) for value in values.tolist()], dtype="float32"
    )[which]


class Bm25Index:
    """A saved index.

    Raises: OSError or ValueError if it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._arrays = {
            name: load(folder, f"{name}.csc.index")
            for name in ("data", "indices", "indptr")
        }
        self._parameters: dict[str, Any] = json.loads(
            (folder / "params.index.json").read_bytes()
        )
        self.size = int(self._parameters["num_docs"])
        self.frequencies: Array = self._arrays["indptr"]

    @functools.cached_property
    def _bm25(self) -> Any:
        """Made at the first query, since importing bm25s takes longer than opening an
        index.
        """
        bm25 = _bm25s().BM25(k1=self._parameters["k1"], b=self._parameters["b"])
        bm25.scores = {**self._arrays, "num_docs": self.size}
        bm25.nonoccurrence_array = None  # Lucene's form has none
        return bm25

    def frequency(self, word: int) -> int:
        """The number of passages with a word."""
        return int(self.frequencies[word + 1] - self.frequencies[word])

    def each(self, words: list[int]) -> Array:
        """The score of every passage, in their order; 0 for one without any word of the
        query.
        """
        import numpy

        if not words or not self.size:
            return numpy.zeros(self.size, dtype="float32")
        scores: Array = self._bm25.get_scores_from_ids(words)
        return scores

    def best(
        self, words: list[int], k: int, among: Array | None = None
    ) -> list[tuple[int, float]]:
        """The k best passages with their scores, best first; equal ones in order.

        Passages without any word of the query are left out.

        `among`: for each passage whether it may be one of them.
        """
        import numpy

        if not words or k < 1 or not self.size:
            return []
        scores = self._bm25.get_scores_from_ids(words)
        if among is not None:
            scores = numpy.where(among, scores, 0)
        k = min(k, self.size)
        values = numpy.maximum.reduceat(scores, numpy.arange(0, self.size, _BLOCK))
        if k > len(values):
            values = scores
        # k passages or more have that score
        least = numpy.partition(values, len(values) - k)[-k]
        found = (
            numpy.flatnonzero(scores >= least)
            if least > 0
            else numpy.flatnonzero(scores > 0)
        )
        order = found[numpy.lexsort((found, -scores[found]))][:k]
        return [(int(at), float(scores[at])) for at in order]


def _bm25s() -> Any:
    import logging

    import bm25s

    logging.getLogger("bm25s").setLevel(logging.CRITICAL)
    return bm25s

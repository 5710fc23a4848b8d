"""BM25 over whole texts that are in no corpus. Words, formula and queries are those of
an index; the texts are not split into passages.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from .bm25 import Bm25Index, Builder
from .query import read
from .store import ArrayWriter, piece
from .tokeniser import DEFAULT, Tokeniser

if TYPE_CHECKING:
    from .store import Array

_STRETCH = 1_000
"""Texts that are in memory at once, as numbered words."""


class WholeTexts:
    """An index of texts, in a temporary folder. `close` removes it."""

    def __init__(
        self, texts: Iterable[str], progress: Callable[[int], None] = lambda done: None
    ) -> None:
        """`progress` gets the number of texts read; it may raise to stop."""
        self._kept = tempfile.TemporaryDirectory(prefix="verifytui-bm25-")
        try:
            self.words = Tokeniser(DEFAULT)
            self._numbers: dict[str, int] = {}
            self._scores = self._built(Path(self._kept.name), texts, progress)
        except BaseException:
            self.close()
            raise

    def scores(self, query: str) -> Array:
        """The score of each text for a query, in their order: float32, 0 where they
        have no word in common.
        """
        asked = read(query, self.words, self._numbers.get)
        return self._scores.each(asked.words) / asked.times

    def close(self) -> None:
        self._kept.cleanup()

    def _built(
        self, folder: Path, texts: Iterable[str], progress: Callable[[int], None]
    ) -> Bm25Index:
        import numpy

        ends = [0]
        with ArrayWriter(folder, "numbered", "i") as numbered:
            for done, text in enumerate(texts, 1):
                for raw in self.words.raw(text, characters=True):
                    word = self.words.word(raw)
                    numbered.append(self._numbers.setdefault(word, len(self._numbers)))
                ends.append(len(numbered))
                progress(done)
        stretches = list(range(0, len(ends) - 1, _STRETCH))
        parts = [ends[low : low + _STRETCH + 1] for low in stretches]
        occurrences = numpy.zeros(len(self._numbers), dtype="int64")
        for part in parts:
            occurrences += numpy.bincount(
                piece(
                    folder,
                    "numbered",
                    part[0],
                    part[-1],
                ),
                minlength=len(occurrences),
            )
        builder = Builder(folder / "bm25", occurrences)
        for part in parts:
            lengths = numpy.array(
                [end - start for start, end in pairwise(part)], dtype="int32"
            )
            builder.add(
                piece(
                    folder,
                    "numbered",
                    part[0],
                    part[-1],
                ),
                lengths,
            )
        builder.finish(lambda: None)
        return Bm25Index(folder / "bm25")

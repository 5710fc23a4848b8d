"""Finds near-duplicate passages, by the words that the index has of them.

Two passages are near-duplicates if their resemblance is at least NEAR: the share of
runs of WORDS words (shingles) in both among all in either (Broder, On the resemblance
and containment of documents, 1997). It must be reached for the text alone and for the
text with its title, so that short texts under different titles stay apart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .store import Array

WORDS = 3
NEAR = 0.6


class Shingles:
    """The shingles of a passage, a number for each."""

    def __init__(self, tokens: Array, title: int) -> None:
        """`tokens`: numbers of its words, of which the first `title` belong to its
        title.
        """
        self._tokens, self._title = tokens, title
        self.runs = _runs(tokens)
        """One after another, some of them several times."""

    @functools.cached_property
    def all(self) -> frozenset[int]:
        """Each once."""
        return frozenset(self.runs.tolist())

    @functools.cached_property
    def text(self) -> frozenset[int]:
        """Those of its text alone."""
        short = len(self._tokens) - self._title < WORDS
        return frozenset(
            (
                _runs(self._tokens[self._title :])
                if short
                else self.runs[self._title :]
            ).tolist()
        )


def near(one: Shingles, other: Shingles) -> bool:
    """Return True if two passages are near-duplicates."""
    return _resemble(one.all, other.all) and _resemble(one.text, other.text)


def _resemble(one: frozenset[int], other: frozenset[int]) -> bool:
    less, more = sorted((len(one), len(other)))
    if less < NEAR * more:
        return False
    both = len(one & other)
    return both >= NEAR * (less + more - both)


def _runs(tokens: Array) -> Array:
    """A 64-bit number for every run of WORDS words; one for all of them where they are
    fewer.
    """
    import numpy

    words = tokens.astype("uint64") + numpy.uint64(1)
    words *= numpy.uint64(0x9E3779B97F4A7C15)
    words ^= words >> numpy.uint64(29)
    size = min(WORDS, len(words))
    count = len(words) - size + 1 if size else 0
    made = numpy.zeros(count, dtype="uint64")
    for at in range(size):
        made = made * numpy.uint64(0xBF58476D1CE4E5B9) + words[at : at + count]
    return made


SKETCH = 128
"""Shingles of a passage that its sketch holds."""
_SUSPECT = 0.4
"""The share of a sketch that two passages have in common at least if they may be near.
Near ones share NEAR of it on average, with a standard deviation of .04.
"""


class Sketches:
    """Many passages, each by the smallest of its shingles, to find those that may be
    near to another one without comparing all.

    The smallest of equally distributed numbers are a sample of what two passages have
    in common (Broder 1997, section 3).
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._parts: list[Array] = []
        self._sorted: tuple[Array, Array, Array] | None = None

    def add(self, name: str, shingles: Shingles) -> None:
        """The next passage."""
        self._names.append(name)
        self._parts.append(_sketch(shingles))
        self._sorted = None

    def suspects(self, shingles: Shingles) -> list[str]:
        """The passages that may be near to one, in the order in which they were added.
        `near` decides.
        """
        return [self._names[at] for at in self._like(_sketch(shingles))]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every two of these passages that may be near to each other, the one that was
        added first at the head.
        """
        for at, part in enumerate(self._parts):
            yield from (
                (self._names[other], self._names[at])
                for other in self._like(part)
                if other < at
            )

    def _like(self, own: Array) -> list[int]:
        import numpy

        if not self._names:
            return []
        numbers, owners, sizes = self._arranged()
        if not len(own):
            return numpy.flatnonzero(sizes == 0).tolist()
        first, last = (
            numpy.searchsorted(numbers, own, "left"),
            numpy.searchsorted(numbers, own, "right"),
        )
        places = [
            numpy.arange(low, high)
            for low, high in zip(first, last, strict=True)
            if high > low
        ]
        if not places:
            return []
        shared = numpy.bincount(owners[numpy.concatenate(places)], minlength=len(sizes))
        found: list[int] = numpy.flatnonzero(
            (shared > 0) & (shared >= _SUSPECT * numpy.minimum(sizes, len(own)))
        ).tolist()
        return found

    def _arranged(self) -> tuple[Array, Array, Array]:
        """All numbers in order, whose each is, and how many each passage has."""
        import numpy

        if self._sorted is None:
            sizes = numpy.array([len(part) for part in self._parts])
            numbers = numpy.concatenate(self._parts)
            order = numpy.argsort(numbers, kind="stable")
            self._sorted = (
                numbers[order],
                numpy.repeat(numpy.arange(len(sizes)), sizes)[order],
                sizes,
            )
        return self._sorted


def _sketch(shingles: Shingles) -> Array:
    """The smallest SKETCH shingles, in order, mixed again so that their order says
    nothing of their words.
    """
    import numpy

    numbers = shingles.runs ^ (shingles.runs >> numpy.uint64(33))
    numbers *= numpy.uint64(0xFF51AFD7ED558CCD)
    numbers ^= numbers >> numpy.uint64(33)
    return numpy.unique(numbers)[:SKETCH].copy()


LEAST = 20
"""Least shingles of a text that can be found in another one: fewer occur anywhere by
chance.
"""


class QuotedTexts:
    """Many texts, to find those that another text holds for the most part: a share of
    NEAR of their shingles (Broder's containment).
    """

    def __init__(self, texts: Iterable[tuple[str, Shingles]]) -> None:
        """`texts`: each with its name.

        One with fewer than LEAST shingles is found nowhere.
        """
        import numpy

        named = [
            (name, runs)
            for name, one in texts
            if len(runs := numpy.unique(one.runs)) >= LEAST
        ]
        self._names = [name for name, _ in named]
        self._sizes = numpy.array([len(runs) for _, runs in named], dtype="int64")
        numbers = numpy.concatenate(
            [numpy.empty(0, dtype="uint64"), *(runs for _, runs in named)]
        )
        order = numpy.argsort(numbers, kind="stable")
        self._numbers, self._owners = (
            numbers[order],
            numpy.repeat(numpy.arange(len(named)), self._sizes)[order],
        )

    def within(self, shingles: Shingles) -> list[str]:
        """The texts contained in a text, in the given order."""
        import numpy

        own = numpy.unique(shingles.runs)
        at = numpy.minimum(numpy.searchsorted(own, self._numbers), max(0, len(own) - 1))
        found = (
            own[at] == self._numbers
            if len(own)
            else numpy.zeros(len(self._numbers), dtype=bool)
        )
        shared = numpy.bincount(self._owners[found], minlength=len(self._names))
        return [
            self._names[place]
            for place in numpy.flatnonzero(shared >= NEAR * self._sizes)
        ]

"""Reads a query against the words of an index.

Words that are cut at spaces are looked up as they are; English function words (the, of,
what) count half, but not the forms of "be": "A is" is how a text says what A is. A run
of Chinese is looked up by its two-character grams. A gram that joins a word to a common
one (by jieba's words and their document frequencies: 了, 在, 是) counts half, since it
is hardly ever a word itself. A word of one character counts half, and only where the
index has no gram of the query around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .common import common_words, function_words
from .tokeniser import Tokeniser, fold, runs, segments

_BE = frozenset(map(fold, ("be", "been", "is", "are", "was", "were")))


class IndexQuery(NamedTuple):
    """A parsed query for an index."""

    words: list[int]
    """The words that the index has, by number, in order.

    A word stands here `times` times, one that counts half half as often.
    """
    times: int
    """What scores are divided by: 1 or 2."""
    unknown: list[str]
    """The words that no passage has, as they were written, each once: as jieba or the
    spaces cut them.
    """


def read(query: str, words: Tokeniser, find: Callable[[str], int | None]) -> IndexQuery:
    """Return a query in the form of an index.

    `find`: the number of a word, None if the index does not have it.
    """
    weighted = []
    unknown = []
    for run, joined in runs(query):
        if not joined or len(run) == 1:
            found = [(run, 0.5 if fold(run) in function_words() - _BE else 1.0)]
            missing = [run]
        elif not words.grams:
            missing = segments(run)
            found = [(word, 1.0) for word in missing]
        else:
            missing = segments(run)
            found = _grams(run, missing, find)
            if words.name == "jieba+bigrams":
                found += [(word, 1.0) for word in missing if len(word) > 2]
        weighted += [
            (number, weight)
            for word, weight in found
            if (number := find(fold(word))) is not None
        ]
        unknown += [word for word in missing if not _known(word, words, find)]
    times = 2 if any(weight < 1 for _, weight in weighted) else 1
    return IndexQuery(
        [number for number, weight in weighted for _ in range(int(weight * times))],
        times,
        list(dict.fromkeys(unknown)),
    )


def _known(word: str, words: Tokeniser, find: Callable[[str], int | None]) -> bool:
    """Return False if certainly no passage has the word."""
    return all(
        find(part) is not None
        for part in (words.cut(word) if words.grams else [fold(word)])
    )


def _grams(
    run: str, segmented: Sequence[str], find: Callable[[str], int | None]
) -> list[tuple[str, float]]:
    """The grams of a run and the characters that it asks for, each with how much it
    counts.
    """
    common = common_words()
    owner = [number for number, word in enumerate(segmented) for _ in word]
    grams = [run[at : at + 2] for at in range(len(run) - 1)]
    found = []
    for at, gram in enumerate(grams):
        one, other = segmented[owner[at]], segmented[owner[at + 1]]
        joins = owner[at] != owner[at + 1] and (one in common or other in common)
        found.append((gram, 0.5 if joins else 1.0))
    for at, character in enumerate(run):
        word = segmented[owner[at]]
        if (
            len(word) == 1
            and word not in common
            and all(find(gram) is None for gram in grams[max(0, at - 1) : at + 1])
        ):
            found.append((character, 0.5))
    return found

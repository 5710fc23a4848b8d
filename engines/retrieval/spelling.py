"""Finds the words of a collection that a misspelt word may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .tokeniser import is_cjk

MOST = 10
"""Most suggestions for a word."""


def forms(words: Iterable[str], counts: Iterable[int]) -> dict[str, int]:
    """Words of three letters or more (not Chinese) in their commonest form, with the
    count over all forms.

    `words`: as written; `counts`: how often each occurs.
    """
    found: dict[str, tuple[int, str, int]] = {}
    for word, count in zip(words, counts, strict=True):
        if len(word) < 3 or not word[0].isalpha() or is_cjk(word):
            continue
        folded = word.casefold()
        total, form, most = found.get(folded, (0, word, 0))
        found[folded] = (
            total + count,
            word if count > most else form,
            max(count, most),
        )
    return {form: total for total, form, _ in found.values()}


class Spelling:
    """The words of a collection, ready to be searched by spelling.

    Takes what `forms` gives.
    """

    def __init__(self, counts: dict[str, int]) -> None:
        self._batch = list(counts), list(counts.values())

    def near(self, word: str) -> list[str]:
        """As `near`."""
        return near(word, lambda low, high: [self._batch])


def near(
    word: str,
    among: Callable[[int, int], Iterable[tuple[Sequence[str], Sequence[int]]]],
) -> list[str]:
    """At most ten words, nearest and then commonest first: within one edit, or two for
    words of more than four letters.

    A swap of neighbours is one edit. A word that is in the collection comes first
    itself. `among(low, high)`: the words of the collection and their counts, many at
    once; those that have not from `low` to `high` letters without regard to case may be
    left out.
    """
    if not 3 <= len(word) <= 64 or is_cjk(word):
        return []
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    wanted = word.casefold()
    most = 1 if len(wanted) <= 4 else 2
    best: list[tuple[int, int, str]] = []
    for written, counts in among(len(wanted) - most, len(wanted) + most):
        folded = [form.casefold() for form in written]
        found = process.extract(
            wanted,
            folded,
            scorer=OSA.distance,
            processor=None,
            score_cutoff=most,
            limit=None,
        )
        best = sorted(
            [
                *best,
                *((distance, -counts[at], written[at]) for _, distance, at in found),
            ]
        )[:MOST]
    return [form for _, _, form in best]

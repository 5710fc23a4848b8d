"""Words of a collection that a misspelt one may stand for."""

from __future__ import annotations

from collections.abc import Sequence

from .words import is_cjk

MOST = 10
"""Suggestions for a word."""


class Spelling:
    """The vocabulary as written in the documents, without digits and Chinese, ready to be searched by spelling."""

    def __init__(self, words: Sequence[str], counts: Sequence[int]) -> None:
        """`counts`: how often each word stands in the collection."""
        self._forms: dict[str, tuple[int, str, int]] = {}
        """Case-folded form to how often it stands there, its commonest form as written, and that one's count."""
        for word, count in zip(words, counts, strict=True):
            if len(word) < 3 or not word[0].isalpha() or is_cjk(word):
                continue
            folded = word.casefold()
            total, form, most = self._forms.get(folded, (0, word, 0))
            self._forms[folded] = (total + count, word if count > most else form, max(count, most))
        self._choices = list(self._forms)

    def near(self, word: str) -> list[str]:
        """At most ten, nearest and then commonest first: within one edit, or two for words of more than four letters.

        A swap of neighbours is one edit. A word that stands in the collection comes first itself.
        """
        if len(word) < 3 or len(word) > 64 or is_cjk(word):
            return []
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        wanted = word.casefold()
        most = 1 if len(wanted) <= 4 else 2
        found = process.extract(wanted, self._choices, scorer=OSA.distance, processor=None, score_cutoff=most, limit=None)
        found.sort(key=lambda choice: (choice[1], -self._forms[choice[0]][0], choice[0]))
        return [self._forms[form][1] for form, _, _ in found[:MOST]]

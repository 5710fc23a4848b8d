"""Finds words again in a text, whatever a model did to white space, punctuation, case
and width.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_GAP = re.compile(r"\[\s*(?:\.{3,}|…+)\s*\]|\.{3,}|…+")
"""An ellipsis: what is between was left out."""


class ComparableText:
    """A text as it is compared.

    It is prepared once: 100,000 characters take some hundredths of a second.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        folded = list(map(_folded, text))
        self.signs = "".join(folded)
        """Its letters and digits, in one case and width."""
        self._places = [place for place, signs in enumerate(folded) for _ in signs]

    def find(self, words: str) -> tuple[int, int] | None:
        """Start and end of the words in the text, as they are or by their letters and
        digits; None if they are not there.
        """
        words = words.strip()
        exact = self._text.find(words) if words else -1
        if exact >= 0:
            return exact, exact + len(words)
        signs = plain(words)
        at = self.signs.find(signs) if signs else -1
        if at >= 0:
            return self.span(at, at + len(signs))
        return None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text of a run of its `signs`."""
        return self._places[start], self._places[end - 1] + 1


def quoted(words: str, text: str) -> str | None:
    """The words as they are in a text, from the first of them to the last; None if
    they do not.

    Whole words count: `art` is not in `party`. Where an ellipsis parts them,
    every part must be there, in this order.
    """
    words = words.strip()
    exact = text.find(words) if plain(words) else -1
    if (
        exact >= 0
        and not _joined(text, exact)
        and not _joined(text, exact + len(words))
    ):
        return words
    parts = [part for part in _GAP.split(words) if plain(part)]
    folded, start, end = ComparableText(text), -1, 0
    for part in parts:
        found = _whole(folded, text, plain(part), end)
        if found is None:
            return None
        start, end = found[0] if start < 0 else start, found[1]
    if parts:
        return text[start:end]
    return None


def _whole(
    folded: ComparableText, text: str, signs: str, least: int
) -> tuple[int, int] | None:
    """The first place from `least` on where these signs stand as whole words."""
    at = folded.signs.find(signs)
    while at >= 0:
        start, end = folded.span(at, at + len(signs))
        if start >= least and not _joined(text, start) and not _joined(text, end):
            return start, end
        at = folded.signs.find(signs, at + 1)
    return None


def _joined(text: str, place: int) -> bool:
    """True if a place is within a word of a script that parts its words."""
    return 0 < place < len(text) and _of_word(text[place - 1]) and _of_word(text[place])


def _of_word(sign: str) -> bool:
    return (
        sign.isalnum()
        and not "\u2e80" <= sign <= "\u9fff"
        and not "\uac00" <= sign <= "\ud7af"
        and sign < "\uf900"
    )


def plain(text: str) -> str:
    """The letters and digits of a text, in one case and width: what is compared."""
    return "".join(map(_folded, text))


@lru_cache(maxsize=1 << 16)
def _folded(sign: str) -> str:
    return "".join(
        one for one in unicodedata.normalize("NFKC", sign).casefold() if one.isalnum()
    )

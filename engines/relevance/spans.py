"""Finds the place of a fact in its case, for the screen: offsets in characters, or None."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ...sessions.events.relevance import FactItem

SHARE = 0.6
"""Of a fact's signs that have to stand in the text in one run, where it does not stand there whole."""
LONGEST = 400
"""Signs of a fact that is still looked for in parts."""
SHORTEST = 4
"""Signs of the shortest part that is a find."""


class Finder:
    """Finds facts again in one text. The text is prepared once: 100,000 characters take some hundredths of a second."""

    def __init__(self, text: str) -> None:
        self._text = text
        folded = list(map(_folded, text))
        self._plain = "".join(folded)
        self._places = [place for place, signs in enumerate(folded) for _ in signs]

    def find(self, fact: str) -> tuple[int, int] | None:
        """(start, end) of the fact: as it is; without white space, punctuation, case and width; or its longest run of enough signs."""
        fact = fact.strip()
        if not fact:
            return None
        exact = self._text.find(fact)
        if exact >= 0:
            return exact, exact + len(fact)
        signs = plain(fact)
        if not signs:
            return None
        at = self._plain.find(signs)
        if at >= 0:
            return self._span(at, at + len(signs))
        run = self._run(signs)
        return self._span(*run) if run is not None else None

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return self._places[start], self._places[end - 1] + 1

    def _run(self, fact: str) -> tuple[int, int] | None:
        """The longest run of signs of the fact in the text, if it is long enough; of equally long ones the first in the fact."""
        least = max(SHORTEST, math.ceil(SHARE * len(fact)))
        if len(fact) > LONGEST:
            return None
        best: tuple[int, int] | None = None
        size = least
        for start in range(len(fact) - least + 1):
            if start + size > len(fact):
                break
            at = self._plain.find(fact[start : start + size])
            while at >= 0:
                best = at, at + size
                size += 1
                if start + size > len(fact):
                    break
                at = self._plain.find(fact[start : start + size], at)
        return best


def find(text: str, facts: Iterable[str], spans: Mapping[str, str] | None = None) -> list[FactItem]:
    """The facts with their places in the text, None where they do not stand in it. `spans`: the words that some of them come from."""
    finder, spans = Finder(text), spans or {}
    made = []
    for fact in facts:
        start, end = finder.find(spans.get(fact, "")) or finder.find(fact) or (None, None)
        made.append(FactItem(text=fact, start=start, end=end))
    return made


def plain(text: str) -> str:
    """The letters and digits of a text, in one case and width: what is compared."""
    return "".join(map(_folded, text))


@lru_cache(maxsize=1 << 16)
def _folded(sign: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKC", sign).casefold() if one.isalnum())

"""Where in a case a fact stands, for showing it there: offsets in characters, or nothing."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable

from ...sessions.events import FactItem

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
        self._plain, self._places = _plain(text)

    def find(self, fact: str) -> tuple[int, int] | None:
        """(start, end) of the fact: as it is; without white space, punctuation, case and width; or its longest run of enough signs."""
        fact = fact.strip()
        if not fact:
            return None
        exact = self._text.find(fact)
        if exact >= 0:
            return exact, exact + len(fact)
        plain, _ = _plain(fact)
        if not plain:
            return None
        at = self._plain.find(plain)
        if at >= 0:
            return self._span(at, at + len(plain))
        run = self._run(plain)
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


def find(text: str, facts: Iterable[str]) -> list[FactItem]:
    """The facts with their places in the text, None where they do not stand in it."""
    finder = Finder(text)
    made = []
    for fact in facts:
        start, end = finder.find(fact) or (None, None)
        made.append(FactItem(text=fact, start=start, end=end))
    return made


def plain(text: str) -> str:
    """The letters and digits of a text, in one case and width: what is compared."""
    return _plain(text)[0]


def _plain(text: str) -> tuple[str, list[int]]:
    """The same, and for each sign its place in the text."""
    known: dict[str, str] = {}
    signs: list[str] = []
    places: list[int] = []
    for place, raw in enumerate(text):
        folded = known.get(raw)
        if folded is None:
            folded = known[raw] = "".join(sign for sign in unicodedata.normalize("NFKC", raw).casefold() if sign.isalnum())
        signs += folded
        places += [place] * len(folded)
    return "".join(signs), places

"""Finds the place of a fact in its case, so that the screen can highlight it: offsets
in characters, or None.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ...sessions.events.relevance import FactItem
from ..reading.places import ComparableText, plain

SHARE = 0.6
"""Share of a fact's characters that must occur in the text as one run, if the whole
fact does not.
"""
LONGEST = 400
"""Signs of a fact that is still looked for in parts."""
SHORTEST = 4
"""Signs of the shortest part that is a find."""


class Finder:
    """Finds facts in one text.

    The text is prepared once. Preparing 100,000 characters takes some hundredths of a
    second.
    """

    def __init__(self, text: str) -> None:
        self._folded = ComparableText(text)

    def find(self, fact: str) -> tuple[int, int] | None:
        """Return (start, end) of the fact: an exact match; a match that ignores white
        space, punctuation, case and width; or the fact's longest run of enough
        characters.
        """
        found = self._folded.find(fact)
        signs = plain(fact) if found is None else ""
        run = self._run(signs) if signs else None
        if run is None:
            return found
        return self._folded.span(*run)

    def _run(self, fact: str) -> tuple[int, int] | None:
        """Return the longest run of characters that the fact shares with the text, if
        it is long enough. Of equally long runs, the first in the fact wins.
        """
        least = max(SHORTEST, math.ceil(SHARE * len(fact)))
        if len(fact) > LONGEST:
            return None
        best: tuple[int, int] | None = None
        size = least
        for start in range(len(fact) - least + 1):
            if start + size > len(fact):
                break
            at = self._folded.signs.find(fact[start : start + size])
            while at >= 0:
                best = at, at + size
                size += 1
                if start + size > len(fact):
                    break
                at = self._folded.signs.find(fact[start : start + size], at)
        return best


def find(
    text: str, facts: Iterable[str], spans: Mapping[str, str] | None = None
) -> list[FactItem]:
    """Return the facts with their places in the text; None for a fact that is not
    found.

    `spans`: the passages that some facts were taken from.
    """
    finder, spans = Finder(text), spans or {}
    made = []
    for fact in facts:
        start, end = (
            finder.find(spans.get(fact, "")) or finder.find(fact) or (None, None)
        )
        made.append(FactItem(text=fact, start=start, end=end))
    return made

"""Finds the place of a fact in its case, for the screen: offsets in characters, or
None.
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
    """Finds facts again in one text.

    The text is prepared once: 100,000 characters take some hundredths of a second.
    """

    def __init__(self, text: str) -> None:
        self._folded = ComparableText(text)

    def find(self, fact: str) -> tuple[int, int] | None:
        """(start, end) of the fact: as it is; without white space, punctuation, case
        and width; or its longest run of enough signs.
        """
        found = self._folded.find(fact)
        signs = plain(fact) if found is None else ""
        run = self._run(signs) if signs else None
        if run is None:
            return found
        return self._folded.span(*run)

    def _run(self, fact: str) -> tuple[int, int] | None:
        """The longest run of signs of the fact in the text, if it is long enough; of
        equally long ones the first in the fact.
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
    """The facts with their places in the text, None where they are not in it.

    `spans`: the words that some of them come from.
    """
    finder, spans = Finder(text), spans or {}
    made = []
    for fact in facts:
        start, end = (
            finder.find(spans.get(fact, "")) or finder.find(fact) or (None, None)
        )
        made.append(FactItem(text=fact, start=start, end=end))
    return made

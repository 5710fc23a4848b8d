"""A passage of a case that is being chosen, by words and sentences: a pure thing,
without a screen.
"""

from __future__ import annotations

import re
from bisect import bisect_right

_HAN = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+(?:['\u2019.-][^\W{_HAN}]+)*")
"""A word; a Chinese sign stands for itself, since Chinese has no blanks between words.
"""
_SENTENCE = re.compile(
    r"\S[^\n]*?(?:[\u3002\uff01\uff1f\uff1b!?;"
    r"]+[\u201d\u2019\u300d\u300f\uff09)\"']*|(?<!\b\w)\.(?=\s|$)|(?=\n)|$)"
)
"""A sentence; the point after a single letter, as in a name, does not end it."""

Place = tuple[int, int]
"""The first character, and the one after the last."""


class TextSelection:
    """A selection in a text, from `start` to before `end`.

    While `held`, moves extend it; otherwise they move it.
    """

    def __init__(self, text: str, at: int = 0) -> None:
        """Begins with the sentence at a character of the text."""
        self.text = text
        self.held = False
        self._words = [found.span() for found in _WORD.finditer(text)] or [
            (0, len(text))
        ]
        self._sentences = [found.span() for found in _SENTENCE.finditer(text)] or [
            (0, len(text))
        ]
        self.start, self.end = self._sentences[_at(self._sentences, at)]

    @classmethod
    def of(cls, text: str, place: Place) -> TextSelection:
        """A passage that was chosen in another way, such as by the mouse."""
        made = cls(text, place[0])
        made.start, made.end = place
        return made

    @property
    def chosen(self) -> str:
        return self.text[self.start : self.end]

    def word(self, by: int) -> None:
        """Goes to the next or previous word; while extending, adds or removes one."""
        self._move(self._words, by)

    def sentence(self, by: int) -> None:
        """Goes to the next sentence or the one before; held, takes in the rest of it,
        or leaves it out.
        """
        self._move(self._sentences, by)

    def all(self, by: int) -> None:
        """Goes to the last sentence, or the first; held, takes in everything up to
        there.
        """
        first, last = self._sentences[0], self._sentences[-1]
        if self.held:
            self.start, self.end = (
                (self.start, last[1]) if by > 0 else (first[0], self.end)
            )
        else:
            self.start, self.end = last if by > 0 else first

    def hold(self) -> None:
        """Begins to extend the passage, or stops."""
        self.held = not self.held

    def _move(self, places: list[Place], by: int) -> None:
        if self.held:
            ends = [end for _, end in places]
            if by > 0:
                further = bisect_right(ends, self.end)
                self.end = ends[min(further, len(ends) - 1)]
            else:
                kept = [
                    end for start, end in places if end < self.end and end > self.start
                ]
                self.end = kept[-1] if kept else self.end
            return
        now = _at(places, self.start)
        exact = places[now] == (self.start, self.end)
        longer = self.end - self.start > places[now][1] - places[now][0]
        if not exact and longer:  # from a sentence to its first word, or its last
            self.start, self.end = (
                places[now] if by > 0 else places[_at(places, max(self.end - 1, 0))]
            )
        else:
            self.start, self.end = (
                places[min(max(now + by, 0), len(places) - 1)]
                if exact or by > 0
                else places[now]
            )


def _at(places: list[Place], at: int) -> int:
    """The place that a character is in, or the last one before it."""
    return max(bisect_right([start for start, _ in places], at) - 1, 0)

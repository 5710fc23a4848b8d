"""The layout of a case: text with fact numbers, lists of facts, and positions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ....showing import clean, clean_line


class CharacterSpan(NamedTuple):
    """Characters from `start` to before `end`."""

    start: int
    end: int


class PageFact(NamedTuple):
    """A fact that is listed: `label` is its number, `place` its characters in the text
    of the case, None where it has none.
    """

    label: str
    text: str
    place: CharacterSpan | None = None
    remark: str = ""


class Listing(NamedTuple):
    """A list of facts under the text, with its heading."""

    title: str
    made: str
    warnings: Sequence[str]
    facts: Sequence[PageFact]


class FactPosition(NamedTuple):
    """A fact on the page: its number, and where it is in the text and in the list."""

    label: str
    text: CharacterSpan | None
    listed: CharacterSpan


class Page:
    """The visible text of a case. Converts positions between the text and `shown`."""

    def __init__(
        self, text: str, listings: Sequence[Listing], upto: int, more: str
    ) -> None:
        """`upto`: number of characters shown; `more`: text after them if some are
        hidden.
        """
        self._shown_of, plain = _cleaned(text[:upto])
        self._upto = min(upto, len(text))
        placed = [
            (fact.label, fact.place)
            for one in listings
            for fact in one.facts
            if fact.place is not None and fact.place.start < upto
        ]
        ends = [(self._plain(min(place.end, self._upto)), "]") for _, place in placed]
        self._tags = sorted(
            [
                *ends,
                *((self._plain(place.start), f"[{label} ") for label, place in placed),
            ],
            key=_by_place,
        )
        """What is put into the text: where a fact begins its number, and a bracket
        where it ends.
        """
        self._at = [at for at, _ in self._tags]
        self._pushed = [0, *accumulate(len(tag) for _, tag in self._tags)]
        self.looks: list[tuple[int, int, str]] = []
        """Places with their own look, in order."""
        self.facts: list[FactPosition] = []
        pieces = list(self._tagged(plain))
        length = sum(map(len, pieces))
        self._pieces, self._length = pieces, length
        if more:
            self._add(more, "warning")
        for listing in listings:
            self._list(listing)
        self.shown = "".join(pieces)

    def span(self, start: int, end: int) -> CharacterSpan | None:
        """Returns the place on the page of some characters of the text; None where they
        are not shown.
        """
        if start >= self._upto or start >= end:
            return None
        first, last = self._plain(start), self._plain(min(end, self._upto))
        return CharacterSpan(
            first + self._pushed[bisect_right(self._at, first)],
            last + self._pushed[bisect_left(self._at, last)],
        )

    def source(self, at: int) -> int:
        """Returns the character of the text that is at a place on the page; its end
        for what is after it.
        """
        before = bisect_right(
            [
                place + pushed
                for place, pushed in zip(self._at, self._pushed, strict=False)
            ],
            at,
        )
        plain = max(at - self._pushed[before], self._at[before - 1]) if before else at
        found = (
            plain
            if self._shown_of is None
            else max(bisect_right(self._shown_of, plain) - 1, 0)
        )
        return min(found, self._upto)

    def _plain(self, at: int) -> int:
        if self._shown_of is None:
            return at
        return self._shown_of[min(at, len(self._shown_of) - 1)]

    def _tagged(self, plain: str) -> Iterator[str]:
        """Yields the text with its facts in brackets, each with its number."""
        at = pushed = 0
        for place, tag in self._tags:
            yield plain[at:place]
            yield tag
            self.looks.append((place + pushed, place + pushed + len(tag), "tag"))
            at, pushed = place, pushed + len(tag)
        yield plain[at:]

    def _add(self, text: str, look: str = "") -> CharacterSpan:
        if text and look:
            self.looks.append((self._length, self._length + len(text), look))
        self._pieces.append(text)
        self._length += len(text)
        return CharacterSpan(self._length - len(text), self._length)

    def _list(self, listing: Listing) -> None:
        self._add("\n\n")
        self._add(listing.title, "head")
        self._add("  " + listing.made, "quiet")
        for warning in listing.warnings:
            self._add("\n" + warning, "warning")
        for fact in listing.facts:
            self._add("\n")
            label = self._add(f"[{fact.label}]", "tag")
            words = self._add(" " + clean_line(fact.text))
            if fact.remark:
                self._add("  " + fact.remark, "quiet")
            place = self.span(*fact.place) if fact.place is not None else None
            self.facts.append(
                FactPosition(fact.label, place, CharacterSpan(label.start, words.end))
            )


def _by_place(tag: tuple[int, str]) -> tuple[int, bool]:
    """Sort key: at the same position, ends come before starts."""
    return tag[0], tag[1] != "]"


def _cleaned(text: str) -> tuple[list[int] | None, str]:
    """Returns a text as it is shown, and the place there of each of its characters and
    of its end; None where these are the same.
    """
    whole = clean(text).replace("\t", " ")
    if whole == text or (
        len(whole) == len(text) and "\r\n" not in text and text.isascii()
    ):
        return None, whole
    places: list[int] = []
    pieces: list[str] = []
    length = 0
    for word in _words(text):
        shown = clean(word).replace("\t", " ")
        same = len(shown) == len(word)
        places += range(length, length + len(word)) if same else [length] * len(word)
        pieces.append(shown)
        length += len(shown)
    return [*places, length], "".join(pieces)


def _words(text: str) -> Iterator[str]:
    """Yields a text in pieces that may be cleaned apart from each other: they end after
    white space or a mark, or after 64 characters.
    """
    at = 0
    for place in range(1, len(text) + 1):
        if (
            place == len(text)
            or (text[place - 1] in " \t\n。，；：、" and text[place] not in "\n")
            or place - at > 64
        ):
            yield text[at:place]
            at = place

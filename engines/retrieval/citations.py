"""Reads the citations of an answer, and measures how far the passages hold its
sentences, without a model.

Measure of support, `content-word-overlap`: the share of a sentence's content words that
occur in the passages it cites, taken together (titles included). Words are those of an
index: Latin words folded and stemmed, Chinese as two-character grams. It sees words,
not meaning: a sentence may have all its words from a passage and contradict it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ...sessions.events import Reference
from .passages import sentences
from .tokeniser import STOP_WORDS, Tokeniser

MEASURE = "content-word-overlap"

_BRACKETS = re.compile(
    r"[\[\uff3b\u3010]([^\[\]\uff3b\uff3d\u3010\u3011\n]{0,200})[\]\uff3d\u3011]"
)
_BETWEEN = re.compile(r"[,;\uff0c\uff1b\u3001&\s]+")
_WORD = re.compile(
    r"\b(?:references?|refs?\.?|\u53c2\u8003(?:\u8d44\u6599|\u6587\u732e)?"
    r"|\u8d44\u6599)\s*(?=[\d^])",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\^?(?P<first>[0-9\uff10-\uff19]{1,"
    r"6})(?:[-\u2010-\u2015~\uff5e](?P<last>[0-9\uff10-\uff19]{1,6}))?"
)
_LONGEST_RANGE = 50


def citations(text: str) -> list[int]:
    """The numbers cited, each once, in order: `[1]`, `[1][3]`, `[1, 3]`, `[1-3]`, also
    in full-width brackets and digits.
    """
    return list(
        dict.fromkeys(number for mark in marks_in(text) for number in mark.numbers)
    )


class CitingSentence(NamedTuple):
    """A sentence of an answer."""

    text: str
    citations: list[int]
    support: float | None
    """0 to 1; None where it cites no passage that there is, or has no content word."""


def cited(answer: str, references: Sequence[Reference]) -> list[CitingSentence]:
    """The sentences of an answer with what they cite, and how far the cited passages
    hold their words.
    """
    passages = {
        reference.n: f"{reference.title}\n{reference.text}" for reference in references
    }
    return [_sentence(text, numbers, passages) for text, numbers in _cited(answer)]


def empty_marks(answer: str) -> int:
    """How many pairs of brackets hold nothing."""
    return sum(not mark.numbers for mark in marks_in(answer))


class CitationMark(NamedTuple):
    """A pair of brackets that cites, or that holds nothing.

    `start` and `end` are characters of the text.
    """

    start: int
    end: int
    numbers: list[int]


def marks_in(text: str) -> list[CitationMark]:
    """The brackets of a text that cite or hold nothing, in order."""
    found = []
    for brackets in _BRACKETS.finditer(text):
        numbers = _numbers(brackets[1])
        if numbers is not None:
            found.append(CitationMark(brackets.start(), brackets.end(), numbers))
    return found


def _numbers(inside: str) -> list[int] | None:
    """What brackets cite, nothing if they are empty, None if they hold something else.
    A range too long or backwards is its two ends.
    """
    parts = [part for part in _BETWEEN.split(_WORD.sub("", inside)) if part]
    numbers: list[int] = []
    for part in parts:
        found = _PART.fullmatch(part)
        if found is None:
            return None
        first, last = int(found["first"]), int(found["last"] or found["first"])
        numbers += (
            range(first, last + 1)
            if 0 <= last - first <= _LONGEST_RANGE
            else (first, last)
        )
    return numbers


def _cited(answer: str) -> Iterator[tuple[str, list[int]]]:
    """Each sentence with what it cites.

    A citation behind the full stop belongs to the sentence before it, unless it begins
    a line.
    """
    marks = marks_in(answer)
    blank = _without(answer, marks)
    spans = [
        (start, end)
        for start, end in sentences(blank)
        if any(sign.isalnum() for sign in blank[start:end])
    ]
    owned: list[list[CitationMark]] = [[] for _ in spans]
    at = 0
    for mark in marks:
        while at + 1 < len(spans) and _owner(
            answer, spans[at][1], spans[at + 1][0], mark.start
        ):
            at += 1
        if spans:
            owned[at].append(mark)
    for (start, end), own in zip(spans, owned, strict=True):
        low, high = (
            min([start, *(mark.start for mark in own)]),
            max([end, *(mark.end for mark in own)]),
        )
        yield (
            answer[low:high],
            list(dict.fromkeys(number for mark in own for number in mark.numbers)),
        )


def _without(text: str, marks: Sequence[CitationMark]) -> str:
    """The text with blanks in place of the marks, so that every other character stays
    where it is.
    """
    pieces, at = [], 0
    for mark in marks:
        pieces += [text[at : mark.start], " " * (mark.end - mark.start)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def unmarked(text: str) -> str:
    """The text without citations and empty brackets; as it is where it has none."""
    marks = marks_in(text)
    if marks:
        return " ".join(_without(text, marks).split())
    return text


def _owner(answer: str, end: int, following: int, place: int) -> bool:
    """True if what is at `place` belongs to the following sentence, not to the one
    that ends at `end`.
    """
    return place >= following or (place >= end and "\n" in answer[end:place])


def _sentence(
    text: str, numbers: list[int], passages: dict[int, str]
) -> CitingSentence:
    there = [passages[number] for number in numbers if number in passages]
    return CitingSentence(
        text, numbers, support(_without(text, marks_in(text)), there) if there else None
    )


def support(sentence: str, passages: Sequence[str]) -> float | None:
    """How far passages, taken together, hold the words of a sentence, 0 to 1; None if
    it has no content word.
    """
    cut, stops = _cutting()
    said = [word for word in cut.cut(sentence) if word not in stops]
    held = {word for passage in passages for word in cut.cut(passage)}
    if said:
        return sum(word in held for word in said) / len(said)
    return None


@cache
def _cutting() -> tuple[Tokeniser, frozenset[str]]:
    words = Tokeniser("bigrams")
    return words, frozenset(words.cut(STOP_WORDS))


def supporting(sentence: str, passage: str) -> tuple[int, int] | None:
    """Range of the sentence of a passage that shares most with a sentence of the
    answer, by the measure above; None if none does.

    Offsets are characters of `passage`.
    """
    cut, stops = _cutting()
    said = {
        word
        for word in cut.cut(_without(sentence, marks_in(sentence)))
        if word not in stops
    }
    best = max(
        (
            (len(said.intersection(cut.cut(passage[start:end]))), -start, end)
            for start, end in sentences(passage)
        ),
        default=(0, 0, 0),
    )
    if best[0]:
        return (-best[1], best[2])
    return None

"""Finds sessions by words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property

import msgspec

from .summary import SessionSummary

NOBODY: Mapping[str, Container[str]] = {}
"""No session has been asked what it says."""


class SessionFinder:
    """Finds those entries of a list that hold every word of a text."""

    def __init__(self, entries: Sequence[SessionSummary]) -> None:
        self._entries = entries

    @cached_property
    def texts(self) -> list[tuple[str, SessionSummary]]:
        """Return the searchable text of each entry, newest first, padded with
        spaces.
        """
        order = sorted(
            self._entries, key=lambda found: (found.created, found.file), reverse=True
        )
        return [(f" {_searched(found)} ", found) for found in order]

    def find(
        self, text: str, said: Mapping[str, Container[str]] = NOBODY
    ) -> list[SessionSummary]:
        """The entries with every word of `text`: first those with whole words, then
        with beginnings, then with parts of words, last those whose session says it.
        `said`: by word, the files of the sessions that say it.

        Chinese has no marks between words, so it counts as a whole word anywhere.
        """
        hits = self.texts
        words = text.casefold().split()
        for word in words:
            told = said.get(word, ())
            hits = [hit for hit in hits if word in hit[0] or hit[1].file in told]
        grades = [0] * len(hits)
        for word in words:
            apart, grade = f" {word} ", _grader(word)
            grades = [
                before if apart in text else before + grade(text)
                for before, (text, _) in zip(grades, hits, strict=True)
            ]
        return [
            msgspec.structs.replace(found, depth=0) if found.depth else found
            for best in sorted(set(grades))
            for each, (_, found) in zip(grades, hits, strict=True)
            if each == best
        ]


def _grader(word: str) -> Callable[[str], int]:
    """Grades a text with the word in it: by patterns where all letters have marks
    between words, by `_grade` where they may not.
    """
    literal = re.escape(word)
    before = f"(?<![^\\W_]{literal})" if _in_word(word[0]) else ""
    after = "(?![^\\W_])" if _in_word(word[-1]) else ""
    whole = re.compile(f"{literal}{before}{after}").search
    begins = re.compile(f"{literal}{before}").search

    def grade(text: str) -> int:
        if word not in text:
            return 3
        if whole(text):
            return 0
        if text.replace("…", "").isascii():
            return 1 if begins(text) else 2
        return _grade(text, word)

    return grade


def _grade(text: str, word: str) -> int:
    """How a text contains a word: 0 as a whole word, 1 as the beginning of one, 2
    inside one.
    """
    best = 2
    at = text.find(word)
    while at >= 0 and best != 0:
        begins = not (_in_word(word[0]) and _in_word(text[at - 1 : at]))
        ends = not (
            _in_word(word[-1]) and _in_word(text[at + len(word) : at + len(word) + 1])
        )
        best = min(best, 0 if begins and ends else 1 if begins else 2)
        at = text.find(word, at + 1)
    return best


def _in_word(char: str) -> bool:
    """Whether a character belongs to a word whose neighbours are marked off from it."""
    return char.isalnum() and unicodedata.category(char) != "Lo"


def _searched(found: SessionSummary) -> str:
    """All that is searched of an entry."""
    parts = [
        found.title,
        found.workspace,
        *found.models,
        found.result or "",
        found.status,
        found.file,
        found.created,
        "broken" * bool(found.broken),
        "undecided" * found.undecided,
        "unread" * bool(found.unread),
    ]
    return " ".join(parts).casefold()

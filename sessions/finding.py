"""Finds sessions by words."""

from __future__ import annotations

import unicodedata

import msgspec

from .summary import SessionSummary


def ranked(entries: list[SessionSummary], text: str) -> list[SessionSummary]:
    """The entries that hold every word of `text`: those that have it as whole words
    first, then as beginnings, then as parts of words.

    Among equals the newest is first. Chinese has no marks between words, so it counts
    as a whole word wherever it stands.
    """
    words = text.casefold().split()
    graded = []
    for found in entries:
        whole = _searched(found)
        grades = [_grade(whole, word) for word in words]
        if None not in grades:
            graded.append((sum(grade or 0 for grade in grades), found))
    graded.sort(key=lambda pair: (pair[1].created, pair[1].path.name), reverse=True)
    graded.sort(key=lambda pair: pair[0])
    return [msgspec.structs.replace(found, depth=0) for _, found in graded]


def _grade(text: str, word: str) -> int | None:
    """How well a word stands in a text: 0 as a whole word, 1 as the beginning of one, 2
    inside one; None: not at all.
    """
    best: int | None = None
    at = text.find(word)
    while at >= 0 and best != 0:
        begins = not (_in_word(word[0]) and _in_word(text[at - 1 : at]))
        ends = not (
            _in_word(word[-1]) and _in_word(text[at + len(word) : at + len(word) + 1])
        )
        best = min(
            best if best is not None else 2,
            0 if begins and ends else 1 if begins else 2,
        )
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
        found.path.name,
        found.created,
    ]
    parts += (
        ["broken"] * bool(found.broken)
        + ["undecided"] * found.undecided
        + ["unread"] * bool(found.unread)
    )
    return " ".join(parts).casefold()

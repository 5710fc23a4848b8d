"""The generator of `lexical`: answers with the sentences of the references that cover
the question best (docs/lexical.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....sessions.events import Reference
from ...retrieval.citations import unmarked
from ..abstention import NOT_HELD
from .overlap import Glossary, OverlapSentence, Weights, chinese, share

BEFORE, BESIDE = 0.5, 0.25
"""What a word counts that is in the sentence before (pronouns point there), or in
the next one or the title.
"""
LEAST = 0.3
"""Of a sentence that answers at all."""
NEARLY = 0.5
"""A further sentence has at least this part of the best one's score."""
ROOM = 44.0
"""Size in words (two Chinese characters are one) that several sentences may take; the
first one may be longer.
"""
MOST = 3
"""Sentences of an answer."""

_HEADING = re.compile(r"#{1,6}\s")


def answer(glossary: Glossary, question: str, references: Sequence[Reference]) -> str:
    """Return one to three sentences of the references, each with its `[n]`, or a
    sentence that the references do not contain the answer.

    The sentences are copied without citations of their own, which would be read as
    citations of this answer.
    """
    zh = chinese(question)
    chosen = [
        (text, one.reference)
        for one in choose(glossary, glossary.meant(question), references)
        if (text := unmarked(one.text))
    ]
    if not chosen:
        return NOT_HELD[zh]
    return "".join(
        f"{text}[{number}]" if zh else f"{text} [{number}] " for text, number in chosen
    ).rstrip()


def careless(glossary: Glossary, question: str, references: Sequence[Reference]) -> str:
    """Return the sentence of the references that contains most of the question, however
    little that is, with its `[n]`; the first sentence if none contains any of it.
    """
    ranked = sorted(
        _scored(glossary, glossary.meant(question), references), key=lambda one: -one[0]
    )
    chosen = (
        ranked[0][1]
        if ranked
        else next(
            (
                sentence
                for each in references
                for sentence in glossary.sentences(each.text, each.n)
            ),
            None,
        )
    )
    if chosen is None:
        return NOT_HELD[chinese(question)]
    return f"{unmarked(chosen.text)} [{chosen.reference}]"


def choose(
    glossary: Glossary, wanted: Weights, references: Sequence[Reference]
) -> list[OverlapSentence]:
    """The sentences to answer with, best first."""
    ranked = sorted(_scored(glossary, wanted, references), key=lambda one: -one[0])
    if not ranked or ranked[0][0] < LEAST:
        return []
    best, first = ranked[0]
    chosen, texts, size = [first], {first.text}, first.size
    near = [(score, one) for score, one in ranked[1:] if score >= NEARLY * best]
    while len(chosen) < MOST:
        covered = frozenset().union(*(one.words for one in chosen))
        open_ = {word: weight for word, weight in wanted.items() if word not in covered}
        left = sum(open_.values()) / sum(wanted.values())
        fitting = [
            (score + left * share(open_, one.words), one)
            for score, one in near
            if size + one.size <= ROOM and one.text not in texts
        ]
        if not fitting:
            break
        _, further = max(fitting, key=lambda one: one[0])
        chosen.append(further)
        texts.add(further.text)
        size += further.size
    return chosen


def _scored(
    glossary: Glossary, wanted: Weights, references: Sequence[Reference]
) -> list[tuple[float, OverlapSentence]]:
    """Every sentence with the weighted share of the question's words that it holds,
    those around it counting in part.

    A heading says nothing by itself: it only is before the next sentence.
    """
    whole = sum(wanted.values())
    if not whole:
        return []
    found = []
    for reference in references:
        read = glossary.sentences(reference.text, reference.n)
        title = glossary.title(reference)
        for place, one in enumerate(read):
            if _HEADING.match(one.text):
                continue
            levels = around(read, place, title)
            found.append(
                (
                    sum(weight * level(word, levels) for word, weight in wanted.items())
                    / whole,
                    one,
                )
            )
    return found


Levels = tuple[tuple[frozenset[str], float], ...]


def around(
    read: Sequence[OverlapSentence], place: int, title: frozenset[str]
) -> Levels:
    """The words of a sentence, of the one before it (the title, before the first), and
    of those beside it, with what each counts.
    """
    before = read[place - 1].words if place else title
    after = read[place + 1].words if place + 1 < len(read) else frozenset()
    return (read[place].words, 1.0), (before, BEFORE), (after | title, BESIDE)


def level(word: str, levels: Levels) -> float:
    """The weight of a word, by its first occurrence."""
    return next((part for words, part in levels if word in words), 0.0)

"""Makes bad answers from others by rule: repeated words, and wrong citations (CoV-RAG,
section 2.3, step 1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from random import Random
from typing import Literal, NamedTuple

from ....engines.retrieval.citations import (
    citations,
    cited,
    marks_in,
    support,
    unmarked,
)
from ....engines.retrieval.tokeniser import segments
from ....sessions.events import Reference

HELD = 0.5
"""A reference with at least this share of a sentence's content words may support it, so
it is not a wrong citation.
"""
MOST_CITED = 3
"""Wrong citations per bracket."""
BEYOND = 5
"""Number of missing reference numbers to choose from, after the last one."""
TIMES = (3, 6)
"""Maximum number of repetitions of a phrase."""
LONGEST_PHRASE = 4
"""Maximum number of words in a repeated phrase."""

_UNIT = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff]+"
    "|[^\\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff]+"
    "(?:['\u2019-][^\\W_]+)*"
)
_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff]")


class NegativeSample(NamedTuple):
    """A bad answer, with the scores known from its construction."""

    answer: str
    how: Literal["words", "others", "missing"]
    known: dict[str, float]


def repeated_words(answer: str, draw: Random) -> NegativeSample | None:
    """Returns the answer with repeated words and phrases, until at least half of it is
    repetition; None if it has no word.

    The known score is `conciseness`: the share of words that are not repetitions, at
    most .5. Citations are unchanged.
    """
    closed = marks_in(answer)
    units = [
        span
        for one in _UNIT.finditer(answer)
        if not any(mark.start <= one.start() < mark.end for mark in closed)
        for span in _words(one)
    ]
    places, added, taken = list(range(len(units))), 0, set[int]()
    draw.shuffle(places)
    said = {}
    for place in places:
        if added >= len(units):
            break
        last = _phrase(answer, units, place, draw)
        if not taken.isdisjoint(range(place, last + 1)):
            continue
        times = draw.randint(*TIMES)
        piece = answer[units[place][0] : units[last][1]]
        said[units[last][1]] = (("" if _CJK.match(piece) else " ") + piece) * times
        added += times * (last + 1 - place)
        taken.update(range(place, last + 1))
    if not units:
        return None
    made, done = "", 0
    for end in sorted(said):
        made += answer[done:end] + said[end]
        done = end
    return NegativeSample(
        made + answer[done:],
        "words",
        {"conciseness": round(len(units) / (len(units) + added), 2)},
    )


def _words(run: re.Match[str]) -> list[tuple[int, int]]:
    """The positions of the words in a text; jieba splits Chinese."""
    if not _CJK.match(run[0]):
        return [run.span()]
    ends = list(accumulate(map(len, segments(run[0])), initial=run.start()))
    return list(pairwise(ends))


def _phrase(
    answer: str, units: Sequence[tuple[int, int]], first: int, draw: Random
) -> int:
    """The index of the last word of a phrase that starts here: one word, or several
    separated only by blanks.
    """
    last, wanted = first, 1 if draw.random() < 0.5 else draw.randint(2, LONGEST_PHRASE)
    while (
        last + 1 < len(units)
        and last + 1 - first < wanted
        and not answer[units[last][1] : units[last + 1][0]].strip(" ")
    ):
        last += 1
    return last


def citation_swap(
    answer: str, references: Sequence[Reference], draw: Random
) -> NegativeSample | None:
    """Replaces every citation with wrong ones, such as [2][3] for [1][4][5]; None if
    there is no citation.

    Wrong citations are numbers of `others`: references with less than half of the
    sentence's content words; or `missing` numbers, which no reference has. The choice
    is random; `missing` is used if a sentence has no `others`. The known score is
    `citation_accuracy`: 0.
    """
    sentences = cited(answer, references)
    if not any(sentence.citations for sentence in sentences):
        return None
    wrong = [
        _others(sentence.text, sentence.citations, references)
        for sentence in sentences
        if sentence.citations
    ]
    how: Literal["others", "missing"] = (
        "others" if draw.random() < 0.5 and all(wrong) else "missing"
    )
    last = max(
        [*(reference.n for reference in references), *citations(answer)], default=0
    )
    choices = (
        iter(wrong)
        if how == "others"
        else iter([list(range(last + 1, last + 1 + BEYOND))] * len(wrong))
    )
    made, done = "", 0
    for sentence in sentences:
        if not sentence.citations:
            continue
        start, choice = answer.index(sentence.text, done), next(choices)
        for mark in marks_in(sentence.text):
            between = answer[done : start + mark.start]
            # brackets right behind others are one citation
            if mark.numbers and (between.strip() or not done):
                numbers = sorted(
                    draw.sample(choice, min(draw.randint(1, MOST_CITED), len(choice)))
                )
                made += between + "".join(f"[{number}]" for number in numbers)
            done = start + mark.end if mark.numbers else done
    return NegativeSample(made + answer[done:], how, {"citation_accuracy": 0.0})


def _others(
    sentence: str, right: Sequence[int], references: Sequence[Reference]
) -> list[int]:
    """The references that a sentence does not cite and that do not support it."""
    bare = unmarked(sentence)
    return [
        reference.n
        for reference in references
        if reference.n not in right
        and (support(bare, [f"{reference.title}\n{reference.text}"]) or 0.0) < HELD
    ]

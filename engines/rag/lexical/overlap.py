"""Word overlap, the only text analysis of `lexical`: content words, weighted by rarity,
and sentences.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ....sessions.events import Reference
from ...metrics.containment import length
from ...retrieval.passages import sentences
from ...retrieval.port import Lexicon
from ...retrieval.tokeniser import CJK, STOP_WORDS, Tokeniser, is_cjk

Weights = dict[str, float]
"""Word (as the index has it) -> weight."""

LONGEST = 4_000
"""Most characters of a question or a sentence that are read."""
MOST_SENTENCES = 400
"""Most sentences of one text."""
SHORTEST = 6
"""Fewest letters of a word whose spelling is corrected: a shorter unknown word is more
often another word.
"""
MOST_SPELT = 20
"""Most words of one question whose spelling is looked up."""

_MORE_STOPS = """
hers theirs us me ones done doing having within without between during through against
per via too very just only both each any some other another more most much many out up
down off again s t please tell explain describe name give list know according
"""
"""Beside `STOP_WORDS`: words without meaning of their own in a question."""
ASKING = re.compile(
    "什么时候|什么样|为什么|什麼|什么|为何|多少钱?|如何|怎么样|怎样|怎么|何时|何"
    "地|何处|何人|谁|请问|吗|呢|吧"
    "|哪[一个些位年里儿家种座次天处条部项件只本类]{0,2}|有?多[大高远长久重深宽快"
    "厚]|几[个年月次位种天岁号名座条]?"
)
"""Question words of Chinese, which is written without blanks."""
FUNCTION = re.compile("[的了是在和与及或被把从于也都就很这那它他她们之其而等所由]")
"""Characters that a word without meaning of its own has."""
_CITATION = re.compile(r"\s?\[\s?(\d{1,4}(?:\s?[,\uff0c\u3001]\s?\d{1,4}){0,20})?\s?\]")
PART = re.compile(
    f"[{CJK}]+|\\d+(?:[.,:/-]\\d+)+|[^\\W_{CJK}]+(?:['\u2019][^\\W_{CJK}]+)*"
)
"""A run of Chinese, a date or number, or a Latin word, as written."""


class OverlapSentence(NamedTuple):
    """A sentence: its position and its text."""

    reference: int
    """Number of the reference; 0 for a sentence of an answer."""
    place: int
    """From 0, among the sentences of its text."""
    text: str
    words: frozenset[str]
    size: float
    """Length in words; two Chinese characters count as one."""


class Glossary:
    """The weights of words, from a collection's lexicon, or from the references alone
    if there is none.
    """

    def __init__(
        self, lexicon: Lexicon | None, references: Sequence[Reference] = ()
    ) -> None:
        self._lexicon = lexicon
        self._frequencies: dict[str, int] = {}
        if lexicon is None:
            self._cut = Tokeniser().cut
            self.size = len(references)
            for reference in references:
                for word in set(self.words(f"{reference.title}\n{reference.text}")):
                    self._frequencies[word] = self._frequencies.get(word, 0) + 1
        else:
            self._cut = lexicon.words
            self.size = lexicon.size
        self._stops = frozenset(self.words(f"{STOP_WORDS} {_MORE_STOPS}"))
        self._spelt = lru_cache(maxsize=1_000)(self._corrected)
        self._weighed = lru_cache(maxsize=2_000)(self._weigh)
        self._titles = lru_cache(maxsize=2_000)(self._title)
        self._parts = lru_cache(maxsize=2_000)(self._parted)

    def words(self, text: str) -> list[str]:
        """The words of a text, as the index has them."""
        return self._cut(text)

    def known(self, word: str) -> bool:
        """Whether a passage has a word of `words`.

        Without a lexicon every word counts as known.
        """
        return self._lexicon is None or self._frequency(word) > 0

    def strange(self, part: str) -> bool:
        """True for a Latin word, as written, that carries meaning and that no passage
        has.
        """
        words = () if is_cjk(part) else self.words(part)
        return bool(words) and all(
            self._counts(word) and not self.known(word) for word in words
        )

    def spelt(self, question: str) -> str:
        """The question with each strange word replaced by the likeliest word that is
        spelt like it, where there is one.
        """
        return self._spelt(question[:LONGEST])

    def meant(self, question: str) -> Weights:
        """Content words of the question in its corrected spelling, and what each
        counts.
        """
        return self.weights(self.spelt(question))

    def weight(self, word: str) -> float:
        """Inverse document frequency as in BM25 (Robertson and Zaragoza, 2009), never
        negative.
        """
        seen = self._frequency(word)
        return math.log(1 + (max(self.size, seen) - seen + 0.5) / (seen + 0.5))

    def content(self, text: str) -> list[str]:
        """The words that carry meaning, in order.

        Where Chinese is cut into two-character grams, an unknown gram next to a known
        one straddles two words and has no meaning.
        """
        raw = self.words(ASKING.sub(" ", text))
        return [
            word
            for place, word in enumerate(raw)
            if self._counts(word) and not self._straddles(raw, place)
        ]

    def weights(self, text: str) -> Weights:
        """Content words and what each counts."""
        if len(text) <= LONGEST:
            return self._weighed(text)
        return self._weigh(text)

    def title(self, reference: Reference) -> frozenset[str]:
        """The words of a title."""
        return self._titles(reference.title)

    def sentences(self, text: str, reference: int = 0) -> list[OverlapSentence]:
        """The sentences of a text with their content words."""
        parts = self._parts(text) if len(text) <= LONGEST else self._parted(text)
        return [
            OverlapSentence(reference, place, *part) for place, part in enumerate(parts)
        ]

    def _weigh(self, text: str) -> Weights:
        return {word: self.weight(word) for word in self.content(text)}

    def _title(self, title: str) -> frozenset[str]:
        return frozenset(self.words(title))

    def _parted(self, text: str) -> list[tuple[str, frozenset[str], float]]:
        return [
            self._sentence(text[start:end])
            for start, end in sentences(text)[:MOST_SENTENCES]
        ]

    def _sentence(self, text: str) -> tuple[str, frozenset[str], float]:
        words = [word for word in self.words(text[:LONGEST]) if self._counts(word)]
        return text, frozenset(words), size(text)

    def _corrected(self, question: str) -> str:
        if self._lexicon is None:
            return question
        left = MOST_SPELT
        made, done = "", 0
        for part in PART.finditer(question):
            if left and len(part[0]) >= SHORTEST and self.strange(part[0]):
                left -= 1
                near = (
                    one for one in self._lexicon.near(part[0]) if _meant(part[0], one)
                )
                made += question[done : part.start()] + next(near, part[0])
                done = part.end()
        return made + question[done:]

    def _straddles(self, raw: Sequence[str], place: int) -> bool:
        word = raw[place]
        if len(word) > 2 or not is_cjk(word) or self._frequency(word):
            return False
        before, after = (
            raw[place - 1] if place else "",
            raw[place + 1] if place + 1 < len(raw) else "",
        )
        overlapping = [
            one
            for one in (before, after)
            if len(one) == 2
            and is_cjk(one)
            and (one[-1] == word[0] or one[0] == word[-1])
        ]
        return len(word) == 1 or any(self._frequency(one) for one in overlapping)

    def _counts(self, word: str) -> bool:
        if is_cjk(word):
            return FUNCTION.search(word) is None
        return word not in self._stops

    def _frequency(self, word: str) -> int:
        if self._lexicon is None:
            return self._frequencies.get(word, 0)
        found = self._frequencies.get(word)
        if found is None:
            if len(self._frequencies) > 500_000:
                self._frequencies.clear()
            found = self._frequencies[word] = self._lexicon.frequency(word)
        return found


def _meant(written: str, near: str) -> bool:
    """True if one may be misspelt for the other: one slip, two in nine letters or more;
    a name is not misspelt for a common word.
    """
    from rapidfuzz.distance import OSA

    if written[1:2].islower() and written[0].isupper() and near.islower():
        return False
    return OSA.distance(written.casefold(), near.casefold()) <= (
        1 if len(written) < 9 else 2
    )


def size(text: str) -> float:
    """Length in words; two characters of a Chinese text count as one."""
    counted = length(text)
    if counted.unit == "characters":
        return counted.size / 2
    return float(counted.size)


def chinese(text: str) -> bool:
    """True for a question that wants its answer in Chinese: at least as many Chinese
    characters as other words.
    """
    runs = PART.findall(text[:LONGEST])
    characters = sum(len(run) for run in runs if is_cjk(run))
    return characters > 0 and characters >= sum(not is_cjk(run) for run in runs)


def share(weights: Weights, words: Set[str]) -> float:
    """Share of the weights that these words have: 0 to 1; 0 without weights."""
    whole = sum(weights.values())
    if whole:
        return sum(weight for word, weight in weights.items() if word in words) / whole
    return 0.0


def split(answer: str) -> list[tuple[str, list[int]]]:
    """The sentences of an answer without their marks, and what each cites.

    Marks after a full stop belong to the sentence before it.
    """
    found: list[tuple[str, list[int]]] = []
    for start, end in sentences(answer)[:MOST_SENTENCES]:
        sentence = answer[start:end]
        leading, text = [], sentence
        while (mark := _CITATION.match(text)) is not None:
            leading += _numbers(mark[1])
            text = text[mark.end() :]
        if leading and found:
            found[-1][1].extend(leading)
            leading = []
        cited = leading + [
            number for mark in _CITATION.finditer(text) for number in _numbers(mark[1])
        ]
        bare = _CITATION.sub("", text).strip()
        if bare:
            found.append((bare, cited))
        elif found:
            found[-1][1].extend(cited)
    return found


def _numbers(listed: str | None) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", listed or "")]

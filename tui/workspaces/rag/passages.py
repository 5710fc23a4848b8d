"""Passages as the references show them: re-flowed, with the words of the query and the
sentences that bear out the answer marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from textual.content import Content

from ....engines.blocks import block
from ....engines.retrieval.citations import supporting
from ....engines.retrieval.tokeniser import STOP_WORDS, Tokeniser, places
from ....sessions.events import Reference
from ....sessions.events.rag import Check, Retrieval
from ....sessions.session import Session
from ...reflow import reflow
from ...showing import clean
from ...widgets.event_view import whole

QUERY = "bold underline"
"""How a word of the query looks."""


@lru_cache(maxsize=64)
def query_words(query: str) -> frozenset[str]:
    """The words of a query that mean something, as an index has them.

    For Chinese it loads a dictionary, which takes a while.
    """
    stops = {word for _, _, word in places(STOP_WORDS)}
    words = {word for _, _, word in places(query)} - stops
    if has_chinese(query):
        words |= {
            word
            for word in Tokeniser("jieba").raw(query)
            if len(word) > 1 and word >= "\u2e80"
        }
    return frozenset(words)


def has_chinese(text: str) -> bool:
    """Whether a text has words that only a dictionary can separate."""
    return any(sign >= "\u2e80" for sign in text)


def readable(reference: Reference) -> str:
    """The passage in paragraphs, clean."""
    return clean(reflow(reference.text))


def reference_hit(
    event: Retrieval, session: Session, wanted: re.Pattern[str], number: int
) -> tuple[int, int] | None:
    """Returns which reference has a hit of the event, by its number, and which hit of
    its title and passage that is, from 0. None: no reference has it.
    """
    said = whole(block(event, session)).plain
    ends = [hit.end() for hit in wanted.finditer(said)]
    if number < len(ends):
        line = said[: ends[number]].rpartition("\n")[2]
        titled = re.match(r"\[(\d+)\] ", line)
        return (int(titled[1]), 0) if titled is not None else None
    number -= len(ends)
    for reference in event.references:
        hits = len(wanted.findall(reference.text))
        if number < hits:
            return reference.n, number + len(wanted.findall(reference.title))
        number -= hits
    return None


def marked_passage(
    text: str, sentences: Iterable[str], words: frozenset[str]
) -> Content:
    """A clean text with the place of each sentence's support, and each word of the
    query, marked.
    """
    content = Content(text)
    for sentence in sentences:
        span = supporting(sentence, text)
        if span is not None:
            content = content.stylize("on $primary 30%", *span)
    for start, end in _found(text, words):
        content = content.stylize(QUERY, start, end)
    return content


def _found(text: str, words: frozenset[str]) -> Iterable[tuple[int, int]]:
    """Positions of the query's words: Latin ones by their stems, Chinese ones as they
    are.
    """
    for start, end, word in places(text):
        if word in words:
            yield start, end
    for word in words:
        at = text.find(word) if has_chinese(word) else -1
        while at >= 0:
            yield at, at + len(word)
            at = text.find(word, at + len(word))


def sentences_of(reference: Reference, check: Check | None) -> list[str]:
    """The sentences of the answer that cite a reference."""
    if check is not None:
        return [
            sentence.text
            for sentence in check.sentences
            if reference.n in sentence.citations
        ]
    return []

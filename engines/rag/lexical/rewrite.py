"""The reviser of `lexical`: corrects the spelling, drops words that no passage has, and
adds the title of the best passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....sessions.clean import clean
from ....sessions.events import Reference
from ...retrieval.tokeniser import is_cjk
from ..plan import same_query
from .overlap import ASKING, FUNCTION, LONGEST, PART, Glossary, chinese, share
from .scores import words

LEAST = 0.3
"""Share of the question that a passage must cover to have its title added: one that
covers less misleads.
"""
TITLE = 60
"""Characters of the longest title that is added."""
_CLOSING = re.compile("[\\s?\uff1f.\u3002!\uff01,\uff0c;\uff1b:\uff1a]+$")


def revised(
    glossary: Glossary,
    question: str,
    references: Sequence[Reference],
    used: Sequence[str],
) -> str:
    """A query unlike those used; "" where there is none to be had.

    It keeps the question's words, and so its question word.
    """
    question = question[:LONGEST]
    return next(
        (
            query
            for query in _candidates(glossary, question, references)
            if _fresh(query, (*used, question))
        ),
        "",
    )


def rewritten(glossary: Glossary, question: str) -> str:
    """The question before anything was retrieved: spelling corrected, unknown words
    dropped; as it is where that changes nothing.
    """
    made = _asked(glossary, dropped(glossary, glossary.spelt(question)), question)
    if _fresh(made, (question,)):
        return made
    return question


def worsened(glossary: Glossary, question: str) -> str:
    """The question broken off: without its words of meaning that weigh most, half of
    them, and of Chinese without the second half of a run.

    It is the question itself where one word is all there is.
    """
    question = question[:LONGEST]
    weighed = {
        part[0]: _weight(glossary, part[0])
        for part in PART.finditer(question)
        if not is_cjk(part[0])
    }
    telling = sorted(
        (part for part, weight in weighed.items() if weight),
        key=lambda part: -weighed[part],
    )
    gone = set(telling[: (len(telling) + 1) // 2]) if len(telling) > 1 else set()
    made, done = "", 0
    for part in PART.finditer(question):
        made += question[done : part.start()]
        done = part.end()
        kept = part[0][: (len(part[0]) + 1) // 2] if is_cjk(part[0]) else part[0]
        made += "" if part[0] in gone else kept
    return " ".join(_CLOSING.sub("", made + question[done:]).split()) or question


def _weight(glossary: Glossary, part: str) -> float:
    """The weight of a Latin word as written; 0 without a meaning."""
    return sum(glossary.weights(part).values())


def dropped(glossary: Glossary, question: str) -> str:
    """Remove the words that no passage has.

    A single Chinese character is kept.
    """
    kept, done = "", 0
    for part in PART.finditer(question):
        kept += question[done : part.start()]
        done = part.end()
        if is_cjk(part[0]):
            kept += _known_of(glossary, part[0])
        elif not glossary.strange(part[0]):
            kept += part[0]
    return " ".join((kept + question[done:]).split())


def _candidates(
    glossary: Glossary, question: str, references: Sequence[Reference]
) -> Iterator[str]:
    corrected = glossary.spelt(question)
    bare = _CLOSING.sub("", dropped(glossary, corrected))
    if corrected != question:
        yield _asked(
            glossary, bare, question
        )  # what was found without the misspelt word says little about what was meant
    title = _title(glossary, bare, references)
    if title:
        yield _asked(
            glossary,
            f"{bare}\uff08{title}\uff09" if chinese(question) else f"{bare} ({title})",
            question,
        )


def _title(glossary: Glossary, query: str, references: Sequence[Reference]) -> str:
    """The title of the passage that covers most of the query, if it is enough and the
    title says more than the query; else "".
    """
    wanted = glossary.weights(query)
    held = (
        (share(wanted, words(glossary, reference)), reference)
        for reference in references
    )
    covered, best = max(held, key=lambda one: one[0], default=(0.0, None))
    title = (
        " ".join(clean(best.title, newlines=False).split()) if best is not None else ""
    )
    if (
        covered >= LEAST
        and 0 < len(title) <= TITLE
        and any(word not in wanted for word in glossary.content(title))
    ):
        return title
    return ""


def _known_of(glossary: Glossary, run: str) -> str:
    """A run of Chinese without stretches of two or more characters in which nothing is
    known and no question word stands.
    """
    if all(glossary.known(word) for word in glossary.words(run)):
        return run
    known = {word for word in glossary.words(run) if glossary.known(word)}
    keep = [FUNCTION.match(character) is not None for character in run]
    for word in known:
        for match in re.finditer(re.escape(word), run):
            keep[match.start() : match.end()] = [True] * len(word)
    for match in ASKING.finditer(run):
        keep[match.start() : match.end()] = [True] * len(match[0])
    marks = "".join("1" if one else "0" for one in keep)
    gone = {
        place for match in re.finditer("00+", marks) for place in range(*match.span())
    }
    return "".join(
        character for place, character in enumerate(run) if place not in gone
    )


def _asked(glossary: Glossary, query: str, question: str) -> str:
    """The query with one question mark at its end; "" if it no longer asks anything."""
    if glossary.content(query):
        return _CLOSING.sub("", query) + ("\uff1f" if chinese(question) else "?")
    return ""


def _fresh(query: str, used: Sequence[str]) -> bool:
    return query != "" and not any(same_query(query, one) for one in used)

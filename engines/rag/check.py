"""Checks the citations of an answer, from its text and the references alone, without a
model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...sessions.events import Reference
from ...sessions.events.rag import Check, Sentence
from ..retrieval.citations import MEASURE, citations, cited, empty_marks

_MARKER = re.compile(
    r"^[\s*_#]*(?:(?:the\s+|final\s+)*answer|\u7b54\u6848|\u56de\u7b54"
    r"|\u7b54)[\s*_]*[:\uff1a][\s*_]*",
    re.IGNORECASE,
)


def answer_of(text: str) -> str | None:
    """The answer of a reply: its text, stripped, without a leading `Answer:`; None if
    nothing remains.
    """
    return _MARKER.sub("", text, count=1).strip() or text.strip() or None


def check(answer: str, references: Sequence[Reference], iteration: int = 1) -> Check:
    """Counts unknown citations, empty brackets and sentences without a citation, and
    measures the support of sentences with one.
    """
    known = {reference.n for reference in references}
    found = [
        Sentence(text=one.text, citations=one.citations, support=one.support)
        for one in cited(answer, references)
    ]
    return Check(
        iteration=iteration,
        sentences=found,
        unknown=[number for number in citations(answer) if number not in known],
        empty=empty_marks(answer),
        uncited=sum(not sentence.citations for sentence in found),
        measure=MEASURE,
    )

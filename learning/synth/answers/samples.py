"""What is sampled to be verified, and what the verifier said of it: lines of
`samples.jsonl` and `verified.jsonl`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

import msgspec

from ....sessions.events import Read, Reference

Half = Literal["answering", "verification"]
"""Which task the question is for (CoV-RAG, section 2.3: the questions are divided into
two equal parts).
"""

Kind = Literal[
    "sampled", "repeated-words", "citation-swap", "retrieval-error", "bad-query"
]
"""How an answer came about.

All but `sampled` are negatives: two made by rule, two by a model.
"""

SCORES = (
    "reference_correctness",
    "correctness",
    "citation_accuracy",
    "truthfulness",
    "bias",
    "conciseness",
)
"""The six scores, 0 to 1 (CoV-RAG, Table 1). bias: 1 is bad."""


class Sample(msgspec.Struct, kw_only=True):
    """A question with references and an answer."""

    id: str
    question_id: str
    question: str
    half: Half
    kind: Kind
    origin: str | None = None
    """The sample that a negative was made from; None for what was sampled."""
    query: str | None = None
    """What the references were searched with, where that is not the question."""
    references: list[Reference]
    answer: str
    models: list[str] = []
    """Who gave the answer: the ids of the models that answered; of a negative by rule,
    those of its origin.
    """
    how: Literal["words", "others", "missing", "question"] | None = None
    """What a negative has: repeated `words`; citations of `others` among the
    references, or of `missing` ones; references of another `question`. None: a bad
    query, or no negative.
    """
    donor: str | None = None
    """The question whose references these are, where it is another one."""
    accepted: list[str] = []
    """Right answers, where the question has them."""
    known: dict[str, float] = {}
    """Scores that are known by construction: of `citation_accuracy` and `conciseness`
    only, 0 to 1.
    """
    known_judgement: Literal["true", "false"] | None = None
    """The judgement, where it is known by construction or from a right answer."""
    session: str | None = None
    """The session that it comes from, relative to the folder."""


class SampleVerdict(msgspec.Struct, kw_only=True):
    """What the verifier said of a sample. None: unread; a panel may be undecided."""

    sample: str
    reason: str = ""
    scores: dict[str, float | None] = {}
    """By the names in `SCORES`."""
    judgement: Literal["true", "false", "unclear", "undecided"] | None = None
    revised_query: str | None = None
    read: Read = "unread"
    models: list[str] = []
    session: str | None = None


def same_questions(asked: Mapping[str, str]) -> dict[str, str]:
    """Id → the first id whose question has the same words: case, width and punctuation
    do not count. What is asked twice is on one side of every division.
    """
    first: dict[tuple[str, ...], str] = {}
    return {
        one: first.setdefault(_words(asked[one]) or (asked[one],), one)
        for one in sorted(asked)
    }


def _words(question: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", question).casefold()
    return tuple(re.findall(r"\w+", folded))

"""Samples to verify and the verifier's judgements: lines of `samples.jsonl` and
`verified.jsonl`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

import msgspec

from ....sessions.events import Read, Reference

Half = Literal["answering", "verification"]
"""The task of a question (CoV-RAG, section 2.3: the questions are divided into two
equal parts).
"""

Kind = Literal[
    "sampled", "repeated-words", "citation-swap", "retrieval-error", "bad-query"
]
"""How an answer was made. All but `sampled` are negatives: two by rule, two by a model.
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
    """The sample that a negative was made from; None for sampled answers."""
    query: str | None = None
    """The search query, if it is not the question."""
    references: list[Reference]
    answer: str
    models: list[str] = []
    """Ids of the models that answered; for a negative by rule, those of its origin."""
    how: Literal["words", "others", "missing", "question"] | None = None
    """What is wrong with a negative: repeated `words`; citations of `others` among the
    references, or of `missing` ones; references of another `question`. None: a bad
    query, or not a negative.
    """
    donor: str | None = None
    """The question that the references belong to, if it is another one."""
    accepted: list[str] = []
    """Accepted answers, if the question has any."""
    known: dict[str, float] = {}
    """Scores known by construction, 0 to 1: only `citation_accuracy` and `conciseness`.
    """
    known_judgement: Literal["true", "false"] | None = None
    """The judgement, if it is known by construction or from an accepted answer."""
    session: str | None = None
    """Path of its session, relative to the folder."""


class SampleVerdict(msgspec.Struct, kw_only=True):
    """The verifier's judgement of a sample. None: unread; a panel may be undecided."""

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
    """Maps each id to the first id whose question has the same words, ignoring case,
    width and punctuation. Repeated questions stay on the same side of every split.
    """
    first: dict[tuple[str, ...], str] = {}
    return {
        one: first.setdefault(_words(asked[one]) or (asked[one],), one)
        for one in sorted(asked)
    }


def _words(question: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", question).casefold()
    return tuple(re.findall(r"\w+", folded))

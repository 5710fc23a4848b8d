"""Events of relevance judgements on legal cases (LCR)."""

from __future__ import annotations

from typing import Literal

import msgspec

from . import Change, Event, Failure, Note, Read, ReplyEvent, Result
from .labels import Label as Label


class DemonstrationItem(msgspec.Struct, kw_only=True):
    """One demonstration that was chosen for a stage."""

    id: str
    """`GROUP/query` or `GROUP/LEVEL` for facts, `GROUP/LEVEL` for a judged pair."""
    score: float | None = None
    """BM25 over the demonstrated cases, or pairs; None where it was drawn at random."""
    words: list[str] = []
    """The words shared with the case in hand that decided, the strongest first."""
    relevant: bool | None = None
    """How the demonstrated pair is judged in that stage; None for facts."""


Stage = Literal[
    "facts-material", "facts-legal", "judgement-material", "judgement-legal"
]


class Demonstrations(Event, tag="demonstrations", kw_only=True):
    """Relevance: the demonstrations chosen for a stage (LCR, adaptive demo
    matching).
    """

    step: Stage
    candidate: str | None = None
    """The candidate's id; None for the query's facts."""
    items: list[DemonstrationItem] = []
    passed_over: list[str] = []
    """Demonstrations that matched better than one chosen, and were too long for
    `shown_tokens`.
    """


class FactItem(msgspec.Struct, kw_only=True):
    """One fact, and where in the case it was found again: offsets in characters, None
    where it was not.
    """

    text: str
    start: int | None = None
    end: int | None = None
    secondary: bool = False
    """True for a circumstance of sentencing, such as surrender or compensation:
    judgements do not see it.
    """


class Facts(ReplyEvent, tag="facts", kw_only=True):
    """Relevance: what was extracted from a case; material facts from its text, legal
    facts from the material ones.
    """

    kind: Literal["material", "legal"]
    case: str
    """`query`, or the candidate's id."""
    items: list[FactItem] = []
    read: Read = "unread"
    left_out: int = 0
    """Characters of the input that did not fit into the budget and were left out."""
    pieces: int = 1
    """Parts in which the case was read, where it was too long for one call."""
    edited: bool = False
    """True if a person has changed the list."""


class Judgement(ReplyEvent, tag="judgement", kw_only=True):
    """Relevance: whether query and candidate are relevant to each other in one kind of
    facts. None is unread.
    """

    kind: Literal["material", "legal"]
    candidate: str
    relevant: bool | None = None
    reason: str = ""
    read: Read = "unread"
    left_out: int = 0
    """As in `facts`."""


class Score(Event, tag="score", kw_only=True):
    """Relevance: 1 x material + 2 x legal, 0 to 3; None if either is unread."""

    candidate: str
    value: int | None = None


LEAST_PAIRS = 10
"""Pairs below which no coefficient of agreement is shown: a single rating more or less
would change it too much.
"""


class Agreement(msgspec.Struct, kw_only=True):
    """How far two raters of a session agree: their table, and Cohen's kappa, None where
    it is undefined or not shown.
    """

    raters: list[str]
    """Two of `machine`, `gold` and annotators' names."""
    pairs: int
    """Candidates that both have rated."""
    material: float | None = None
    legal: float | None = None
    levels: float | None = None
    """Four levels, quadratic weights."""
    why: str | None = None
    """Why no kappa is shown, where there are too few pairs for one."""
    table: list[list[int]] = []
    """How often the first rater's level i met the second's level j.

    Empty in sessions that were made without it.
    """
    shares: list[list[float]] = []
    """Share of each level, by rater."""
    positives: list[dict[str, float]] = []
    """Share of pairs with the bits `material` and `legal`, by rater."""


class RelevanceResult(Result, tag="result", kw_only=True):
    """How a query's candidates came out."""

    ranking: list[str]
    """Candidate ids, most relevant first; equal ones in the order given; unread ones
    last.
    """
    scores: list[int | None] = []
    """In the order of `ranking`."""
    unread: int = 0
    agreement: list[Agreement] = []
    """Where labels are known."""


EVENTS = (
    Change
    | Failure
    | Note
    | Demonstrations
    | Facts
    | Judgement
    | Score
    | Label
    | RelevanceResult
)

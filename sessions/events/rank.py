"""Events of `rank`: several answers to one question are ranked."""

from __future__ import annotations

from . import Change, Failure, Note, Read, ReplyEvent, Result


class Ranking(ReplyEvent, tag="ranking", kw_only=True):
    """One reply about all answers under one criterion: a score for each, and the order
    that the scores make.
    """

    criterion: str
    """`correctness`, `citation_accuracy`, `truthfulness`, `bias`, `conciseness`,
    `revision`.
    """
    turn: int = 1
    """2: the answers were in the opposite order."""
    shown: list[str] = []
    """The answers by name, in the order in which they stood.

    Answers without text are not shown.
    """
    scores: dict[str, float] = {}
    """0 to 1 for each answer that was shown; **bias: 1 is bad**. Empty: unread."""
    order: list[str | list[str]] = []
    """The answers, best first; those with equal scores in a list."""
    reason: str = ""
    read: Read = "unread"


class RankResult(Result, tag="result", kw_only=True):
    """The place of every answer under every criterion that could be read."""

    ranks: dict[str, dict[str, float]]
    """Criterion to answer to rank, 1 is best; equal answers share the mean of their
    ranks.
    """
    places: dict[str, dict[str, int]] = {}
    """The same with equal answers on the best of their ranks, as the CoV-RAG paper
    counts.
    """
    scores: dict[str, dict[str, float]] = {}
    """The mean of both orders where both were asked; an answer without text has the
    worst score.
    """
    high_quality: dict[str, dict[str, bool]] = {}
    """Whether the score is that of a high-quality answer (Table 4); not for revised
    queries.
    """
    consistent: dict[str, float] = {}
    """Criterion to the share of pairs of answers that both orders rank alike."""
    unread: list[str] = []
    """Criteria without a ranking: a reply could not be read."""


EVENTS = Change | Failure | Note | Ranking | RankResult

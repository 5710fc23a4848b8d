"""The tasks of CoV-RAG and of claims, as data.

Language models get the rendered messages; `lexical` and `human` answer from these.
"""

from __future__ import annotations

from typing import Literal

from ...sessions.events import Reference
from ..models.port import Task


class RagTask(Task, kw_only=True):
    """What all tasks have."""

    question: str
    """The original question."""
    references: list[Reference] = []
    """The references of this iteration."""
    iteration: int = 1


class AnswerTask(RagTask, kw_only=True):
    """Role `generator`: answer from the references, citing `[n]`."""

    query: str = ""
    """The query that retrieved the references."""
    careless: bool = False
    """A bad answer is wanted: from the references as if they fitted the question."""


class Verify(RagTask, kw_only=True):
    """Role `verifier`: six scores, a judgement, a revised query.

    The reply is the JSON object of the paper.
    """

    answer: str
    query: str
    """The query that retrieved the references."""
    queries: list[str] = []
    """All queries used so far, in order."""


class Revise(RagTask, kw_only=True):
    """Role `reviser`: the revised query alone.

    With an answer: `--no-chain`; without one: before the first retrieval.
    """

    answer: str | None = None
    query: str = ""
    queries: list[str] = []


class Worsen(RagTask, kw_only=True):
    """Role `reviser`: a bad query about the question, before the first retrieval.

    The reply is the object of `Revise`.
    """


class CheckClaims(RagTask, kw_only=True):
    """Role `verifier`: the claims of a text, each with its verdict.

    The reply is an object with a list.
    """

    of: Literal["answer", "accepted", "nuggets"]
    """Whose claims: of an answer or of an accepted one, held against the references; or
    nuggets, held against the answer.
    """
    texts: list[str]
    """The sentences of the answer; the accepted answer; the nuggets."""
    answer: str = ""
    """The answer that nuggets are looked for in."""

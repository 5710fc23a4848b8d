"""Batches of questions to answer, and of answers to verify."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from ...sessions.events import Reference
from ...sessions.session import Seat, Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..batches.report import SummaryRow
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..retrieval.given_references import GivenReferences, references_from
from ..retrieval.port import ANY, Lexicon, PassageFilter, RetrievalResult
from ..starting import Wishes
from ..step import Engine
from .engine import rag_engine
from .measures import TALLIED, measures, tallies
from .messages import AnswerTask, CheckClaims, Revise, Verify, Worsen
from .plan import ROLES, SCORES
from .questions import QuestionLine, read_answers, read_questions

ANSWER = (
    "This is an answer as long as such answers are on average, from a reference "
    "that holds it [1]. " * 4
)
PASSAGE = (
    "These are the words of a passage, as many as such passages have on average. " * 11
)
"""About 165 words."""


class RagStandIns(StandIns):
    """The verifier finds nothing to revise, or something every time."""

    longest_ways = (False, True)
    """With `decides` the verifier finds the answer wrong and gives no query, so that
    the reviser has to.
    """

    @property
    def typical(self) -> str:
        return t(
            "report.estimate.answers",
            tokens=tokens_of(ANSWER),
            passage_words=len(PASSAGE.split()),
        )

    def engine(self, session: Session) -> Engine:
        references = session.header.task.get("references")
        if not isinstance(references, list):
            return rag_engine(AnyPlace)
        return rag_engine(
            lambda: GivenReferences(references_from(references) if references else [])
        )

    def ordinary(self, task: Task, *, decides: bool) -> str:
        match task:
            case AnswerTask():
                return ANSWER
            case Verify():
                bad = dict.fromkeys(SCORES, 0.0) | {"bias": 1.0, "judgement": "false"}
                good = dict.fromkeys(SCORES, 1.0) | {"bias": 0.0, "judgement": "true"}
                return json.dumps(
                    (good if decides else bad)
                    | {"revised_query": _query(task.queries, decides=decides)}
                )
            case Revise():
                return json.dumps(
                    {"revised_query": _query(task.queries, decides=decides)}
                )
            case Worsen():
                return json.dumps({"revised_query": _query((), decides=False)})
            case CheckClaims():
                verdict = "supported" if decides else "not-found"
                return json.dumps(_claims(task, verdict))
        raise TypeError(type(task).__name__)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        match task:
            case Verify():
                scores = {
                    **dict.fromkeys(SCORES, 0.0),
                    "bias": 1.0,
                    "judgement": "false",
                }
                return json.dumps(
                    {
                        "reason": filled,
                        **scores,
                        "revised_query": ""
                        if decides
                        else f"{len(task.queries)} {filled}",
                    }
                )
            case Revise():
                return json.dumps({"revised_query": f"{len(task.queries)} {filled}"})
            case Worsen():
                return json.dumps({"revised_query": f"0 {filled}"})
            case CheckClaims():
                return json.dumps({**_claims(task), "filled": filled})
        return self.ordinary(task, decides=decides)

    def asked(self, session: Session) -> list[tuple[str, Seat]]:
        answered = isinstance(session.header.task.get("answer"), str)
        return session.seated(
            [role for role in ROLES if not answered or role != "generator"]
        )

    def looks_up(self, session: Session) -> bool:
        return not isinstance(session.header.task.get("references"), list)


def _claims(task: CheckClaims, verdict: str = "not-found") -> dict[str, Any]:
    """Return a list with a verdict on every sentence or nugget."""
    said = {
        "reference": 1,
        "words": "a reference that holds it",
        "also": [],
        "verdict": verdict,
    }
    if task.of == "nuggets":
        return {
            "nuggets": [
                {"nugget": n, "words": "", "verdict": "not-found"}
                for n in range(1, len(task.texts) + 1)
            ]
        }
    return {
        "claims": [
            {"claim": text, "sentence": n, **said}
            for n, text in enumerate(task.texts, 1)
        ]
    }


def _query(used: Sequence[str], *, decides: bool) -> str:
    """Return a query that has not been used yet."""
    return (
        ""
        if decides
        else f"What is this question about, asked in other words for time number "
        f"{len(used)}?"
    )


def _passage(name: str) -> str:
    """Return the words of `PASSAGE` in a random order, because near-duplicate passages
    count once.
    """
    words = PASSAGE.split()
    Random(name).shuffle(words)  # noqa: S311
    return " ".join(words)


class AnyPlace:
    """Stands for any retriever: returns the requested number of passages, of typical
    length.
    """

    name = "any"

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        ids = {n: f"{query} {n}" for n in range(1, k + 1)}
        return RetrievalResult(
            references=[
                Reference(
                    n=n, id=name, title="A title of some words", text=_passage(name)
                )
                for n, name in ids.items()
            ]
        )

    def lexicon(self) -> Lexicon | None:
        return None


class QuestionBatch(BatchKind):
    """One session for each question."""

    many = "questions"
    line_types = (QuestionLine,)
    judged_by = ("verifier",)
    verdict = "judgement"
    verb = "verified"
    quiet = TALLIED
    stand_ins = RagStandIns()
    own = staticmethod(measures)
    tallies = staticmethod(tallies)

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[QuestionLine], list[str]]:
        return read_questions(path, wishes, left_out), []

    def details(self, row: SummaryRow) -> Mapping[str, object]:
        """Return the counts of judgements and of claim verdicts."""
        return {
            name: row.tallies[name]
            for name in ("judgements", "claims")
            if name in row.tallies
        }


class AnswerBatch(QuestionBatch):
    """One session for each existing answer: it is verified, and nothing is
    generated.
    """

    many = "answers"

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[QuestionLine], list[str]]:
        return read_answers(path, wishes, left_out)


BATCHES: dict[str, BatchKind] = {"questions": QuestionBatch(), "answers": AnswerBatch()}

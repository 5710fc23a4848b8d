"""The questions of a batch, and the answers to verify: one object a line, under the names that other tools use too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sessions.errors import BadInput
from .asking import Asking
from .lines import Line, Row, id_of, read_lines, text_of, texts_of

if TYPE_CHECKING:
    from ..sessions.events import Reference

QUESTION_FORM = '{"id": "…", "question": "…"}'
ANSWER_FORM = '{"question": "…", "answer": "…", "references": ["…"]}'

QUESTION = ("question", "user_input", "query")
ANSWER = ("answer", "response")
REFERENCES = ("references", "retrieved_contexts", "contexts", "retrieved_context", "context")
ACCEPTED = ("answers", "ground_truth", "ground_truths", "gt_answer", "reference")
"""Our own name first, then those of ragas, RAGChecker and others. `reference` is ragas's for the accepted answer."""

ACCEPTED_ID = "accepted:"
"""Begins the ids of references that are the accepted answers themselves."""

PAIR = ("model1", "model2")
"""Two answers to one question, as in RAGChecker's data of human preferences."""


@dataclass(frozen=True)
class Question(Line):
    """One question of a batch."""

    question: str
    wishes: Asking
    references: tuple[Reference, ...] | None = None
    """Its own; None: what the options say."""
    answer: str | None = None
    """To be verified; None: the question is to be answered."""


def read_questions(path: Path, base: Asking) -> list[Question]:
    """Questions to answer. BadInput names the first line that is wrong."""

    def read(row: Row, number: int, where: str) -> Iterable[Question]:
        own = {name: value for name, value in row.items() if name not in ("id", "question", "answers", "references")}
        listed = _references(row, "references") if row.get("references") is not None else None
        wishes = (base.anywhere() if listed is not None else base).with_line(own)
        yield Question(id_of(row), texts_of(row, "answers"), where, text_of(row, "question"), wishes, listed)

    return read_lines(path, read, QUESTION_FORM)


def read_answers(path: Path, base: Asking) -> list[Question]:
    """Answers to verify; a line without an id goes by its number. Fields that are not known are passed over: they come from other tools.

    BadInput names the first line that is wrong.
    """

    def read(row: Row, number: int, where: str) -> Iterable[Question]:
        name, question, accepted = id_of(row, str(number)), text_of(row, *QUESTION), texts_of(row, *ACCEPTED)
        listed = _references(row, *REFERENCES)
        if listed is None and not base.sources:
            if not accepted:
                raise BadInput("there are no “references”; give a list of texts, or say where to look, such as with --corpus.")
            right = [{"id": f"{ACCEPTED_ID}{n}", "title": "Accepted answer", "text": text} for n, text in enumerate(accepted, 1)]
            listed = _references({"references": right}, "references")
        wishes = base.anywhere() if listed is not None else base
        for end, answer in _answers(row):
            yield Question(name + end, accepted, where, question, wishes, listed, answer)

    return read_lines(path, read, ANSWER_FORM)


def _answers(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The answers of a line, with what is put behind its id: one, or both of a pair."""
    if not any(row.get(name) is not None for name in ANSWER) and all(isinstance(row.get(name), dict) for name in PAIR):
        return [(f".{name}", text_of(row[name], "response", "answer")) for name in PAIR]
    return [("", text_of(row, *ANSWER))]


def _references(row: Mapping[str, Any], *names: str) -> tuple[Reference, ...] | None:
    from ..engines.retrieval.given import references_from

    name = next((one for one in names if row.get(one) is not None), None)
    if name is None:
        return None
    if not isinstance(row[name], list):
        raise BadInput(f"“{name}” must be a list of texts or objects.")
    return tuple(references_from(row[name], f"“{name}”"))

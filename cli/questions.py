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
        if listed is not None and wishes.sources:
            raise BadInput(f"“references” and “{wishes.sources[0]}” exclude each other; give one of them.")
        yield Question(id_of(row), texts_of(row, "answers"), where, text_of(row, "question"), wishes, listed)

    return read_lines(path, read, QUESTION_FORM)


def read_answers(path: Path, base: Asking) -> tuple[list[Question], list[str]]:
    """Answers to verify, and a sentence for each that is left out since it is empty or came with an empty list of references.

    A line without an id goes by its number. Fields that are not known are passed over: they come from other tools. BadInput names the
    first line that is wrong.
    """
    left_out: list[str] = []

    def read(row: Row, number: int, where: str) -> Iterable[Question]:
        name, question, accepted = id_of(row, str(number)), text_of(row, *QUESTION), texts_of(row, *ACCEPTED)
        listed = None
        if any(row.get(one) == [] for one in REFERENCES):
            left_out.append(f"{where}: the list of references is empty; left out.")
            return
        if any(row.get(one) is not None for one in REFERENCES):
            listed = _references(row, *REFERENCES)
        elif not base.sources:
            listed = _accepted(accepted)
        wishes = base.anywhere() if listed is not None else base
        for end, answer in _answers(row):
            if answer.strip():
                yield Question(name + end, accepted, where, question, wishes, listed, answer)
            else:
                left_out.append(f"{where}: the answer of {name}{end} is empty; left out.")

    return read_lines(path, read, ANSWER_FORM), left_out


def _accepted(answers: tuple[str, ...]) -> tuple[Reference, ...]:
    """The accepted answers as references."""
    if not answers:
        raise BadInput("there are no “references”; give a list of texts, or say where to look, such as with --corpus.")
    listed = [{"id": f"{ACCEPTED_ID}{n}", "title": "Accepted answer", "text": text} for n, text in enumerate(answers, 1)]
    return _references({"references": listed}, "references")


def _answers(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The answers of a line, with what is put behind its id: one, or both of a pair."""
    if not any(name in row for name in ANSWER) and all(isinstance(row.get(name), dict) for name in PAIR):
        return [(f".{name}", _answer(row[name])) for name in PAIR]
    return [("", _answer(row))]


def _answer(row: Mapping[str, Any]) -> str:
    name = next((one for one in ANSWER if row.get(one) is not None), ANSWER[0])
    if not isinstance(row.get(name), str):
        raise BadInput(f"there is no “{name}”, which must be text.")
    return str(row[name])


def _references(row: Mapping[str, Any], *names: str) -> tuple[Reference, ...]:
    from ..engines.retrieval.given import references_from

    name = next(one for one in names if row.get(one) is not None)
    if not isinstance(row[name], list):
        raise BadInput(f"“{name}” must be a list of texts or objects.")
    return tuple(references_from([_whole(one) for one in row[name]], f"“{name}”"))


def _whole(item: Any) -> Any:
    """A search's result may be a title and no more: then that is its text."""
    from ..engines.retrieval.items import TEXT_NAMES

    if isinstance(item, dict) and isinstance(item.get("title"), str) and not any(item.get(name) for name in TEXT_NAMES):
        return {**item, "text": item["title"]}
    return item

"""The questions of a batch, and the answers to verify: one object per line, with field
names that other tools use too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from ...sessions.errors import bad_input
from ...sessions.events import Reference
from ...texts import t
from ..batches.lines import BatchLine, read_lines, text_of, texts_of
from ..figures.items import ANSWERS, cluster_of, id_of
from ..figures.rows import Row
from ..metrics.values import first_in
from ..starting import Wishes
from .gold import Gold, gold_of
from .plan import ACCEPTED_ID
from .starting import nuggets_of, sources

QUESTION_FORM = '{"id": "…", "question": "…"}'
ANSWER_FORM = '{"question": "…", "answer": "…", "references": ["…"]}'

QUESTION = ("question", "user_input", "query", "input", "prompt", "problem")
ANSWER = (*ANSWERS, "result")
REFERENCES = (
    *("references", "retrieved_contexts", "contexts", "retrieved_context", "context"),
    *("source_documents", "source_nodes", "documents"),
)
ACCEPTED = (
    "answers",
    "ground_truth",
    "ground_truths",
    "gt_answer",
    "reference",
    "reference_answer",
)
"""Our own name first, then those of ragas, RAGChecker, LangChain, LlamaIndex and
others. `reference` is ragas's for the accepted answer.
"""

GOLD = ("gold", "reference_contexts")
"""Gold passages; the second is ragas's name."""

PAIR = ("model1", "model2")
"""Two answers to one question, as in RAGChecker's data of human preferences."""


@dataclass(frozen=True)
class QuestionLine(BatchLine):
    """One question of a batch."""

    stored_as: ClassVar[str] = "Question"
    question: str
    wishes: Wishes
    references: tuple[Reference, ...] | None = None
    """Its own, which may be none at all (empty); None: what the options say."""
    answer: str | None = None
    """To be verified; None: the question is to be answered."""
    gold: tuple[Gold, ...] = ()
    """What retrieval should find; empty: unknown."""
    nuggets: tuple[dict[str, Any], ...] = ()
    """What the answer should contain, {text, vital}; empty: unknown."""
    answerable: bool | None = None
    """Whether the references have an answer; None: unknown."""
    negative: str | None = None
    """A bad answer is wanted, of this kind; None: a good one."""

    @property
    def wanted(self) -> Wishes | None:
        if self.empty:
            return None
        task = {
            "references": self.references,
            "answer": self.answer,
            "answers": self.answers or None,
            "gold": [one.as_json() for one in self.gold] or None,
            "nuggets": list(self.nuggets) or None,
            "answerable": self.answerable,
            "negative": self.negative,
        }
        return self.wishes.about(question=self.question, **task)

    @property
    def task(self) -> Mapping[str, Any]:
        task: dict[str, object] = {
            "question": self.question,
            "answers": list(self.answers),
            "gold": [passage.as_json() for passage in self.gold],
        }
        task = {name: value for name, value in task.items() if value}
        if self.references is not None:
            task["references"] = [msgspec.to_builtins(each) for each in self.references]
        return task

    @property
    def about(self) -> str:
        return " ".join(self.question.split())

    @property
    def empty(self) -> bool:
        """Return True if the answer has no text, so that there is nothing to verify."""
        return self.answer is not None and not self.answer.strip()


OWN = frozenset(
    {"id", "cluster", "question", "answers", "references", "nuggets", "negative"}
    | {"answerable", *GOLD}
)
"""Fields of a question line that are not options of its session."""
OF_RAGAS = frozenset(
    {
        "user_input",
        "reference",
        "response",
        "retrieved_contexts",
        "retrieved_context_ids",
        "reference_context_ids",
        "multi_responses",
    }
    | {
        "rubrics",
        "rubric",
        "persona_name",
        "query_style",
        "query_length",
        "synthesizer_name",
    }
)
"""Fields of a line of ragas's test sets, which has its question under `user_input`.

What a question has no use for is skipped.
"""


def read_questions(
    path: Path, base: Wishes, left_out: list[str] | None = None
) -> list[QuestionLine]:
    """Read the questions to answer. Faulty lines are reported as by `read_lines`."""

    def read(row: Row, number: int, where: str) -> Iterable[QuestionLine]:
        theirs = "user_input" in row and "question" not in row
        own = {
            name: value
            for name, value in row.items()
            if name not in (OWN | OF_RAGAS if theirs else OWN)
        }
        listed = (
            _references(row, "references")
            if row.get("references") is not None
            else None
        )
        wishes = (base.less("where") if listed is not None else base).with_line(
            own, OWN
        )
        if listed is not None and sources(wishes):
            raise bad_input("wrong.question.references_or", sources=sources(wishes)[0])
        yield QuestionLine(
            id_of(row, number),
            texts_of(row, *(("answers", "reference") if theirs else ("answers",))),
            where,
            text_of(row, "user_input" if theirs else "question"),
            wishes,
            listed,
            gold=_gold(row),
            nuggets=_nuggets(row),
            answerable=row.get("answerable"),
            negative=row.get("negative"),
            named_cluster=cluster_of(row),
        )

    return read_lines(path, read, QUESTION_FORM, left_out)


def read_answers(
    path: Path, base: Wishes, left_out: list[str] | None = None
) -> tuple[list[QuestionLine], list[str]]:
    """Read the answers to verify. Also return a sentence for each that cannot be
    verified; it stays in the list.

    An answer that is empty or null counts as wrong. An empty list of references means
    none: the answer is scored and not verified. The id of a line without one is its
    number. Unknown fields are ignored, because they come from other tools. Faulty lines
    are reported as by `read_lines`.
    """
    remarks = []

    def read(row: Row, number: int, where: str) -> Iterable[QuestionLine]:
        name, question, accepted, gold = (
            id_of(row, number),
            text_of(row, *QUESTION),
            texts_of(row, *ACCEPTED),
            _gold(row),
        )
        listed, nuggets = None, _nuggets(row)
        if any(row.get(one) is not None for one in REFERENCES):
            listed = _references(row, *REFERENCES)
        elif not sources(base):
            listed = _accepted(accepted)
        wishes = base.less("where") if listed is not None else base
        for end, answer in _answers(row):
            line = QuestionLine(
                name + end,
                accepted,
                where,
                question,
                wishes,
                listed,
                answer,
                gold,
                nuggets,
                row.get("answerable"),
                named_cluster=cluster_of(row),
            )
            if line.empty:
                remarks.append(
                    t("wrong.question.empty_answer", where=where, name=name, end=end)
                )
            elif listed == ():
                remarks.append(
                    t("wrong.question.unverified", where=where, name=name, end=end)
                )
            yield line

    return read_lines(path, read, ANSWER_FORM, left_out), remarks


def _nuggets(row: Row) -> tuple[dict[str, object], ...]:
    """Return the facts that the answer to a line should contain. Raises: BadInput."""
    given = row.get("nuggets")
    if given is None:
        return ()
    return tuple(nuggets_of(given if isinstance(given, list) else [given]))


def _accepted(answers: tuple[str, ...]) -> tuple[Reference, ...]:
    """Return the accepted answers as references."""
    if not answers:
        raise bad_input("wrong.question.line_references")
    listed = [
        {"id": f"{ACCEPTED_ID}{n}", "title": "Accepted answer", "text": text}
        for n, text in enumerate(answers, 1)
    ]
    return _references({"references": listed}, "references")


def _answers(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the answers of a line, each with a suffix for its id: one, or both of a
    pair.
    """
    if not any(name in row for name in ANSWER) and all(
        isinstance(row.get(name), dict) for name in PAIR
    ):
        return [(f".{name}", _answer(row[name])) for name in PAIR]
    return [("", _answer(row))]


def _answer(row: Mapping[str, object]) -> str:
    """Return the text of an answer; null means a missing answer, like an empty one.

    Raises: BadInput without the field, or for another type.
    """
    name = next((one for one in ANSWER if row.get(one) is not None), ANSWER[0])
    if row.get(name) is None and any(one in row for one in ANSWER):
        return ""
    if not isinstance(row.get(name), str):
        raise bad_input("wrong.lines.no_text", name=name)
    return str(row[name])


def _gold(row: Mapping[str, object]) -> tuple[Gold, ...]:
    return gold_of(first_in(row, GOLD))


def _references(row: Mapping[str, Any], *names: str) -> tuple[Reference, ...]:
    from ..retrieval.given_references import references_from

    name = next(name for name in names if row.get(name) is not None)
    if not isinstance(row[name], list):
        raise bad_input("wrong.question.list", name=name)
    if not row[name]:
        return ()
    return tuple(references_from([_whole(one) for one in row[name]], f"“{name}”"))


def _whole(item: Any) -> Any:
    """If a search result is only a title, use the title as its text."""
    from ..retrieval.items import TEXT_NAMES, unwrapped

    item = unwrapped(item)

    if (
        isinstance(item, dict)
        and isinstance(item.get("title"), str)
        and not any(item.get(name) for name in TEXT_NAMES)
    ):
        return {**item, "text": item["title"]}
    return item

"""A batch of questions, each with several answers to rank: its lines, and the mean rank of every answer by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...sessions.errors import BadInput
from ...sessions.events.rank import RankResult
from ...sessions.session import Session
from ...texts import t
from ..batches.gates import COMMON, Figure
from ..batches.kind import BatchKind, StandIns
from ..batches.lines import Line, cluster_of, id_of, read_lines, text_of, texts_of
from ..batches.report import (
    Loss,
    Row,
    by_in_words,
    clustered,
    clustered_means,
    left_out_in_words,
    states_in_words,
    totals,
    totals_in_words,
    verified_by,
)
from ..batches.rows import Row as JsonRow
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..starting import Wishes
from .engine import RankEngine
from .plan import RANKER
from .settings import CRITERIA, QUALITY
from .tasks import RankAnswers

FORM = '{"question": "…", "answers": [{"name": "…", "text": "…"}, …]}'
REASON = "This is a reason. " * 12

QUESTION = ("question", "user_input", "query")
ACCEPTED = ("accepted", "ground_truth", "ground_truths", "gt_answer", "reference")
REFERENCES = ("references", "retrieved_contexts", "contexts", "retrieved_context")
PAIR = ("model1", "model2")
"""Two answers to one question, as in RAGChecker's data of human preferences."""
OWN = frozenset({"id", "answers", "cluster", *QUESTION, *ACCEPTED, *REFERENCES})


@dataclass(frozen=True)
class Question(Line):
    """One question with the answers to rank. `answers` of `Line` are those known to be right."""

    question: str
    wishes: Wishes
    ranked: tuple[Mapping[str, Any], ...]
    references: tuple[Any, ...] | None = None

    @property
    def wanted(self) -> Wishes:
        return self.wishes.about(
            question=self.question,
            answers=list(self.ranked),
            accepted=list(self.answers) or None,
            references=list(self.references) if self.references else None,
        )

    @property
    def about(self) -> str:
        return " ".join(self.question.split())


def read_questions(
    path: Path, base: Wishes, left_out: list[str] | None = None
) -> list[Question]:
    """The questions of a file with their answers. A pair as in RAGChecker's data is read, too, its further fields passed over.

    What is wrong with lines as for `read_lines`.
    """

    def read(row: JsonRow, number: int, where: str) -> Iterable[Question]:
        paired = "answers" not in row and all(
            isinstance(row.get(name), dict) for name in PAIR
        )
        own = (
            {}
            if paired
            else {name: value for name, value in row.items() if name not in OWN}
        )
        listed = next(
            (row[name] for name in REFERENCES if row.get(name) is not None), None
        )
        if listed is not None and not isinstance(listed, list):
            raise BadInput(t("wrong.question.list", name="references"))
        yield Question(
            id_of(row, number),
            texts_of(row, *ACCEPTED),
            where,
            text_of(row, *QUESTION),
            base.with_line(own),
            tuple(_pair(row) if paired else _answers(row.get("answers"))),
            None if listed is None else tuple(listed),
            named_cluster=cluster_of(row),
        )

    return read_lines(path, read, FORM, left_out)


def _answers(given: Any) -> list[Mapping[str, Any]]:
    """A list of objects, or an object of name and text."""
    if isinstance(given, dict) and all(
        isinstance(text, str) for text in given.values()
    ):
        return [{"name": name, "text": text} for name, text in given.items()]
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadInput(t("wrong.rank.answers"))
    return list(given)


def _pair(row: JsonRow) -> list[Mapping[str, Any]]:
    """Two answers under their models' names; under `model1` and `model2` where those are the same or missing."""
    names = [row[name].get("model_name") for name in PAIR]
    told = (
        names
        if all(isinstance(name, str) and name for name in names)
        and len(set(names)) == len(names)
        else list(PAIR)
    )
    texts = [row[name].get("response", row[name].get("text")) for name in PAIR]
    return [
        {"name": name, "text": text} for name, text in zip(told, texts, strict=True)
    ]


class RankStandIns(StandIns):
    """A reason and scores."""

    @property
    def typical(self) -> str:
        return t("report.estimate.reasoning", tokens=tokens_of(REASON))

    def engine(self, session: Session) -> RankEngine:
        return RankEngine()

    def ordinary(self, task: Task, *, decides: bool) -> str:
        return _reply(task, REASON)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        return _reply(task, filled)


def _reply(task: Task, reason: str) -> str:
    assert isinstance(task, RankAnswers)
    return json.dumps(
        {"reason": reason}
        | {f"answer{n}": 0.5 for n in range(1, len(task.answers) + 1)}
    )


class Questions(BatchKind):
    """One ranking for each question."""

    many = "rankings"
    line_types = (Question,)
    figures = {
        **{
            f"high_quality.{name}": Figure(f"criteria.{name}.*.high_quality")
            for name in QUALITY
        },
        **{f"consistent.{name}": Figure(f"consistent.{name}") for name in CRITERIA},
        **COMMON,
    }
    stand_ins = RankStandIns()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[Question], list[str]]:
        return read_questions(path, wishes, left_out), []

    def details(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        return [{} for _ in rows]

    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        made = []
        for row in rows:
            result = row.result if isinstance(row.result, RankResult) else None
            if result is None or row.status != "done":
                made.append(
                    Loss(
                        row,
                        row.status if row.status != "done" else "failed",
                        ("criteria",),
                    )
                )
            elif result.unread:
                made.append(
                    Loss(
                        row,
                        "unread",
                        tuple(f"criteria.{name}" for name in result.unread),
                    )
                )
        return made

    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Totals; for each criterion and name the mean rank, place and score, and the share of high quality."""
        return {
            **totals(rows),
            "verified_by": verified_by(rows, RANKER),
            "unread": sum(row.unread for row in rows),
            "criteria": {
                name: found for name in CRITERIA if (found := _criterion(rows, name))
            },
            "consistent": {
                name: alike for name in CRITERIA if (alike := _consistent(rows, name))
            },
            "left_out": [loss.as_json() for loss in self.losses(rows)],
        }

    def in_words(self, report: dict[str, Any]) -> str:
        lines = [
            states_in_words(
                report,
                "questions",
                by_in_words("ranked", report["verified_by"], RANKER),
            )
        ]
        for criterion, found in report["criteria"].items():
            ordered = sorted(found.items(), key=lambda pair: pair[1]["rank"]["value"])
            lines.append(t("report.batch.ranked", criterion=t(f"ranked.{criterion}")))
            lines += [_in_words(name, one) for name, one in ordered]
        lines += [
            t(
                "report.batch.consistent",
                criterion=t(f"ranked.{name}"),
                share=one["value"],
            )
            for name, one in report["consistent"].items()
        ]
        return "\n".join(
            [*lines, *left_out_in_words(report["left_out"]), totals_in_words(report)]
        )


def _results(rows: Sequence[Row]) -> list[tuple[Line, RankResult]]:
    return [
        (row.line, row.result)
        for row in rows
        if row.status == "done" and isinstance(row.result, RankResult)
    ]


def _criterion(rows: Sequence[Row], criterion: str) -> dict[str, Any]:
    """Name to its figures under a criterion, over the questions where it has a rank."""
    known = [(line, one) for line, one in _results(rows) if criterion in one.ranks]
    made: dict[str, Any] = {}
    for name in dict.fromkeys(
        name for _, one in known for name in one.ranks[criterion]
    ):
        of = [(line, one) for line, one in known if name in one.ranks[criterion]]
        most = max(len(one.ranks[criterion]) for _, one in of)
        made[name] = {
            "rank": clustered_means(
                [(line, one.ranks[criterion][name]) for line, one in of], 1, most
            ),
            "place": clustered_means(
                [(line, float(one.places[criterion][name])) for line, one in of],
                1,
                most,
            ),
            "score": clustered_means(
                [(line, one.scores[criterion][name]) for line, one in of], 0, 1
            ),
        }
        if criterion in QUALITY:
            made[name]["high_quality"] = clustered(
                [(line, one.high_quality[criterion][name]) for line, one in of]
            )
    return made


def _consistent(rows: Sequence[Row], criterion: str) -> dict[str, Any] | None:
    return clustered_means(
        [
            (line, one.consistent[criterion])
            for line, one in _results(rows)
            if criterion in one.consistent
        ],
        0,
        1,
    )


def _in_words(name: str, one: Mapping[str, Any]) -> str:
    rank, place = one["rank"], one["place"]["value"]
    good = (
        t("report.batch.high_quality", share=one["high_quality"]["value"])
        if "high_quality" in one
        else ""
    )
    interval = (
        ""
        if rank["low"] is None
        else t("report.batch.rank_interval", low=rank["low"], high=rank["high"])
    )
    return t(
        "report.batch.rank",
        name=name,
        of=rank["of"],
        rank=rank["value"],
        interval=interval,
        place=place,
        good=good,
    )

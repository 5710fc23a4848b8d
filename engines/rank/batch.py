"""A batch of questions, each with several answers to rank: its lines, and the mean rank
of every answer by name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from ...sessions.errors import bad_input
from ...sessions.events.rank import Ranking, RankResult
from ...sessions.session import Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..batches.lines import BatchLine, read_lines, text_of, texts_of
from ..batches.report import SummaryRow
from ..figures.aggregate import Aggregate
from ..figures.items import cluster_of, id_of
from ..figures.measure import Measure
from ..figures.rows import Row as JsonRow
from ..judges.flips import Verdict
from ..judges.items import AuditItem
from ..judges.probes import ProbedItem
from ..judges.seats import JudgingSeat, called, last
from ..metrics.presentation_order import presentation_order
from ..metrics.values import first_in
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..reports.batch import BatchReport, Breakdown, figure_cell
from ..reports.document import Cell, DataTable, number_column, text_column
from ..starting import Wishes
from ..step import Engine
from .blocks import criterion_name
from .measures import KINDS, by_answer, measures
from .plan import CRITERIA, RANKER
from .reading import RANK_ENGINE, RankAnswers

FORM = '{"question": "…", "answers": [{"name": "…", "text": "…"}, …]}'
REASON = "This is a reason. " * 12

QUESTION = ("question", "user_input", "query")
ACCEPTED = ("accepted", "ground_truth", "ground_truths", "gt_answer", "reference")
REFERENCES = ("references", "retrieved_contexts", "contexts", "retrieved_context")
PAIR = ("model1", "model2")
"""Two answers to one question, as in RAGChecker's data of human preferences."""
OWN = frozenset({"id", "answers", "cluster", *QUESTION, *ACCEPTED, *REFERENCES})


@dataclass(frozen=True)
class RankLine(BatchLine):
    """One question with the answers to rank.

    `answers` of `BatchLine` are those known to be right.
    """

    stored_as: ClassVar[str] = "Question"
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
) -> list[RankLine]:
    """The questions of a file with their answers.

    A pair as in RAGChecker's data is read, too, its further fields skipped.

    What is wrong with lines as for `read_lines`.
    """

    def read(row: JsonRow, number: int, where: str) -> Iterable[RankLine]:
        paired = "answers" not in row and all(
            isinstance(row.get(name), dict) for name in PAIR
        )
        own = (
            {}
            if paired
            else {name: value for name, value in row.items() if name not in OWN}
        )
        listed = first_in(row, REFERENCES)
        if listed is not None and not isinstance(listed, list):
            raise bad_input("wrong.question.list", name="references")
        yield RankLine(
            id_of(row, number),
            texts_of(row, *ACCEPTED),
            where,
            text_of(row, *QUESTION),
            base.with_line(own, OWN),
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
        raise bad_input("wrong.rank.answers")
    return list(given)


def _pair(row: JsonRow) -> list[Mapping[str, Any]]:
    """Two answers under their models' names; under `model1` and `model2` where those
    are the same or missing.
    """
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

    def engine(self, session: Session) -> Engine:
        return RANK_ENGINE

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


class RankBatch(BatchKind):
    """One ranking for each question."""

    many = "rankings"
    line_types = (RankLine,)
    judged_by = (RANKER,)
    verdict = "correctness"
    verb = "ranked"
    stand_ins = RankStandIns()
    own = staticmethod(measures)

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[RankLine], list[str]]:
        return read_questions(path, wishes, left_out), []

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown:
        """The figures of every answer under every criterion."""
        results = [
            (row.item, row.result)
            for row in rows
            if row.item is not None and isinstance(row.result, RankResult)
        ]
        return Breakdown(criteria=by_answer(results))

    def tables(self, report: BatchReport) -> list[DataTable]:
        """A table for each criterion, the best mean rank first."""
        own = self.measures
        return [
            _ranked(criterion, answers, own)
            for criterion, answers in report.breakdown.criteria.items()
        ]


def _ranked(
    criterion: str,
    answers: Mapping[str, Mapping[str, Aggregate]],
    measures: Mapping[str, Measure],
) -> DataTable:
    kinds = [kind for kind in KINDS if any(kind in each for each in answers.values())]
    columns = [
        text_column("report.ranked.answer", "answer"),
        *(number_column(f"report.ranked.{kind}", kind) for kind in kinds),
        number_column("report.ranked.questions", "n"),
    ]
    rows: list[list[Cell | str]] = []
    for name in sorted(answers, key=lambda name: _mean_rank(answers[name])):
        figures = answers[name]
        cells = [
            figure_cell(measures[f"{kind}_{criterion}"], figures.get(kind))
            for kind in kinds
        ]
        n = figures["rank"].n if "rank" in figures else 0
        rows.append([name, *cells, Cell(f"{n:,}", n)])
    title = t("report.ranked.by", criterion=criterion_name(criterion))
    return DataTable(title, columns, rows, [t("report.ranked.ties")])


def _mean_rank(figures: Mapping[str, Aggregate]) -> float:
    value = figures["rank"].value if "rank" in figures else None
    if value is None:
        return math.inf
    return value


CRITERION = "correctness"


def _audited_answers(item: AuditItem) -> dict[str, Any]:
    given = item.fields
    return {name: given[name] for name in ("question", "answers")} | {
        "accepted": given.get("accepted")
    }


def _seeded(item: AuditItem, shown: ProbedItem) -> dict[str, object]:
    """The seed that shows the answers in the order of the item as it is, or in the
    opposite one: else the order by chance would change with every text.
    """
    wanted = _shown(item, 0)
    wanted = wanted[::-1] if shown.turned else wanted
    return {"seed": next(n for n in count() if _shown(shown.item, n) == wanted)}


def _shown(item: AuditItem, seed: int) -> list[str]:
    texts = {one["name"]: one["text"] for one in item.fields["answers"]}
    return presentation_order(texts, seed, item.fields["question"].strip(), CRITERION)


def _audit_verdict(item: AuditItem, session: Session) -> Verdict:
    """Right where the best answer stands alone at the top."""
    said = last(session, Ranking)
    if said is None or not said.order:
        return "unread"
    first = said.order[0]
    if not isinstance(first, str):
        return "undecided" if item.fields["best"] in first else "wrong"
    return called(first == item.fields["best"])


def _planted(item: AuditItem, good: bool) -> dict[str, object]:
    """Full marks for all but the best answer."""
    return {
        f"answer{n}": float(one["name"] != item.fields["best"])
        for n, one in enumerate(item.fields["answers"], 1)
    }


SEATS = {
    "ranker": JudgingSeat(
        RANKER,
        "rank",
        "questions",
        _audited_answers,
        _audit_verdict,
        _planted,
        {"without": [name for name in CRITERIA if name != CRITERION]},
        options=_seeded,
        certifies=CRITERION,
    )
}


BATCHES: dict[str, BatchKind] = {"questions": RankBatch()}

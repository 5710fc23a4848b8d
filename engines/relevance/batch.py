"""A batch of pairs: a query with one candidate each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...prompts.demonstrations import load
from ...sessions.events import ReplyEvent
from ...sessions.paths import paths
from ...sessions.session import Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..batches.report import SummaryRow, figures_of
from ..cases.measures import (
    MEASURES,
    PLAIN,
    SCALES,
    judged_at,
    judged_level,
    known_level,
)
from ..cases.rating import GOLD, MACHINE
from ..cases.task import gold
from ..figures import common
from ..figures.aggregate import Aggregate
from ..figures.wording import measure_name
from ..metrics.compare import margins, rates, singles
from ..metrics.levels import LEVELS
from ..models.port import Task
from ..reports.agreement import level_tables, rates_table, single_notes
from ..reports.batch import BatchReport, Breakdown, figure_cell
from ..reports.document import Cell, DataColumn, DataTable, text_column
from ..starting import Wishes
from .engine import RelevanceEngine
from .messages import ExtractFacts, JudgeFactsTask
from .pairs import AnnotationRuns, PairLine, read_pairs

REASON = "This is a reason. " * 12
FACT = "This is one of the facts of a case, which a sentence tells. "
FACTS = 8
MOST_FACTS = 300
"""Facts of one reply: with more it is not read as a list of facts."""


class RelevanceStandIns(StandIns):
    """Generates a typical number of facts, and judges every candidate relevant."""

    @property
    def typical(self) -> str:
        return t("report.estimate.facts", n=FACTS)

    def __init__(self) -> None:
        self._engine = RelevanceEngine(lambda name: load(name, paths().demonstrations))

    def engine(self, session: Session) -> RelevanceEngine:
        return self._engine

    def ordinary(self, task: Task, *, decides: bool) -> str:
        match task:
            case ExtractFacts():
                mark = hashlib.sha256(
                    "\n".join([task.text, *task.material]).encode()
                ).hexdigest()[:8]
                return json.dumps(
                    {"facts": [f"{FACT}({mark}, {n})" for n in range(FACTS)]}
                )
            case JudgeFactsTask():
                return json.dumps({"reason": REASON, "relevant": True})
        raise TypeError(type(task).__name__)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        match task:
            case ExtractFacts():
                count = max(1, min(MOST_FACTS, len(filled) // 2))
                return json.dumps(
                    {
                        "facts": [
                            f"{n} {filled[: len(filled) // count + 1]}"
                            for n in range(count)
                        ]
                    }
                )
            case JudgeFactsTask():
                return json.dumps({"reason": filled, "relevant": True})
        return self.ordinary(task, decides=decides)


EXTRACTIONS, JUDGEMENTS = 4, 2
"""Calls of a pair whose cases are new: material and legal facts of both cases, and two
judgements.
"""
CONFUSION = "labels_and_levels"
"""Tally of the labels and levels of pairs: `3/1` is label 3, judged 1."""
BY_TEMPERATURE = (
    "scored",
    "level_right",
    *(f"reliability_{one.name}" for one in SCALES),
    *(f"validity_{one.name}" for one in SCALES),
)


class RelevanceBatch(BatchKind):
    """One session for each pair, and for each temperature and repeat."""

    many = "pairs"
    line_types = (PairLine,)
    judged_by = ("annotator", "extractor")
    verdict = "level"
    quiet = (*common.LENIENT, *(f"raw_agreement_{one.name}" for one in PLAIN))
    stand_ins = RelevanceStandIns()
    own = staticmethod(lambda: MEASURES)

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[PairLine], list[str]]:
        return read_pairs(path, wishes, AnnotationRuns(), left_out), []

    @staticmethod
    def tallies(session: Session) -> Mapping[str, Mapping[str, int]]:
        """Return levels, labels, their agreement, and the calls saved by shared
        cases.
        """
        level, labels = judged_level(session), list(gold(session).values())
        both = {} if level is None else {f"{label}/{level}": 1 for label in labels}
        return {
            "scores": _counted([level]),
            "labels": _counted(labels),
            CONFUSION: both,
            **_sharing(session),
        }

    def details(self, row: SummaryRow) -> Mapping[str, object]:
        level = row.whole("ties_broken")
        return {
            "level": None if level is None or level.value is None else int(level.value),
            "label": None if row.item is None else known_level(row.item),
        }

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown:
        """Return the agreement of repeats by temperature; none if each pair is judged
        once.
        """
        by_temperature: dict[str, list[SummaryRow]] = {}
        for row in rows:
            temperature, _ = judged_at(row.line.id)
            by_temperature.setdefault(temperature, []).append(row)
        repeated = any(judged_at(row.line.id)[1] for row in rows)
        if len(by_temperature) < 2 and not repeated:
            return Breakdown()
        measures = {name: MEASURES[name] for name in BY_TEMPERATURE}
        figures = {
            temperature: figures_of(part, measures).figures
            for temperature, part in by_temperature.items()
        }
        return Breakdown(temperatures=figures)

    def tables(self, report: BatchReport) -> list[DataTable]:
        temperatures = report.breakdown.temperatures
        return [
            *_against_labels(report.tallies.get(CONFUSION, {})),
            *([_by_temperature(temperatures)] if temperatures else []),
        ]


def _counted(levels: Sequence[int | None]) -> dict[str, int]:
    return {str(level): levels.count(level) for level in LEVELS}


def _sharing(session: Session) -> dict[str, dict[str, int]]:
    """Return the replies, the cached replies, and the calls of a pair that shares no
    case.
    """
    settings = session.header.settings
    if "extraction" not in settings:
        return {}
    made = [event for event in session.events if isinstance(event, ReplyEvent)]
    calls = JUDGEMENTS + (EXTRACTIONS if session.setting("extraction") else 0)
    cached = sum(event.cached for event in made)
    counts = {"replies": len(made), "from_cache": cached, "calls_unshared": calls}
    return {"sharing": counts}


def _against_labels(counts: Mapping[str, int]) -> list[DataTable]:
    """Tables of levels (down) and labels (across), and base rates."""
    if not counts:
        return []
    table = [
        [counts.get(f"{label}/{level}", 0) for label in LEVELS] for level in LEVELS
    ]
    names = (MACHINE, GOLD)
    notes = single_notes(singles(names, table), sum(counts.values()))
    base = [rates(margin) for margin in margins(table)]
    return [*level_tables(*names, table), rates_table(names, base, notes)]


def _by_temperature(figures: Mapping[str, Mapping[str, Aggregate]]) -> DataTable:
    """Figures of each temperature: a row for each measure."""
    names = [
        name
        for name in BY_TEMPERATURE
        if any(name in each for each in figures.values())
    ]
    columns = [text_column("report.pairs.figure", "measure")]
    for temperature in figures:
        title = t("report.pairs.temperature", temperature=temperature)
        columns.append(
            DataColumn(title if temperature else t("report.pairs.all"), "number")
        )
    rows = [
        [
            Cell(measure_name(name), name),
            *(figure_cell(MEASURES[name], each.get(name)) for each in figures.values()),
        ]
        for name in names
    ]
    notes = [t("report.pairs.undefined")]
    return DataTable(t("report.pairs.by_temperature"), columns, rows, notes)


BATCHES: dict[str, BatchKind] = {"pairs": RelevanceBatch()}

"""Runs as a table: one row for each item of each run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...sessions.events import ReplyEvent
from ...sessions.session import Session
from .aggregate import of_session
from .common import ACCEPTED_BY_MODEL, answer_of, listed
from .items import asked
from .measure import Measure
from .rated import RATED
from .runs import Run, RunItem

Value = str | int | float | bool | None
FIRST = (
    *("run", "method", "id", "repeat", "cluster", "file", "status", "error"),
    *("asked", "accepted", "answer", "models"),
)
"""The columns before those of measures."""
TEXTS = ("error", "asked", "accepted", "answer")
"""The columns that hold what people and models wrote."""
STATE = "_state"
"""Behind the name of a measure: why an item has no value, or how it counts."""


@dataclass(frozen=True)
class ItemFrame:
    """The rows under their columns."""

    columns: tuple[str, ...]
    rows: list[dict[str, Value]]

    def without_texts(self) -> ItemFrame:
        """Only figures, states and what identifies an item. Clusters, which may be
        questions, are numbered.
        """
        columns = tuple(name for name in self.columns if name not in TEXTS)
        known = dict.fromkeys(row["cluster"] for row in self.rows)
        numbers = {cluster: number for number, cluster in enumerate(known, 1)}
        rows: list[dict[str, Value]] = [
            {name: row[name] for name in columns if name in row}
            | {"cluster": numbers[row["cluster"]]}
            for row in self.rows
        ]
        return ItemFrame(columns, rows)


def item_frame(
    runs: Sequence[Run], measures: Mapping[str, Mapping[str, Measure]]
) -> ItemFrame:
    """One row an item: what it is, its answer, and each measure with its state.

    `measures`: by method, "" for outputs of other programs. A share is 0 or 1. A
    measure that applies to no item has no column. Numbers and flags of the item's own
    line, such as those of a data set, keep their names.
    """
    rows = [row for run in runs for row in _rows(run, measures)]
    names = dict.fromkeys(name for row in rows for name in row)
    further = (name for name in names if name not in FIRST)
    return ItemFrame((*FIRST, *further), rows)


def _rows(
    run: Run, measures: Mapping[str, Mapping[str, Measure]]
) -> Iterator[dict[str, Value]]:
    for case in run.cases.values():
        method = case.session.method if case.session.header.lineup else ""
        row = _about(run, case, method)
        row |= _own_numbers(case)
        for name, measure in measures.get(method, {}).items():
            measured = of_session(measure.of(case.session, case.item))
            if measured is not None:
                row |= {name: measured.value, name + STATE: measured.state}
        yield row


def _about(run: Run, case: RunItem, method: str) -> dict[str, Value]:
    session, item = case.session, case.item
    repeat = session.header.task.get("repeat")
    answer = answer_of(session).text if case.status == "done" else None
    return {
        "run": run.name,
        "method": method or None,
        "id": item.id,
        "repeat": repeat if isinstance(repeat, int) else None,
        "cluster": item.cluster,
        "file": None if case.path is None else case.path.name,
        "status": case.status,
        "error": case.error,
        "asked": asked(item.fields) or None,
        "accepted": " / ".join(listed(item, "answers")) or None,
        "answer": answer,
        "models": ", ".join(_models(session)) or None,
    }


def _models(session: Session) -> Iterable[str]:
    """The models that answered."""
    events = (event for event in session.events if isinstance(event, ReplyEvent))
    return dict.fromkeys(event.model for event in events if event.model)


def _own_numbers(case: RunItem) -> dict[str, Value]:
    """The numbers and flags that the item's own line has."""
    taken = {*FIRST, ACCEPTED_BY_MODEL, RATED}
    return {
        name: value
        for name, value in case.item.fields.items()
        if isinstance(value, int | float) and name not in taken
    }

"""Rebuilds the report of a run from the sessions in its folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...sessions.errors import bad_input
from ...sessions.files import REPORT
from ..figures.common import listed
from ..figures.runs import Run, RunItem, read_run
from ..reports.batch import BatchReport, EquivalenceCounts
from .batch import Player
from .batch_snapshot import BatchSnapshot
from .changes import changes_in
from .kind import BatchKind
from .lines import BatchLine
from .report import SummaryRow, report_of


class FinishedRun(NamedTuple):
    """A run, its lines and their report."""

    run: Run
    kind: BatchKind
    rows: list[SummaryRow]
    report: BatchReport


def read_finished(
    folder: Path,
    player: Callable[[str], Player],
    silence: Iterable[str] = (),
) -> FinishedRun:
    """The run in a batch's folder.

    `player`: returns a method by name. `silence`: ids of warnings to hide, in addition
    to those hidden in its own report. Judges are not included. Figures are computed
    from the current sessions: a deleted one counts as not finished. Raises: BadInput,
    SessionError.
    """
    if not folder.is_dir():
        raise bad_input("wrong.gates.no_folder", path=folder)
    run = read_run(folder)
    following = BatchSnapshot(folder).look()
    began = following.began
    methods = run.methods or ((began.method,) if began is not None else ())
    if len(methods) != 1:
        raise bad_input("wrong.gates.no_method", path=folder)
    kinds = player(methods[0]).batches
    named = began.kind if began is not None else ""
    kind = kinds.get(named) or next(iter(kinds.values()))
    rows = [_row(case, kind) for case in run.cases.values()]
    more = _beside(folder)
    skipped = began.skipped if began is not None else 0
    more["skipped"] = max(skipped, more.get("skipped", 0))
    more["changes"] = changes_in(folder)
    more["silence"] = {*silence, *more.pop("silenced", ())}
    return FinishedRun(run, kind, rows, report_of(rows, kind, more))


def _row(case: RunItem, kind: BatchKind) -> SummaryRow:
    line = BatchLine(
        case.item.id, listed(case.item, "answers"), "", named_cluster=case.item.cluster
    )
    row = SummaryRow(line)
    row.take(case.session, kind, case.item)
    row.status, row.error = case.status, case.error
    row.empty = case.status == "done" and case.path is None
    return row


def _beside(folder: Path) -> dict[str, Any]:
    """Return the facts that the run's own report has in addition to its lines."""
    try:
        report = json.loads((folder / REPORT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(report, Mapping):
        return {}
    types = {"skipped": int, "shard": dict, "equivalence": dict, "silenced": list}
    types["equivalence_prompts"] = str
    more = {
        name: report[name]
        for name, type_ in types.items()
        if isinstance(report.get(name), type_)
    }
    if "equivalence" in more:
        with suppress(msgspec.ValidationError):
            counts = msgspec.convert(more.pop("equivalence"), EquivalenceCounts)
            more["equivalence"] = counts
    return more

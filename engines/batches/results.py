"""The files that say what came of a batch: summary.jsonl, failures.jsonl, report.json,
report.html.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...sessions.clean import json_line
from ...sessions.files import FAILURES, PAGE, REPORT, SUMMARY, write_whole
from ...sessions.session import Session
from ..reports.batch import BatchReport, BatchWords, batch_document
from ..reports.document import ReportDocument
from ..reports.run_changes import local_time
from .batch_snapshot import BatchSnapshot
from .kind import BatchKind
from .report import SummaryRow, failures, report_of
from .report_items import items_of

Summary = list[dict[str, Any]]
"""The lines of summary.jsonl."""


def write_results(
    folder: Path, kind: BatchKind, rows: Sequence[SummaryRow], more: Mapping[str, Any]
) -> tuple[BatchReport, Summary]:
    """Writes all but the page; returns report and summary.

    `more`: fields of the report beside those of the rows. Raises: BadInput, WriteError.
    """
    report = report_of(rows, kind, more)
    summary = [row.summary(kind.measures) | dict(kind.details(row)) for row in rows]
    failed = failures(rows, report.left_out)
    as_json = json.dumps(report.as_json(), ensure_ascii=False, indent=1)
    write_whole(folder / SUMMARY, "".join(map(json_line, summary)))
    write_whole(folder / FAILURES, "".join(map(json_line, failed)))
    write_whole(folder / REPORT, as_json + "\n")
    return report, summary


def document_of(
    report: BatchReport,
    kind: BatchKind,
    title: str,
    rows: Sequence[SummaryRow] = (),
    session: Callable[[SummaryRow], Session | None] = lambda row: None,
    context: Sequence[str] = (),
) -> ReportDocument:
    """The report as a document; with `rows` also its lines.

    `session`: that of a row. `context`: lines on when and how it was made.
    """
    words = BatchWords(
        kind.many,
        kind.verb,
        kind.judged_by[0],
        kind.measures,
        kind.quiet,
        kind.tables(report),
    )
    return batch_document(report, title, words, items_of(rows, session), context)


def made(folder: Path) -> list[str]:
    """When the last run in a folder began, and its command; empty without a diary."""
    began = BatchSnapshot(folder).look().began
    if began is None:
        return []
    command = [began.command] if began.command else []
    return [local_time(began.time), *command]


def write_page(folder: Path, document: ReportDocument) -> None:
    """Writes report.html. Raises: BadInput, WriteError."""
    from ..reports.page import as_html

    write_whole(folder / PAGE, as_html(document))

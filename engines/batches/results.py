"""The files that say what came of a batch: summary.jsonl, failures.jsonl, report.json, report.html."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...sessions.clean import json_line
from ...sessions.files import write_whole
from ...sessions.session import Session
from .kind import BatchKind
from .report import Row, failures

SUMMARY, FAILURES, REPORT, PAGE = (
    "summary.jsonl",
    "failures.jsonl",
    "report.json",
    "report.html",
)

Summary = list[dict[str, Any]]
"""The lines of summary.jsonl."""


def write_results(
    folder: Path, kind: BatchKind, rows: Sequence[Row], more: Mapping[str, Any]
) -> tuple[dict[str, Any], Summary]:
    """Writes all but the page; returns report and summary. `more`: what the report says beside the rows. Raises: BadInput, WriteError."""
    report = {**kind.report(rows), **more}
    summary = [
        row.summary() | details
        for row, details in zip(rows, kind.details(rows), strict=True)
    ]
    write_whole(folder / SUMMARY, "".join(map(json_line, summary)))
    write_whole(
        folder / FAILURES, "".join(map(json_line, failures(rows, kind.losses(rows))))
    )
    write_whole(
        folder / REPORT, json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    )
    return report, summary


def write_page(
    folder: Path,
    words: str,
    rows: Sequence[Row],
    summary: Summary,
    session: Callable[[Row], Session | None],
) -> None:
    """Writes the page. `words`: the report for people; `session`: that of a row that is not empty. Raises: BadInput, WriteError."""
    from .page import Shown, page

    shown = [Shown(row, details) for row, details in zip(rows, summary, strict=True)]
    write_whole(
        folder / PAGE,
        page(
            folder.resolve().name,
            words,
            shown,
            lambda row: None if row.empty else session(row),
        ),
    )

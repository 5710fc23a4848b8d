"""The files that say what came of a batch: summary.jsonl, failures.jsonl, report.json,
report.html.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...sessions.clean import json_line
from ...sessions.export.block import Block, CitedPassage
from ...sessions.files import FAILURES, PAGE, REPORT, SUMMARY, write_whole
from ...sessions.label_files import FOLDER as LABELS
from ...sessions.session import Session
from ...texts import t
from ...texts.settings import word
from ..blocks import blocks
from ..figures.certificates import (
    SAME,
    Certificate,
    JudgeStatus,
    RunJudges,
    read_certificates,
    status_of,
)
from ..figures.warnings import COMPARED
from ..reports.batch import BatchReport, BatchWords, batch_document
from ..reports.document import ItemList, ReportDocument, ReportItem, Shade
from ..reports.run_changes import local_time
from .batch_snapshot import BatchSnapshot
from .changes import changes_in
from .kind import BatchKind
from .report import SummaryRow, failures, report_of

GROUPS: dict[str, Shade] = {
    "failed": "bad",
    "wrong": "warning",
    "right": "good",
    "other": "",
}
MOST = 1000
"""Lines that a report shows; summary.jsonl has all."""


def items_of(
    rows: Sequence[SummaryRow], session: Callable[[SummaryRow], Session | None]
) -> ItemList:
    """The lines, at most `MOST`. `session`: that of a row; None: it cannot be read."""
    order = list(GROUPS)
    chosen = sorted(rows, key=lambda row: order.index(group_of(row)))[:MOST]
    items = [_item(row, None if row.empty else session(row)) for row in chosen]
    title = t("report.batch.lines")
    if len(rows) > MOST:
        title = t("report.batch.lines_first", n=MOST, lines=len(rows))
    return ItemList(title, items)


def group_of(row: SummaryRow) -> str:
    """`failed`: no answer. `wrong`, `right`: by the first measure that is a share.
    `other`: no accepted answer is known.
    """
    if row.status != "done" or row.left_out is not None:
        return "failed"
    for name in row.measured:
        measured = row.whole(name)
        if measured is not None and measured.state in ("right", "wrong"):
            return measured.state
    return "other"


def _item(row: SummaryRow, session: Session | None) -> ReportItem:
    """Convert a line: task, accepted answers, answer, and references."""
    drawn = blocks(session) if session is not None else []
    nothing = Block(kind="result", heading="")
    result = next((each for each in reversed(drawn) if each.kind == "result"), nothing)
    asked = next((each.text for each in drawn if each.kind == "task"), row.line.about)
    group = group_of(row)
    facts = [*result.facts]
    if row.line.answers:
        facts.insert(0, (t("report.page.accepted"), "\n".join(row.line.answers)))
    if result.answer:
        facts.insert(0, (t("report.page.answer"), result.answer))
    left_out = row.left_out
    why = [word(str(left_out))] if left_out is not None else []
    return ReportItem(
        row.line.id,
        t(f"report.page.one_{group}"),
        asked,
        facts,
        [*why, *([row.error] if row.error else []), *result.notes],
        [(row.file, row.file)] if row.file is not None else [],
        _references(session, drawn) if session is not None else [],
        GROUPS[group],
    )


def _references(session: Session, drawn: Sequence[Block]) -> list[CitedPassage]:
    """Return the references of the final answer.

    Those of the iteration that was kept, otherwise of the last one.
    """
    retrievals = [each for each in drawn if each.kind == "retrieval" and each.passages]
    kept = getattr(session.result, "kept", None)
    chosen = [
        each
        for each in retrievals
        if getattr(session.events[each.number - 1], "iteration", None) == kept
    ]
    if retrievals:
        return list((chosen or retrievals)[-1].passages)
    return []


Summary = list[dict[str, Any]]
"""The lines of summary.jsonl."""


def write_results(
    folder: Path,
    kind: BatchKind,
    rows: Sequence[SummaryRow],
    more: Mapping[str, object],
    certificates: Sequence[Path] = (),
) -> tuple[BatchReport, Summary]:
    """Writes all files but the page; returns report and summary.

    `more`: report fields in addition to those of the rows. `certificates`: files in
    addition to the user's. Raises: BadInput, WriteError.
    """
    changes = changes_in(folder)
    report = report_of(
        rows, kind, {**more, **({"changes": changes} if changes else {})}
    )
    report.judges = judges_of(report, kind, folder, read_certificates(certificates))
    summary = [row.summary(kind.measures) | dict(kind.details(row)) for row in rows]
    failed = failures(rows, report.left_out)
    as_json = json.dumps(report.as_json(), ensure_ascii=False, indent=1)
    write_whole(folder / SUMMARY, "".join(map(json_line, summary)))
    write_whole(folder / FAILURES, "".join(map(json_line, failed)))
    write_whole(folder / REPORT, as_json + "\n")
    return report, summary


def judges_of(
    report: BatchReport,
    kind: BatchKind,
    folder: Path,
    certificates: Sequence[Certificate],
) -> dict[str, JudgeStatus]:
    """`ROLE.VERDICT` of each judge that the report's figures rest on, and of the kind's
    own one, to whether it is certified.
    """
    labelled = (folder / LABELS).is_dir()
    role = kind.judged_by[0]
    answered = report.verified_by
    judges = RunJudges(report.made_with, answered, role)
    measures = [one for name, one in kind.measures.items() if name in report.figures]
    found = judges.statuses(measures, certificates, labelled=labelled)
    more = {SAME: [name for name in COMPARED if name in report.figures]}
    more = more if report.equivalence is not None else {}
    if kind.verdict and answered.get(role):
        more[f"{role}.{kind.verdict}"] = []
    for key, names in more.items():
        judge = report.judge_facts(key)
        status = status_of(judge, certificates, names, labelled=labelled)
        found.setdefault(key, status)
    return found


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
        f"{kind.judged_by[0]}.{kind.verdict}",
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

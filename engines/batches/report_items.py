"""The lines of a batch as items of its report: failures first, then wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...sessions.export.block import Block, CitedPassage
from ...sessions.session import Session
from ...texts import t
from ...texts.settings import word
from ..blocks import blocks
from ..reports.document import ItemList, ReportItem, Shade
from .report import SummaryRow

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
    """`failed`: there is no answer. `wrong`, `right`: by the first measure that is a
    share. `other`: nobody says what is right."""
    if row.status != "done" or row.left_out is not None:
        return "failed"
    for name in row.measured:
        measured = row.whole(name)
        if measured is not None and measured.state in ("right", "wrong"):
            return measured.state
    return "other"


def _item(row: SummaryRow, session: Session | None) -> ReportItem:
    """A line: what was asked, what is accepted, the answer, and its references."""
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
    """The references of the answer that counts: of the iteration that was kept, else
    the last ones."""
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

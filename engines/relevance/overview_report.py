"""The labeling overview of a folder, as a document and as one JSON object."""

from __future__ import annotations

from ...texts import t
from ..reports.agreement import (
    MOST_ROWS,
    NOTHING,
    Row,
    figure_cell,
    figures_json,
    mark_notes,
    reason_marks,
)
from ..reports.document import (
    Cell,
    DataTable,
    Part,
    ReportDocument,
    TextBlock,
    number_column,
    text_column,
)
from .labeling_overview import (
    AnnotatorNote,
    AnnotatorOverview,
    KnownPairs,
    LabelingOverview,
)


def overview_json(found: LabelingOverview) -> dict[str, object]:
    """Return the overview as one object; figures have the form of `agreement`."""
    return {
        "pairs": found.pairs,
        "unlabeled": found.unlabeled,
        "unassigned": [_pair(one.query, one.candidate) for one in found.unassigned],
        "open_disputes": found.open_disputes,
        "people": [
            {**one.progress._asdict(), **_without_progress(one)} for one in found.people
        ],
        "weeks": [
            {"week": one.week, "pairs": one.pairs, **figures_json({"alpha": one.alpha})}
            for one in found.weeks
        ],
        "notes": [note_json(one) for one in found.notes],
    }


def note_json(one: AnnotatorNote) -> dict[str, str]:
    """Return a note as one object."""
    return {
        "annotator": one.annotator,
        **_pair(one.pair.query, one.pair.candidate),
        "time": one.time,
        "text": one.text,
        "reply": one.reply,
    }


def _without_progress(one: AnnotatorOverview) -> dict[str, object]:
    told = {key: value for key, value in one._asdict().items() if key != "progress"}
    return {**told, "training": one.training._asdict(), "checks": one.checks._asdict()}


def _pair(query: str, candidate: str) -> dict[str, str]:
    return {"query": query, "candidate": candidate}


def overview_report(found: LabelingOverview) -> ReportDocument:
    """Return the overview as a document."""
    facts = [
        t(
            "report.overview.pairs",
            n=found.pairs,
            unlabeled=found.unlabeled,
            disputes=found.open_disputes,
        )
    ]
    if found.unassigned:
        shown = [f"{one.query} {one.candidate}" for one in found.unassigned[:MOST_ROWS]]
        dots = ["…"] if len(found.unassigned) > MOST_ROWS else []
        facts.append(
            t(
                "report.overview.unassigned",
                n=len(found.unassigned),
                pairs=", ".join(shown + dots),
            )
        )
    parts: list[Part] = [TextBlock(facts), _people(found)]
    if found.weeks:
        parts.append(_weeks(found))
    if found.notes:
        lines = [note_line(one) for one in found.notes[:MOST_ROWS]]
        title = t("report.overview.notes", n=len(found.notes))
        parts.append(TextBlock(lines, title))
    return ReportDocument(t("report.overview.title"), parts=parts)


def note_line(one: AnnotatorNote) -> str:
    """Return a note and its reply in one line."""
    line = t(
        "report.overview.note",
        annotator=one.annotator,
        query=one.pair.query,
        candidate=one.pair.candidate,
        text=" ".join(one.text.split()),
    )
    if one.reply:
        line += t("report.overview.reply", text=" ".join(one.reply.split()))
    return line


def _people(found: LabelingOverview) -> DataTable:
    columns = [
        text_column("report.overview.annotator", "annotator"),
        number_column("report.overview.done", "done"),
        number_column("report.overview.assigned", "assigned"),
        number_column("report.overview.undecided", "undecided"),
        number_column("report.overview.seconds", "seconds"),
        number_column("report.overview.last_week", "last_week"),
        text_column("report.overview.last", "last"),
        text_column("report.overview.training", "training"),
        text_column("report.overview.checks", "checks"),
        number_column("report.overview.above_first", "above_first"),
        number_column("report.overview.above_second", "above_second"),
    ]
    rows: list[Row] = [
        [
            one.progress.annotator,
            _count(one.progress.done),
            _count(one.progress.assigned),
            _count(one.progress.undecided),
            Cell(NOTHING)
            if one.seconds is None
            else Cell(f"{one.seconds:.0f}", one.seconds),
            _count(one.last_week),
            one.last[:10] or NOTHING,
            _right(one.training),
            _right(one.checks),
            _signed(one.above_first),
            _signed(one.above_second),
        ]
        for one in found.people
    ]
    return DataTable(
        t("report.overview.people"), columns, rows, [t("report.overview.above_how")]
    )


def _weeks(found: LabelingOverview) -> DataTable:
    columns = [
        text_column("report.overview.week", "week"),
        number_column("report.figure.pairs", "pairs"),
        number_column("report.ratings.alpha", "alpha"),
    ]
    marks = reason_marks(one.alpha for one in found.weeks)
    rows: list[Row] = [
        [one.week, _count(one.pairs), figure_cell(one.alpha, marks=marks)]
        for one in found.weeks
    ]
    notes = [t("report.overview.weeks_how"), *mark_notes(marks)]
    return DataTable(t("report.overview.weeks"), columns, rows, notes)


def _right(one: KnownPairs) -> str:
    return f"{one.right}/{one.given}" if one.given else NOTHING


def _count(n: int) -> Cell:
    return Cell(f"{n:,}", n)


def _signed(value: float | None) -> Cell:
    return Cell(NOTHING) if value is None else Cell(f"{value:+.2f}", value)

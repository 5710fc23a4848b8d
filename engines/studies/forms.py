"""The report of a study as a document, and the forms that it is written in."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping

from ...sessions.export.table import no_formula
from ...texts import t
from ..figures.aggregate import Aggregate
from ..figures.wording import measure_name
from ..reports.document import Part, ReportDocument
from ..reports.forms import write
from .analysis import changes_in_words as plan_changes
from .plots import svg
from .plots import text as unicode_text
from .report import StudyReport
from .tables import heading, tables, verdict

WIDTH = 100
CSV_HEAD = (
    *("condition", "measure", "round", "value", "low", "high", "n", "paper"),
    *("compared_with", "difference", "difference_low", "difference_high"),
    *("p", "p_corrected", "test", "wins", "ties", "losses", "verdict"),
)

Value = str | int | float | None


def study_document(report: StudyReport) -> ReportDocument:
    """The report: its conclusion, how the study was run, its tables, then its plots."""
    parts: list[Part] = [*tables(report), *report.plots]
    title = report.plan.study.title
    changes = plan_changes(report.manifest)
    conclusion = " ".join([*changes, _conclusion(report)]).strip()
    return ReportDocument(title, conclusion, heading(report), parts)


def _conclusion(report: StudyReport) -> str:
    """What the first measure says of each condition; "" where nothing is compared."""
    for name in report.plan.quality:
        against = report.differences.get(name)
        if against:
            words = "; ".join(f"{of}: {verdict(one)}" for of, one in against.items())
            reference = report.plan.reference.name
            return t(
                "report.study.conclusion",
                name=measure_name(name),
                reference=reference,
                verdicts=words,
            )
    return ""


def as_text(report: StudyReport, width: int = WIDTH) -> str:
    """For a terminal of this many cells."""
    document = study_document(report)
    return write(document, "text", width=width, draw=unicode_text.lines)


def as_html(report: StudyReport) -> str:
    """One page that holds its plots."""
    return write(study_document(report), "html", draw_svg=svg.embedded)


def as_csv(report: StudyReport) -> str:
    """For a spreadsheet: one line a figure, with its difference from the reference."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    for row in _csv_rows(report):
        cells = ["" if cell is None else cell for cell in row]
        writer.writerow(cells)
    return out.getvalue()


def _csv_rows(report: StudyReport) -> Iterator[list[Value]]:
    for name, of in report.figures.items():
        for condition, figure in of.items():
            row = _figure_row(condition, name, "", figure)
            row.append(report.paper(condition, name))
            apart = report.differences.get(name, {}).get(condition)
            if apart is not None:
                change = apart.difference
                row += [report.plan.reference.name, change.value, change.low]
                row += [change.high, apart.p, apart.p_corrected, apart.test]
                row += [apart.wins, apart.ties, apart.losses, apart.verdict]
            yield row
    for name, by_condition in report.rounds.items():
        for condition, by_round in by_condition.items():
            for number, figure in by_round.items():
                yield _figure_row(condition, name, number, figure)


def _figure_row(
    condition: str, name: str, number: Value, figure: Aggregate
) -> list[Value]:
    values = [figure.value, figure.low, figure.high, figure.n]
    return [no_formula(condition), name, number, *values]


def as_svg(report: StudyReport) -> str:
    """All plots in one picture, one below the other; empty without any."""
    return svg.document(report.plots)


FORMS: Mapping[str, Callable[..., str]] = {
    "text": as_text,
    "md": lambda report: write(study_document(report), "md", draw=unicode_text.lines),
    "html": as_html,
    "csv": as_csv,
    "latex": lambda report: write(study_document(report), "latex"),
    "svg": as_svg,
}

"""The forms of a study's report: text, Markdown, HTML, CSV and SVG. All of them draw the same tables and plots."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from ...sessions.clean import clean
from ...sessions.export import page
from ...sessions.export.markdown import escaped
from ...sessions.export.table import no_formula
from ...texts.columns import cells
from .plots import svg
from .plots import text as unicode_text
from .report import Report
from .tables import Table, heading, tables

WIDTH = 100


def as_text(report: Report, width: int = WIDTH) -> str:
    """For a terminal of so many cells: tables with aligned columns, plots in Unicode."""
    lines = [_line(report.plan.study.title), *map(_line, heading(report)), ""]
    for table in tables(report):
        lines += [
            _line(table.title),
            *_aligned(table, width),
            *(f"  {_line(note)}" for note in table.notes),
            "",
        ]
    for plot in report.plots:
        lines += [*unicode_text.lines(plot, width), ""]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def as_markdown(report: Report) -> str:
    """For a page: GitHub's tables; the paper's column in italics."""
    out = [
        f"# {escaped(report.plan.study.title)}",
        "",
        *(f"{escaped(line)}  " for line in heading(report)),
        "",
    ]
    for table in tables(report):
        out += [f"## {escaped(table.title)}", "", _row(table.head)]
        out.append(
            _row(
                ["---" if n in table.left else "---:" for n in range(len(table.head))],
                raw=True,
            )
        )
        for row in table.rows:
            told = [
                f"*{escaped(cell)}*" if n in table.grey and cell else escaped(cell)
                for n, cell in enumerate(row)
            ]
            out.append(_row(told, raw=True))
        out += ["", *(f"- {escaped(note)}" for note in table.notes), ""]
    for plot in report.plots:
        out += ["```text", *unicode_text.lines(plot, WIDTH), "```", ""]
    return "\n".join(out).rstrip() + "\n"


def as_html(report: Report) -> str:
    """One page that holds its plots, drawn as sessions are: no scripts, nothing fetched, light and dark."""
    title = report.plan.study.title
    out = [
        f'<header><h1 dir="auto">{page.escaped(title)}</h1>',
        *(f"<p>{page.escaped(line)}</p>" for line in heading(report)),
        "</header>",
    ]
    for table in tables(report):
        figures = [place for place in range(len(table.head)) if place not in table.left]
        drawn = page.table(table.head, table.rows, right=figures, muted=table.grey)
        out += [
            f"<h2>{page.escaped(table.title)}</h2>",
            f'<div class="scrolled">{drawn}</div>',
        ]
        out += [f'<p class="muted">{page.escaped(note)}</p>' for note in table.notes]
    out += [f"<figure>{svg.embedded(plot)}</figure>" for plot in report.plots]
    return page.document(title, out, wide=True)


def as_csv(report: Report) -> str:
    """For a spreadsheet: one line a figure, with its difference from the reference."""
    out = io.StringIO()
    head = "condition,measure,round,value,low,high,n,paper,compared_with,difference,difference_low,difference_high,p,p_corrected,test"
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*head.split(","), "wins", "ties", "losses", "verdict"])
    for name, of in report.figures.items():
        for condition, one in of.items():
            apart = report.differences.get(name, {}).get(condition)
            row = [
                no_formula(condition),
                name,
                "",
                one.value,
                one.low,
                one.high,
                one.n,
                report.paper(condition, name),
            ]
            if apart is not None:
                found = apart.difference
                row += [
                    report.plan.reference.name,
                    found.value,
                    found.low,
                    found.high,
                    apart.p,
                    apart.p_corrected,
                    apart.test,
                ]
                row += [apart.wins, apart.ties, apart.losses, apart.verdict]
            writer.writerow(["" if cell is None else cell for cell in row])
    for name, found_by in report.rounds.items():
        for condition, by_round in found_by.items():
            for number, one in by_round.items():
                values = [
                    no_formula(condition),
                    name,
                    number,
                    one.value,
                    one.low,
                    one.high,
                    one.n,
                ]
                writer.writerow(["" if cell is None else cell for cell in values])
    return out.getvalue()


def as_svg(report: Report) -> str:
    """All plots below each other, as one picture; nothing where there is none."""
    return svg.document(report.plots)


FORMS: Mapping[str, Callable[..., str]] = {
    "text": as_text,
    "md": as_markdown,
    "html": as_html,
    "csv": as_csv,
    "svg": as_svg,
}


def _line(text: str) -> str:
    return clean(text, newlines=False)


def _aligned(table: Table, width: int) -> list[str]:
    """The rows below each other. Columns that have no room beside the others follow below, with the first one again."""
    rows = [[_line(cell) for cell in row] for row in (table.head, *table.rows)]
    wide = [
        max(cells(row[n]) if n < len(row) else 0 for row in rows)
        for n in range(len(table.head))
    ]
    made: list[str] = []
    for columns in _beside(wide, width):
        for place, row in enumerate(rows):
            told = []
            for n in columns:
                cell = row[n] if n < len(row) else ""
                room = " " * (wide[n] - cells(cell))
                told.append(cell + room if n in table.left else room + cell)
            made.append("  " + "  ".join(told))
            if place == 0:
                made.append("  " + "  ".join("─" * wide[n] for n in columns))
    return made


def _beside(wide: Sequence[int], width: int) -> list[list[int]]:
    """The columns that stand beside each other: the first one, and as many others as there is room for."""
    made: list[list[int]] = []
    for n in range(1, len(wide)):
        if made and 2 + sum(wide[one] + 2 for one in (*made[-1], n)) - 2 <= width:
            made[-1].append(n)
        else:
            made.append([0, n])
    return made or [[0]]


def _row(row: Sequence[str], *, raw: bool = False) -> str:
    return "| " + " | ".join(cell if raw else escaped(cell) for cell in row) + " |"

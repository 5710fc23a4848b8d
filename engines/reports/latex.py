"""A report's tables as LaTeX, for \\input in a paper that uses booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...sessions.clean import clean_line
from .document import (
    DataTable,
    Part,
    ReportDocument,
    SettingList,
    values_of,
)
from .plot import Plot

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "*": "{*}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "≈": r"$\approx$",
    "−": "$-$",
    "→": r"$\rightarrow$",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
}
_ESCAPED = re.compile("[" + re.escape("".join(_SPECIAL)) + "]")


def as_latex(document: ReportDocument) -> str:
    """A `table` for each table and list of settings, with its notes below.

    Plots are tables of their values.
    """
    lines = [f"% {_comment(document.title)}"]
    lines += [f"% {_comment(document.conclusion)}"] if document.conclusion else []
    lines.append("% \\usepackage{booktabs}")
    for part in document.parts:
        table = _table_of(part)
        lines += ["", *_drawn(table)] if table is not None and table.rows else []
    return "\n".join(lines) + "\n"


def _table_of(part: Part) -> DataTable | None:
    if isinstance(part, SettingList):
        return part.table(part.rows)
    if isinstance(part, Plot):
        return values_of(part)
    if isinstance(part, DataTable):
        return part
    return None


def _drawn(table: DataTable) -> list[str]:
    table = table.visible
    kinds = "".join("r" if column.kind == "number" else "l" for column in table.columns)
    out = ["\\begin{table}", "\\centering"]
    out += [f"\\caption{{{tex(table.title)}}}"] if table.title else []
    out += [f"\\begin{{tabular}}{{{kinds}}}", "\\toprule"]
    out += [_row([column.title for column in table.columns]), "\\midrule"]
    out += [_row([cell.line for cell in row]) for row in table.cells]
    out += ["\\bottomrule", "\\end{tabular}"]
    out += [f"\\par\\smallskip\\footnotesize {tex(note)}" for note in table.notes]
    return [*out, "\\end{table}"]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(tex, cells)) + r" \\"


def tex(text: str) -> str:
    """Any text as LaTeX that shows it as it is."""
    line = clean_line(text)
    return _ESCAPED.sub(lambda sign: _SPECIAL[sign[0]], line)


def _comment(text: str) -> str:
    """Text behind %, which ends with its line."""
    return clean_line(text)

"""The formats of a report, by name."""

from __future__ import annotations

from .data import as_csv, as_json
from .document import ReportDocument
from .latex import as_latex
from .markdown import as_markdown
from .page import DrawSvg, as_html
from .text import WIDTH, Draw, as_text

FORMS = ("text", "json", "md", "html", "csv", "latex")


def write(
    document: ReportDocument,
    form: str,
    *,
    width: int = WIDTH,
    draw: Draw | None = None,
    draw_svg: DrawSvg | None = None,
) -> str:
    """Return the report in one of `FORMS`.

    `draw`, `draw_svg`: draw plots; without them, plots are tables.
    """
    if form == "text":
        return as_text(document, width, draw)
    if form == "md":
        return as_markdown(document, draw)
    if form == "html":
        return as_html(document, draw_svg)
    return {"json": as_json, "csv": as_csv, "latex": as_latex}[form](document)

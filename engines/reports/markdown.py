"""A report as Markdown for reading, here and on any forge."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from ...sessions.clean import clean
from ...sessions.export.markdown import escaped, plain_start, quoted
from ...texts import t
from .document import (
    PAGE,
    Cell,
    DataTable,
    ItemList,
    Part,
    ReportDocument,
    ReportItem,
    SettingList,
    TextBlock,
    values_of,
)
from .text import Draw

WIDTH = 100
"""Cells of a plot that is drawn as text."""


def as_markdown(document: ReportDocument, draw: Draw | None) -> str:
    """The report as a Markdown document.

    `draw` draws plots; without it they are tables.
    """
    out = [f"# {escaped(document.title)}", ""]
    if document.conclusion:
        out += [f"**{escaped(document.conclusion)}**", ""]
    if document.context:
        out += [*(f"- {_line(line)}" for line in document.context), ""]
    for part in document.parts:
        out += [*_part(part, draw), ""]
    return "\n".join(out).rstrip() + "\n"


def _part(part: Part, draw: Draw | None) -> list[str]:
    if isinstance(part, TextBlock):
        paragraphs = [line for said in part.lines for line in (_line(said), "")]
        return [*_heading(part.title), *paragraphs]
    if isinstance(part, DataTable):
        return [*_heading(part.title), *_table(part)]
    if isinstance(part, SettingList):
        return _settings(part)
    if isinstance(part, ItemList):
        return _items(part)
    if draw is None:
        return [*_heading(part.title), *_table(values_of(part))]
    return [
        "```text",
        *(line.replace("`", "'") for line in draw(part, WIDTH)),
        "```",
    ]


def _line(text: str) -> str:
    """A line that Markdown reads neither as a heading nor as a list."""
    return plain_start(escaped(text))


def _heading(title: str) -> list[str]:
    if title:
        return [f"## {escaped(title)}", ""]
    return []


def _table(table: DataTable) -> list[str]:
    table = table.visible
    rules = ["---:" if column.kind == "number" else "---" for column in table.columns]
    lines = [_row([escaped(column.title) for column in table.columns]), _row(rules)]
    lines += [_row([_cell(cell) for cell in row]) for row in table.cells]
    return [*lines, "", *(f"- {_line(note)}" for note in table.notes)]


def _cell(cell: Cell) -> str:
    text = escaped(cell.line)
    if text and cell.shade in ("good", "bad"):
        return f"**{text}**"
    return text


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _settings(part: SettingList) -> list[str]:
    out = _heading(part.title)
    out += _table(part.table(part.rows)) if part.rows else []
    out += [*(f"- {_line(note)}" for note in part.notes), ""]
    if part.folded:
        inner = _table(part.table(part.folded))
        out += _folded(t("report.document.alike", n=len(part.folded)), inner)
    return out


def _items(part: ItemList) -> list[str]:
    out = _heading(part.title)
    if not part.items:
        return [*out, _line(part.empty)]
    for start, items in part.pages:
        lines = [line for item in items for line in [*_item(item), ""]]
        end = start + len(items) - 1
        title = t("report.document.page", first=start, last=end)
        out += lines if start <= PAGE else _folded(title, lines)
    return out


def _item(item: ReportItem) -> list[str]:
    out = [f"### {escaped(item.id)} · {escaped(item.group)}", ""]
    out += [*quoted(item.text), ""] if item.text else []
    out += [f"- {_line(name)}: {escaped(value)}" for name, value in item.facts]
    out += [f"- {_line(note)}" for note in item.notes]
    out += [f"- [{escaped(name)}]({link(path)})" for name, path in item.links]
    if item.references:
        inner = []
        for reference in item.references:
            inner += [
                f"**\\[{reference.n}\\]** {escaped(reference.head)}",
                "",
                *quoted(reference.text),
                "",
            ]
        title = t("report.document.references", n=len(item.references))
        out += ["", *_folded(title, inner)]
    return out


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    head = f"<summary>{escape(clean(title))}</summary>"
    return ["<details>", head, "", *lines, "", "</details>", ""]


def link(path: str) -> str:
    """A relative path as an address: it never names another scheme or host."""
    address = quote(path, safe="/")
    if address.startswith("../"):
        return address
    return f"./{address.lstrip('/')}"

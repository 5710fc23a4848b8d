"""A report for programs: CSV with a section for each table, and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import count

from ...sessions.clean import json_line
from ...sessions.export.table import cell as sheet_cell
from .document import (
    DataColumn,
    DataTable,
    ItemList,
    Part,
    ReportDocument,
    ReportItem,
    SettingList,
    TextBlock,
    Value,
    values_of,
)


def as_csv(document: ReportDocument) -> str:
    """The tables, settings and items, each under its title, with an empty line between.

    With one table alone it has no title. An interval takes two more columns, `low` and
    `high`.
    """
    tables = [table for part in document.parts for table in _tables(part)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for place, table in enumerate(tables):
        if len(tables) > 1:
            writer.writerows([[]] if place else [])
            writer.writerow([sheet_cell(table.title)])
        heads, rows = _flat(table)
        writer.writerow([sheet_cell(head) for head in heads])
        writer.writerows([[sheet_cell(value) for value in row] for row in rows])
    return "\ufeff" + out.getvalue()


def as_json(document: ReportDocument) -> str:
    """The report as one JSON object in one line.

    Numbers are numbers, intervals `NAME low` and `NAME high`.
    """
    return json_line(
        {
            "title": document.title,
            "conclusion": document.conclusion,
            "context": list(document.context),
            "parts": [_part(part) for part in document.parts],
        }
    )


def _tables(part: Part) -> list[DataTable]:
    if isinstance(part, TextBlock):
        return []
    if isinstance(part, DataTable):
        return [part]
    if isinstance(part, SettingList):
        rows = [*part.rows, *part.folded]
        if rows:
            return [part.table(rows)]
        return []
    if isinstance(part, ItemList):
        if part.items:
            return [_items(part)]
        return []
    return [values_of(part)]


def _flat(table: DataTable) -> tuple[list[str], list[list[Value]]]:
    """Heads and rows, with separate columns for the bounds of an interval."""
    grid = table.cells
    heads: list[str] = []
    rows: list[list[Value]] = [[] for _ in grid]
    for place, column in enumerate(table.columns):
        name = _unused(column.name or column.title, heads)
        cells = [row[place] for row in grid]
        ends = any(cell.low is not None or cell.high is not None for cell in cells)
        heads += [name, f"{name} low", f"{name} high"] if ends else [name]
        for row, cell in zip(rows, cells, strict=True):
            row += [cell.data, cell.low, cell.high] if ends else [cell.data]
    return heads, rows


def _unused(name: str, heads: Sequence[str]) -> str:
    """The name, with a number where another column has it."""
    further = (f"{name} {n}" for n in count(2))
    if name not in heads:
        return name
    return next(n for n in further if n not in heads)


def _items(part: ItemList) -> DataTable:
    names = dict.fromkeys(name for item in part.items for name, _ in item.facts)
    links = dict.fromkeys(name for item in part.items for name, _ in item.links)
    columns = [DataColumn(name) for name in ("id", "group", "text", *names, *links)]
    rows = []
    for item in part.items:
        facts, files = dict(item.facts), dict(item.links)
        values = [facts.get(name, "") for name in names]
        paths = [files.get(name, "") for name in links]
        rows.append([item.id, item.group, item.text, *values, *paths])
    return DataTable(part.title, columns, rows)


def _part(part: Part) -> dict[str, object]:
    if isinstance(part, TextBlock):
        return {"kind": "text", "title": part.title, "lines": list(part.lines)}
    if isinstance(part, ItemList):
        items = [_item(item) for item in part.items]
        return {"kind": "items", "title": part.title, "items": items}
    tables = _tables(part)
    heads, rows = _flat(tables[0]) if tables else ([], [])
    kinds = {DataTable: "table", SettingList: "settings"}
    return {
        "kind": kinds.get(type(part), "plot"),
        "title": part.title,
        "rows": [dict(zip(heads, row, strict=True)) for row in rows],
        "notes": list(getattr(part, "notes", ())),
    }


def _item(item: ReportItem) -> dict[str, object]:
    return {
        "id": item.id,
        "group": item.group,
        "text": item.text,
        "facts": dict(item.facts),
        "files": dict(item.links),
        "notes": list(item.notes),
    }

"""A report as text for a terminal: no line is wider than the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...sessions.clean import clean_line
from ...texts import t
from ...texts.columns import cells, pad, wrap
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
from .plot import Plot

WIDTH = 80
GAP = 2
NARROW = 14
"""Cells that a column of texts keeps while others need room."""

Draw = Callable[[Plot, int], list[str]]


def as_text(
    document: ReportDocument, width: int = WIDTH, draw: Draw | None = None
) -> str:
    """The report for a terminal of `width` cells.

    `draw` draws plots; without it they are tables.
    """
    lines = [*_wrapped(document.title, width), ""]
    if document.conclusion:
        lines += [*_wrapped(document.conclusion, width), ""]
    lines += [line for said in document.context for line in _wrapped(said, width)]
    for part in document.parts:
        drawn = part_lines(part, width, draw)
        lines += [*([""] if drawn and lines[-1] else []), *drawn]
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def part_lines(part: Part, width: int, draw: Draw | None) -> list[str]:
    """One part of a report in lines."""
    if isinstance(part, TextBlock):
        title = _wrapped(part.title, width) if part.title else []
        return [
            *title,
            *(line for said in part.lines for line in _wrapped(said, width)),
        ]
    if isinstance(part, DataTable):
        return table_lines(part, width)
    if isinstance(part, SettingList):
        return _settings(part, width)
    if isinstance(part, ItemList):
        return _items(part, width)
    if draw:
        return draw(part, width)
    return table_lines(values_of(part), width)


def table_lines(table: DataTable, width: int) -> list[str]:
    """A table in lines. Columns without room follow below, with the first one again."""
    table = table.visible
    sizes = _sizes(table, width)
    lines = _wrapped(table.title, width) if table.title else []
    for places in _beside(sizes, width):
        head = [Cell(column.title) for column in table.columns]
        titled = any(table.columns[place].title for place in places)
        lines += _row(table, head, places, sizes) if titled else []
        lines += [_rule(places, sizes)] if titled else []
        for row in table.cells:
            lines += _row(table, row, places, sizes)
    return [*lines, *(line for note in table.notes for line in _wrapped(note, width))]


def _sizes(table: DataTable, width: int) -> list[int]:
    """Cells for each column: the widest columns of texts give way first.

    A long title wraps, so that it takes no room from what is below it.
    """
    heads = [cells(_one_line(column.title)) for column in table.columns]
    sizes = [min(size, NARROW) for size in heads]
    for row in table.cells:
        for place, cell in enumerate(row):
            size = max(cells(_one_line(cell.text)), cells(_one_line(cell.detail)))
            sizes[place] = min(max(sizes[place], size), width)
    texts = [n for n, column in enumerate(table.columns) if column.kind == "text"]
    while texts and sum(sizes) + GAP * (len(sizes) - 1) > width:
        widest = max(texts, key=lambda place: sizes[place])
        if sizes[widest] <= NARROW:
            break
        sizes[widest] -= 1
    return sizes


def _beside(sizes: Sequence[int], width: int) -> list[list[int]]:
    """The columns that fit next to each other: the first one, and as many others as
    possible.
    """
    blocks: list[list[int]] = []
    for place in range(1, len(sizes)):
        if blocks and sum(sizes[n] + GAP for n in blocks[-1]) + sizes[place] <= width:
            blocks[-1].append(place)
        else:
            both = sizes[0] + GAP + sizes[place] <= width
            blocks.append([0, place] if both else [place])
    return blocks or [[0]]


def _rule(places: Sequence[int], sizes: Sequence[int]) -> str:
    return (" " * GAP).join("─" * sizes[place] for place in places)


def _row(
    table: DataTable, row: Sequence[Cell], places: Sequence[int], sizes: Sequence[int]
) -> list[str]:
    """A row: as many lines as its longest cell takes."""
    columns = []
    for place in places:
        cell = row[place]
        lines = wrap(_one_line(cell.text), sizes[place])
        lines += wrap(_one_line(cell.detail), sizes[place]) if cell.detail else []
        columns.append(lines)
    lines = []
    for n in range(max(map(len, columns))):
        shown = []
        for place, column in zip(places, columns, strict=True):
            text = column[n] if n < len(column) else ""
            right = table.columns[place].kind == "number"
            room = " " * (sizes[place] - cells(text))
            shown.append(room + text if right else text + room)
        lines.append((" " * GAP).join(shown).rstrip())
    return lines


def _settings(part: SettingList, width: int) -> list[str]:
    alone = part.title and part.notes and not part.rows
    lines = _wrapped(part.title, width) if alone else []
    lines += table_lines(part.table(part.rows), width) if part.rows else []
    return [*lines, *(line for note in part.notes for line in _wrapped(note, width))]


def _items(part: ItemList, width: int) -> list[str]:
    lines = _wrapped(part.title, width)
    if not part.items:
        return [*lines, *_wrapped(part.empty, width)]
    for item in part.items[:PAGE]:
        lines += _item(item, width)
    more = len(part.items) - PAGE
    return lines + (_wrapped(t("report.document.more", n=more), width) * (more > 0))


def _item(item: ReportItem, width: int) -> list[str]:
    facts = [f"{name}: {value}" for name, value in item.facts]
    files = [f"{name}: {path}" for name, path in item.links]
    inner = [item.text, *facts, *item.notes, *files]
    lines = wrap(_one_line(f"{item.id} · {item.group}"), width)
    for text in inner:
        if text:
            lines += [
                pad("", GAP) + line for line in wrap(_one_line(text), width - GAP)
            ]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(_one_line(text), width)


def _one_line(text: str) -> str:
    return clean_line(text).strip()

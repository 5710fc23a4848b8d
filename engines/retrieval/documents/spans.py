"""Repeats the cells of tables in HTML that belong to several rows, so that each row
says all that it means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .blocks import Element

_TALLEST, _WIDEST = 1000, 50
"""Most rows, and most columns, that a cell may have."""
_LONGEST = 200
"""Most characters of a cell that is repeated."""
_MOST = 20_000
"""Most cells that are added to a page, which is not written in good faith then."""


def spread(tree: Element) -> None:
    """Adds cells where `rowspan` and `colspan` mean them: of several rows with the text
    again, of several columns empty ones.
    """
    left = _MOST
    for table in tree.iter("table"):
        if left > 0 and table.xpath("boolean(.//@rowspan | .//@colspan)"):
            left = _filled(table, left)


def _filled(table: Element, left: int) -> int:
    """How many cells may still be added when the rows of a table are whole."""
    held: dict[int, tuple[int, str]] = {}
    """By column: in how many more rows a cell of an earlier one is, and its text."""
    for row in table.iter("tr"):
        cells = list(row.iterchildren("td", "th"))
        alone = len(cells) == 1 and not held
        begun: dict[int, tuple[int, str]] = {}
        column = 0
        for cell in cells:
            while column in held and left > 0:
                cell.addprevious(_new(cell, held[column][1]))
                column, left = column + 1, left - 1
            tall = _span(cell, "rowspan", _TALLEST)
            text = " ".join("".join(cell.itertext()).split())
            wide = min(_span(cell, "colspan", _WIDEST), max(1, left))
            for at in range(1 if alone else wide):
                if at:
                    cell.addnext(_new(cell, ""))
                    left -= 1
                if tall > 1:
                    said = "" if at or len(text) > _LONGEST else text
                    begun[column] = (tall - 1, said)
                column += 1
        while cells and column in held and left > 0:
            row.append(_new(cells[-1], held[column][1]))
            column, left = column + 1, left - 1
        held = {at: (n - 1, text) for at, (n, text) in held.items() if n > 1} | begun
    return left


def _new(cell: Element, text: str) -> Element:
    made = cell.makeelement(cell.tag)
    made.text = text
    return made


def _span(cell: Element, name: str, most: int) -> int:
    said = cell.attrib.pop(name, "").strip()  # or a library spreads it, too
    if not said.isdecimal() or len(said) > 9:
        return 1
    # none: all rows that are left
    return min(int(said) or (most if name == "rowspan" else 1), most)

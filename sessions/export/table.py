"""CSV for spreadsheets: one row an event."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence

from ..clean import editable
from ..events import plain
from ..session import Session
from .block import PARTS

_FIRST = ("number", "time", "event", "role", "model", *PARTS, "text", "answer")
_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What begins a formula; spreadsheets in East Asian languages take the full-width ones
too.
"""
_UNSEEN = " \t\n\u00a0\u3000\u200b\u200c\u200d\u2060\ufeff"


def table(session: Session) -> str:
    """Rows with a header row, RFC 4180 line ends and a byte-order mark (Excel reads
    UTF-8 only with one).

    Fields of fields are columns of their own (`usage.input`), lists are JSON. Text that
    a spreadsheet would take for a formula is given an apostrophe.
    """
    rows = [_flat(plain(event)) for event in session.events]
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if value is not None
    )
    first = [name for name in _FIRST if name not in PARTS or name in names]
    columns = [*first, *(name for name in names if name not in first)]
    return sheet(columns, rows)


def sheet(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Rows under the names of their columns, as `table` writes them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(cell, columns))
    for row in rows:
        writer.writerow([cell(row.get(name)) for name in columns])
    return "\ufeff" + out.getvalue()


def _flat(value: dict[str, object], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, item in value.items():
        flat.update(
            _flat(item, f"{prefix}{name}.")
            if isinstance(item, dict) and item
            else {prefix + name: item}
        )
    return flat


def cell(value: object) -> str | int | float:
    """A value as a spreadsheet takes it; lists and objects are JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, int | float):
        return value
    return no_formula(
        editable(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        )
    )


def no_formula(text: str) -> str:
    """The text as spreadsheets take it for text: behind a quotation mark where they
    would take it for a formula.
    """
    # Spreadsheets also skip blanks, and what has no width, before the sign of a
    # formula.
    if text.startswith(("\t", "\n")) or text.lstrip(_UNSEEN).startswith(_SIGNS):
        return "'" + text
    return text

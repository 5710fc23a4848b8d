"""Measures that came with an answer: the numeric and boolean columns of output files,
under their own names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...sessions.errors import bad_input
from ...sessions.session import Session
from .items import ANSWERS, ASKED, IDS
from .measure import Item, Measure, MeasuredValue, Rule, right_if

COLUMNS = "columns"
"""Field of an item: the columns of its row in a file of outputs."""
CORRECT = "correct"
"""The column that says whether an answer is right."""
RULE = "a column of the file"
TRUTH = {"true": 1.0, "false": 0.0}
"""How a table writes what is true or false."""


def number(value: object) -> float | None:
    """Return a finite number, true or false, also in a table's notation; None for
    anything else.
    """
    if isinstance(value, str):
        text = value.strip().lower()
        if text in TRUTH:
            return TRUTH[text]
        try:
            value = float(text)
        except ValueError:
            return None
    if not isinstance(value, int | float) or value - value != 0:
        return None
    return float(value)


def measures(files: Iterable[Iterable[Mapping[str, object]]]) -> dict[str, Measure]:
    """A measure for each column that all files have and that holds nothing but numbers,
    true, false and gaps. `files`: of each file the fields of its items.

    A column of 0 and 1 is a share. Higher counts as better.
    """
    shared: dict[str, set[float]] | None = None
    for rows in files:
        columns = _columns(rows)
        if shared is None:
            shared = columns
        else:
            shared = {
                name: values | columns[name]
                for name, values in shared.items()
                if name in columns
            }
    return {
        name: _measure(name, share=values <= {0.0, 1.0})
        for name, values in (shared or {}).items()
    }


def share_columns(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """The columns of rows that hold nothing but 0, 1, true, false and gaps."""
    columns = _columns({COLUMNS: row} for row in rows)
    return [
        name
        for name, values in columns.items()
        if values <= {0.0, 1.0} and name not in _TEXTS
    ]


def label_column(rows: Sequence[Mapping[str, object]]) -> str | None:
    """Where rows say whether their answers are right: `correct`, else the only column
    of 0 and 1; None without one. Raises: BadInput where several differ.
    """
    if any(CORRECT in row for row in rows):
        return CORRECT
    found = share_columns(rows)
    alike = {tuple(number(row.get(name)) for row in rows) for name in found}
    if len(alike) > 1:
        raise bad_input("wrong.results.label_columns", names=", ".join(found))
    return found[0] if found else None


_TEXTS = {*IDS, *ANSWERS, *ASKED, "answers", "wrong_answers", "cluster"}
"""What is no label, though it may be a digit."""


def _columns(rows: Iterable[Mapping[str, object]]) -> dict[str, set[float]]:
    """The different values of each column of numbers."""
    found: dict[str, set[float]] = {}
    other: set[str] = set()
    for row in rows:
        columns = row.get(COLUMNS)
        for name, value in columns.items() if isinstance(columns, dict) else ():
            held = number(value)
            if held is not None:
                found.setdefault(name, set()).add(held)
            elif value is not None:
                other.add(name)
    return {name: values for name, values in found.items() if name not in other}


def _measure(name: str, *, share: bool) -> Measure:
    low, high = (0, 1) if share else (None, None)
    return Measure(name, "higher", _of(name, share), share, low, high, rule=RULE)


def _of(name: str, share: bool) -> Rule:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        value = number(item.fields.get(COLUMNS, {}).get(name))
        if value is None:
            yield MeasuredValue(None, "empty")
        elif share:
            yield right_if(value == 1)
        else:
            yield MeasuredValue(value, "measured")

    return of

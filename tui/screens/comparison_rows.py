"""How a comparison of two runs looks: a row for each measure, and one for each item that differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from rich.cells import cell_len

from ...engines.studies.wording import amount, ends, measure_name, p_value
from ...texts import t
from ..fitting import Apart, fit
from ..showing import clean
from ..widgets.long_list import Row

if TYPE_CHECKING:
    from ...engines.measures.measure import Measure
    from ...engines.studies.differing import Difference

VERDICT_STYLES = {
    "better": "good",
    "worse": "bad",
    "same": "quiet",
    "unclear": "doubtful",
}
MARKS = {
    "gain": ("+", "good"),
    "loss": ("-", "bad"),
    "same": ("=", "quiet"),
    "none": ("?", "doubtful"),
}


class Ends(Protocol):
    """A figure with its 95 % interval; None: there is none."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Flip(NamedTuple):
    """An item under one measure in both runs."""

    id: str
    title: str
    kind: Literal["gain", "loss", "same", "none"]
    """Of the second against the first; `none`: it could not be measured in both."""
    first: str
    """The answer, or what stands in its place."""
    second: str
    values: tuple[float | None, float | None]
    accepted: str = ""


class Column(NamedTuple):
    """A column of the table of measures. Its heading is the text `compared.NAME`."""

    name: str
    size: int
    rank: int
    """The most useful has 0; the last to be left out."""
    cell: Callable[[Difference], str]


def interval(measure: Measure, found: Ends, *, signed: bool = False) -> str:
    """The ends of an interval; empty without one."""
    return (
        ""
        if found.low is None or found.high is None
        else " .. ".join(ends(measure, found.low, found.high, signed=signed))
    )


def verdict(found: Difference, width: int) -> str:
    """The verdict in words; where it cannot be told and there is room, with how many items would tell."""
    word = t(
        f"compared.{found.verdict or ('other' if found.measure.tested else 'untested')}"
    )
    whole = (
        f"{word} {t('compared.needed', n=f'{found.needed:,}')}"
        if found.needed
        else word
    )
    return fit(whole if cell_len(whole) <= width else word, width)


def _changed(one: Difference) -> str:
    return f"{one.wins} / {one.ties} / {one.losses}" if one.n else ""


COLUMNS = (
    Column("first", 9, 1, lambda one: amount(one.measure, one.a.value)),
    Column("first_interval", 17, 6, lambda one: interval(one.measure, one.a)),
    Column("second", 9, 1, lambda one: amount(one.measure, one.b.value)),
    Column("second_interval", 17, 6, lambda one: interval(one.measure, one.b)),
    Column(
        "difference",
        9,
        2,
        lambda one: amount(one.measure, one.difference.value, signed=True),
    ),
    Column(
        "interval",
        17,
        3,
        lambda one: interval(one.measure, one.difference, signed=True),
    ),
    Column(
        "p",
        6,
        5,
        lambda one: p_value(one.p_corrected) if one.p_corrected is not None else "",
    ),
    Column("changed", 13, 4, _changed),
)
NAME, VERDICT, WIDE_VERDICT = 14, 11, 31
"""Cells of the measure's name and of the verdict: before a column is left out, and where there is room."""


LAST = max(column.rank for column in COLUMNS)
"""What stands only where the verdict has all its room."""


def sizes(width: int) -> dict[str, int]:
    """The cells of each column that there is room for, by name; those of the verdict under `verdict`."""
    room = width - NAME - 1 - VERDICT
    found: dict[str, int] = {}
    for rank in sorted({column.rank for column in COLUMNS}):
        group = [column for column in COLUMNS if column.rank == rank]
        spare = WIDE_VERDICT - VERDICT if rank == LAST else 0
        if room < sum(column.size + 1 for column in group) + spare:
            break
        found |= {column.name: column.size for column in group}
        room -= sum(column.size + 1 for column in group)
    return {**found, "verdict": min(VERDICT + max(room, 0), WIDE_VERDICT)}


def head(width: int) -> str:
    """The headings of the table of measures."""
    found = sizes(width)
    cells = [
        fit(t("compared.measure"), NAME),
        *(
            at_right(t(f"compared.{one.name}"), one.size)
            for one in COLUMNS
            if one.name in found
        ),
    ]
    return " ".join([*cells, fit(t("compared.verdict"), found["verdict"])])


def measure_row(one: Difference, width: int) -> Row:
    """The row of a measure."""
    found = sizes(width)
    style = "" if one.n else "quiet"
    cells = [
        (at_right(column.cell(one), column.size) + " ", style)
        for column in COLUMNS
        if column.name in found
    ]
    return [
        (fit(measure_name(one.measure.name), NAME) + " ", style),
        *cells,
        (
            verdict(one, found["verdict"]),
            VERDICT_STYLES.get(one.verdict or "", "quiet"),
        ),
    ]


def at_right(text: str, size: int) -> str:
    """Text at the right end of a column."""
    fitted = fit(text, size)
    kept = fitted.rstrip()
    return " " * (len(fitted) - len(kept)) + kept


class Items:
    """The rows of items under one measure."""

    def __init__(self, found: Sequence[Flip], measure: Measure | None) -> None:
        self._found = found
        self._measure = measure
        self._apart = Apart(one.title for one in found)
        self._id = max(min(max((len(one.id) for one in found), default=2), 16), 4)

    def row(self, number: int, width: int) -> Row:
        """The row of an item: its mark, id, title, and both answers, or both values of a number."""
        one = self._found[number]
        mark, style = MARKS[one.kind]
        texts = self._texts(one)
        size = max(min((width - self._id - 4) // 4, 30), 8)
        title = max(width - self._id - 3 - 2 * (size + 2), 8)
        return [
            (f"{mark} ", style),
            (fit(one.id, self._id) + " ", "quiet"),
            (fit(self._apart.fit(clean(one.title, newlines=False), title), title), ""),
            ("  " + fit(texts[0], size), "quiet"),
            ("  " + fit(texts[1], size), style if one.kind != "same" else "quiet"),
        ]

    def _texts(self, one: Flip) -> tuple[str, str]:
        if self._measure is None or self._measure.share:
            return one.first, one.second
        first, second = (amount(self._measure, value) for value in one.values)
        return first, second

"""How the items of a comparison look: a row for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual.content import Content

from ...engines.figures.wording import amount
from ..showing import clean_line
from ..title_columns import Apart, fit
from ..widgets.long_list import Row

if TYPE_CHECKING:
    from ...engines.figures.measure import Measure
    from ...engines.reports.document import DataTable

MARKS = {
    "gain": ("+", "good"),
    "loss": ("-", "bad"),
    "same": ("=", "quiet"),
    "none": ("?", "doubtful"),
}


class Flip(NamedTuple):
    """An item under one measure in both runs."""

    id: str
    title: str
    kind: Literal["gain", "loss", "same", "none"]
    """Of the second against the first; `none`: it could not be measured in both."""
    first: str
    """The answer, or what is in its place."""
    second: str
    values: tuple[float | None, float | None]
    accepted: str = ""


class ComparedRow(NamedTuple):
    """A measure, or a probe, with its items."""

    words: str
    """How many items came out otherwise."""
    more: str
    """What else is to be said of them."""
    flips: Sequence[Flip]
    measure: Measure | None


class ComparedTable(NamedTuple):
    """What the screen of a comparison shows."""

    title: str
    names: tuple[str, str]
    """What the two sessions of an item are called."""
    facts: Content
    """Facts above the figures."""
    table: DataTable
    rows: Sequence[str]
    """The names of its rows."""
    row: Callable[[int], ComparedRow]
    sessions: Callable[[str], tuple[Path | None, Path | None]]
    """The files of both sessions of an item; None where there is none."""
    folder: Path | None = None
    """Where it is one folder that is shown: its sessions are opened."""


class ItemRows:
    """The rows of items under one measure."""

    def __init__(self, found: Sequence[Flip], measure: Measure | None) -> None:
        self._found = found
        self._measure = measure
        self._apart = Apart(one.title for one in found)
        self._id = max(min(max((len(one.id) for one in found), default=2), 16), 4)

    def row(self, number: int, width: int) -> Row:
        """The row of an item: its mark, id, title, and both answers, or both values of
        a number.
        """
        one = self._found[number]
        mark, style = MARKS[one.kind]
        texts = self._texts(one)
        size = max(min((width - self._id - 4) // 4, 30), 8)
        title = max(width - self._id - 3 - 2 * (size + 2), 8)
        return [
            (f"{mark} ", style),
            (fit(one.id, self._id) + " ", "quiet"),
            (fit(self._apart.fit(clean_line(one.title), title), title), ""),
            ("  " + fit(texts[0], size), "quiet"),
            ("  " + fit(texts[1], size), style if one.kind != "same" else "quiet"),
        ]

    def _texts(self, one: Flip) -> tuple[str, str]:
        if self._measure is None or self._measure.share:
            return one.first, one.second
        first, second = (amount(self._measure, value) for value in one.values)
        return first, second

"""A plot as a value: what is drawn, not how. And the scale that its values are drawn on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ....texts import t

Kind = Literal["line", "bar", "heatmap"]


class Point(NamedTuple):
    """One value with its interval, and the paper's own value, which is drawn apart in grey."""

    value: float | None
    low: float | None = None
    high: float | None = None
    paper: float | None = None


@dataclass(frozen=True)
class Series:
    """Values of one thing, one for each label of the plot. None, or a shorter list: not measured."""

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    paper: Sequence[float | None] = ()

    def at(self, place: int) -> Point:
        return Point(
            *(
                _finite(listed, place)
                for listed in (self.values, self.low, self.high, self.paper)
            )
        )


@dataclass(frozen=True)
class Plot:
    """A line or bars over labels, or a heatmap: a column a label, a row a series. All values have one unit and one scale."""

    kind: Kind
    title: str
    labels: Sequence[str]
    series: Sequence[Series]
    x: str = ""
    """What the labels are: `level`, `round`."""
    y: str = ""
    """What the values are."""

    def points(self) -> Iterator[Point]:
        for one in self.series:
            yield from (one.at(place) for place in range(len(self.labels)))

    @property
    def caption(self) -> str:
        """What the values are, where the title does not say so already."""
        return "" if self.y == self.title else self.y

    @property
    def has_intervals(self) -> bool:
        return self.kind != "heatmap" and any(
            point.low is not None and point.high is not None for point in self.points()
        )

    @property
    def has_paper(self) -> bool:
        return self.kind != "heatmap" and any(
            point.paper is not None for point in self.points()
        )


class Scale(NamedTuple):
    """From the lowest to the highest mark of an axis."""

    low: float
    high: float
    marks: list[float]
    decimals: int
    """Of the marks; values have one more."""

    def share(self, value: float) -> float:
        """Where a value lies, from 0 at the low end to 1."""
        return (value - self.low) / (self.high - self.low)

    def mark(self, value: float) -> str:
        return f"{value:.{self.decimals}f}"

    def number(self, value: float) -> str:
        return f"{value:.{self.decimals + 1}f}"


def scale(plot: Plot) -> Scale | None:
    """The scale that holds everything of a plot, with round marks; that of bars has 0 and no marks. None where nothing was measured."""
    held = [
        value
        for point in plot.points()
        for value in (point if plot.kind != "heatmap" else point[:1])
        if value is not None
    ]
    if not held:
        return None
    low, high = min(held), max(held)
    if plot.kind == "bar":
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-9 * max(abs(low), abs(high), 1e-300):
        low, high = (low - abs(low) / 10, high + abs(high) / 10) if low else (0.0, 1.0)
    step = _round_step((high - low) / 4)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if plot.kind == "bar":
        return Scale(low, high, [], decimals)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [place * step for place in range(first, last + 1)]
    return Scale(marks[0], marks[-1], marks, decimals)


def told(axis: Scale, point: Point) -> str:
    """A point in figures: its value, its interval, and the paper's value by name."""
    words = (
        t("report.plot.unmeasured") if point.value is None else axis.number(point.value)
    )
    if point.value is not None and point.low is not None and point.high is not None:
        words += f" [{axis.number(point.low)}, {axis.number(point.high)}]"
    return (
        words
        if point.paper is None
        else f"{words}  {t('report.plot.paper')} {axis.number(point.paper)}"
    )


def _round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        power * times for times in (1, 2, 5, 10) if power * times >= rough * (1 - 1e-9)
    )


def _finite(listed: Sequence[float | None], place: int) -> float | None:
    value = listed[place] if place < len(listed) else None
    return value if value is not None and math.isfinite(value) else None

"""A plot as data, independent of how it is drawn, and its axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from ...texts import t

Kind = Literal["line", "bar", "heatmap", "scatter"]

INKS = {
    "blue": "#2554c7",
    "amber": "#9a5b00",
    "green": "#2b7a2f",
    "violet": "#7a3fb3",
    "teal": "#0b7285",
    "rose": "#b3315f",
}
"""The colours of series, by the name that a page has for them."""


class PlotPoint(NamedTuple):
    """One value with its interval, and the paper's own value."""

    value: float | None
    low: float | None = None
    high: float | None = None
    paper: float | None = None
    n: int | None = None
    """How many items the value rests on."""
    x: float | None = None
    """Only in a scatter plot, as are the ends of its interval."""
    x_low: float | None = None
    x_high: float | None = None


@dataclass(frozen=True)
class Series:
    """The points of one system or condition: the nth of each list is the nth point.

    None, or a list that ends before: not measured. A line, bars or a heatmap have a
    point for each label of the plot; a scatter plot has one for each of `xs`.
    """

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    paper: Sequence[float | None] = ()
    n: Sequence[int | None] = ()
    xs: Sequence[float | None] = ()
    x_low: Sequence[float | None] = ()
    x_high: Sequence[float | None] = ()

    def at(self, place: int) -> PlotPoint:
        """The point at a place, from 0."""
        value, low, high, paper, x, x_low, x_high = (
            _finite(values, place)
            for values in (
                self.values,
                self.low,
                self.high,
                self.paper,
                self.xs,
                self.x_low,
                self.x_high,
            )
        )
        n = self.n[place] if place < len(self.n) else None
        return PlotPoint(value, low, high, paper, n, x, x_low, x_high)


@dataclass(frozen=True)
class Plot:
    """A line or bars over labels, a heatmap, or a scatter plot.

    A heatmap has a column for each label and a row for each series. In a line plot,
    labels that are increasing numbers stand to scale. All values share one axis.

    A scatter plot of quality by cost has a series for each system, with one point in
    `values` and `xs`, and no labels; with labels, each is beside a point of every
    series (`k = 1`, `k = 3`). With `better`, the Pareto front is drawn: the points that
    no other point beats in both x and y.
    """

    kind: Kind
    title: str
    labels: Sequence[str]
    series: Sequence[Series]
    x: str = ""
    """What the labels, or the x of a scatter plot, are: `round`, `cost (US$)`."""
    y: str = ""
    """What the values are, with their unit: `accuracy (%)`."""
    better: Literal["higher", "lower"] | None = None
    """Of a scatter plot: which values are better, where a lower x is better."""

    def points(self) -> Iterator[PlotPoint]:
        for each in self.series:
            yield from self.points_of(each)

    def points_of(self, series: Series) -> list[PlotPoint]:
        count = len(series.xs) if self.kind == "scatter" else len(self.labels)
        return [series.at(place) for place in range(count)]

    @property
    def caption(self) -> str:
        """Return what the values are, unless the title says so already."""
        if self.y == self.title:
            return ""
        return self.y

    @property
    def has_intervals(self) -> bool:
        return self.kind != "heatmap" and any(
            None not in (point.low, point.high) for point in self.points()
        )

    @property
    def has_paper(self) -> bool:
        return self.kind != "heatmap" and any(
            point.paper is not None for point in self.points()
        )

    @property
    def same_n(self) -> int | None:
        """Return the n that every measured point has; None if they differ, or there is
        none.
        """
        counts = {point.n for point in self.points() if point.value is not None}
        if len(counts) == 1:
            return counts.pop()
        return None

    @property
    def shows_n(self) -> bool:
        """Return whether each point must show its n, because they differ."""
        return self.same_n is None and any(
            point.n is not None for point in self.points()
        )

    @property
    def front(self) -> list[tuple[float, float]]:
        """Return x and y of the points that no other point beats, by increasing x."""
        if self.better is None:
            return []
        sign = 1 if self.better == "higher" else -1
        known = sorted(
            (point.x, -sign * point.value)
            for point in self.points()
            if point.x is not None and point.value is not None
        )
        front: list[tuple[float, float]] = []
        for x, rank in known:
            if not front or rank < front[-1][1]:
                front.append((x, rank))
        return [(x, -sign * rank) for x, rank in front]


def multiplied(plot: Plot, factor: float) -> Plot:
    """The plot with all its values in another unit: 100 makes per cent of shares."""

    def times(values: Sequence[float | None]) -> list[float | None]:
        return [None if value is None else value * factor for value in values]

    series = [
        replace(
            each,
            values=times(each.values),
            low=times(each.low),
            high=times(each.high),
            paper=times(each.paper),
        )
        for each in plot.series
    ]
    return replace(plot, series=series)


# ------------------------------------------------------------------ axes


class AxisScale(NamedTuple):
    """From the lowest to the highest mark of an axis."""

    low: float
    high: float
    marks: list[float]
    decimals: int
    """Of the marks; values have one more."""
    log: bool = False

    def share(self, value: float) -> float:
        """Return the position of a value, from 0 at the low end to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def mark(self, value: float) -> str:
        if self.log:
            return f"{value:g}"
        return f"{value:.{self.decimals}f}"

    def number(self, value: float) -> str:
        if self.log:
            return f"{value:.3g}"
        return f"{value:.{self.decimals + 1}f}"


def scale(plot: Plot) -> AxisScale | None:
    """The axis of the values, with round marks; None where nothing was measured.

    That of bars contains 0 and has no marks.
    """
    held = []
    for point in plot.points():
        held += [point.value]
        if plot.kind != "heatmap":
            held += [point.low, point.high, point.paper]
    return _axis([value for value in held if value is not None], plot.kind == "bar")


def x_scale(plot: Plot) -> AxisScale | None:
    """The axis of x of a scatter plot. Beyond two powers of ten it is logarithmic."""
    held = [
        value
        for point in plot.points()
        for value in (point.x, point.x_low, point.x_high)
        if value is not None
    ]
    if not held:
        return None
    if min(held) > 0 and max(held) > 100 * min(held):
        first, last = math.log10(min(held)), math.log10(max(held))
        powers = range(math.floor(first + 1e-9), math.ceil(last - 1e-9) + 1)
        marks = [10.0**power for power in powers]
        return AxisScale(marks[0], marks[-1], marks, 0, log=True)
    return _axis(held)


def _axis(held: Sequence[float], bars: bool = False) -> AxisScale | None:
    if not held:
        return None
    low, high = min(held), max(held)
    if bars:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-9 * max(abs(low), abs(high), 1e-300):
        low, high = (low - abs(low) / 10, high + abs(high) / 10) if low else (0.0, 1.0)
    step = _round_step((high - low) / 4)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if bars:
        return AxisScale(low, high, [], decimals)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [place * step for place in range(first, last + 1)]
    return AxisScale(marks[0], marks[-1], marks, decimals)


_EDGE = 0.06
"""Share of the x axis left free at both ends where labels stand to scale."""
_NARROWEST = 0.02
"""Least share of the x axis between two labels that stand to scale."""


def places(plot: Plot) -> list[float]:
    """Position of each label of a line plot, from 0 at the left end to 1.

    Increasing numbers are placed to scale, unless two labels would overlap; everything
    else is evenly spaced.
    """
    count = len(plot.labels)
    numbers = [_as_number(label) for label in plot.labels]
    known = [number for number in numbers if number is not None]
    if count > 1 and len(known) == count:
        width = known[-1] - known[0]
        gaps = [after - before for before, after in pairwise(known)]
        if min(gaps) > max(0.0, _NARROWEST * width):
            free = min(_EDGE, 0.5 / count)
            return [
                free + (1 - 2 * free) * (number - known[0]) / width for number in known
            ]
    return [(place + 0.5) / count for place in range(count)]


def narrowest(at: Sequence[float]) -> float:
    """The least distance between two labels, as a share of the x axis."""
    return min((after - before for before, after in pairwise(at)), default=1.0)


def in_figures(axis: AxisScale, point: PlotPoint, *, n: bool = False) -> str:
    """A point in figures: its value, its interval, and the paper's value by name.

    `n`: and how many items it rests on.
    """
    if point.value is None:
        words = t("report.plot.unmeasured")
    else:
        words = axis.number(point.value)
        if point.low is not None and point.high is not None:
            words += f" [{axis.number(point.low)}, {axis.number(point.high)}]"
        if n and point.n is not None:
            words += f"  {t('report.plot.n', n=point.n)}"
    if point.paper is not None:
        words += f"  {t('report.plot.paper')} {axis.number(point.paper)}"
    return words


def notes(plot: Plot) -> list[str]:
    """Notes of a plot: the n that all its points share."""
    if plot.same_n is None:
        return []
    return [t("report.plot.n", n=plot.same_n)]


def name_with_n(plot: Plot, series: Series) -> str:
    """The name of a series of a scatter plot, with its n where each has another one."""
    counts = [point.n for point in plot.points_of(series) if point.n is not None]
    if not plot.shows_n or not counts:
        return series.name
    least, most = min(counts), max(counts)
    n = t("report.plot.n", n=least)
    if least == most:
        return f"{series.name} ({n})"
    return f"{series.name} ({n}–{most:,})"


def _round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        power * times for times in (1, 2, 5, 10) if power * times >= rough * (1 - 1e-9)
    )


def _as_number(label: str) -> float | None:
    try:
        number = float(label)
    except ValueError:
        return None
    if math.isfinite(number):
        return number
    return None


def _finite(values: Sequence[float | None], place: int) -> float | None:
    value = values[place] if place < len(values) else None
    if value is not None and math.isfinite(value):
        return value
    return None

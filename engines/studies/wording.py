"""Measures in words, the same wherever a comparison or a study is shown: names, values in their unit, p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...sessions.clean import clean
from ...texts import has, t
from ...texts.amounts import money
from ..measures.ranked import shown

if TYPE_CHECKING:
    from ..measures.measure import Measure
    from .differing import Difference

NOTHING = "–"


def measure_name(name: str) -> str:
    """What people call a measure; one of a method's own, or from outside, without words is called by its name."""
    ranking = shown(name)
    if ranking is not None:
        return ranking
    key = f"report.measure.{name.replace('.', '_').replace('-', '_')}"
    return t(key) if has(key) else clean(name, newlines=False)


def amount(measure: Measure, value: float | None, *, signed: bool = False) -> str:
    """A value in the unit of its measure. `signed`: a difference, with its sign; that of shares is in points, without the per cent."""
    if value is None:
        return NOTHING
    size = abs(value)
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    if measure.name in ("cost", "saved"):
        return sign + money(size)
    if measure.share:
        return f"{sign}{size * 100:.1f}" + ("" if signed else "%")
    return f"{sign}{size:,.{_places(measure, size)}f}"


def ends(
    measure: Measure, low: float, high: float, *, signed: bool = False
) -> tuple[str, str]:
    """Both ends of an interval; the unit stands only at the second."""
    first, second = (amount(measure, end, signed=signed) for end in (low, high))
    return (first.removesuffix("%") if second.endswith("%") else first), second


def p_value(p: float | None) -> str:
    """`.031`, `<.001`, `1`."""
    return (
        NOTHING
        if p is None
        else "<.001"
        if p < 0.001
        else f"{p:.3f}".removeprefix("0")
        if p < 0.9995
        else "1"
    )


def test_name(one: Difference) -> str:
    """The test of a difference, and whether it goes by cluster."""
    clustered = one.a.clusters < one.n and one.test != "mcnemar"
    return t(
        f"report.compare.test_{one.test.replace('-', '_')}"
        + ("_clusters" if clustered else "")
    )


def _places(measure: Measure, size: float) -> int:
    """Decimal places: by what the values can be, else by how large this one is."""
    if measure.low is not None and measure.high is not None:
        room = measure.high - measure.low
        return 3 if room <= 2 else 2 if room <= 10 else 1
    return (
        0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 4 if size else 0
    )

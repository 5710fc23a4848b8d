"""Measures in words, the same wherever a comparison or a study is shown: names, values
in their unit, p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from ...sessions.clean import clean_line
from ...texts import has, t
from ...texts.amounts import money
from ...texts.roles import role_name
from ...texts.settings import listed, setting_name, setting_value, word
from .ranked import shown

if TYPE_CHECKING:
    from .difference import Difference
    from .measure import Measure

NOTHING = "–"


def measure_name(name: str) -> str:
    """What people call a measure; one of a method's own, or from outside, without words
    is called by its name.
    """
    ranking = shown(name)
    if ranking is not None:
        return ranking
    key = f"report.measure.{name.replace('.', '_').replace('-', '_')}"
    if has(key):
        return t(key)
    return clean_line(name)


class Unit(NamedTuple):
    """The unit of a measure on the axis of a plot."""

    symbol: str
    """Empty where the name of the measure is the unit: tokens, calls."""
    factor: float = 1
    """What values are multiplied with."""


def unit(measure: Measure) -> Unit:
    """The unit that the values of a measure are drawn in."""
    if measure.share:
        return Unit("%", 100)
    base = measure.name.removesuffix("_by_round")
    key = f"report.unit.{base}"
    return Unit(t(key) if has(key) else "")


def axis_name(measure: Measure) -> str:
    """A measure with its unit: `right (%)`, `cost (US$)`."""
    name, symbol = measure_name(measure.name), unit(measure).symbol
    if symbol:
        return t("report.unit.axis", name=name, unit=symbol)
    return name


def amount(measure: Measure, value: float | None, *, signed: bool = False) -> str:
    """A value in the unit of its measure.

    `signed`: a difference, with its sign; that of shares is in points, without the per
    cent.
    """
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
    """Return both ends of an interval; only the second one has the unit."""
    first, second = (amount(measure, end, signed=signed) for end in (low, high))
    return (first.removesuffix("%") if second.endswith("%") else first), second


def interval(
    measure: Measure, low: float | None, high: float | None, *, signed: bool = False
) -> str:
    """`38.8 to 96.0%`; "" without an interval."""
    if low is None or high is None:
        return ""
    first, second = ends(measure, low, high, signed=signed)
    return t("report.compare.between", low=first, high=second)


def bracketed(
    measure: Measure, low: float | None, high: float | None, *, signed: bool = False
) -> str:
    """`[38.8, 96.0%]`; "" without an interval."""
    if low is None or high is None:
        return ""
    return f"[{', '.join(ends(measure, low, high, signed=signed))}]"


def verdict_words(difference: Difference) -> str:
    """The verdict: `better`, `cannot tell`, `cannot be measured`."""
    if difference.difference.value is None:
        return t("report.compare.not_measured")
    other = "different" if difference.measure.tested else "untested"
    return t(f"report.compare.{difference.verdict or other}")


MOST_NAMES = 20
"""Names that a sentence lists."""


def nearest_names(name: str, names: Sequence[str]) -> str:
    """The existing names, those similar to `name` first; at most a fixed number."""
    near = list(dict.fromkeys([*get_close_matches(name, names, 5), *names]))
    rest = len(near) - MOST_NAMES
    more = [t("wrong.gates.more", n=rest)] if rest > 0 else []
    return ", ".join([*near[:MOST_NAMES], *more])


def counted_reasons(counts: Mapping[str, int]) -> str:
    """`2 undecided, 1 failed`."""
    return listed(f"{count} {word(why)}" for why, count in counts.items())


FACTS_OF_ROLES = ("model", "endpoint", "fingerprint")
"""Facts that each role has its own of."""


def fact_name(name: str) -> str:
    """What a run was made with, as people call it: `setting.level`, `model.judge`."""
    kind, _, rest = name.partition(".")
    if kind == "setting":
        return setting_name(rest)
    if kind in FACTS_OF_ROLES:
        return t(f"report.compare.made_{kind}", role=role_name(rest))
    if kind == "param":
        role, _, parameter = rest.partition(".")
        return f"{role_name(role)}.{parameter}"
    key = f"report.compare.made_{name.replace('.', '_').replace('-', '_')}"
    if has(key):
        return t(key)
    return name


def fact_values(name: str, values: Sequence[str]) -> str:
    """The values of such a fact; – where there is none."""
    kind, _, rest = name.partition(".")
    plain = {"true": True, "false": False, "null": None}
    if kind == "setting":
        values = [setting_value(rest, plain.get(value, value)) for value in values]
    return listed(values) or NOTHING


def p_value(p: float | None) -> str:
    """`.031`, `<.001`, `1`."""
    if p is None:
        return NOTHING
    if p < 0.001:
        return "<.001"
    if p < 0.9995:
        return f"{p:.3f}".removeprefix("0")
    return "1"


def test_name(difference: Difference) -> str:
    """Return the name of the test of a difference, and whether it is clustered."""
    clustered = difference.a.clusters < difference.n and difference.test != "mcnemar"
    return t(
        f"report.compare.test_{difference.test.replace('-', '_')}"
        + ("_clusters" if clustered else "")
    )


def _places(measure: Measure, size: float) -> int:
    """Decimal places: by what the values can be, else by how large this one is."""
    if measure.low is not None and measure.high is not None:
        room = measure.high - measure.low
        if room <= 2:
            return 3
        if room <= 10:
            return 2
        return 1
    if size >= 1000:
        return 0
    if size >= 10:
        return 1
    if size >= 1:
        return 2
    if size:
        return 4
    return 0

"""What a comparison says in words, for every sink: names, values in their unit, verdicts, and what is not the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...sessions.clean import clean
from ...texts import t
from ...texts.roles import role_name
from ...texts.settings import listed, setting_name, setting_value, word
from ..measures.measure import Measure
from .comparing import PRICE, Differing, Versus
from .differing import Difference
from .wording import amount, ends, p_value, test_name

_PLAIN = {"true": True, "false": False, "null": None}
MOST = 60
"""Characters of a value in a list of what differs."""


class Side(NamedTuple):
    """A run's figure, or their difference, as it is shown."""

    name: str
    value: str
    interval: str


def between(
    measure: Measure, low: float | None, high: float | None, *, signed: bool = False
) -> str:
    """An interval; "" where there is none."""
    if low is None or high is None:
        return ""
    first, second = ends(measure, low, high, signed=signed)
    return t("report.compare.between", low=first, high=second)


def sides(versus: Versus, one: Difference) -> list[Side]:
    """Both runs' figures and the difference."""
    found = [
        Side(
            clean(run.name, newlines=False),
            amount(one.measure, side.value),
            between(one.measure, side.low, side.high),
        )
        for run, side in ((versus.first, one.a), (versus.second, one.b))
    ]
    apart = one.difference
    told = between(one.measure, apart.low, apart.high, signed=True)
    return [
        *found,
        Side(
            t("report.compare.difference"),
            amount(one.measure, apart.value, signed=True),
            told,
        ),
    ]


def verdict(one: Difference, *, short: bool = False) -> str:
    """The verdict in words; where nobody can tell, how many items would do, unless it is to be `short`."""
    if one.difference.value is None:
        return t("report.compare.not_measured")
    found = one.verdict
    if found == "same":
        return t("report.compare.same", margin=amount(one.measure, one.margin))
    if found == "unclear":
        return (
            t("report.compare.unclear")
            if short or one.needed is None
            else t("report.compare.unclear_n", n=one.needed)
        )
    return t(
        f"report.compare.{found or ('different' if one.measure.tested else 'untested')}"
    )


def tested(one: Difference) -> str:
    """`p .031, corrected .062 (exact McNemar)`; "" where nothing was tested."""
    if one.p is None or one.p_corrected is None:
        return ""
    return t(
        "report.compare.p",
        p=p_value(one.p),
        corrected=p_value(one.p_corrected),
        test=test_name(one),
    )


def counted(one: Difference) -> str:
    """How many items are better, the same and worse."""
    return t("report.compare.counts", wins=one.wins, ties=one.ties, losses=one.losses)


def remarks(versus: Versus, one: Difference) -> list[str]:
    """What a figure leaves out, and what it counts as wrong, a sentence each."""
    found = []
    for run, side in ((versus.first, one.a), (versus.second, one.b)):
        if side.unanswered:
            found.append(
                t(
                    "report.compare.unanswered",
                    name=clean(run.name, newlines=False),
                    why=_by_why(side.unanswered),
                )
            )
    if one.left_out and one.measure.name in PRICE and one.n:
        found.append(
            t("report.compare.price_unknown", n=one.left_out, of=len(one.pairs))
        )
    elif one.left_out and one.measure.name not in PRICE:
        found.append(
            t(
                "report.compare.left_out",
                n=one.left_out,
                of=len(one.pairs),
                why=_by_why(one.why_left_out),
            )
        )
    return found


def head(versus: Versus) -> list[str]:
    """What is compared, and how many items are not, a line each."""
    paired, names = (
        versus.paired,
        [clean(run.name, newlines=False) for run in (versus.first, versus.second)],
    )
    clusters = len(set(paired.clusters.values()))
    among = (
        t("report.compare.clusters", n=clusters) if clusters < len(paired.ids) else ""
    )
    lines = [t("report.compare.items", n=len(paired.ids), clusters=among)]
    for name, ids in zip(names, (paired.only_first, paired.only_second), strict=True):
        lines += [t("report.compare.only", name=name, n=len(ids))] if ids else []
    lines += (
        [t("report.compare.other", n=len(paired.other_content))]
        if paired.other_content
        else []
    )
    lines += (
        [t("report.compare.unfinished", n=len(paired.unfinished))]
        if paired.unfinished
        else []
    )
    lines += [
        t("report.compare.theirs", name=name)
        for run, name in zip((versus.first, versus.second), names, strict=True)
        if not run.methods
    ]
    return lines


def alike(versus: Versus) -> str:
    """What is said where no difference in how the runs were made is known."""
    return t(
        "report.compare.alike"
        if versus.first.methods and versus.second.methods
        else "report.compare.not_known"
    )


def made_differently(differing: Sequence[Differing]) -> list[tuple[str, list[str]]]:
    """What the runs were not made alike with: its name, and the values of each run; – where a run has none."""
    return [
        (_fact_name(one.name), [_values(one.name, values) for values in one.values])
        for one in differing
    ]


def _values(name: str, values: Sequence[str]) -> str:
    kind, _, rest = name.partition(".")
    shown = [
        setting_value(rest, _PLAIN.get(value, value)) if kind == "setting" else value
        for value in values
    ]
    text = clean(listed(shown), newlines=False)
    return (text if len(text) <= MOST else text[: MOST - 1] + "…") or "–"


def _fact_name(name: str) -> str:
    kind, _, rest = name.partition(".")
    if kind == "setting":
        return clean(setting_name(rest), newlines=False)
    if kind == "model":
        return t(
            "report.compare.made_model", role=clean(role_name(rest), newlines=False)
        )
    if kind == "param":
        role, _, parameter = rest.partition(".")
        return clean(f"{role_name(role)}.{parameter}", newlines=False)
    return t(f"report.compare.made_{kind}")


def _by_why(found: dict[str, int] | object) -> str:
    assert isinstance(found, dict)
    return listed(f"{count} {word(why)}" for why, count in found.items())

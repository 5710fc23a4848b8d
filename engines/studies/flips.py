"""Two conditions of a study beside each other: the difference of each measure, and the
items on which it goes one way or the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...sessions.clean import clean_line
from ...sessions.errors import bad_input
from ...texts import t
from ..figures.compare import PRICE
from ..figures.difference import Difference, corrected
from ..figures.wording import amount, bracketed, p_value
from .report import StudyReport, read_flips
from .scores import ScoreRow
from .tables import name_of, verdict

MOST = 20
"""Items that are named on each side."""


def flips_of(
    report: StudyReport,
    scores: Sequence[ScoreRow],
    first: str,
    second: str,
    measures: Sequence[str],
) -> list[Difference]:
    """The differences second − first.

    `measures`: none named, all of quality that both have, then the prices. Raises:
    BadInput.
    """
    names = [condition.name for condition in report.plan.conditions]
    for name in (first, second):
        if name not in names:
            words = {"key": "diff", "name": name, "names": ", ".join(names)}
            raise bad_input("wrong.study.no_condition", **words)
    for name in measures:
        if name not in report.plan.measures:
            known = ", ".join(report.plan.measures)
            raise bad_input("wrong.study.no_measure", name=name, names=known)
    chosen = [
        name
        for name in measures or report.plan.measures
        if {first, second} <= set(report.figures.get(name, {}))
    ]
    found = [read_flips(report, scores, first, second, name) for name in chosen]
    if report.plan.study.against.correct != "holm":
        return found
    quality, prices = (
        [one for one in found if (one.measure.name in PRICE) is side]
        for side in (False, True)
    )
    return [*corrected(quality), *corrected(prices)]


def flips_in_words(
    differences: Sequence[Difference], first: str, second: str, folder: Path
) -> str:
    """For people: what differs, how far, and on which items.

    `folder`: where the study is.
    """
    lines = [clean_line(t("report.study.diff", first=first, second=second))]
    for difference in differences:
        lines += _measure_lines(difference)
    if not differences:
        lines.append(t("report.study.diff_nothing", folder=folder))
    elif any(difference.p is not None for difference in differences):
        is_corrected = any(
            difference.p_corrected is not None for difference in differences
        )
        lines.append(t(f"report.study.{'diff_p' if is_corrected else 'diff_p_alone'}"))
    return "\n".join(lines) + "\n"


def _measure_lines(difference: Difference) -> list[str]:
    """The figures of one measure, and the items whose results changed, by direction."""
    measure, apart = difference.measure, difference.difference
    name = name_of(measure.name)
    if apart.value is None:
        return [t("report.study.diff_unmeasured", name=name, left=difference.left_out)]
    value = amount(measure, apart.value, signed=True)
    between = bracketed(measure, apart.low, apart.high, signed=True)
    lines = [
        t(
            "report.study.diff_line",
            name=name,
            a=amount(measure, difference.a.value),
            b=amount(measure, difference.b.value),
            difference=f"{value} {between}".rstrip(),
            p=p_value(
                difference.p
                if difference.p_corrected is None
                else difference.p_corrected
            ),
            n=difference.n,
        )
    ]
    counts = {
        "wins": difference.wins,
        "ties": difference.ties,
        "losses": difference.losses,
    }
    lines.append(
        "  " + t("report.study.diff_counts", **counts, verdict=verdict(difference))
    )
    if measure.name in PRICE:
        return lines
    for key, ids in zip(("better_on", "worse_on"), difference.flips, strict=True):
        if ids:
            listed = ", ".join(map(clean_line, ids[:MOST]))
            rest = len(ids) - MOST
            more = t("report.study.and_more", n=rest) if rest > 0 else ""
            lines.append("  " + t(f"report.study.{key}", ids=listed) + more)
    return lines

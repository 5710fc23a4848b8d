"""Two conditions of a study beside each other: the difference of each measure, and the
items on which it goes one way or the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...texts import t
from ..figures.compare import PRICE
from ..figures.difference import Difference, corrected
from ..figures.wording import amount, p_value
from .report import StudyReport, read_flips
from .scores import ScoreRow
from .tables import interval, name_of, verdict

MOST = 20
"""Items that are named on each side."""


def flips_of(
    report: StudyReport,
    scores: Sequence[ScoreRow],
    first: str,
    second: str,
    measures: Sequence[str] = (),
) -> list[Difference]:
    """The differences second − first.

    `measures`: none named, all of quality that both have, then the prices. Raises:
    BadInput.
    """
    names = [one.name for one in report.plan.conditions]
    for name in (first, second):
        if name not in names:
            raise BadInput(
                t(
                    "wrong.study.no_condition",
                    key="diff",
                    name=name,
                    names=", ".join(names),
                )
            )
    for name in measures:
        if name not in report.plan.measures:
            raise BadInput(
                t(
                    "wrong.study.no_measure",
                    name=name,
                    names=", ".join(report.plan.measures),
                )
            )
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
    found: Sequence[Difference], first: str, second: str, folder: Path
) -> str:
    """For people: what differs, how far, and on which items.

    `folder`: where the study is.
    """
    lines = [clean(t("report.study.diff", first=first, second=second), newlines=False)]
    for one in found:
        measure = one.measure
        if one.difference.value is None:
            lines.append(
                t(
                    "report.study.diff_unmeasured",
                    name=name_of(measure.name),
                    left=one.left_out,
                )
            )
            continue
        told = amount(measure, one.difference.value, signed=True)
        between = interval(
            measure, one.difference.low, one.difference.high, signed=True
        )
        p = p_value(one.p if one.p_corrected is None else one.p_corrected)
        a, b = amount(measure, one.a.value), amount(measure, one.b.value)
        lines.append(
            t(
                "report.study.diff_line",
                name=name_of(measure.name),
                a=a,
                b=b,
                apart=f"{told} {between}".rstrip(),
                p=p,
                n=one.n,
            )
        )
        lines.append(
            "  "
            + t(
                "report.study.diff_counts",
                wins=one.wins,
                ties=one.ties,
                losses=one.losses,
                verdict=verdict(one),
            )
        )
        if measure.name not in PRICE:
            for key, ids in zip(("better_on", "worse_on"), one.flips, strict=True):
                if ids:
                    more = (
                        t("report.study.and_more", n=len(ids) - MOST)
                        if len(ids) > MOST
                        else ""
                    )
                    lines.append(
                        "  "
                        + t(
                            f"report.study.{key}",
                            ids=", ".join(
                                clean(id_, newlines=False) for id_ in ids[:MOST]
                            ),
                        )
                        + more
                    )
    if not found:
        lines.append(t("report.study.diff_nothing", folder=folder))
    elif any(one.p is not None for one in found):
        lines.append(
            t(
                "report.study.diff_p"
                if any(one.p_corrected is not None for one in found)
                else "report.study.diff_p_alone"
            )
        )
    return "\n".join(lines) + "\n"

"""What came out of a batch of debates."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...sessions.events.debate import DebateResult
from ...texts import t
from ...texts.roles import role_name
from ...texts.settings import word
from ..batches import topics
from ..batches.equivalence import compared, compared_in_words
from ..batches.gates import COMMON, Figure, Figures, shares_of
from ..batches.report import Loss, Row, by_in_words, clustered, left_out_in_words, states_in_words, totals, totals_in_words, verified_by
from .plan import DEBATERS

SIDES = (*DEBATERS, "tie", "none")

FIGURES: Figures = {
    **topics.FIGURES,
    "undecided": Figure("undecided", "done"),
    "rounds": Figure("rounds", most=math.inf),
    **{
        f"disagreement{mode}": Figure(path, left_out=f"{path}.unmeasured", counted=f"{path}.debates")
        for mode, path in (("", "disagreement.*"), (".answer", "disagreement.answer"), (".stance", "disagreement.stance"))
    },
    **shares_of("decided_by", ("discriminative", "extractive", "undecided"), "done"),
    **shares_of("wins", SIDES),
    **shares_of("side_by", ("judge", "match", "none")),
    **COMMON,
}
"""What `--fail-under` and `--fail-over` can hold."""


def losses(rows: Sequence[Row]) -> list[Loss]:
    """The lines that figures have not got."""
    unmeasured = [row for row in rows if isinstance(row.result, DebateResult) and _unmeasured(row.result)]
    found = [*topics.losses(rows, failed=("disagreement",)), *(Loss(row, "unmeasured", ("disagreement",)) for row in unmeasured)]
    places = {id(row): place for place, row in enumerate(rows)}
    return sorted(found, key=lambda loss: places[id(loss.row)])


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and figures of a batch; those of the answers as in `topics.answered`."""
    done = [row.result for row in rows if isinstance(row.result, DebateResult)]
    sides = Counter(result.supported_side or "none" for result in done)
    rounds = [result.rounds for result in done]
    return {
        **totals(rows),
        "verified_by": verified_by(rows, "judge"),
        "decided_by": dict(Counter(result.decided_by for result in done)),
        "undecided": sum(result.decided_by == "undecided" for result in done),
        "unread": sum(row.unread for row in rows),
        "rounds": sum(rounds) / len(rounds) if rounds else None,
        "wins": dict(sorted(sides.items())),
        "side_shares": side_shares(rows),
        "side_by": dict(Counter(result.side_by or "none" for result in done)),
        "disagreement": _disagreement(done),
        **topics.answered(rows),
        **compared(rows),
        "left_out": [loss.as_json() for loss in losses(rows) if loss.of],
    }


def side_shares(rows: Sequence[Row]) -> dict[str, Any]:
    """The share of each supported side among the finished debates, those that support none included; over topics where they repeat."""
    done = [(row.line, row.result.supported_side or "none") for row in rows if isinstance(row.result, DebateResult)]
    return {side: clustered([(line, each == side) for line, each in done]) for side in sorted({each for _, each in done})}


def _disagreement(results: list[DebateResult]) -> dict[str, Any]:
    """Mean over the debates, apart for each way of measuring; `none` is stance without an observer.

    `unmeasured` counts the debates without a figure, `not_measured` the same by what was missing.
    """
    means: dict[str, list[float]] = {}
    excluded: Counter[str] = Counter()
    missing: dict[str, Counter[str]] = {}
    for result in results:
        measured = result.disagreement
        if measured is None:
            continue
        values = means.setdefault(measured.mode, [])
        excluded[measured.mode] += measured.excluded
        if measured.mean is not None:
            values.append(measured.mean)
        if measured.missing is not None:
            missing.setdefault(measured.mode, Counter())[measured.missing] += 1
    return {
        mode: {
            "mean": sum(values) / len(values) if values else None,
            "debates": len(values),
            "excluded": excluded[mode],
            "unmeasured": sum(missing.get(mode, Counter()).values()),
            "not_measured": dict(missing.get(mode, {})),
        }
        for mode, values in means.items()
    }


def _unmeasured(result: DebateResult) -> bool:
    """True where nothing could be compared, though it was to be."""
    found = result.disagreement
    return found is not None and found.mode != "none" and found.mean is None


def in_words(found: dict[str, Any]) -> str:
    """The report for people, a few lines."""
    lines = [states_in_words(found, "topics", by_in_words("judged", found["verified_by"], "judge"))]
    lines += [*topics.answered_in_words(found), *compared_in_words(found), *topics.translation_in_words(found["translation"])]
    if found["wins"]:
        told = (
            t(
                "report.batch.side",
                side=word(side) if side == "none" else role_name(side),
                part=part["count"],
                part2=part["low"],
                part3=part["high"],
            )
            for side, part in found["side_shares"].items()
        )
        lines.append(t("report.batch.sides", names=", ".join(told)))
    if found["done"]:
        lines.append(t("report.batch.debates", found=found["undecided"], found2=found["unread"], found3=found["rounds"]))
    for mode, part in found["disagreement"].items():
        if part["debates"]:
            lines.append(
                t("report.batch.disagreement", mode=t(f"mode.{mode}"), part=part["mean"], part2=part["debates"], part3=part["excluded"])
            )
        for missing, count in part["not_measured"].items():
            lines.append(
                t(
                    "report.batch.no_disagreement",
                    count=count,
                    which="s" if count > 1 else "",
                    catalogue=t(f"missing.{missing}"),
                )
            )
    return "\n".join([*lines, *left_out_in_words(found["left_out"]), totals_in_words(found)])

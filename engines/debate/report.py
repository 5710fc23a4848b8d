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
from ..batches.gates import COMMON, Figure, Figures, mean_of, shares_of
from ..batches.lines import Line
from ..batches.report import (
    Loss,
    Row,
    by_in_words,
    clustered,
    left_out_in_words,
    right_or_wrong,
    share_in_words,
    states_in_words,
    totals,
    totals_in_words,
    verified_by,
)
from .answers import same
from .plan import DEBATERS

SIDES = (*DEBATERS, "tie", "none")
SWAP = ("same_model", "same_side", "same_answer")

FIGURES: Figures = {
    **topics.FIGURES,
    "undecided": Figure("undecided", "done"),
    "rounds": Figure("rounds", most=math.inf),
    **{
        f"disagreement{mode}": Figure(
            path, left_out=f"{path}.unmeasured", counted=f"{path}.debates"
        )
        for mode, path in (
            ("", "disagreement.*"),
            (".answer", "disagreement.answer"),
            (".stance", "disagreement.stance"),
        )
    },
    **shares_of("decided_by", ("discriminative", "extractive", "undecided"), "done"),
    **shares_of("wins", SIDES),
    **shares_of("side_by", ("judge", "match", "none")),
    **{f"swap.{name}": mean_of(f"swap.{name}") for name in SWAP},
    **COMMON,
}
"""What `--fail-under` and `--fail-over` can hold."""


def losses(rows: Sequence[Row]) -> list[Loss]:
    """The lines that figures have not got."""
    unmeasured = [
        row
        for row in rows
        if isinstance(row.result, DebateResult) and _unmeasured(row.result)
    ]
    found = [
        *topics.losses(rows, failed=("disagreement",)),
        *(Loss(row, "unmeasured", ("disagreement",)) for row in unmeasured),
    ]
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
        "swap": _swapped(rows),
        "disagreement": _disagreement(done),
        **topics.answered(rows),
        **compared(rows),
        "left_out": [loss.as_json() for loss in losses(rows) if loss.of],
    }


def side_shares(rows: Sequence[Row]) -> dict[str, Any]:
    """The share of each supported side among the finished debates, those that support none included; over topics where they repeat."""
    done = [
        (row.line, row.result.supported_side or "none")
        for row in rows
        if isinstance(row.result, DebateResult)
    ]
    return {
        side: clustered([(line, each == side) for line, each in done])
        for side in sorted({each for _, each in done})
    }


def _swapped(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Of the topics that were debated twice, with the models of the sides exchanged: how often both debates end alike.

    `same_side`: the same side is supported, whichever model it has, as a judge does that goes by the place; `same_model`: the same model
    is. Both over the pairs in which each debate supports one of the two sides. `same_answer`: over those with two answers. `excluded`
    counts the other pairs.
    """
    by_id = {row.line.id: row.result for row in rows}
    twins = [
        (row.line, by_id.get(str(other)), row.result)
        for row in rows
        if (other := getattr(row.line, "of", ""))
    ]
    if not twins:
        return None
    sided: list[tuple[Line, bool | None]] = []
    answered: list[tuple[Line, bool | None]] = []
    for line, one, two in twins:
        sides = {
            result.supported_side
            for result in (one, two)
            if isinstance(result, DebateResult)
        }
        answers = [
            result.answer
            for result in (one, two)
            if isinstance(result, DebateResult) and result.answer is not None
        ]
        whole = isinstance(one, DebateResult) and isinstance(two, DebateResult)
        sided.append(
            (line, len(sides) == 1 if whole and sides <= set(DEBATERS[:2]) else None)
        )
        answered.append((line, same(*answers) if len(answers) == 2 else None))
    return {
        "pairs": len(twins),
        "same_model": right_or_wrong(
            [(line, None if equal is None else not equal) for line, equal in sided]
        ),
        "same_side": right_or_wrong(sided),
        "same_answer": right_or_wrong(answered),
    }


def _swapped_in_words(found: dict[str, Any]) -> list[str]:
    part = found["swap"]
    if part is None:
        return []
    lines = [t("report.batch.swap", n=part["pairs"])]
    return lines + [
        share_in_words(t(f"report.batch.{name}"), part[name])
        for name in SWAP
        if part[name] is not None
    ]


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
    lines = [
        states_in_words(
            found, "topics", by_in_words("judged", found["verified_by"], "judge")
        )
    ]
    lines += [
        *topics.answered_in_words(found),
        *compared_in_words(found),
        *topics.translation_in_words(found["translation"]),
    ]
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
    lines += _swapped_in_words(found)
    if found["done"]:
        lines.append(
            t(
                "report.batch.debates",
                found=found["undecided"],
                found2=found["unread"],
                found3=found["rounds"],
            )
        )
    for mode, part in found["disagreement"].items():
        if part["debates"]:
            lines.append(
                t(
                    "report.batch.disagreement",
                    mode=t(f"mode.{mode}"),
                    part=part["mean"],
                    part2=part["debates"],
                    part3=part["excluded"],
                )
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
    return "\n".join(
        [*lines, *left_out_in_words(found["left_out"]), totals_in_words(found)]
    )

"""Claims in the report of a batch: how many there are, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...texts import t
from ...texts.settings import listed
from ..batches.gates import Figure, Figures, mean_of
from ..batches.report import Row, clustered, clustered_means, mean_in_words
from .claims_figures import ANSWER, FIGURES, Claimed
from .facts import Facts


def figures() -> Figures:
    """What a gate can hold. Where claims were not checked nothing passes."""
    return {
        **{name: mean_of(f"claims.{name}") for name in FIGURES},
        "unquoted": Figure("claims.unquoted"),
    }


def claimed_of(row: Row) -> Claimed | None:
    """The figures of a line; None where its claims were not to be checked, or it is not finished."""
    return (
        row.facts.claimed
        if row.status == "done" and isinstance(row.facts, Facts)
        else None
    )


def claims_report(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Claims of all answers by verdict, `unquoted` (the share of those that rest on a reference, whose words do not stand in it), and the
    mean of each figure over the answers, with its interval. `excluded` counts lines that should have a figure and have not: unread, not
    finished, without an answer. `nothing` are answers that claim nothing. None where no claims were to be checked.
    """
    told = [(row, one) for row in rows if (one := claimed_of(row)) is not None]
    if not told:
        return None
    resting = [
        (row.line, one.words is None)
        for row, said in told
        for one in said.items
        if one.n is not None
    ]
    verdicts = {
        name: sum(said.verdicts[name] for _, said in told)
        for name in Claimed().verdicts
    }
    without = without_figures(rows)
    means: dict[str, Any] = {}
    for name in FIGURES:
        measured = clustered_means(
            [
                (row.line, said.values[name])
                for row, said in told
                if name in said.values
            ],
            0.0,
            1.0,
        )
        means[name] = measured and {
            **measured,
            "excluded": sum(name in names for names in without.values()),
        }
    return {
        "answers": sum(bool(said.items) for _, said in told),
        "nothing": sum(
            not said.items and "faithfulness" not in said.missing for _, said in told
        ),
        "verdicts": verdicts,
        "unquoted": clustered(resting),
        **means,
    }


def without_figures(rows: Sequence[Row]) -> dict[int, dict[str, str]]:
    """By the place of a line: figures of claims that it should have and has not, and why. Empty where no claims were to be checked."""
    if not any(claimed_of(row) for row in rows):
        return {}
    made: dict[int, dict[str, str]] = {}
    for place, row in enumerate(rows):
        said = claimed_of(row)
        if said is not None:
            made[place] = said.missing
        elif row.empty or row.status != "done":
            names = [*ANSWER, *(["context_recall"] if row.line.answers else [])]
            names += FIGURES[-2:] if getattr(row.line, "nuggets", ()) else []
            made[place] = dict.fromkeys(names, "empty" if row.empty else row.status)
    return made


def in_words(part: dict[str, Any]) -> list[str]:
    """The same for people."""
    verdicts = listed(
        t(f"asked.claims_{name.replace('-', '_')}", n=count)
        for name, count in part["verdicts"].items()
        if count
    )
    lines = [
        t(
            "report.claims.counted",
            n=sum(part["verdicts"].values()),
            answers=part["answers"],
            verdicts=verdicts or t("asked.claims_none"),
        )
    ]
    lines += [t("report.claims.nothing", n=part["nothing"])] if part["nothing"] else []
    lines += [
        mean_in_words(t(f"report.measure.{name}"), part[name])
        for name in FIGURES
        if part[name] is not None
    ]
    unquoted = part["unquoted"]
    if unquoted and unquoted["count"]:
        lines.append(
            t("report.claims.unquoted", n=unquoted["count"], of=unquoted["of"])
        )
    return lines

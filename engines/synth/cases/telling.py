"""The report of pairs of cases for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....sessions.clean import clean
from ....texts import speaking, t
from ....texts.columns import cells, pad
from ...metrics.levels import LEVELS

MOST = 10
"""Leaks that are named one by one."""


def in_words(report: Mapping[str, Any]) -> str:
    """The report, some lines and a table of the levels."""
    left, splits, pool, drawn = (
        report[name] for name in ("left_out", "splits", "pool", "drawn")
    )
    judged = report["judged"]
    lines = [
        _told("read", **report["read"]),
        *_counted("left_out", left),
        _told("splits", **{name: one["queries"] for name, one in splits.items()}),
        *(
            [_told("held_out", n=report["train_pairs_held_out"])]
            if report["train_pairs_held_out"]
            else []
        ),
        _told("pool", n=pool["cases"]),
        *_counted("not_in_pool", pool["left_out"]),
        _told("drawn", n=drawn["pairs"], possible=drawn["possible"]),
        *(
            [_told("fewer_drawn", wanted=drawn["wanted"])]
            if drawn["pairs"] < drawn["wanted"]
            else []
        ),
        *(
            [_told("without_score", n=drawn["without_score"])]
            if drawn["without_score"]
            else []
        ),
        *(
            [
                _told(
                    "judged",
                    n=judged["pairs"],
                    presort=clean(drawn["presort"], newlines=False),
                )
            ]
            if judged["pairs"]
            else []
        ),
        *_counted(
            "states",
            {name: count for name, count in judged["states"].items() if name != "read"},
        ),
        "",
        *_table(report),
        *[line for one in _sets(report) for line in _fewer(one, judged["levels"])],
        *_leaks(report["leaks"]),
    ]
    return "\n".join(lines)


def agreement_in_words(found: Mapping[str, Any] | None) -> str | None:
    """How far the machine agrees with people, a sentence; None where that was not asked
    for or cannot be said. English, for files.
    """
    kappa = found.get("kappa_level") if found is not None else None
    if kappa is None or kappa["value"] is None:
        return None
    interval = (
        "" if kappa["low"] is None else f" [{kappa['low']:.2f}, {kappa['high']:.2f}]"
    )
    with speaking("en"):
        return t(
            "report.synth_cases.agreement",
            value=f"{kappa['value']:.2f}",
            interval=interval,
            n=kappa["n"],
        )


def _told(key: str, **named: Any) -> str:
    return t(
        f"report.synth_cases.{key}",
        **{
            name: f"{value:,}" if isinstance(value, int) else value
            for name, value in named.items()
        },
    )


def _counted(key: str, counts: Mapping[str, int]) -> list[str]:
    """One line for each reason that something was left out for."""
    return [
        f"  {_told(f'{key}_{why}'.replace('-', '_'), n=count)}"
        for why, count in counts.items()
        if count
    ]


def _table(report: Mapping[str, Any]) -> list[str]:
    """The share of each level among people's labels, among the judged pairs, and in
    each set.
    """
    rows = [
        [
            t("report.synth_cases.set"),
            t("report.synth_cases.pairs"),
            *(t("report.synth_cases.level", level=level) for level in LEVELS),
        ]
    ]
    rows += [
        _row(t(f"report.synth_cases.people_{name}"), one["levels"])
        for name, one in report["splits"].items()
    ]
    if report["judged"]["pairs"]:
        rows += [_row(t("report.synth_cases.machine"), report["judged"]["levels"])]
    rows += [
        _row(
            t(
                f"report.synth_cases.by_{one['by']}",
                name=clean(one["name"], newlines=False),
            ),
            one["levels"],
        )
        for one in _sets(report)
    ]
    widths = [max(cells(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            [
                pad(row[0], widths[0]),
                *(
                    " " * (width - cells(cell)) + cell
                    for cell, width in zip(row[1:], widths[1:], strict=True)
                ),
            ]
        )
        for row in rows
    ]


def _sets(report: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The sets; none where nothing was to be judged."""
    found: Sequence[Mapping[str, Any]] = (
        report["sets"] if report["judged"]["pairs"] else ()
    )
    return found


def _row(name: str, levels: Mapping[str, Any]) -> list[str]:
    shares = [levels[str(level)] for level in LEVELS]
    return [
        name,
        f"{shares[0]['of']:,}" if shares[0] else "0",
        *("–" if one is None else f"{one['value']:.1%}" for one in shares),
    ]


def _fewer(one: Mapping[str, Any], judged: Mapping[str, Any]) -> list[str]:
    """Why a set is smaller than it was wanted."""
    if one["pairs"] == one["wanted"]:
        return []
    lines = [_told("fewer", name=one["name"], n=one["pairs"], wanted=one["wanted"])]
    for level, count in one["missing"].items() if one["pairs"] else ():
        none = judged[level] is None or not judged[level]["count"]
        lines.append(
            "  " + _told("no_level" if none else "missing", level=level, n=count)
        )
    return lines


def _leaks(found: Sequence[Mapping[str, str]]) -> list[str]:
    if not found:
        return [t("report.synth_cases.no_leak")]
    named = [
        "  "
        + t(
            f"report.synth_cases.leak_{one['why']}",
            text=clean(one["text"], newlines=False),
            held=clean(one["held"], newlines=False),
        )
        for one in found[:MOST]
    ]
    return [_told("leaks", n=len(found)), *named]

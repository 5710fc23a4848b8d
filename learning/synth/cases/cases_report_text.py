"""The report of pairs of cases as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....engines.metrics.levels import LEVELS
from ....sessions.clean import clean_line
from ....texts import speaking, t
from ....texts.columns import aligned
from .outcome import CasesReport, Levels, SelectionReport, SetReport

MOST = 10
"""Maximum number of leaks listed one by one."""


def in_words(report: CasesReport) -> str:
    """The report as text, with a table of the levels."""
    pool, drawn, judged = report.pool, report.drawn, report.judged
    held_out = report.train_pairs_held_out
    failed = {name: count for name, count in judged.states.items() if name != "read"}
    queries = {name: split.queries for name, split in report.splits.items()}
    lines = [
        _line("read", **report.read),
        *_counted("left_out", report.left_out),
        _line("splits", **queries),
        *([_line("held_out", n=held_out)] if held_out else []),
        _line("pool", n=pool.cases),
        *_counted("not_in_pool", pool.left_out),
        *_drawn(drawn),
    ]
    if judged.pairs:
        presort = clean_line(drawn.presort)
        lines.append(_line("judged", n=judged.pairs, presort=presort))
    lines += [*_counted("states", failed), "", *_table(report)]
    lines += [line for one in _sets(report) for line in _fewer(one, judged.levels)]
    return "\n".join([*lines, *_leaks(report.leaks)])


def _drawn(drawn: SelectionReport) -> list[str]:
    lines = [_line("drawn", n=drawn.pairs, possible=drawn.possible)]
    if drawn.pairs < drawn.wanted:
        lines.append(_line("fewer_drawn", requested=drawn.wanted))
    if drawn.without_score:
        lines.append(_line("without_score", n=drawn.without_score))
    return lines


def agreement_in_words(found: Mapping[str, Any] | None) -> str | None:
    """A sentence on the model's agreement with people; None if it was not requested or
    cannot be computed. In English, for files.
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


def _line(key: str, **named: Any) -> str:
    return t(
        f"report.synth_cases.{key}",
        **{
            name: f"{value:,}" if isinstance(value, int) else value
            for name, value in named.items()
        },
    )


def _counted(key: str, counts: Mapping[str, int]) -> list[str]:
    """One line per reason for leaving something out."""
    return [
        f"  {_line(f'{key}_{why}'.replace('-', '_'), n=count)}"
        for why, count in counts.items()
        if count
    ]


def _table(report: CasesReport) -> list[str]:
    """Table: the share of each level among people's labels, among the judged pairs, and
    in each set.
    """
    heads = [t(f"report.synth_cases.{key}") for key in ("set", "pairs")]
    heads += [t("report.synth_cases.level", level=level) for level in LEVELS]
    rows = [heads]
    for name, split in report.splits.items():
        rows.append(_row(t(f"report.synth_cases.people_{name}"), split.levels))
    if report.judged.pairs:
        rows.append(_row(t("report.synth_cases.machine"), report.judged.levels))
    for each in _sets(report):
        name = t(f"report.synth_cases.by_{each.by}", name=clean_line(each.name))
        rows.append(_row(name, each.levels))
    return aligned(rows)


def _sets(report: CasesReport) -> Sequence[SetReport]:
    """The sets; empty if nothing was to be judged."""
    if report.judged.pairs:
        return report.sets
    return ()


def _row(name: str, levels: Levels) -> list[str]:
    shares = [levels[str(level)] for level in LEVELS]
    return [
        name,
        f"{shares[0].of:,}" if shares[0] else "0",
        *("–" if share is None else f"{share.value:.1%}" for share in shares),
    ]


def _fewer(report: SetReport, judged: Levels) -> list[str]:
    """Explains why a set is smaller than requested."""
    if report.pairs == report.wanted:
        return []
    lines = [
        _line(
            "fewer",
            name=report.name,
            n=report.pairs,
            requested=report.wanted,
        )
    ]
    for level, count in report.missing.items() if report.pairs else ():
        share = judged[level]
        key = "missing" if share is not None and share.count else "no_level"
        lines.append("  " + _line(key, level=level, n=count))
    return lines


def _leaks(found: Sequence[Mapping[str, str]]) -> list[str]:
    if not found:
        return [t("report.synth_cases.no_leak")]
    named = [
        "  "
        + t(
            f"report.synth_cases.leak_{one['why']}",
            text=clean_line(one["text"]),
            other=clean_line(one["held"]),
        )
        for one in found[:MOST]
    ]
    return [_line("leaks", n=len(found)), *named]

"""What came out of a batch of pairs: scores, agreement with known levels, and how far the machine agrees with itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from statistics import fmean
from typing import Any

from ...sessions.events import Made
from ...sessions.session import Session
from ...texts import own_words, t
from ..batches.gates import COMMON, Figure, Figures, shares_of
from ..batches.report import (
    Loss,
    Row,
    by_in_words,
    left_out_in_words,
    states_in_words,
    totals,
    totals_in_words,
    verified_by,
)
from ..cases.rating import GOLD, MACHINE
from ..metrics import bootstrap
from ..metrics.compare import (
    BITS,
    KAPPAS,
    Pooled,
    Rater,
    Rates,
    Single,
    compare,
    figure_name,
    pooled,
    rates,
)
from ..metrics.levels import LEVELS
from ..metrics.report import (
    comparison_json,
    figures_json,
    kappas_text,
    queries_text,
    rates_text,
    singles_text,
    tables_json,
    tables_text,
)
from .pairs import PairLine
from .plan import Fold, setting

RAW = ("material", "legal", "levels")
"""The kinds of judgements for which raw agreement is reported."""

EXTRACTIONS, JUDGEMENTS = 4, 2
"""Calls of a pair whose cases nobody has read before: material and legal facts of both, and two judgements."""

FIGURES: Figures = {
    "unscored": Figure("unread", "done"),
    **shares_of("scores", map(str, LEVELS), left_out="unread", counted="scores"),
    **{
        f"{short}.{name}": Figure(
            f"agreement.{path}.{name}",
            least=least,
            left_out="agreement.unread",
            counted="agreement.pairs",
        )
        for short, path, least, names in (
            ("kappa", "kappa", -1.0, KAPPAS),
            ("raw_agreement", "raw_agreement", 0.0, RAW),
        )
        for name in names
    },
    **{
        f"{kind}.{name}": Figure(
            f"runs.*.{kind}.{name}",
            least=-1.0,
            left_out="runs.*.unread",
            counted="runs.*.scores",
        )
        for kind in ("reliability", "validity")
        for name in KAPPAS
    },
    **COMMON,
}
"""What `--fail-under` and `--fail-over` can hold. A bound on `reliability` or `validity` must hold at every temperature."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What counts of a finished session."""

    score: int | None
    replies: int
    """What seats have answered, from the cache or not."""
    cached: int
    unshared: int
    """Calls that the pair takes by itself, under its settings."""


def facts(session: Session) -> Facts:
    """The facts of a finished session: that of its one candidate."""
    scores = [
        one.score.value
        for one in Fold(session).candidates.values()
        if one.score is not None
    ]
    made = [event for event in session.events if isinstance(event, Made)]
    unshared = JUDGEMENTS + (EXTRACTIONS if setting(session, "extraction") else 0)
    return Facts(
        scores[0] if scores else None,
        len(made),
        sum(event.cached for event in made),
        unshared,
    )


def level_of(row: Row) -> int | None:
    """The level that a pair came to."""
    return (
        row.facts.score
        if row.status == "done" and isinstance(row.facts, Facts)
        else None
    )


def losses(rows: Sequence[Row]) -> list[Loss]:
    """The pairs that figures have not got."""
    made = []
    labelled = any(
        isinstance(row.line, PairLine) and row.line.pair.label is not None
        for row in rows
    )
    for row in rows:
        label = row.line.pair.label if isinstance(row.line, PairLine) else None
        if level_of(row) is None:
            of = (
                "scores",
                *(("agreement", "runs") if label is not None else ("runs",)),
            )
            made.append(Loss(row, "unread" if row.status == "done" else row.status, of))
        if labelled and label is None:
            made.append(Loss(row, "unlabelled", ("agreement",)))
    return made


def details(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For each line of summary.jsonl its level, whether that is the label's (null without one), and how many other candidates of the query
    came to the same level in the same run."""
    alike = Counter(_place(row) for row in rows if level_of(row) is not None)
    made = []
    for row in rows:
        level, label = (
            level_of(row),
            row.line.pair.label if isinstance(row.line, PairLine) else None,
        )
        made.append(
            {
                "measures": {"agreement": None if label is None else level == label},
                "level": level,
                "label": label,
                "ties": None if level is None else alike[_place(row)] - 1,
                "left_out": ("unread" if row.status == "done" else row.status)
                if level is None
                else None,
            }
        )
    return made


def _place(row: Row) -> tuple[object, ...]:
    """The same for candidates of one query that came to one level in one run."""
    line = row.line
    return (
        (line.pair.query.id, line.temperature, line.repeat, level_of(row))
        if isinstance(line, PairLine)
        else ()
    )


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and measures of a batch.

    `agreement` is that of the first annotation of every pair with its label. `runs` has an entry for each temperature: `reliability` is
    Cohen's kappa of every two repeats taken together, `validity` that of every repeat with the labels. Pairs that could not be read are
    left out of both, and counted. Intervals are drawn query by query.
    """
    done = [
        (row.line, row.facts)
        for row in rows
        if isinstance(row.facts, Facts) and isinstance(row.line, PairLine)
    ]
    runs: dict[tuple[float | None, int], Rater] = {}
    for row in rows:
        if isinstance(row.line, PairLine):
            runs.setdefault((row.line.temperature, row.line.repeat), Rater(MACHINE))
    for line, one in done:
        runs[line.temperature, line.repeat].labels[line.pair.query.id, line.of] = (
            one.score
        )
    gold = Rater(
        GOLD,
        {
            (line.pair.query.id, line.of): line.pair.label
            for line, _ in done
            if line.pair.label is not None
        },
    )
    first = next(iter(runs.values()), Rater(MACHINE))
    return {
        **totals(rows),
        "verified_by": verified_by(rows, "annotator", "extractor"),
        "scores": _counts(one.score for _, one in done),
        "unread": sum(one.score is None for _, one in done),
        "labels": _counts(gold.labels.values()),
        "agreement": comparison_json(compare(first, gold)) if gold.labels else None,
        "runs": [
            _run(
                temperature,
                [rater for (at, _), rater in runs.items() if at == temperature],
                gold,
            )
            for temperature in dict.fromkeys(at for at, _ in runs)
        ],
        "replies": sum(one.replies for _, one in done),
        "cached": sum(one.cached for _, one in done),
        "calls_unshared": sum(one.unshared for _, one in done),
        "calls_a_pair": sorted({one.unshared for _, one in done}),
        "left_out": [loss.as_json() for loss in losses(rows)],
    }


def _counts(levels: Iterable[int | None]) -> dict[str, int]:
    counted = Counter(levels)
    return {str(level): counted[level] for level in LEVELS}


def _run(
    temperature: float | None, repeats: Sequence[Rater], gold: Rater
) -> dict[str, Any]:
    """One temperature."""
    return {
        "temperature": temperature,
        "repeats": len(repeats),
        "scores": _counts(level for one in repeats for level in one.labels.values()),
        "unread": sum(
            level is None for one in repeats for level in one.labels.values()
        ),
        "rates": [_rates(one) for one in repeats],
        "ties": ties(repeats) if len(repeats) > 1 else None,
        "reliability": _pooled(list(combinations(repeats, 2))),
        "validity": _pooled([(one, gold) for one in repeats]) if gold.labels else None,
    }


def ties(repeats: Sequence[Rater]) -> dict[str, int]:
    """How many couples of candidates have one level in the first repeat, and how many of them the mean of the repeats tells apart."""
    means: dict[tuple[str, int], list[float]] = {}
    for pair, level in repeats[0].rated().items():
        known = [
            found for one in repeats if (found := one.labels.get(pair)) is not None
        ]
        means.setdefault((pair[0], level), []).append(fmean(known))
    tied = sum(comb(len(alike), 2) for alike in means.values())
    left = sum(
        comb(count, 2) for alike in means.values() for count in Counter(alike).values()
    )
    return {"tied": tied, "broken": tied - left}


def _rates(one: Rater) -> dict[str, Any] | None:
    """The base rates of one repeat; None where nothing was rated."""
    given = list(one.rated().values())
    found = rates([given.count(level) for level in LEVELS]) if given else None
    return found and {"levels": found.levels, **found.bits}


def _pooled(couples: Sequence[tuple[Rater, Rater]]) -> dict[str, Any] | None:
    """Kappa on the bits and the levels; `of` says over how many couples, `undefined` in how many alone it is undefined."""
    if not couples:
        return None
    found: Pooled = pooled(couples)
    figures = {
        name: {
            **one,
            "of": found.couples - found.undefined[name],
            "undefined": found.undefined[name],
            "comparisons": found.couples,
        }
        for name, one in figures_json(found.kappa).items()
    }
    return {
        "comparisons": found.couples,
        "pairs": found.pairs,
        **figures,
        "confusion": tables_json(found.levels),
    }


def in_words(found: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        states_in_words(
            found, "pairs", by_in_words("judged", found["verified_by"], "annotator")
        )
    ]
    lines.append(
        t("report.batch.scores")
        + ", ".join(f"{level}: {count}" for level, count in found["scores"].items())
        + t("report.batch.and_unread", found=found["unread"])
    )
    if found["agreement"] is not None:
        lines += _agreement(found["agreement"])
    for run in found["runs"]:
        lines += _run_in_words(run)
    shared = t(
        "report.batch.unshared",
        found=found["calls_unshared"],
        names=t("report.batch.to").join(map(str, found["calls_a_pair"])) or 0,
    )
    lines.append(
        t(
            "report.batch.replies",
            found=found["replies"],
            found2=found["cached"],
            shared=shared,
        )
    )
    return "\n".join(
        [*lines, *left_out_in_words(found["left_out"]), totals_in_words(found)]
    )


def _agreement(part: dict[str, Any]) -> list[str]:
    lines = [t("report.batch.agreement", part=part["pairs"], part2=part["unread"])]
    if part["pairs"]:
        base = [
            Rates(shares, bits)
            for shares, bits in zip(part["shares"], part["positives"], strict=True)
        ]
        lines += tables_text(part["confusion"]["levels"], *part["raters"])
        lines += [t("report.ratings.base_rates"), *rates_text(part["raters"], base)]
        lines += singles_text([Single(**one) for one in part["single"]], part["pairs"])
    shown = {
        name: bootstrap.Figure(
            **{key: value for key, value in one.items() if key != "why"}
        )
        for name, one in part["kappa"].items()
    }
    lines += [
        t("report.ratings.kappa_from", queries_text=queries_text(part["queries"])),
        *kappas_text(shown),
    ]
    raw = (
        f"{figure_name(name)} {share:.1%}"
        for name, share in part["raw_agreement"].items()
        if share is not None
    )
    return [
        *lines,
        t("report.ratings.raw_of", names=", ".join(raw) or t("report.ratings.no_pair")),
    ]


def _run_in_words(run: dict[str, Any]) -> list[str]:
    if run["reliability"] is None and run["temperature"] is None:
        return []
    at = (
        ""
        if run["temperature"] is None
        else t("report.batch.temperature", run=run["temperature"])
    )
    lines = []
    for name, what in (
        ("reliability", t("report.batch.every_two")),
        ("validity", t("report.batch.the_labels")),
    ):
        part = run[name]
        if part is not None:
            told = ", ".join(
                f"{figure_name(one)} {_kappa(part[one])}"
                for one in ("material", "legal", "levels")
            )
            told = (
                own_words(part["levels"]["why"])
                if all(
                    part[one]["value"] is None
                    for one in ("material", "legal", "levels")
                )
                else told
            )
            lines.append(
                t(
                    "report.batch.repeats",
                    at=at,
                    run=run["repeats"],
                    what=what,
                    name=name,
                    part=part["pairs"],
                    told=told,
                )
            )
    if run.get("ties") is not None:
        lines.append(
            t(
                "report.batch.ties",
                tied=run["ties"]["tied"],
                broken=run["ties"]["broken"],
            )
        )
    for number, one in enumerate(run["rates"], 1):
        if one is not None and 1.0 in one["levels"]:
            lines.append(
                t(
                    "report.batch.one_level",
                    number=number,
                    index=one["levels"].index(1.0),
                )
            )
    for kind in BITS:
        given = ", ".join(
            "–" if one is None else f"{one[kind]:.1%}" for one in run["rates"]
        )
        lines.append(
            t("report.batch.bits_by_repeat", kind=figure_name(kind), given=given)
        )
    return lines


def _kappa(part: dict[str, Any]) -> str:
    if part["value"] is None:
        return own_words(str(part["why"]))
    interval = (
        "" if part["low"] is None else f" [{part['low']:.4f}, {part['high']:.4f}]"
    )
    return f"{part['value']:.4f}{interval}" + (
        t("report.batch.undefined", part=part["undefined"], part2=part["comparisons"])
        if part["undefined"]
        else ""
    )

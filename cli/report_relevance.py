"""What came out of a batch of pairs: scores, agreement with known levels, and how far the machine agrees with itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ..engines.metrics.compare import KAPPAS, Comparison, Rater, compare, mean_kappas
from ..engines.metrics.levels import LEVELS
from ..engines.relevance.plan import Fold, setting
from ..engines.relevance.result import GOLD, MACHINE
from ..sessions.events import Made
from ..sessions.session import Session
from .pairs import PairLine
from .report import Row, states_in_words, totals, totals_in_words
from .text_measures import comparison_json

EXTRACTIONS, JUDGEMENTS = 4, 2
"""Calls of a pair whose cases nobody has read before: material and legal facts of both, and two judgements."""


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
    scores = [one.score.value for one in Fold(session).candidates.values() if one.score is not None]
    made = [event for event in session.events if isinstance(event, Made)]
    unshared = JUDGEMENTS + (EXTRACTIONS if setting(session, "extraction") else 0)
    return Facts(scores[0] if scores else None, len(made), sum(event.cached for event in made), unshared)


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Totals and measures of a batch.

    `agreement` is that of the first annotation of every pair with its label. `runs` has an entry for each temperature: `reliability` is the
    mean of Cohen's kappa over every two repeats, `validity` that of every repeat with the labels (None where none is defined). Pairs that
    could not be read are left out of both, and counted.
    """
    done = [(row.line, row.facts) for row in rows if isinstance(row.facts, Facts) and isinstance(row.line, PairLine)]
    runs: dict[tuple[float | None, int], Rater] = {}
    for row in rows:
        if isinstance(row.line, PairLine):
            runs.setdefault((row.line.temperature, row.line.repeat), Rater(MACHINE))
    for line, one in done:
        runs[line.temperature, line.repeat].labels[line.of, ""] = one.score
    gold = Rater(GOLD, {(line.of, ""): line.pair.label for line, _ in done if line.pair.label is not None})
    first = next(iter(runs.values()), Rater(MACHINE))
    return {
        **totals(rows),
        "scores": _counts(one.score for _, one in done),
        "unread": sum(one.score is None for _, one in done),
        "labels": _counts(gold.labels.values()),
        "agreement": comparison_json(compare(first, gold)) if gold.labels else None,
        "runs": [
            _run(temperature, [rater for (at, _), rater in runs.items() if at == temperature], gold)
            for temperature in dict.fromkeys(at for at, _ in runs)
        ],
        "replies": sum(one.replies for _, one in done),
        "cached": sum(one.cached for _, one in done),
        "calls_unshared": sum(one.unshared for _, one in done),
        "calls_a_pair": sorted({one.unshared for _, one in done}),
    }


def _counts(levels: Iterable[int | None]) -> dict[str, int]:
    counted = Counter(levels)
    return {str(level): counted[level] for level in LEVELS}


def _run(temperature: float | None, repeats: Sequence[Rater], gold: Rater) -> dict[str, Any]:
    """One temperature."""
    return {
        "temperature": temperature,
        "repeats": len(repeats),
        "scores": _counts(level for one in repeats for level in one.labels.values()),
        "unread": sum(level is None for one in repeats for level in one.labels.values()),
        "reliability": _means([compare(one, other, resamples=0) for one, other in combinations(repeats, 2)]),
        "validity": _means([compare(one, gold, resamples=0) for one in repeats]) if gold.labels else None,
    }


def _means(compared: Sequence[Comparison]) -> dict[str, Any] | None:
    """Mean kappa on the bits and the levels; `of` says over how many comparisons, `undefined` how many had none."""
    if not compared:
        return None
    means = mean_kappas(compared).items()
    figures = {name: {"value": value, "of": of, "undefined": len(compared) - of} for name, (value, of) in means}
    return {"comparisons": len(compared), **figures}


def in_words(found: dict[str, Any]) -> str:
    """The report for people."""
    lines = [states_in_words(found, "pairs")]
    lines.append("scores: " + ", ".join(f"{level}: {count}" for level, count in found["scores"].items()) + f"; unread: {found['unread']}")
    if found["agreement"] is not None:
        lines += _agreement(found["agreement"])
    for run in found["runs"]:
        lines += _run_in_words(run)
    shared = f"{found['calls_unshared']} calls where no case is shared ({' to '.join(map(str, found['calls_a_pair'])) or 0} a pair)"
    lines.append(f"{found['replies']} replies, {found['cached']} of them from the cache; {shared}")
    return "\n".join([*lines, totals_in_words(found)])


def _agreement(part: dict[str, Any]) -> list[str]:
    lines = [f"agreement with the labels, {part['pairs']} pairs ({part['unread']} unread left out), Cohen's kappa and 95 % interval:"]
    for name, label in KAPPAS.items():
        figure = part["kappa"][name]
        told = f"{figure['reason']}" if figure["value"] is None else f"{figure['value']:.4f}"
        told += "" if figure["low"] is None else f"  {figure['low']:.4f} to {figure['high']:.4f}"
        raw = part["raw_agreement"].get(name)
        lines.append(f"  {label}: {told}" + ("" if raw is None else f"; raw agreement {raw:.1%}"))
    return lines


def _run_in_words(run: dict[str, Any]) -> list[str]:
    if run["reliability"] is None and run["temperature"] is None:
        return []
    at = "" if run["temperature"] is None else f"temperature {run['temperature']:g}, "
    lines = []
    for name, what in (("reliability", "every two repeats"), ("validity", "the labels")):
        part = run[name]
        if part is not None:
            told = (f"{KAPPAS[one]} {_kappa(part[one])}" for one in ("material", "legal", "levels", "levels_quadratic"))
            lines.append(f"{at}{run['repeats']} repeats, mean kappa with {what} ({name}): {', '.join(told)}")
    return lines


def _kappa(part: dict[str, Any]) -> str:
    if part["value"] is None:
        return "undefined"
    return f"{part['value']:.4f}" + (f" (undefined in {part['undefined']})" if part["undefined"] else "")

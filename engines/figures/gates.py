"""Bounds that a run must meet. A gate is the name of a measure, or of a run total.

Gates fail closed: a figure that cannot be measured, or that is based on too little of
the input, does not pass.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ...sessions.errors import BadInput, Faults, bad_input
from ...texts import t
from ...texts.settings import listed, word
from .aggregate import Aggregate
from .certificates import CORRECTED, JudgeStatus, judge_in_words
from .measure import Measure
from .wording import nearest_names

MAX_UNREAD = 0.05
"""The share of unread replies that gates let pass without `--max-unread`."""
MIN_COVERAGE = 0.95
"""The share of the input that a gate's figure must rest on without `--min-coverage`."""

RUN_TOTALS = ("failed", "stopped", "skipped", "calls", "seconds", "cost")
"""Gates on the run itself: shares of its lines, and sums over all its calls."""
_SHARES_OF_LINES = ("failed", "stopped")

_RENAMED = {
    "verified.judgement": "judgement_accuracy",
    "verified.revision": "revision_accuracy",
    "no_references": "stopped_by_no_references",
    "traps_decided": "traps",
    "check.empty": "empty_marks",
    "disagreement.answer": "disagreement",
    "disagreement.stance": "disagreement",
    "unread_share": "unread",
}
"""Gates of version 0.1 that are called otherwise now."""
_OPPOSITES = {"undecided": "decided", "empty": "decided", "unscored": "scored"}
"""Gates of version 0.1 whose successor counts the other items."""
_FAMILIES = ("scores.", "check.", "claims.", "retrieval.", "swap.", "agreement.")
"""Families of gates of version 0.1 whose members now have separate names."""


class GateSubject(Protocol):
    """The parts of a report that gates read."""

    @property
    def lines(self) -> int: ...

    @property
    def done(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def figures(self) -> Mapping[str, Aggregate]: ...

    @property
    def covered(self) -> Mapping[str, int]: ...

    @property
    def compared(self) -> tuple[int, int]:
        """Return how many comparisons of answers by a model could not be read, and of
        how many.
        """
        ...

    @property
    def judges(self) -> Mapping[str, JudgeStatus]: ...

    @property
    def unpriced(self) -> Sequence[str]: ...

    def uncovered(self, name: str) -> Mapping[str, int]:
        """Return the number of input lines that a figure does not cover, by reason.

        `name`: a measure; "": the run itself, which covers its finished lines.
        """
        ...

    def total(self, name: str) -> float | None:
        """One of RUN_TOTALS; None where it is unknown."""
        ...


@dataclass(frozen=True)
class Bound:
    """One `--fail-under` or `--fail-over`."""

    option: str
    name: str
    bound: float

    @property
    def about(self) -> str:
        """Return the bound as given: `--fail-under accuracy`."""
        return f"{self.option} {self.name}"

    def holds(self, value: float) -> bool:
        if self.option == "--fail-under":
            return value >= self.bound
        return value <= self.bound


@dataclass(frozen=True)
class Gates:
    """All bounds of a run. None: the option was not given."""

    bounds: Sequence[Bound] = ()
    max_unread: float | None = None
    min_coverage: float | None = None
    require_certified: bool = False

    def failures(self, report: GateSubject) -> list[str]:
        """Return why a report does not pass, one sentence each; empty if it passes."""
        shares = (self.max_unread, self.min_coverage)
        if not self.bounds and shares == (None, None) and not self.require_certified:
            return []
        sentences = self._unread(report) + self._uncertified(report)
        for bound in self.bounds:
            if bound.name in RUN_TOTALS:
                sentences += _failures_of_total(bound, report)
            else:
                sentences += self._failures_of_figure(bound, report)
        if all(bound.name in RUN_TOTALS for bound in self.bounds):
            sentences += self._coverage("", report)
        return list(dict.fromkeys(sentences))

    def _uncertified(self, report: GateSubject) -> list[str]:
        if not self.require_certified:
            return []
        gated = {bound.name.removeprefix(CORRECTED) for bound in self.bounds}
        return uncertified(report.judges, gated)

    def _unread(self, report: GateSubject) -> list[str]:
        most = MAX_UNREAD if self.max_unread is None else self.max_unread
        figure = report.figures.get("unread")
        sentences = []
        if figure is not None and figure.value is not None and figure.value > most:
            sentences.append(t("wrong.gates.unread", share=figure.value, most=most))
        unread, of = report.compared
        if of and unread / of > most:
            share = unread / of
            sentences.append(t("wrong.gates.unread_compared", share=share, most=most))
        return sentences

    def _failures_of_figure(self, bound: Bound, report: GateSubject) -> list[str]:
        figure = report.figures.get(bound.name)
        sentences = self._coverage(bound.name, report)
        if figure is None or figure.value is None:
            why = t("wrong.gates.nothing_measured")
            unmeasured = t("wrong.gates.unmeasured", about=bound.about, unknown=why)
            return sentences or [unmeasured]
        value = figure.value
        if bound.name.startswith(CORRECTED):
            # the end that speaks against passing
            end = figure.low if bound.option == "--fail-under" else figure.high
            if end is None:
                why = t("wrong.gates.no_interval")
                return [t("wrong.gates.unmeasured", about=bound.about, unknown=why)]
            value = end
        if not bound.holds(value):
            sentences.append(_beyond(bound, value))
        return sentences

    def _coverage(self, name: str, report: GateSubject) -> list[str]:
        """Return a sentence if a figure covers too little of the input."""
        least = MIN_COVERAGE if self.min_coverage is None else self.min_coverage
        lines = report.lines + report.skipped
        covered = report.covered.get(name, 0) if name else report.done
        if not lines or covered / lines >= least:
            return []
        reasons = report.uncovered(name).items()
        counts = {
            "covered": covered,
            "lines": lines,
            "share": covered / lines,
            "least": least,
            "why": listed(f"{count} {word(why)}" for why, count in reasons),
        }
        if not name:
            return [t("wrong.gates.coverage_of_run", **counts)]
        return [t("wrong.gates.coverage", name=name, **counts)]


def uncertified(judges: Mapping[str, JudgeStatus], gated: Collection[str]) -> list[str]:
    """Return a sentence for each judge without a matching certificate, among those that
    gated figures depend on; without a gate, among all.
    """
    return [
        t("wrong.gates.not_certified", judge=judge_in_words(key, judge))
        for key, judge in judges.items()
        if not judge.certified and (not gated or {*gated} & {*judge.measures})
    ]


def parse_gates(
    under: Sequence[str],
    over: Sequence[str],
    max_unread: float | None,
    min_coverage: float | None,
    measures: Mapping[str, Measure],
    *,
    require_certified: bool = False,
) -> Gates:
    """Return the gates from `--fail-under`, `--fail-over` and related options.

    Raises: BadInput for each name that is no measure, and each bound that no value can
    reach.
    """
    faults = Faults()
    for name, share in (("max-unread", max_unread), ("min-coverage", min_coverage)):
        if share is not None and not 0 <= share <= 1:
            faults.add(t("wrong.gates.share", name=name))
    given = [("--fail-under", one) for one in under]
    given += [("--fail-over", one) for one in over]
    bounds = [
        faults.of(partial(_bound, option, text, measures)) for option, text in given
    ]
    faults.refuse()
    kept = [bound for bound in bounds if bound is not None]
    return Gates(kept, max_unread, min_coverage, require_certified)


def _bound(option: str, text: str, measures: Mapping[str, Measure]) -> Bound:
    name, _, number = text.partition("=")
    name = name.strip()
    measures = {
        **measures,
        **{
            CORRECTED + key: measure
            for key, measure in measures.items()
            if measure.correctable
        },
    }
    if name not in measures and name not in RUN_TOTALS:
        raise BadInput(_unknown(option, name, [*measures, *RUN_TOTALS]))
    least, most = _range(name, measures)
    try:
        bound = float(number)
    except ValueError:
        bound = math.nan
    if not least <= bound <= most or math.isinf(bound):
        key = "wrong.gates.from" if math.isinf(most) else "wrong.gates.between"
        wanted = t(key, least=least, most=most)
        raise bad_input("wrong.gates.no_bound", text=text, name=name, range=wanted)
    return Bound(option, name, bound)


def _range(name: str, measures: Mapping[str, Measure]) -> tuple[float, float]:
    """The least and the greatest value of a gate."""
    if name in RUN_TOTALS:
        return 0.0, 1.0 if name in _SHARES_OF_LINES else math.inf
    measure = measures[name]
    least = -math.inf if measure.low is None else measure.low
    return least, math.inf if measure.high is None else measure.high


def _unknown(option: str, name: str, names: Sequence[str]) -> str:
    renamed = current_name(name, names)
    if renamed is not None and name in _OPPOSITES:
        other = "--fail-over" if option == "--fail-under" else "--fail-under"
        words = {"option": option, "name": name, "other": other, "new": renamed}
        return t("wrong.gates.opposite", **words)
    if renamed is not None:
        return t("wrong.gates.renamed", option=option, name=name, new=renamed)
    listed = nearest_names(name, names)
    return t("wrong.gates.no_figure", name=name, option=option, listed=listed)


def current_name(name: str, names: Collection[str]) -> str | None:
    """Return the current name of a gate of version 0.1; None if it was none."""
    known = _RENAMED.get(name) or _OPPOSITES.get(name)
    if known in names:
        return known
    if name.startswith("retrieval_first."):
        name = name.removeprefix("retrieval_first.") + "_first"
    if name.startswith("judgements."):
        name = "judged_" + name.removeprefix("judgements.")
    if name.startswith("clauses."):
        name = "clause_" + name.removeprefix("clauses.")
    bare = next(
        (name.removeprefix(one) for one in _FAMILIES if name.startswith(one)), name
    )
    for wanted in (bare, name, bare.replace("levels", "level"), f"score_{bare}"):
        wanted = wanted.replace(".", "_").replace("-", "_")
        if wanted in names:
            return wanted
    return None


def _failures_of_total(bound: Bound, report: GateSubject) -> list[str]:
    value = report.total(bound.name)
    if value is None:
        why = t("wrong.gates.no_price", names=", ".join(report.unpriced))
        return [t("wrong.gates.unmeasured", about=bound.about, unknown=why)]
    if bound.holds(value):
        return []
    return [_beyond(bound, value)]


def _beyond(bound: Bound, value: float) -> str:
    key = "wrong.gates.under" if bound.option == "--fail-under" else "wrong.gates.over"
    return t(key, about=bound.about, value=value, bound=bound.bound)

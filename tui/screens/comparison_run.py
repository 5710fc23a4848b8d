"""Two folders of sessions, read and compared: what the screen of a comparison shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from ...engines.figures.common import answer_of, listed
from ...engines.figures.compare import (
    CompareOptions,
    RunPairing,
    compare,
    differing,
    measures_of,
    pair,
    unknown,
)
from ...engines.figures.contradictions import check_results
from ...engines.figures.difference import ValuePair, corrected
from ...engines.figures.items import asked
from ...engines.figures.runs import names, read_run
from ...engines.figures.wording import measure_name
from ...engines.method import method, recomputed_result
from ...engines.reports.comparison import difference_table, setting_list
from ...engines.studies.conditions import RecordedCondition
from ...engines.studies.rankings import kept_run
from ...engines.studies.report import differ_in
from ...texts import t
from ...texts.settings import word
from ..showing import clean_line
from .comparison_rows import ComparedRow, ComparedTable, Flip

if TYPE_CHECKING:
    from ...engines.figures.difference import Difference
    from ...engines.figures.runs import Run, RunItem
    from ...engines.studies.conditions import Condition
    from ...engines.studies.study_snapshot import StudySnapshot

MOST = 400
"""Characters of a text in a row."""


@dataclass(frozen=True)
class ComparisonRun:
    """One run against another."""

    versus: RunPairing

    @property
    def differences(self) -> tuple[Difference, ...]:
        """One for each measure: quality first, then what it took."""
        return self.versus.differences

    def shown(self) -> ComparedTable:
        """The comparison as its screen shows it."""
        first, second = self.versus.first.name, self.versus.second.name
        return ComparedTable(
            t("compared.title", first=first, second=second),
            (first, second),
            self._facts(),
            difference_table("", [(self.versus, one) for one in self.differences]),
            [one.measure.name for one in self.differences],
            self._row,
            self._sessions,
        )

    def _facts(self) -> Content:
        """Returns what is paired, and what differs in the making: before any difference
        in the figures.
        """
        paired = self.versus.paired
        counts = [t("compared.paired", n=f"{len(paired.ids):,}")]
        clusters = len(set(paired.clusters.values()))
        if clusters < len(paired.ids):
            counts.append(t("compared.clusters", n=f"{clusters:,}"))
        alone = (paired.only_first, paired.only_second)
        names = (self.versus.first.name, self.versus.second.name)
        counts += [
            t("compared.alone", run=clean_line(name), n=len(ids))
            for name, ids in zip(names, alone, strict=True)
            if ids
        ]
        if paired.unfinished:
            counts.append(t("compared.unfinished", n=len(paired.unfinished)))
        setup = [clean_line(one) for one in self._setup()]
        made = (
            Content.assemble((t("compared.setup") + " ", "bold"), " · ".join(setup))
            if setup
            else Content(t("compared.same_setup"))
        )
        return Content.assemble(" · ".join(counts), "\n", made)

    def _row(self, number: int) -> ComparedRow:
        """One measure with its items."""
        one = self.differences[number]
        flips = self._flips(one)
        counts = Counter({"loss": 0, "gain": 0, "same": 0, "none": 0})
        counts.update(flip.kind for flip in flips)
        words = t(
            "compared.items",
            measure=measure_name(one.measure.name),
            **{kind: f"{n:,}" for kind, n in counts.items()},
        )
        why = " · ".join(
            f"{word(state)} {n:,}" for state, n in one.why_left_out.items()
        )
        return ComparedRow(words, f" ({why})" if why else "", flips, one.measure)

    def _setup(self) -> list[str]:
        """The differences in setup of the two, one per line; last what only one of them
        has.
        """
        settings = setting_list((self.versus.first, self.versus.second))
        rows = [f"{name} {' | '.join(values)}" for name, values in settings.rows]
        return [*rows, *(settings.notes if rows or self.versus.unknown else ())]

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {
            id_: _title(self.versus.first.cases[id_])
            or _title(self.versus.second.cases[id_])
            for id_ in self.versus.paired.ids
        }

    def _flips(self, difference: Difference) -> list[Flip]:
        """The items under one measure: those that got worse first, by size of the
        change, then those that got better, then the others.
        """
        lower = difference.measure.better == "lower"
        found = [(pair, self._flip(pair, lower)) for pair in difference.pairs]
        order = ("loss", "gain", "none", "same")
        found.sort(
            key=lambda one: (
                order.index(one[1].kind),
                -abs(one[0].step) if one[0].known else 0,
            )
        )
        return [flip for _, flip in found]

    def _sessions(self, id_: str) -> tuple[Path | None, Path | None]:
        """The files of the two sessions of an item; None where a run has none."""
        return self.versus.first.cases[id_].path, self.versus.second.cases[id_].path

    def _flip(self, pair: ValuePair, lower: bool) -> Flip:
        first, second = (
            run.cases[pair.id] for run in (self.versus.first, self.versus.second)
        )
        item = self.versus.paired.items[pair.id][0]
        accepted = " | ".join(listed(item, "answers"))[:MOST]
        kind = (
            "none"
            if not pair.known
            else "same"
            if abs(pair.step) < 1e-12
            else "gain"
            if (pair.step > 0) != lower
            else "loss"
        )
        values = pair.first.value, pair.second.value
        return Flip(
            pair.id,
            self._titles[pair.id],
            kind,  # type: ignore[arg-type]
            _answer(first),
            _answer(second),
            values,
            accepted,
        )


def read(first: Path, second: Path) -> ComparedTable:
    """Reads two folders and compares them, the second against the first.

    Raises: BadInput where they cannot be compared.
    """
    runs = names([read_run(first), read_run(second)])
    cases = (case for run in runs for case in run.cases.values())
    check_results(cases, recomputed_result)
    available = measures_of(runs, lambda name: method(name).measures)
    compared = compare(runs, available, CompareOptions())
    return ComparisonRun(compared.versus[0]).shown()


def read_conditions(first: str, second: str, following: StudySnapshot) -> ComparedTable:
    """Compares two conditions of a study under its own measures, as far as both have
    got. Raises: BadInput.
    """
    by_name = {one.condition.name: one for one in following.standings}
    one, other = by_name[first], by_name[second]
    runs = [_run_of(each.condition, following) for each in (one, other)]
    paired = pair(runs[0], runs[1], CompareOptions(different=True))
    plan, found = following.plan, []
    for name in plan.measures:
        left, right = one.told.get(name, {}), other.told.get(name, {})
        pairs = [
            ValuePair(id_, *left[id_], right[id_][1])
            for id_ in paired.ids
            if id_ in left and id_ in right
        ]
        if pairs:
            found.append(differ_in(plan, name, pairs))
    quality, prices = (
        [each for each in found if (each.measure.name in plan.quality) is side]
        for side in (True, False)
    )
    if plan.study.against.correct == "holm":
        quality, prices = corrected(quality), corrected(prices)
    return ComparisonRun(
        RunPairing(
            runs[0],
            runs[1],
            paired,
            differing(runs),
            (*quality, *prices),
            unknown(runs),
        )
    ).shown()


def _run_of(condition: Condition, following: StudySnapshot) -> Run:
    """The sessions of a condition as they are in the folder of the study, or its
    recorded run. Raises: BadInput.
    """
    if isinstance(condition, RecordedCondition):
        return kept_run(following.plan, condition, following.folder)
    return replace(read_run(following.folder / condition.folder), name=condition.name)


def _title(case: RunItem) -> str:
    return (asked(case.item.fields) or case.session.header.title)[:MOST]


def _answer(case: RunItem) -> str:
    """The answer of a session, or the reason why it has none."""
    answer = answer_of(case.session)
    if answer.missing is None:
        return (answer.text or "")[:MOST]
    return word(answer.missing)

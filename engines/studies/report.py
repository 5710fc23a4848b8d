"""The report of a study, of its scores alone: figures by condition and round, and each
condition against one of them, paired by item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import msgspec

from ...texts import t
from ..figures.aggregate import Aggregate, of_session, whole
from ..figures.certificates import (
    Certificate,
    JudgeFacts,
    JudgeStatus,
    RunJudges,
    outside_facts,
    since_audits,
    status_of,
    status_on,
)
from ..figures.difference import Difference, Test, ValuePair, corrected, differ
from ..figures.judge.measure import OUTSIDE, JudgeMeasure
from ..figures.made_by import taught
from ..figures.measure import Measure, MeasuredValue
from ..figures.warnings import (
    FigureWarning,
    across,
    alike,
    gone_within,
    of_run,
    split_silent,
)
from ..figures.wording import axis_name, unit
from ..metrics.power import VarianceSplit, variance_split
from ..reports.plot import Kind, Plot, Series, multiplied
from .analysis import CHANGES, PLAN
from .items import SET
from .plan import StudyPlan
from .scores import ScoreRow
from .study import PaperSet

Key = tuple[str, int]
"""Item and repeat."""
Wholes = Mapping[Key, tuple[str, MeasuredValue]]
"""What a measure gave for each session as a whole, with its cluster."""


@dataclass(frozen=True)
class StudyReport:
    """Everything that a report shows."""

    plan: StudyPlan
    manifest: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, Aggregate]]
    """Measure → condition → figure."""
    differences: Mapping[str, Mapping[str, Difference]]
    """Measure → condition → its difference from the reference."""
    rounds: Mapping[str, Mapping[str, Mapping[int, Aggregate]]]
    """Measure → condition → round → figure."""
    keys: Mapping[str, frozenset[Key]]
    """Condition → the items that were measured."""
    variances: Mapping[str, Mapping[str, VarianceSplit]] = field(default_factory=dict)
    """Measure → condition → its variance between items and between repeats."""
    certificates: Sequence[Certificate] = ()
    """Those that may hold for its judges."""
    sets: Mapping[str, StudyReport] = field(default_factory=dict)
    """The same over the items of one data set, where there are several."""

    def measure(self, name: str) -> Measure:
        found = self.plan.measure(name)
        assert found is not None
        return found

    def paper(self, condition: str, measure: str) -> float | None:
        """The published value."""
        return self.plan.study.paper.values.get(condition, {}).get(measure)

    def unpaired(self, condition: str) -> int:
        """How many items only the condition has, or only the reference."""
        return len(
            self.keys.get(condition, frozenset())
            ^ self.keys.get(self.plan.reference.name, frozenset())
        )

    @property
    def made(self) -> dict[str, Any]:
        """What the manifest says of each condition."""
        return {one["name"]: one for one in self.manifest.get("conditions") or ()}

    @cached_property
    def judges(self) -> dict[str, dict[str, JudgeStatus]]:
        """Condition → `ROLE.VERDICT` → whether the judge of its figures is
        certified.
        """
        found = {}
        for one in self.plan.conditions:
            own = self.made.get(one.name, {})
            facts, models = own.get("made_with", {}), own.get("models", {})
            judges = RunJudges(facts, models, one.judged_by)
            listed = [self.measure(name) for name in self.figures]
            found[one.name] = judges.statuses(listed, self.certificates)
            for measure, judge in self._outside(own):
                key = f"{OUTSIDE}.{measure}"
                found[one.name][key] = status_of(judge, self.certificates, [measure])
        return found

    def _outside(self, made: Mapping[str, Any]) -> Iterator[tuple[str, JudgeFacts]]:
        """The measures that models judge for, and by whom. `made`: what the manifest
        says of a condition.
        """
        kinds = {item.fields.get("kind") == "translation" for item in self.plan.items}
        for name, said in made.get("judges", {}).items():
            measure = self.plan.outside.get(name)
            if isinstance(measure, JudgeMeasure) and name in self.figures:
                verdict = f"judge-{measure.about}"
                if True in kinds and measure.about != "ambiguity":
                    verdict = "judge-translation"  # of which no audit has items
                yield name, outside_facts(OUTSIDE, verdict, **said)

    def certified(self, condition: str, measure: str) -> JudgeStatus | None:
        """The judge that a figure rests on; None for no model."""
        return status_on(self.judges.get(condition), measure)

    @cached_property
    def warnings(self) -> list[tuple[str, FigureWarning]]:
        """The warnings about each condition's figures, also those that are silent."""
        made = self.made
        first = made.get(self.plan.reference.name, {}).get("made_with", {})
        found = []
        for condition in self.plan.conditions:
            name = condition.name
            own = made.get(name, {})
            models = own.get("models", {})
            facts = {f"model.{role}": ids for role, ids in models.items()}
            facts |= own.get("made_with", {})
            figures = {
                measure: of[name]
                for measure, of in self.figures.items()
                if name in of and of[name].value is not None
            }
            measures = {measure: self.measure(measure) for measure in figures}
            listed = of_run(figures, measures, facts, (), self.plan.items)
            listed += across([first, facts], [*measures.values()])
            listed += gone_within(
                name, [of.get(name) for of in self.differences.values()]
            )
            seated = RunJudges(facts, models, condition.judged_by)
            listed += seated.changed(measures.values())
            listed += since_audits([(who, [name]) for name, who in self._outside(own)])
            authors = [model for ids in models.values() for model in ids]
            for measure, outside in self.plan.outside.items():
                if isinstance(outside, JudgeMeasure) and measure in figures:
                    judges = [seat.model for seat in outside.seat.members]
                    teachers = taught(facts, models)
                    listed += filter(
                        None,
                        [
                            alike("judge-is-author", judges, authors, [measure]),
                            alike("circularity", judges, teachers, [measure]),
                        ],
                    )
            found += [(name, one) for one in listed]
        return found

    @property
    def silence(self) -> list[str]:
        """Ids of warnings that the configuration leaves out."""
        return list(self.manifest.get("silence") or ())

    @property
    def silenced(self) -> list[str]:
        """Those of them that apply."""
        return split_silent((one for _, one in self.warnings), self.silence)[1]

    def warned(self, measure: str) -> list[str]:
        """A sentence for each warning about a measure, with its condition."""
        return [
            f"{condition}: {one.sentence}"
            for condition, one in self.warnings
            if measure in one.measures and one.id not in self.silence
        ]

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        cautions = [
            {"condition": condition, **msgspec.to_builtins(one)}
            for condition, one in self.warnings
            if one.id not in self.silence
        ]
        return {
            **({"warnings": cautions} if cautions else {}),
            **({"silenced": self.silenced} if self.silenced else {}),
            "name": self.plan.study.name,
            "title": self.plan.study.title,
            "status": self.manifest.get("status"),
            "said": self.manifest.get("said", ""),
            **(
                {"changes": self.manifest["changes"]}
                if self.manifest.get("changes")
                else {}
            ),
            **{
                name: self.manifest[name]
                for name in (PLAN, CHANGES)
                if name in self.manifest
            },
            **({"shard": self.manifest["shard"]} if self.manifest.get("shard") else {}),
            "items": len(self.plan.items),
            "repeats": self.plan.study.repeats,
            "compared_with": self.plan.reference.name,
            "conditions": self.manifest.get("conditions"),
            "figures": {
                name: {
                    condition: one.as_json()
                    | self._paper(condition, name)
                    | self._certified(condition, name)
                    for condition, one in of.items()
                }
                for name, of in self.figures.items()
            },
            "differences": _as_json(self.differences),
            "rounds": {
                name: {
                    condition: {str(n): one.as_json() for n, one in found.items()}
                    for condition, found in of.items()
                }
                for name, of in self.rounds.items()
            },
            "variances": _as_json(self.variances),
            **(
                {"sets": {name: one.as_json() for name, one in self.sets.items()}}
                if self.sets
                else {}
            ),
            "paper": self.plan.study.paper.source,
        }

    def _certified(self, condition: str, measure: str) -> dict[str, bool | None]:
        status = self.certified(condition, measure)
        return {} if status is None else {"certified": status.certified}

    def _paper(self, condition: str, measure: str) -> dict[str, float]:
        value = self.paper(condition, measure)
        if value is None:
            return {}
        return {"paper": value}

    @cached_property
    def plots(self) -> list[Plot]:
        """One plot for each measure of `plot: y`; for each measure of quality where it
        names none.
        """
        names = [
            name
            for name in self.plan.study.plot.measures or self.plan.quality
            if name in self.figures
        ]
        return [made for name in names if (made := self.plot(name)) is not None]

    def plot(self, name: str) -> Plot | None:
        """The plot of a measure as the study wants it, in the unit of the measure.

        None where it has no rounds to be drawn over.
        """
        plot = self._in_values(name)
        if plot is None:
            return None
        plot = multiplied(plot, unit(self.measure(name)).factor)
        return replace(plot, y=plot.title)

    def _in_values(self, name: str) -> Plot | None:
        wanted = self.plan.study.plot
        x, kind = wanted.x, wanted.kind
        if x == "round":
            return self._by_round(name)
        if x in self.plan.study.grid:
            return self._by_key(name, x, kind)
        listed = [
            (one.name, found)
            for one in self.plan.conditions
            if (found := self.figures[name].get(one.name)) is not None
        ]
        title = axis_name(self.measure(name))
        labels = [label for label, _ in listed]
        return Plot(
            kind,
            title,
            labels,
            [self._series(name, title, listed)],
            x=t("report.study.condition"),
        )

    def _by_round(self, name: str) -> Plot | None:
        found = self.rounds.get(name)
        if not found:
            return None
        last = max(n for of in found.values() for n in of)
        numbers = range(1, last + 1)
        series = [
            Series(
                condition,
                [of[n].value if n in of else None for n in numbers],
                [of[n].low if n in of else None for n in numbers],
                [of[n].high if n in of else None for n in numbers],
                n=[of[n].n if n in of else None for n in numbers],
            )
            for condition, of in found.items()
        ]
        return Plot(
            "line",
            axis_name(self.measure(name)),
            [str(n) for n in numbers],
            series,
            x=t("report.study.round"),
        )

    def _by_key(self, name: str, key: str, kind: Kind) -> Plot:
        """A label for each value of a key of the grid, a series for each cell of the
        others; conditions beside the grid come behind.
        """
        values, title = list(self.plan.study.grid[key]), axis_name(self.measure(name))
        groups: dict[str, dict[str, tuple[str, Aggregate]]] = {}
        for one in self.plan.conditions:
            found = self.figures[name].get(one.name)
            if found is not None and key in one.cell:
                rest = (
                    ",".join(
                        f"{other}={value}"
                        for other, value in one.cell.items()
                        if other != key
                    )
                    or title
                )
                groups.setdefault(rest, {})[one.cell[key]] = (one.name, found)
            elif found is not None and kind != "heatmap":
                groups[one.name] = dict.fromkeys(values, (one.name, found))
        nothing = ("", Aggregate(None))
        series = [
            self._series(name, label, [of.get(value, nothing) for value in values])
            for label, of in groups.items()
        ]
        return Plot(kind, title, values, series, x=key)

    def _series(
        self, measure: str, label: str, listed: Sequence[tuple[str, Aggregate]]
    ) -> Series:
        paper = [self.paper(condition, measure) for condition, _ in listed]
        values, low, high = (
            [getattr(one, end) for _, one in listed] for end in ("value", "low", "high")
        )
        return Series(
            label,
            values,
            low,
            high,
            paper,
            [each.n for _, each in listed],
        )


def _as_json(
    found: Mapping[str, Mapping[str, Difference]]
    | Mapping[str, Mapping[str, VarianceSplit]],
) -> dict[str, dict[str, object]]:
    return {
        name: {condition: one.as_json() for condition, one in of.items()}
        for name, of in found.items()
    }


def report_of(
    plan: StudyPlan,
    scores: Sequence[ScoreRow],
    manifest: Mapping[str, object],
    certificates: Sequence[Certificate] = (),
) -> StudyReport:
    """The report. Nothing is read and no model is called."""
    found: dict[str, dict[str, dict[Key, list[ScoreRow]]]] = {}
    keys: dict[str, set[Key]] = {one.name: set() for one in plan.conditions}
    for one in scores:
        if one.condition in keys:
            found.setdefault(one.measure, {}).setdefault(one.condition, {}).setdefault(
                one.key, []
            ).append(one)
            keys[one.condition].add(one.key)
    figures: dict[str, dict[str, Aggregate]] = {}
    rounds: dict[str, dict[str, dict[int, Aggregate]]] = {}
    wholes = {
        name: {condition: _as_wholes(of) for condition, of in by.items()}
        for name, by in found.items()
    }
    for name in plan.measures:
        for condition in plan.conditions:
            of, measure = (
                found.get(name, {}).get(condition.name),
                plan.measure(name, condition),
            )
            if of and measure is not None:
                figures.setdefault(name, {})[condition.name] = whole(
                    measure, list(wholes[name][condition.name].values())
                )
                plot = plan.study.plot
                if measure.by_round and "round" in (*plan.study.by, plot.x):
                    rounds.setdefault(name, {})[condition.name] = _by_rounds(
                        measure, of
                    )
    return StudyReport(
        plan,
        manifest,
        figures,
        _differences(plan, wholes),
        rounds,
        {name: frozenset(of) for name, of in keys.items()},
        _variances(plan, wholes),
        certificates,
        {
            name: report_of(part, [one for one in scores if one.item in ids], manifest)
            for name, part, ids in _by_set(plan)
        },
    )


def _by_set(plan: StudyPlan) -> Iterator[tuple[str, StudyPlan, set[str]]]:
    """Each data set of several with its own part of the plan, and its items."""
    study = plan.study
    for name in study.items.sets:
        items = [item for item in plan.items if item.fields.get(SET) == name]
        if items:
            published = study.paper.sets.get(name, PaperSet())
            paper = msgspec.structs.replace(
                study.paper,
                values=published.values,
                other=published.other,
                sets={},
            )
            whole_set = replace(study.items, sets={})
            own = replace(study, paper=paper, items=whole_set)
            yield name, replace(plan, study=own, items=items), {one.id for one in items}


def _variances(
    plan: StudyPlan, found: Mapping[str, Mapping[str, Wholes]]
) -> dict[str, dict[str, VarianceSplit]]:
    """The variance of each measure of quality that is a mean, where items repeat."""
    made: dict[str, dict[str, VarianceSplit]] = {}
    for name in plan.quality:
        measure = plan.measure(name)
        if measure is None or measure.pooled is not None:
            continue
        for condition, of in found.get(name, {}).items():
            values = [
                (item, one.value)
                for (item, _), (_, one) in of.items()
                if one.value is not None
            ]
            split = variance_split(values)
            if split is not None:
                made.setdefault(name, {})[condition] = split
    return made


def read_flips(
    report: StudyReport,
    scores: Sequence[ScoreRow],
    first: str,
    second: str,
    measure: str,
) -> Difference:
    """One measure of two conditions, item by item: `pairs`, `flips`.

    Which items differ is in its pairs, `ITEM` or `ITEM.rN`.
    """
    of: dict[str, dict[Key, list[ScoreRow]]] = {first: {}, second: {}}
    for one in scores:
        if one.measure == measure and one.condition in of:
            of[one.condition].setdefault(one.key, []).append(one)
    return _difference(
        report.plan, measure, _as_wholes(of[first]), _as_wholes(of[second])
    )


def _as_wholes(
    of: Mapping[Key, Sequence[ScoreRow]],
) -> dict[Key, tuple[str, MeasuredValue]]:
    """What a measure gave for each session as a whole, with its cluster."""
    made = {}
    for key, listed in of.items():
        found = of_session(one.measured for one in listed)
        if found is not None:
            made[key] = (listed[0].cluster, found)
    return made


def _by_rounds(
    measure: Measure, of: Mapping[Key, Sequence[ScoreRow]]
) -> dict[int, Aggregate]:
    by: dict[int, list[tuple[str, MeasuredValue]]] = {}
    for listed in of.values():
        for one in listed:
            if one.round is not None:
                by.setdefault(one.round, []).append((one.cluster, one.measured))
    return {number: whole(measure, told) for number, told in sorted(by.items())}


def _differences(
    plan: StudyPlan, found: Mapping[str, Mapping[str, Wholes]]
) -> dict[str, dict[str, Difference]]:
    """Each condition against the reference. p is corrected over conditions and
    measures; prices are a family of their own.

    One that chose the items of the others is in no difference: on them its results were
    known beforehand.
    """
    made: dict[str, dict[str, Difference]] = {}
    reference, chose = plan.reference.name, plan.study.where
    for name in plan.measures:
        first = found.get(name, {}).get(reference)
        for condition in plan.conditions:
            second = found.get(name, {}).get(condition.name)
            if (
                condition.name != reference
                and not chose.keys() & {condition.name, reference}
                and first
                and second
            ):
                made.setdefault(name, {})[condition.name] = _difference(
                    plan, name, first, second
                )
    if plan.study.against.correct != "holm":
        return made
    asked = [name for name in made if name in plan.quality]
    for family in (asked, [name for name in made if name not in asked]):
        flat = [(name, of, one) for name in family for of, one in made[name].items()]
        for (name, of, _), one in zip(
            flat, corrected([one for *_, one in flat]), strict=True
        ):
            made[name][of] = one
    return made


def _difference(plan: StudyPlan, name: str, one: Wholes, other: Wholes) -> Difference:
    items = {item.id: item for item in plan.items}
    pairs = [
        ValuePair(
            plan.line_id(items[key[0]], key[1]),
            one[key][0],
            one[key][1],
            other[key][1],
            key[0],
        )
        for key in one
        if key in other and key[0] in items
    ]
    return differ_in(plan, name, pairs)


def differ_in(plan: StudyPlan, name: str, pairs: Sequence[ValuePair]) -> Difference:
    """The difference of a measure over these pairs, by the test and the margin of the
    study; p is not corrected.
    """
    measure = plan.measure(name)
    assert measure is not None
    wanted = plan.study.against.test
    clustered = len({pair.cluster for pair in pairs}) < len(pairs)
    usual = wanted == "default" or (
        wanted == "mcnemar" and (clustered or not measure.share)
    )
    return differ(
        measure, pairs, plan.study.against.margin, None if usual else cast(Test, wanted)
    )

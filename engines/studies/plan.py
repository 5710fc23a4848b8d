"""What a study comes to: conditions, items, and the measures that are taken of each
session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...sessions.errors import bad_input
from ...texts import t
from ..figures.compare import PRICE
from ..figures.external import External
from ..figures.judge.measure import JudgeMeasure
from ..figures.measure import Item, Measure
from ..figures.wording import nearest_names
from ..retrieval.web import no_results
from .conditions import Condition, PlayedCondition, RecordedCondition
from .items import SET
from .study import Study

if TYPE_CHECKING:
    from ..models.config import Config


@dataclass(frozen=True)
class StudyPlan:
    """A study that can be run, measured and reported."""

    study: Study
    conditions: Sequence[Condition]
    items: Sequence[Item]
    outside: Mapping[str, External | JudgeMeasure]
    """The measures that a command or a model takes, by name."""
    numbered: bool = True
    """Sessions say which repeat they are; False in a folder begun before they did."""

    @cached_property
    def measures(self) -> list[str]:
        """The names of all measures in order; the prices at the end, asked for or not:
        they are beside quality everywhere.

        Recorded runs have no prices.
        """
        named = iter(self.outside)
        asked = [
            one if isinstance(one, str) else next(named) for one in self.study.measures
        ]
        return list(dict.fromkeys([*asked, *(PRICE if self.played else ())]))

    @property
    def played(self) -> list[PlayedCondition]:
        """The conditions whose sessions a method makes."""
        return [one for one in self.conditions if isinstance(one, PlayedCondition)]

    @property
    def recorded(self) -> list[RecordedCondition]:
        """The conditions that are recorded runs."""
        return [one for one in self.conditions if isinstance(one, RecordedCondition)]

    @property
    def remarks(self) -> list[str]:
        """A sentence for each search engine that gives no search results, and for each
        data set whose files are not there.
        """
        engines = dict.fromkeys(str(one.options.get("web")) for one in self.played)
        told = [said for one in engines if (said := no_results(one))]
        there = {item.fields.get(SET) for item in self.items}
        for name, one in self.study.items.sets.items():
            if name not in there:
                files = ", ".join(one.files)
                told.append(t("report.study.set_missing", name=name, files=files))
        return told

    @property
    def quality(self) -> list[str]:
        """The measures without prices that were not asked for."""
        return [
            name
            for name in self.measures
            if name not in PRICE or name in self.study.measures
        ]

    @property
    def first_inside(self) -> str | None:
        """The first measure that neither a command nor a model takes."""
        return next((name for name in self.quality if name not in self.outside), None)

    @property
    def reference(self) -> Condition:
        """The condition that the others are compared with: the one named, else the
        first that gets the same items as they do.
        """
        wanted = self.study.against.to
        fit = (
            one
            for one in self.conditions
            if (one.name == wanted if wanted else one.name not in self.study.where)
        )
        return next(fit, self.conditions[0])

    def measure(self, name: str, condition: Condition | None = None) -> Measure | None:
        """A measure as a condition's method has it; None where it has none.

        Without a condition: as the first has it that has one.
        """
        if name in self.outside:
            return self.outside[name].declared
        if condition is None:
            return next(
                (
                    found
                    for one in self.conditions
                    if (found := self.measure(name, one)) is not None
                ),
                None,
            )
        return condition.measure(name)

    def line_id(self, item: Item, repeat: int) -> str:
        """The id of a session's line: the item's own, or `ID.rN` where there are
        repeats. `repeat`: from 1.
        """
        if self.study.repeats == 1:
            return item.id
        return f"{item.id}.r{repeat}"

    @cached_property
    def by_line(self) -> dict[str, tuple[Item, int]]:
        """Line id → item and repeat."""
        return {
            self.line_id(item, n): (item, n)
            for item in self.items
            for n in range(1, self.study.repeats + 1)
        }


def plan_of(
    study: Study, conditions: Sequence[Condition], items: Sequence[Item], config: Config
) -> StudyPlan:
    """The plan. Raises: BadInput for a measure that there is not."""
    outside = {}
    for spec in study.measures:
        if isinstance(spec, Mapping):
            found = _outside(spec, config)
            if found.name in outside:
                raise bad_input("wrong.study.measure_twice", name=found.name)
            outside[found.name] = found
    plan = StudyPlan(study, conditions, items, outside)
    for name in plan.measures:
        if plan.measure(name) is None:
            known = dict.fromkeys(
                each for condition in conditions for each in condition.measures
            )
            raise bad_input(
                "wrong.study.no_measure",
                name=name,
                names=nearest_names(name, [*known]),
            )
        if name not in outside:
            _check_one_rule(plan, name)
    if len(plan.by_line) < len(items) * study.repeats:
        raise bad_input("wrong.study.repeat_ids")
    return plan


def _check_one_rule(plan: StudyPlan, name: str) -> None:
    """Raises: BadInput where methods mean different things by the name of a measure."""
    rules = [
        (condition, measure)
        for condition in plan.played
        if (measure := plan.measure(name, condition)) is not None
    ]
    for condition, measure in rules[1:]:
        first, rule = rules[0]
        if condition.made_by != first.made_by and not measure.comparable(rule):
            raise bad_input(
                "wrong.study.two_rules",
                name=name,
                first=first.name,
                second=condition.name,
            )


def _outside(spec: Mapping[str, object], config: Config) -> External | JudgeMeasure:
    if "external" in spec:
        return External.read(spec)
    if "judge" in spec:
        return JudgeMeasure.read(spec, config)
    raise bad_input("wrong.study.measure_form")

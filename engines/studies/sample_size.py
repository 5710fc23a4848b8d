"""`--until-width`: no further sessions once the interval is narrow enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...sessions.session import Session
from ...texts import t
from ..figures.aggregate import of_session, whole
from ..figures.compare import PRICE
from ..figures.difference import ValuePair, differ
from ..figures.measure import MeasuredValue
from ..figures.wording import measure_name
from .measuring import sessions_of
from .plan import StudyPlan


class SampleSizeCheck:
    """Looks at the first measure that sessions alone give, as they end: at growing
    numbers of items, since looking often would mislead.
    """

    FIRST, GROWTH = 20, 1.2

    def __init__(self, plan: StudyPlan, folder: Path, width: float) -> None:
        self._plan, self._width = plan, width
        self._name = plan.first_inside or PRICE[0]
        self._folders = {condition.folder: condition for condition in plan.conditions}
        self._found: dict[str, dict[str, MeasuredValue]] = {
            condition.name: {}
            for condition in plan.conditions
            if plan.measure(self._name, condition) is not None
        }
        for name, cases in sessions_of(plan, folder).items():
            for line, case in cases.items():
                self._take(name, line, case.session)
        self._next = self.FIRST
        self.said = ""

    def takes(self, folder: str, line: str, session: Session) -> bool:
        """Takes in a session that has ended; True once all intervals are narrow
        enough.
        """
        self._take(self._folders[folder].name, line, session)
        complete = [
            one
            for one in self._plan.by_line
            if all(one in found for found in self._found.values())
        ]
        if len(complete) < self._next:
            return False
        self._next = int(max(self._next, len(complete)) * self.GROWTH) + 1
        widths = self._widths(complete)
        if any(width is None or width > self._width for width in widths.values()):
            return False
        self.said = t(
            "report.study.enough",
            measure=measure_name(self._name),
            width=max(width or 0 for width in widths.values()),
            wanted=self._width,
            n=len(complete),
        )
        return True

    def _take(self, condition: str, line: str, session: Session) -> None:
        measure = self._plan.measure(
            self._name,
            next(one for one in self._plan.conditions if one.name == condition),
        )
        if measure is None:
            return
        item, _ = self._plan.by_line[line]
        item = replace(item, fields={**item.fields, **session.header.task})
        found = of_session(measure.of(session, item))
        self._found[condition][line] = found or MeasuredValue(None, "empty")

    def _widths(self, lines: Sequence[str]) -> dict[str, float | None]:
        """How wide the interval of each condition's difference from the reference is;
        with one condition that of its figure.
        """
        clusters = {line: self._plan.by_line[line][0].cluster for line in lines}
        measure = self._plan.measure(self._name)
        assert measure is not None
        reference = self._plan.reference.name
        first = self._found.get(reference)
        made = {}
        for name, found in self._found.items():
            if first is None or len(self._found) == 1:
                one = whole(measure, [(clusters[line], found[line]) for line in lines])
                made[name] = _width(one.low, one.high)
            elif name != reference:
                pairs = [
                    ValuePair(line, clusters[line], first[line], found[line])
                    for line in lines
                ]
                made[name] = _width(
                    (apart := differ(measure, pairs, 0).difference).low, apart.high
                )
        return made


def _width(low: float | None, high: float | None) -> float | None:
    if low is None or high is None:
        return None
    return high - low

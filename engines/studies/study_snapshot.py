"""How far a study in a folder is, and what its measures come to so far.

Each session is read once, when it has ended. A state that was given out never changes,
so that a screen may draw it while a thread reads the next one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

from ...sessions.errors import BadInput, SessionError
from ...sessions.files import file_of
from ...sessions.load import load_file
from ...sessions.session import Session
from ..batches.batch_snapshot import BatchSnapshot
from ..figures.aggregate import Aggregate, of_session, whole
from ..figures.measure import MeasuredValue
from ..models.config import Config
from ..reports.plot import Plot
from .conditions import Condition, Methods
from .opening import begun
from .plan import StudyPlan
from .report import StudyReport
from .scores import FILE, ScoreRow, read_scores

AT_ONCE = 0.02
"""Seconds that one look may read sessions: what is left is read by the next."""
SHARE = 0.01
"""At most this share of one CPU core is spent on recomputing figures."""


@dataclass
class ConditionProgress:
    """One condition as it stands."""

    condition: Condition
    following: BatchSnapshot
    taken: dict[str, str] = field(default_factory=dict)
    """Line → the status in which its session was measured."""
    told: dict[str, dict[str, tuple[str, MeasuredValue]]] = field(default_factory=dict)
    """Measure → line → cluster and what the measure gave for the whole session."""

    def later(self) -> ConditionProgress:
        """The condition with what its runner has written since."""
        told = {measure: dict(lines) for measure, lines in self.told.items()}
        return ConditionProgress(
            self.condition, self.following.look(), dict(self.taken), told
        )


class StudySnapshot:
    """The study of a folder at one moment. `look` returns a later one."""

    def __init__(self, folder: Path, plan: StudyPlan) -> None:
        self.folder = folder
        self.plan = plan
        self.standings = [
            ConditionProgress(condition, BatchSnapshot(folder / condition.folder))
            for condition in plan.conditions
        ]
        self._by_round: dict[str, list[ScoreRow]] = {}
        """Measure → what it gave for single rounds."""
        self.behind = False
        """Whether there are sessions that have ended and were not read yet."""
        self.problem = ""
        """Why the scores on disk cannot be read."""
        self._scores_of: tuple[int, int] | None = None
        self.figures: dict[tuple[str, str], Aggregate] = {}
        """Condition and measure → what it comes to, as it was made last."""
        self._drawn_at: dict[tuple[str, str], tuple[float, float]] = {}
        """When a figure was made, and how long that took."""
        self._stale: set[tuple[str, str]] = set()

    # What it says

    @property
    def alive(self) -> bool:
        """Whether any of its conditions is running."""
        return any(standing.following.alive for standing in self.standings)

    def cost(self) -> tuple[float, bool]:
        """US dollars that all sessions have cost, as far as prices are known; and
        whether all of them are.
        """
        spent = [standing.following.spent() for standing in self.standings]
        return sum(one.cost_known for one in spent), not any(
            one.unpriced for one in spent
        )

    def _due(self, key: tuple[str, str]) -> bool:
        at, took = self._drawn_at.get(key, (0.0, 0.0))
        cells = len(self.standings) * len(self.plan.measures)
        return not self.alive or time.monotonic() - at >= took * cells / SHARE

    def plot(self, measure: str) -> Plot | None:
        """The plot of a measure as the study wants it drawn; None where nothing was
        measured.
        """
        of = {
            name: figure
            for (name, each), figure in self.figures.items()
            if each == measure
        }
        if not of:
            return None
        report = StudyReport(
            self.plan, {}, {measure: of}, {}, {measure: self._rounds(measure)}, {}
        )
        return report.plot(measure)

    def _rounds(self, measure: str) -> dict[str, dict[int, Aggregate]]:
        """Condition → round → figure, of what the runner has written down."""
        found: dict[str, dict[int, list[tuple[str, MeasuredValue]]]] = {}
        for one in self._by_round.get(measure, ()):
            assert one.round is not None
            found.setdefault(one.condition, {}).setdefault(one.round, []).append(
                (one.cluster, one.measured)
            )
        declared = self.plan.measure(measure)
        if declared is None:
            return {}
        return {
            name: {number: whole(declared, told) for number, told in sorted(of.items())}
            for name, of in found.items()
        }

    # Reading

    def look(self) -> StudySnapshot:
        """The study as it is now: this object where nothing has come.

        Figures are made again as often as their price allows.
        """
        later = copy(self)
        later.standings = [standing.later() for standing in self.standings]
        later.figures, later._drawn_at = dict(self.figures), dict(self._drawn_at)
        later._stale = set(self._stale)
        pairs = zip(self.standings, later.standings, strict=True)
        moved = any(was.following is not now.following for was, now in pairs)
        changed = later._read_on() or moved
        changed = later._make_figures() or changed
        if changed or later.behind != self.behind:
            return later
        return self

    def _make_figures(self) -> bool:
        """Makes the figures that are due; returns False where none is."""
        due = [key for key in self._stale if self._due(key)]
        standings = {standing.condition.name: standing for standing in self.standings}
        for key in due:
            condition, measure = key
            standing = standings[condition]
            declared = self.plan.measure(measure, standing.condition)
            told = standing.told.get(measure)
            start = time.monotonic()
            if declared is not None and told:
                self.figures[key] = whole(declared, list(told.values()))
            self._drawn_at[key] = time.monotonic(), time.monotonic() - start
            self._stale.discard(key)
        return bool(due)

    def _read_on(self) -> bool:
        """Takes in what has come; returns False where nothing has."""
        changed = self._take_scores()
        until = time.monotonic() + AT_ONCE
        for standing in self.standings:
            for line, status in self._new(standing):
                if time.monotonic() > until:
                    self.behind = True
                    return True
                self._measure(standing, line, status)
                changed = True
        self.behind = False
        return changed

    def _new(self, standing: ConditionProgress) -> Iterator[tuple[str, str]]:
        """Lines that have ended since they were measured."""
        for line, state in standing.following.lines.items():
            if (
                state.status in ("done", "failed")
                and line in self.plan.by_line
                and standing.taken.get(line) != state.status
            ):
                yield line, state.status

    def _measure(self, standing: ConditionProgress, line: str, status: str) -> None:
        standing.taken[line] = status
        item, _ = self.plan.by_line[line]
        try:
            path = self.folder / standing.condition.folder / file_of(line)
            file = load_file(path, line)
        except (OSError, SessionError):
            return
        session = Session(file.header, file.events)
        for name in self.plan.measures:
            measure = (
                self.plan.measure(name, standing.condition)
                if name not in self.plan.outside
                else None
            )
            one = of_session(measure.of(session, item)) if measure is not None else None
            if one is not None:
                self._take(standing, name, line, item.cluster, one)

    def _take(
        self,
        standing: ConditionProgress,
        measure: str,
        line: str,
        cluster: str,
        measured_value: MeasuredValue,
    ) -> None:
        standing.told.setdefault(measure, {})[line] = cluster, measured_value
        self._stale.add((standing.condition.name, measure))

    def _take_scores(self) -> bool:
        """Takes in what the runner has measured and written down: of outside measures
        there is nothing else.
        """
        try:
            info = (self.folder / FILE).stat()
        except OSError:
            return False
        stamp = info.st_mtime_ns, info.st_size
        if stamp == self._scores_of:
            return False
        self._scores_of = stamp
        try:
            scores = read_scores(self.folder)
        except BadInput as error:
            self.problem = str(error)
            return True
        self._take_all(scores)
        return True

    def _take_all(self, scores: Sequence[ScoreRow]) -> None:
        by_name = {standing.condition.name: standing for standing in self.standings}
        ids = {
            (item.id, repeat): line
            for line, (item, repeat) in self.plan.by_line.items()
        }
        grouped: dict[tuple[str, str, str], list[ScoreRow]] = {}
        self._by_round = {}
        for score in scores:
            if score.round is not None:
                self._by_round.setdefault(score.measure, []).append(score)
            line = ids.get(score.key)
            if line is not None and score.condition in by_name:
                grouped.setdefault((score.condition, score.measure, line), []).append(
                    score
                )
        for (name, measure, line), found in grouped.items():
            standing = by_name[name]
            one = of_session(each.measured for each in found)
            if one is not None:
                self._take(standing, measure, line, found[0].cluster, one)
            standing.taken.setdefault(
                line, "failed" if one is not None and one.state == "failed" else "done"
            )


def follow(folder: Path, methods: Methods, config: Config) -> StudySnapshot:
    """The study recorded in a folder, as it was started.

    Raises: BadInput, SessionError.
    """
    return StudySnapshot(folder, begun(folder, methods, config))

"""How a study looks: a row for each condition, a column for each measure, and what it
has cost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from ...engines.figures.wording import amount, interval, measure_name
from ...engines.studies.conditions import PlayedCondition, RecordedCondition
from ...texts import t
from ...texts.amounts import money
from ...texts.settings import word
from ..showing import clean_line
from ..title_columns import at_right, fit
from ..widgets.long_list import Row
from .batch_lines import span

if TYPE_CHECKING:
    from ...engines.figures.aggregate import Aggregate
    from ...engines.studies.study_snapshot import ConditionProgress, StudySnapshot

NAME, DONE, COST = 20, 10, 9
VALUE, ENDS, PAPER = 9, 16, 8
"""Cells of a measure: its value, its interval, and what somebody published for it."""
LIVE = {"running": "live", "paused": "doubtful", "failed": "bad", "done": "good"}


class StudyGrid:
    """The columns that there is room for, the first of them being `at`."""

    def __init__(
        self,
        following: StudySnapshot,
        width: int,
        at: int,
        figure: Callable[[str, str], Aggregate | None],
    ) -> None:
        """`figure`: the figure of a condition and a measure."""
        self._following = following
        self._figure = figure
        names = following.plan.measures
        self.at = at
        room = width - NAME - DONE - COST
        self.wide = room >= 2 * (VALUE + ENDS)
        self.shown: list[str] = []
        for name in names[_first(names, at, room, self._size) :]:
            if room < self._size(name):
                break
            self.shown.append(name)
            room -= self._size(name)

    def _size(self, name: str) -> int:
        return (
            VALUE + (ENDS if self.wide else 0) + (PAPER if self._has_paper(name) else 0)
        )

    def _has_paper(self, name: str) -> bool:
        return any(
            name in of for of in self._following.plan.study.paper.values.values()
        )

    def head(self) -> Content:
        """The headings; that of the measure under the cursor is in brackets."""
        chosen = self._following.plan.measures[self.at]
        cells = [
            fit("  " + t("study.condition"), NAME),
            at_right(t("study.sessions"), DONE),
            at_right(t("library.cost"), COST),
        ]
        parts: list[tuple[str, str]] = [("".join(cells), "$quiet")]
        for name in self.shown:
            size = self._size(name) - 1
            words = f"[{measure_name(name)}]" if name == chosen else measure_name(name)
            style = "bold $foreground" if name == chosen else "$quiet"
            paper = PAPER if self._has_paper(name) else 0
            parts.append((" " + at_right(words, size - paper), style))
            parts += [(at_right(t("study.paper"), paper), "$quiet")] if paper else []
        return Content.assemble(*parts)

    def row(self, standing: ConditionProgress, mark: int) -> Row:
        """The row of a condition.

        `mark`: as which of two it is marked, from 1; 0: it is not.
        """
        following, name = standing.following, standing.condition.name
        counts, plan = following.counts(), self._following.plan
        failed = f" !{counts['failed']}" if counts["failed"] else ""
        recorded = isinstance(standing.condition, RecordedCondition)
        done = (
            t("study.recorded")
            if recorded
            else f"{counts['done']}/{sum(counts.values()) or len(plan.by_line)}{failed}"
        )
        reference = " *" if name == plan.reference.name else ""
        title = fit(
            f"{mark or ' '} "
            + fit(name, NAME - 3 - len(reference)).rstrip()
            + reference,
            NAME,
        )
        spent = following.spent()
        cells: list[tuple[str, str]] = [
            (title, "" if not mark else "live"),
            (at_right(done, DONE), LIVE.get(following.state, "quiet")),
            (
                at_right(
                    ""
                    if recorded
                    else money(spent.cost_known) + ("+" if spent.unpriced else ""),
                    COST,
                ),
                "quiet",
            ),
        ]
        for measure in self.shown:
            cells += self._cells(
                name, measure, "" if measure == plan.measures[self.at] else "quiet"
            )
        return cells

    def _cells(self, condition: str, name: str, style: str) -> Row:
        plan, found = self._following.plan, self._figure(condition, name)
        measure = plan.measure(name)
        if measure is None:
            return [(" " * self._size(name), "quiet")]
        cells = [
            (
                at_right(
                    amount(measure, found.value) if found is not None else "", VALUE
                ),
                style,
            )
        ]
        if self.wide:
            cells.append(
                (
                    " "
                    + fit(
                        interval(measure, found.low, found.high)
                        if found is not None
                        else "",
                        ENDS - 1,
                    ),
                    "quiet",
                )
            )
        if self._has_paper(name):
            published = plan.study.paper.values.get(condition, {}).get(name)
            cells.append(
                (
                    at_right(
                        "" if published is None else amount(measure, published), PAPER
                    ),
                    "quiet",
                )
            )
        return cells


def _first(names: list[str], at: int, room: int, size: Callable[[str], int]) -> int:
    """The first column to show, so that the one under the cursor is in sight."""
    first = 0
    while first < at and sum(size(name) for name in names[first : at + 1]) > room:
        first += 1
    return first


def state_line(following: StudySnapshot, status: str, width: int) -> Content:
    """How far the study is, and what it has cost, of which budget."""
    played = [
        one for one in following.standings if isinstance(one.condition, PlayedCondition)
    ]
    of = [one.following.counts() for one in played]
    ended = sum(counts["done"] + counts["failed"] for counts in of)
    planned = sum(sum(counts.values()) or len(following.plan.by_line) for counts in of)
    recorded = len(following.standings) - len(played)
    failed = sum(counts["failed"] for counts in of)
    state = "running" if following.alive else status
    label = t(f"study.state_{state}") if state in STATES else t("study.state_none")
    spent, known = following.cost()
    runs = [one.following for one in following.standings]
    budgets = [following.plan.study.budget_usd]
    budgets += [run.budget_usd for run in runs if run.budget_usd is not None]
    budget = budgets[-1]
    cost = (
        t(
            "study.cost_of",
            cost=money(spent),
            total=money(budget),
            left=money(max(budget - spent, 0.0)),
        )
        if budget
        else money(spent)
    )
    parts = [t("study.ended", n=f"{ended:,}", total=f"{planned:,}")] if played else []
    parts += [t("study.recorded_runs", n=recorded)] if recorded else []
    parts += [t("study.failed", n=f"{failed:,}")] if failed else []
    parts += [cost if known else t("study.cost_at_least", cost=cost)] if played else []
    lefts = [seconds for run in runs if (seconds := run.left()) is not None]
    outside = next((run.outside for run in runs if run.outside is not None), None)
    if outside is not None:
        parts.append(outside.in_words())
    elif lefts:
        parts.append(t("follow.left_about", span=span(max(lefts))))
    style = {"running": "$text-primary", "done": "$text-success"}.get(
        state, "$text-warning"
    )
    words = " · ".join(parts)
    return Content.assemble(
        (label, f"bold {style}"),
        "  ",
        fit(words, max(width - cell_len(label) - 2, 10)).rstrip(),
    )


STATES = (
    "running",
    "done",
    "failed",
    "budget",
    "stopped",
    "enough",
    "waiting",
    "interrupted",
)


def detail(
    following: StudySnapshot,
    standing: ConditionProgress,
    name: str,
    found: Aggregate | None,
) -> Content:
    """The figure under the cursor in full: its interval, what it counts, and what is
    left out of it.
    """
    plan = following.plan
    measure = plan.measure(name)
    title = (
        clean_line(f"{standing.condition.name} · {measure_name(name)}"),
        "bold $foreground",
    )
    if found is None or measure is None or found.value is None:
        return Content.assemble(title, "\n", t("study.unmeasured"))
    parts = [
        amount(measure, found.value),
        interval(measure, found.low, found.high),
        t("study.counted", n=f"{found.n:,}"),
    ]
    parts += (
        [t("compared.clusters", n=f"{found.clusters:,}")]
        if found.clusters < found.n
        else []
    )
    parts += [
        f"{word(why)} {n:,}"
        for why, n in (*found.missing.items(), *found.unanswered.items())
    ]
    published = plan.study.paper.values.get(standing.condition.name, {}).get(name)
    if published is not None:
        parts.append(
            t(
                "study.paper_says",
                value=amount(measure, published),
                source=clean_line(plan.study.paper.source),
            )
        )
    made = ", ".join(
        f"{key} {value}"
        for key, value in standing.condition.options.items()
        if isinstance(value, str | int | float)
    )
    return Content.assemble(
        title,
        "\n",
        (" · ".join(filter(None, parts)), "$foreground"),
        "\n",
        clean_line(made),
    )

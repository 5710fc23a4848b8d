"""Takes the measures of a study over its saved sessions.

Nothing is generated; what a command or a model measures is kept and not asked again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...sessions.files import file_of, has_batch
from ..figures.aggregate import of_session
from ..figures.external import External
from ..figures.judge.answers import JudgedAnswer, JudgeInstructions
from ..figures.judge.measure import JudgeMeasure
from ..figures.measure import Measure, MeasuredValue
from ..figures.outputs import Given
from ..figures.runs import Run, RunItem, read_run
from .conditions import Condition
from .plan import StudyPlan
from .rankings import is_kept, kept_run
from .scores import ScoreRow

KEPT = "measures"
"""The folder, in that of the study, of what commands and judging models said."""

MANY = 1000
"""Sessions from which on several processes read them."""

Begun = Mapping[str, Mapping[str, RunItem]]
"""Condition → line id → its case, of all sessions that were begun."""

Listed = Sequence[tuple[Condition, str, RunItem]]
"""Sessions with their conditions and line ids."""

JudgedMeasures = Mapping[str, Mapping[str, Sequence[JudgedAnswer]]]
"""Condition → measure → what a model said of the answers."""


def sessions_of(
    plan: StudyPlan, folder: Path, workers: int = 1
) -> dict[str, dict[str, RunItem]]:
    """Every session of the study that was begun and is not in the middle.

    `workers`: how many processes may read them. A program that lets others do so must
    not begin to work when it is imported.
    """
    kept = {
        one.name: dict(kept_run(plan, one, folder).cases)
        for one in plan.recorded
        if is_kept(one, folder)
    }
    begun = [one for one in plan.played if has_batch(folder / one.folder)]
    runs = dict(
        zip(
            [one.name for one in begun],
            _read([folder / one.folder for one in begun], len(plan.by_line), workers),
            strict=True,
        )
    )
    return {
        condition.name: kept[condition.name]
        if condition.name in kept
        else _cases(plan, runs.get(condition.name))
        for condition in plan.conditions
    }


def _read(folders: Sequence[Path], lines: int, workers: int) -> list[Run]:
    """The runs in these folders.

    Many sessions are read by several processes: most of the time goes into the YAML of
    each.
    """
    workers = min(len(folders), workers)
    if workers < 2 or lines * len(folders) < MANY:
        return [read_run(folder) for folder in folders]
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(pool.map(read_run, folders))


def _cases(plan: StudyPlan, run: Run | None) -> dict[str, RunItem]:
    """The cases of a condition that are not in the middle."""
    if run is None:
        return {}
    return {
        line: _known(case, plan)
        for line, case in run.cases.items()
        if line in plan.by_line and case.status != "stopped"
    }


def _known(case: RunItem, plan: StudyPlan) -> RunItem:
    """The case with its item as the data set has it."""
    item, _ = plan.by_line[case.item.id]
    fields = {**item.fields, **case.whole_item.fields}
    return replace(
        case,
        item=replace(item, fields=fields),
        store=None,
        stored=None,
    )


def score(plan: StudyPlan, begun: Begun) -> list[ScoreRow]:
    """What the measures give that need nothing but the sessions."""
    made = []
    for condition in plan.conditions:
        for name in plan.measures:
            measure = (
                plan.measure(name, condition) if name not in plan.outside else None
            )
            cases = begun.get(condition.name, {})
            if measure is not None and measure.across is not None:
                made += _score_across(condition, measure, cases)
            elif measure is not None:
                for line, case in cases.items():
                    made += score_lines(
                        plan, condition, name, line, measure.of(case.session, case.item)
                    )
    return made


def _score_across(
    condition: Condition, measure: Measure, cases: Mapping[str, RunItem]
) -> list[ScoreRow]:
    """The lines of a measure of several sessions, under the first repeat."""
    if measure.across is None:
        return []
    items = []
    for line, case in cases.items():
        measured = of_session(measure.of(case.session, case.item))
        if measured is not None:
            items.append((replace(case.item, id=line), measured))
    return [
        ScoreRow(
            condition=condition.name,
            item=item.id,
            cluster=item.cluster,
            repeat=1,
            round=None,
            measure=measure.name,
            value=measured.value,
            state=measured.state,
            counts=measured.counts,
        )
        for item, measured in measure.across(items)
    ]


def score_lines(
    plan: StudyPlan,
    condition: Condition,
    measure: str,
    line: str,
    measured_values: Iterable[MeasuredValue],
) -> list[ScoreRow]:
    """The lines of what a measure gave for one session."""
    item, repeat = plan.by_line[line]
    common = {
        "condition": condition.name,
        "item": item.id,
        "cluster": item.cluster,
        "repeat": repeat,
        "measure": measure,
    }
    return [
        ScoreRow(
            **common,  # type: ignore[arg-type]
            round=value.round,
            value=value.value,
            state=value.state,
            counts=value.counts,
        )
        for value in measured_values
    ]


async def score_outside(
    plan: StudyPlan,
    begun: Begun,
    folder: Path,
    asking: JudgeInstructions,
    names: Collection[str],
) -> list[ScoreRow]:
    """What commands and judging models give, those of `names`.

    Raises: BadInput of a command; what `asking.step` raises.
    """
    made = []
    for name in names:
        measure = plan.outside[name]
        listed, given, against = _to_measure(plan, begun, measure, plan.conditions)
        kept = kept_outside(folder, name)
        if isinstance(measure, External):
            found = await measure.measure(given, kept)
        else:
            found = await measure.measure(given, kept, asking, against)
        for (condition, line, _), one in zip(listed, found, strict=True):
            made += score_lines(plan, condition, name, line, [one])
    return made


def left_outside(plan: StudyPlan, begun: Begun, folder: Path) -> dict[str, int]:
    """How many answers commands and judging models have not measured yet, by
    measure.
    """
    made = {}
    for name, measure in plan.outside.items():
        _, given, against = _to_measure(plan, begun, measure, plan.conditions)
        kept = kept_outside(folder, name)
        if isinstance(measure, External):
            made[name] = measure.left(given, kept)
        else:
            made[name] = measure.left(given, kept, against)
    return {name: left for name, left in made.items() if left}


def judged_outside(plan: StudyPlan, begun: Begun, folder: Path) -> JudgedMeasures:
    """What judging models have said so far. Raises: BadInput."""
    made: dict[str, dict[str, Sequence[JudgedAnswer]]] = {}
    for name, measure in plan.outside.items():
        for condition in plan.conditions if isinstance(measure, JudgeMeasure) else ():
            assert isinstance(measure, JudgeMeasure)
            _, given, against = _to_measure(plan, begun, measure, [condition])
            said = measure.said(given, kept_outside(folder, name), against)
            made.setdefault(condition.name, {})[name] = said
    return made


def kept_outside(folder: Path, name: str) -> Path:
    """Where a study's folder has what a command or a judge said for a measure."""
    return folder / KEPT / file_of(name).removesuffix(".yaml")


def _to_measure(
    plan: StudyPlan,
    begun: Begun,
    measure: External | JudgeMeasure,
    conditions: Iterable[Condition],
) -> tuple[Listed, list[Given], list[Given] | None]:
    """The sessions of these conditions that a measure is of, with their answers. For a
    preference, also the reference's answers to the same items; the reference itself is
    not part of it.
    """
    listed = [
        (condition, line, case)
        for condition in conditions
        for line, case in begun.get(condition.name, {}).items()
    ]
    if not isinstance(measure, JudgeMeasure) or measure.about != "preference":
        return listed, [_given(case) for *_, case in listed], None
    first = plan.reference.name
    others = begun.get(first, {})
    listed = [one for one in listed if one[0].name != first and one[1] in others]
    against = [_given(others[line]) for _, line, _ in listed]
    return listed, [_given(case) for *_, case in listed], against


def _given(case: RunItem) -> Given:
    return case.item, case.session

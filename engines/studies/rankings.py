"""Runs that are rankings: a file of TREC or JSON, held against the labels of its
queries.

A study keeps a copy of those that its conditions name, in their folders: it is measured
again from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...sessions.errors import bad_input
from ...sessions.files import read_text, write_whole
from ...texts import t
from ..figures.measure import Item
from ..figures.ranked import SAME, QueryRanking
from ..figures.runs import Run, RunItem, blank_session
from ..metrics.charges import charge_only
from ..metrics.ranking import Tiers, tiers
from ..metrics.trec import read_run
from .conditions import RecordedCondition
from .plan import StudyPlan

KEPT = "run.trec"
"""The copy in the folder of a condition."""


def read_ranking(
    path: Path, items: Sequence[Item], *, by_charge: bool = False
) -> tuple[Run, list[str]]:
    """The run in a file, a case for each item, and its queries that no item is of.

    `by_charge`: its candidates in the order of charges alone; where the charge of a
    query is not known, nothing is measured. Raises: BadInput, also where it ranks no
    item.
    """
    found: dict[str, Tiers] = {
        query: tiers(listed) for query, listed in read_run(path).items()
    }
    if not any(item.id in found for item in items):
        raise bad_input("wrong.runs.no_query", path=path)
    cases = {}
    for item in items:
        order, same = found.get(item.id), item.fields.get(SAME)
        if by_charge and order is not None:
            order = charge_only(order, {*(same or ())})
        measured = same is not None or not by_charge
        result = QueryRanking(number=1, tiers=order, measured=measured)
        cases[item.id] = RunItem(item, blank_session(item.id, result), "done")
    unknown = [query for query in found if query not in cases]
    if by_charge:
        name = t("report.ranking.charge_only")
        return Run(name, path.with_name(f"{path.name}, {name}"), cases), unknown
    return Run(path.name, path, cases), unknown


def check(
    plan: StudyPlan, conditions: Iterable[RecordedCondition], folder: Path
) -> list[str]:
    """Reads the runs named by conditions; returns a sentence for each that leaves out
    queries, its own or the study's.

    Raises: BadInput for a run that cannot be read, ranks no item, or differs from the
    one that the folder was started with.
    """
    told = []
    for one in conditions:
        source, kept = _source(plan, one), folder / one.folder / KEPT
        if not source.is_file():
            raise bad_input("wrong.study.no_run", name=one.name, path=source)
        run, unknown = read_ranking(source, plan.items, by_charge=one.by_charge)
        if kept.is_file() and read_text(kept) != read_text(source):
            raise bad_input(
                "wrong.study.other_run", name=one.name, path=source, folder=folder
            )
        missing = sum(_ranking(case).tiers is None for case in run.cases.values())
        words = {"name": one.name, "n": missing, "total": len(run.cases)}
        told += [t("report.study.run_missing", **words)] if missing else []
        if one.by_charge and not any(SAME in item.fields for item in plan.items):
            told.append(t("report.study.no_charges", name=one.name))
        if unknown:
            told.append(t("report.study.run_unknown", name=one.name, n=len(unknown)))
    return told


def keep(
    plan: StudyPlan, conditions: Iterable[RecordedCondition], folder: Path
) -> None:
    """Copies the runs into the folder of the study. Raises: BadInput, WriteError."""
    for one in conditions:
        kept = folder / one.folder / KEPT
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not kept.is_file():
            write_whole(kept, read_text(_source(plan, one)))


def is_kept(condition: RecordedCondition, folder: Path) -> bool:
    """Whether its run was copied into the folder of the study."""
    return (folder / condition.folder / KEPT).is_file()


def kept_run(plan: StudyPlan, condition: RecordedCondition, folder: Path) -> Run:
    """The recorded run as the study keeps it, by line. Raises: BadInput."""
    kept = folder / condition.folder / KEPT
    run, _ = read_ranking(kept, plan.items, by_charge=condition.by_charge)
    return Run(
        condition.name,
        folder / condition.folder,
        {line: run.cases[item.id] for line, (item, _) in plan.by_line.items()},
    )


def _source(plan: StudyPlan, condition: RecordedCondition) -> Path:
    return plan.study.folder / Path(condition.run).expanduser()


def _ranking(case: RunItem) -> QueryRanking:
    assert isinstance(case.session.result, QueryRanking)
    return case.session.result

"""The answers of a run, with the machine's word on each and people's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from ...sessions.annotators import GOLD, same_name
from ...sessions.clean import clean
from ...sessions.errors import BadInput, bad_input
from ...sessions.label_store import LabelStore
from ...sessions.labels import Latest
from ...sessions.session import Session
from ...texts import t
from ..figures.columns import CORRECT as CORRECT_COLUMN
from ..figures.columns import label_column
from ..figures.columns import number as as_number
from ..figures.common import answer_of
from ..figures.items import IDS, id_of
from ..figures.made_by import made_by
from ..figures.measure import Measure
from ..figures.rated import CORRECT
from ..figures.rows import rows
from ..figures.runs import Run, RunItem, people_of, places_of_labels
from ..figures.verdicts import MachineVerdict, Verdicts
from ..metrics.values import shown
from .judged_item import JudgedItem
from .thresholds import Rules

By = Literal["people", "gold", "file"]
"""Whose word counts as the truth: people who rated answers, the accepted answers of the
items, or a file of labels.
"""
FORM = '{"id": "…", "correct": true}'


class NothingToHold(BadInput):
    """A run without an answer that a machine has judged, or without a label of one."""


@dataclass(frozen=True)
class RunAnswers:
    """What is known of a run's answers."""

    things: list[JudgedItem]
    by: By
    raters: tuple[str, ...]
    """The people whose labels count."""
    models: dict[str, int]
    """Who judged how many answers."""
    left_out: dict[str, int]
    """Sessions that are not among them, by why: `unfinished`, `no_answer`,
    `no_verdict`.
    """
    seen: int
    """Labels that people gave after they had seen the machine's word."""
    disputed: int
    """Answers that as many people call right as wrong: these have no label."""
    method: str
    verdicts: Verdicts
    rules: Rules
    by_verdict: bool = False
    """The labelled answers were drawn by the machine's verdict (`label --sample
    K/verdict`).
    """


def read_answers(
    run: Run,
    verdicts_of: Callable[[str], Verdicts | None],
    accuracy: Measure,
    *,
    labels: Path | None = None,
    gold: bool = False,
    names: Sequence[str] = (),
) -> RunAnswers:
    """The answers of a run that its machine has judged.

    `verdicts_of`: how the machine of a method judges. `accuracy`: whether an answer
    equals an accepted one. The reference is `labels`, a file; the accepted answers with
    `gold`; otherwise people's labels, of `names` if given, and without any the accepted
    answers. Raises: NothingToHold without a judged answer or without a reference;
    BadInput for unreadable labels.
    """
    method = next((name for name in run.methods if verdicts_of(name) is not None), None)
    verdicts = verdicts_of(method) if method is not None else None
    if method is None or verdicts is None:
        raise NothingToHold(t("wrong.calibrate.no_judge", path=run.path))
    judged, left_out = _judged(run, method, verdicts)
    if not judged:
        raise NothingToHold(t("wrong.calibrate.no_judge", path=run.path))
    by, raters, truth, seen, disputed = truth_of(run, accuracy, labels, gold, names)
    things = [
        JudgedItem(
            case.item.id,
            case.item.cluster,
            truth(case),
            one.holds,
            one.said,
            one.scores,
            one.abstains,
            unit if by == "people" else "",
        )
        for case, one, unit in judged
    ]
    if not any(thing.truth is not None for thing in things):
        raise NothingToHold(t("wrong.calibrate.no_truth", path=run.path))
    models = Counter(one.model for _, one, _ in judged)
    halves = sum(disputed(case) for case, _, _ in judged)
    return RunAnswers(
        things,
        by,
        raters,
        dict(models.most_common()),
        dict(left_out),
        seen,
        halves,
        method,
        verdicts,
        _rules(verdicts, judged[0][0].session),
        by == "people" and drawn_by_verdict(run.path, raters),
    )


def _rules(verdicts: Verdicts, session: Session) -> Rules:
    """The rules of a machine, with the one and the bounds that a session goes by."""
    rule, bounds = verdicts.rule(session)
    return Rules(
        verdicts.rules,
        verdicts.signs,
        verdicts.revises,
        bounds,
        rule if rule in verdicts.rules else "",
    )


def _judged(
    run: Run, method: str, verdicts: Verdicts
) -> tuple[list[tuple[RunItem, MachineVerdict, str]], Counter[str]]:
    """The judged answers, each with the machine's verdict and what makes it the same
    answer as another; and how many answers are left out, by reason.
    """
    judged: list[tuple[RunItem, MachineVerdict, str]] = []
    left_out: Counter[str] = Counter()
    for case in run.cases.values():
        answered = answer_of(case.session)
        verdict = verdicts.of(case.session) if case.session.method == method else None
        if case.session.result is None:
            left_out["unfinished"] += 1
        elif answered.missing is not None:
            left_out["no_answer"] += 1
        elif verdict is None:
            left_out["no_verdict"] += 1
        else:
            judged.append((case, verdict, f"{case.item.digest}\0{answered.text}"))
    return judged, left_out


def drawn_by_verdict(path: Path, names: Sequence[str]) -> bool:
    """Whether the answers of one of these people were drawn by the machine's verdict.

    Raises: SessionError.
    """
    for place in places_of_labels(path):
        store = LabelStore.of_answers(place)
        if any(
            assignment.strata
            for who, assignment in store.assignments.items()
            if who in names
        ):
            return True
    return False


class Truth(NamedTuple):
    by: By
    raters: tuple[str, ...]
    of: Callable[[RunItem], bool | None]
    """Whether the answer is right, according to people; None: no label, or a tie."""
    seen: int = 0
    """Labels that were given after the machine's word had been seen."""
    disputed: Callable[[RunItem], bool] = lambda _: False
    """Whether as many say one as the other."""


def truth_of(
    run: Run, accuracy: Measure, labels: Path | None, gold: bool, names: Sequence[str]
) -> Truth:
    """Who says what is right, and what they say of a case; the rest as in
    `read_answers`.
    """
    if labels is not None:
        known = read_labels(labels, run.cases)
        names = (labels.name, *made_by(labels))
        return Truth("file", names, lambda case: known.get(case.item.id))
    people = {} if gold else _raters(run.path, names)
    if not people:
        return Truth("gold", (), lambda case: _accepted(case, accuracy))
    return _by_majority(people)


def _raters(path: Path, names: Sequence[str]) -> dict[str, Latest]:
    """The people who rated answers; of them those with these names, if any are given.

    Raises: BadInput for a name that rated none.
    """
    people = {
        name: said
        for name, said in people_of(path).items()
        if name != GOLD and _rates(said)
    }
    if not names:
        return people
    wanted = [same_name(name) for name in names]
    missing = next((name for name in wanted if name not in people), None)
    if missing is not None:
        there = clean(", ".join(people), newlines=False)[:300]
        there = there or t("report.calibrate.nobody")
        raise BadInput(t("wrong.calibrate.no_rater", name=shown(missing), names=there))
    return {name: people[name] for name in wanted}


def _by_majority(people: Mapping[str, Latest]) -> Truth:
    """What most of these people say of each answer."""
    said: dict[str, list[int]] = {}
    for own in people.values():
        # by session: the same answer given twice is rated once, under the item of the
        # first
        last = {
            key.subject: label.value
            for key, label in own.items()
            if key.measure == CORRECT.measure
        }
        for session, value in last.items():
            if value is not None and value in CORRECT.values:
                said.setdefault(session, []).append(value)

    def votes(case: RunItem) -> int:
        """How many more call it right than wrong."""
        return sum(1 if value else -1 for value in said.get(case.session.header.id, ()))

    def disputed(case: RunItem) -> bool:
        return case.session.header.id in said and votes(case) == 0

    seen = sum(
        label.seen_machine
        for own in people.values()
        for key, label in own.items()
        if key.measure == CORRECT.measure
    )
    return Truth(
        "people",
        tuple(people),
        lambda case: votes(case) > 0 if votes(case) else None,
        seen,
        disputed,
    )


def _rates(labels: Latest) -> bool:
    return any(key.measure == CORRECT.measure for key in labels)


def _accepted(case: RunItem, accuracy: Measure) -> bool | None:
    measured = next(iter(accuracy.of(case.session, case.item)), None)
    if measured is None or measured.value is None:
        return None
    return measured.value == 1


def read_labels(path: Path, cases: Mapping[str, object]) -> dict[str, bool]:
    """By id, whether an answer is right, from a file of rows: `correct`, or the only
    column of 0 and 1 in results of another program; null is no label.

    Raises: BadInput that names the line, for an id that the run lacks or that stands
    there twice, too.
    """
    faults: list[str] = []
    placed = [*rows(path, FORM, faults)]
    if faults:
        raise BadInput(faults[0])
    column = label_column([one.row for one in placed if isinstance(one.row, dict)])
    found: dict[str, bool | None] = {}
    for number, where, row in placed:
        if (
            not isinstance(row, dict)
            or column is None
            or not any(name in row for name in IDS)
            or (column == CORRECT_COLUMN and column not in row)
            or (row.get(column) is not None and as_number(row[column]) not in (0, 1))
        ):
            raise bad_input("wrong.calibrate.no_label", where=where, form=FORM)
        id_, value = id_of(row, number), as_number(row.get(column))
        if id_ not in cases or id_ in found:
            fault = "twice" if id_ in found else "no_id"
            raise bad_input(f"wrong.calibrate.{fault}", where=where, id=shown(id_))
        found[id_] = None if value is None else value == 1
    return {id_: value for id_, value in found.items() if value is not None}

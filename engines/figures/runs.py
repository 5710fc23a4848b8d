"""A run in the form that is compared with others: the folder of a batch, of a condition
of a study, or a file of outputs from another program.

A file of outputs is JSON lines, a JSON list, CSV or Parquet. Each row has an id (`IDS`)
and an answer (`ANSWERS`). It can also describe the item: `topic` or `question`,
`answers`, `wrong_answers`, `kind`, `from`, `to`, `cluster`. Items without that are
taken from the run that it is compared with.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import msgspec

from ...sessions.annotators import GOLD
from ...sessions.errors import BadInput, SessionError, bad_input, cause
from ...sessions.events import Event, Failure, Result
from ...sessions.files import BATCH, REPORT, SUMMARY, file_of, read_text
from ...sessions.folders import kind_of
from ...sessions.journal import read_session
from ...sessions.label_files import FOLDER, place_of
from ...sessions.label_store import LabelStore, later
from ...sessions.labels import Latest
from ...sessions.load import load_file
from ...sessions.session import Header, Prompts, Session
from ...texts import t
from ..metrics.trec import ITERATIONS
from .aggregate import of_session
from .columns import COLUMNS, number
from .common import ACCEPTED_BY_MODEL
from .items import ANSWERS, IDS, cluster_of, id_of, item_of
from .judge.answers import EQUIVALENCE, read_answers
from .measure import Item, Measure, MeasuredValue
from .measurement_store import (
    Facts,
    LineMeasurements,
    MeasurementStore,
    SessionStamp,
    kept_fields,
    stamps_in,
    supplied_digests,
)
from .other_results import EVAL
from .provenance import Provenance, facts_of, provenance, supplied
from .rated import RATED
from .rows import PlacedRow, rows

TASK = ("topic", "question", "kind", "from", "to", "answers", "wrong_answers")
"""Fields of a line of outputs that say what it is about."""
RIGHT = ("answers", "wrong_answers")
TABLES = (".csv", ".tsv", ".parquet")
FORM = '{"id": "…", "answer": "…"}'

Status = Literal["done", "failed", "stopped"]


class StatedAnswer(Result, tag="result", kw_only=True):
    """The answer of another program."""

    answer: str | None = None


@dataclass(frozen=True)
class RunItem:
    """One item of a run, and its session.

    If the item was not begun, or belongs to another program, the session has no
    line-up.
    """

    item: Item
    source: Session | Path
    """The session, or the file that it is read from when it is needed."""
    status: Status
    path: Path | None = None
    """The session's file; None where there is none."""
    error: str | None = None
    """Why it failed, or why its file cannot be read."""
    store: MeasurementStore | None = None
    """Where its measurements are stored; None if the item is not that of the file."""
    stored: LineMeasurements | None = None
    """What is known of it without its session."""

    @cached_property
    def session(self) -> Session:
        if isinstance(self.source, Session):
            return self.source
        return _session(self.source, self.item.id, self.item.cluster).session

    @property
    def method(self) -> str:
        """The method of its session; "" for an output, and without a line-up."""
        if self.stored is not None:
            return self.stored.method
        if self.session.header.lineup:
            return self.session.method
        return ""

    @property
    def session_id(self) -> str:
        if self.stored is not None:
            return self.stored.session
        return self.session.header.id

    @property
    def facts(self) -> Facts:
        """Return the facts about how the session was made."""
        if self.stored is not None and self.store is not None:
            return self.store.facts(self.stored)
        return facts_of(self.session)

    def supplied(self, fact: str) -> str:
        """A digest of what its task supplies, by `provenance.SUPPLIED`."""
        if self.stored is not None:
            return self.stored.supplied.get(fact, "")
        return supplied(self.session.header.task, fact)

    def measure(self, measure: Measure) -> MeasuredValue | None:
        """Return a measure's value for the session as a whole; None: it does
        not apply.
        """
        if self.store is None:
            return of_session(measure.of(self.session, self.item))
        known = self.store.measured(self.item.id, measure.name)
        if known is not None:
            return known[0]
        measured = of_session(measure.of(self.session, self.whole_item))
        self.store.put(self.item.id, measure.name, measured)
        return measured

    @property
    def whole_item(self) -> Item:
        """The item with all its fields: the store keeps it without texts of cases."""
        if self.stored is None:
            return self.item
        return item_of(self.item.id, self.session.header.task, self.item.cluster)

    def with_fields(self, fields: Mapping[str, object]) -> RunItem:
        """Return the case with further fields of its item, to be measured again."""
        item = self.whole_item
        item = replace(item, fields={**item.fields, **fields})
        return replace(self, item=item, store=None, stored=None)

    @property
    def begun(self) -> bool:
        """True if there is something to measure: a session, or an output."""
        return self.path is not None or bool(self.session.events)


@dataclass(frozen=True)
class Run:
    """A run and its items."""

    name: str
    path: Path
    cases: Mapping[str, RunItem]
    """By id, in the order of the batch."""
    compared_by: tuple[str, ...] = ()
    """The models that compared answers with what is right (`--equivalence`)."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What a batch was begun with, as its folder has it; empty for outputs."""
    store: MeasurementStore | None = None
    """The measurements of its folder."""
    _measured: dict[str, dict[str, MeasuredValue]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def measured(self, measure: Measure) -> Mapping[str, MeasuredValue]:
        """Return a measure's values by item, without items that it does not
        apply to.
        """
        known = self._measured.get(measure.name)
        if known is None and self.store is not None and self._all_stored:
            known = self.store.column(measure.name, self.cases)
        if known is None:
            values = ((id_, case.measure(measure)) for id_, case in self.cases.items())
            known = {id_: value for id_, value in values if value is not None}
        self._measured[measure.name] = known
        return known

    @cached_property
    def _all_stored(self) -> bool:
        """True if the store has every case as it is."""
        return all(case.store is self.store for case in self.cases.values())

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of its sessions; none for outputs."""
        methods = dict.fromkeys(case.method for case in self.cases.values())
        return tuple(name for name in methods if name)

    @cached_property
    def provenance(self) -> Provenance:
        """Return the facts about how its sessions were made."""
        return provenance(case.facts for case in self.cases.values())


def read_run(path: Path, *, recheck: bool = False) -> Run:
    """Read the run in a folder or a file.

    `recheck`: reads every session again, ignoring stored values. Raises: BadInput.
    """
    if not path.exists():
        raise bad_input("wrong.runs.none", path=path)
    if path.is_dir():
        return _folder(path, recheck=recheck)
    return _outputs(path)


def run_of_session(path: Path) -> Run:
    """The run that is one session. Raises: SessionError."""
    read_session(path)
    return Run(path.stem, path, {path.stem: _session(path, path.stem, "")})


def names(runs: Iterable[Run]) -> list[Run]:
    """The runs with unique names: that of the folder, or the given path if two share a
    name.
    """
    listed = list(runs)
    alone = [run.name for run in listed]
    if len(set(alone)) == len(alone):
        return listed
    return [replace(run, name=str(run.path)) for run in listed]


# ------------------------------------------------------------------ a folder


def _folder(path: Path, *, recheck: bool = False) -> Run:
    try:
        begun = json.loads((path / BATCH).read_text("utf-8"))
        marks, options, named = (
            dict(begun["lines"]),
            dict(begun["options"]),
            dict(begun.get("clusters") or {}),
        )
    except FileNotFoundError:
        conditions = sorted(each.parent.name for each in path.glob(f"*/{BATCH}"))
        if conditions:
            raise bad_input(
                "wrong.runs.several", path=path, names=", ".join(conditions[:8])
            ) from None
        raise bad_input("wrong.runs.no_batch", path=path) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise bad_input("wrong.runs.unread", path=path / BATCH) from None
    by_model, models = _same(path)
    rated = _rated(path)
    empty = _empty_lines(path)
    store = MeasurementStore.open(path, recheck=recheck)
    stamps = stamps_in(path)
    cases: dict[str, RunItem] = {}
    for id_ in dict.fromkeys([*empty, *marks]):
        cluster = str(named.get(id_, ""))
        line = empty.get(id_)
        if line is None:
            stamp = stamps.get(file_of(id_))
            case = _kept(store, path / file_of(id_), stamp, id_, cluster)
        else:
            case = _without_text(id_, line)
        said = {
            ACCEPTED_BY_MODEL: by_model.get(id_),
            RATED: rated.get(case.session_id) if rated else None,
        }
        fields = {name: value for name, value in said.items() if value is not None}
        cases[id_] = case.with_fields(fields) if fields else case
    return Run(path.resolve().name, path, cases, models, options, store)


def _kept(
    store: MeasurementStore,
    path: Path,
    stamp: SessionStamp | None,
    id_: str,
    cluster: str,
) -> RunItem:
    """The case of a session's file, from the store where it holds the file as it is."""
    if stamp is None:
        return _session(path, id_, cluster)
    line = store.line(id_, stamp)
    if line is None:
        case = _session(path, id_, cluster)
        if not case.session.header.lineup:
            return case
        store.add(_line_of(case, stamp), case.facts)
        return replace(case, store=store)
    status = cast(Status, line.status)
    return RunItem(line.item, path, status, path, line.error, store, line)


def _line_of(case: RunItem, stamp: SessionStamp) -> LineMeasurements:
    item, session = case.item, case.session
    return LineMeasurements(
        item.id,
        stamp,
        session.header.id,
        session.method,
        case.status,
        case.error,
        item.cluster,
        item.digest,
        kept_fields(item.fields),
        supplied_digests(session.header.task),
        0,
        None,
    )


def _session(path: Path, id_: str, cluster: str) -> RunItem:
    """Return the case of a session's file, which may not exist yet."""
    unread = partial(RunItem, _unknown(id_, cluster), blank_session(id_))
    try:
        file = load_file(path, path.name)
    except FileNotFoundError:
        return unread("stopped")
    except OSError as error:
        why = t("wrong.file.unread", path=path, why=cause(error))
        return unread("failed", path, why)
    except SessionError as error:
        return unread("failed", path, str(error))
    session = Session(file.header, file.events)
    last = session.events[-1] if session.events else None
    status: Status = "done" if session.result is not None else "stopped"
    item = item_of(id_, session.header.task, cluster)
    if status != "done" and isinstance(last, Failure) and last.kind != "cancelled":
        return RunItem(item, session, "failed", path, last.message)
    return RunItem(item, session, status, path)


class _Empty(NamedTuple):
    """A line without a session, because it has nothing to work on."""

    cluster: str
    task: Mapping[str, Any]


def _without_text(id_: str, line: _Empty) -> RunItem:
    """The case of a line without text to work on: its answer is empty."""
    cluster, task = line
    session = blank_session(id_, StatedAnswer(number=1, answer=""), task=task)
    item = item_of(id_, task, cluster) if task else _unknown(id_, cluster)
    return RunItem(item, session, "done")


def _empty_lines(path: Path) -> dict[str, _Empty | None]:
    """The ids of summary.jsonl in order, each with what an empty line says; None for
    the other lines."""
    empties: dict[str, _Empty | None] = {}
    try:
        text = (path / SUMMARY).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return empties
    for line in text.splitlines():
        try:
            row = msgspec.json.decode(line)
            empty = _Empty(str(row.get("cluster") or ""), dict(row.get("task") or {}))
            empties[str(row["id"])] = empty if row["file"] is None else None
        except (msgspec.MsgspecError, KeyError, TypeError):
            continue
    return empties


def _same(path: Path) -> tuple[dict[str, dict[str, list[str]]], tuple[str, ...]]:
    """By id the answers that a model found to be the same as a right one or a trap, as
    the report counts them; and these models.
    """
    try:
        report = json.loads((path / REPORT).read_text("utf-8"))
        models = tuple(str(name) for name in report["equivalence"]["models"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}, ()
    found: dict[str, dict[str, list[str]]] = {}
    for answer in read_answers(path / EQUIVALENCE):
        if answer.same and answer.error is None and answer.model in models:
            found.setdefault(answer.id, {}).setdefault(answer.of, []).append(
                answer.answer
            )
    return found, models


def _rated(path: Path) -> dict[str, dict[str, list[int]]]:
    """People's labels of answers, by session and scale.

    Raises: SessionError for a file that is not a label file.
    """
    found: dict[str, dict[str, list[int]]] = {}
    for name, labels in people_of(path).items():
        for key, label in labels.items():
            if name != GOLD and key.measure and label.value is not None:
                found.setdefault(key.subject, {}).setdefault(key.measure, []).append(
                    label.value
                )
    return found


def people_of(path: Path) -> dict[str, Latest]:
    """Return all people's labels of a run's answers, by name: in its folder, or in that
    of its study. Raises: SessionError.
    """
    people: dict[str, Latest] = {}
    for place in places_of_labels(path):
        people = later(people, LabelStore.of_answers(place).people)
    return people


def places_of_labels(path: Path) -> tuple[Path, ...]:
    """Folders with labels of a run's answers: its own, and that of its study."""
    if path.is_file():
        return (path,)
    study = path.resolve().parent
    if kind_of(study) == "study" or (study / FOLDER).is_dir():
        return path, study
    return (path,)


# ------------------------------------------------------------------ a file of outputs


def holds_outputs(path: Path) -> bool:
    """Whether a file has rows of outputs, and is not a session."""
    if path.suffix.lower() in (*TABLES, EVAL):
        return path.is_file()
    try:
        first = next(rows(path, FORM, []), None)
    except BadInput:
        return False
    row = first.row if first is not None else None
    return isinstance(row, dict) and all(
        any(name in row for name in names) for names in (IDS, ANSWERS)
    )


def _outputs(path: Path) -> Run:
    cases: dict[str, RunItem] = {}
    faults: list[str] = []
    placed = list(rows(path, FORM, faults))
    if faults and not placed and _is_ranked(path):
        raise bad_input("wrong.runs.ranking", path=path)
    if faults:
        raise BadInput(faults[0])
    if not placed:
        raise bad_input("wrong.runs.nothing", path=path, form=FORM)
    names = {name for one in placed if isinstance(one.row, dict) for name in one.row}
    column = next((name for name in ANSWERS if name in names), None)
    table = path.suffix.lower() in TABLES
    rated = _rated(path) if place_of(path).is_dir() else {}
    for one in placed:
        case = _output(one, column, table)
        if said := rated.get(case.item.id):
            case = case.with_fields({RATED: said})
        if case.item.id in cases:
            what = {"where": one.where, "id": case.item.id}
            raise bad_input("wrong.runs.same_id", **what)
        cases[case.item.id] = case
    return Run(path.name, path, cases)


def _is_ranked(path: Path) -> bool:
    """Whether the first line is that of a TREC run."""
    fields = next(filter(None, map(str.split, read_text(path).split("\n"))), [])
    return len(fields) in (5, 6) and fields[1] in ITERATIONS and fields[3].isdigit()


def _output(placed: PlacedRow, column: str | None, table: bool) -> RunItem:
    """The case of a row. `column`: where the answers are.

    `table`: the row leaves out empty cells, so one without an answer has none.
    """
    row, where = placed.row, placed.where
    if not isinstance(row, dict):
        raise bad_input("wrong.runs.no_output", where=where, form=FORM)
    id_name = next((name for name in IDS if name in row), None)
    if id_name is None:
        raise bad_input("wrong.runs.no_output", where=where, form=FORM)
    scored = any(
        number(row[name]) is not None for name in row.keys() - {id_name, *TASK}
    )
    if not scored and (column is None or (column not in row and not table)):
        names = ", ".join(ANSWERS)
        raise bad_input("wrong.runs.no_answer", where=where, names=names)
    value = row.get(column) if column is not None else None
    if not isinstance(value, str | int | float | None):
        raise bad_input("wrong.runs.no_output", where=where, form=FORM)
    try:
        id_, cluster = id_of({"id": row[id_name]}, placed.number), cluster_of(row)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    task = {name: row[name] for name in TASK if row.get(name) is not None}
    for name in ("answers", "wrong_answers"):
        if name in task:
            given = task[name] if isinstance(task[name], list) else [task[name]]
            task[name] = list(map(str, given))
    own = (*TASK, id_name, column, "cluster")
    more = {name: value for name, value in row.items() if name not in own}
    if column is None:  # nothing to hold against what is right
        task = {name: value for name, value in task.items() if name not in RIGHT}
    item = item_of(id_, task, cluster, {**more, COLUMNS: more} if scored else more)
    stated = StatedAnswer(number=1, answer=_answer(value, table))
    return RunItem(item, blank_session(id_, stated), "done")


def _answer(value: str | int | float | None, table: bool) -> str | None:
    """The text of an answer; None for a missing one, as for the NaN of a data frame."""
    if value is None or value != value or (table and value in ("NaN", "nan")):
        return None
    return str(value)


def _unknown(id_: str, cluster: str) -> Item:
    """An item of which only the id is known. Another run can supply the rest."""
    return Item(id_, cluster or id_, "", {})


def blank_session(
    id_: str, *events: Event, task: Mapping[str, object] | None = None
) -> Session:
    """A session of no method, with these events."""
    prompts = Prompts(set="", hash="", templates={})
    return Session(
        Header(
            id=id_,
            workspace="",
            created="",
            title=id_,
            task=dict(task or {}),
            lineup={},
            settings={},
            prompts=prompts,
        ),
        list(events),
    )

"""A run, as it is compared with another: the folder of a batch, of a condition of a study, or a file of somebody else's outputs.

A file of outputs has JSON lines: `id` and `answer`, and what the item is about where it is known (`topic` or `question`, `answers`,
`wrong_answers`, `kind`, `from`, `to`, `cluster`). A run without that takes its items from the run that it is compared with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...sessions.annotators import GOLD
from ...sessions.errors import BadInput, SessionError, cause
from ...sessions.events import Event, Failure, Result
from ...sessions.files import BATCH, file_of, read_text
from ...sessions.folders import kind_of
from ...sessions.label_files import FOLDER
from ...sessions.labels import LabelReader, Latest, later
from ...sessions.load import LIMIT, load
from ...sessions.session import Header, Prompts, Session
from ...texts import t
from ..batches import equivalence
from ..batches.lines import cluster_of, id_of
from ..batches.results import REPORT, SUMMARY
from ..measures.common import ACCEPTED_BY_MODEL
from ..measures.content import item_of
from ..measures.measure import Item
from ..measures.rated import RATED
from ..metrics.trec import ITERATIONS
from ..models.panels import named

TASK = ("topic", "question", "kind", "from", "to", "answers", "wrong_answers")
"""Fields of a line of outputs that say what it is about."""
FORM = '{"id": "…", "answer": "…"}'

Status = Literal["done", "failed", "stopped"]


class Stated(Result, tag="result", kw_only=True):
    """The answer of a system that is not ours."""

    answer: str | None = None


@dataclass(frozen=True)
class Case:
    """One item of a run, and its session. One that was not begun, or is not ours, has a session without a line-up."""

    item: Item
    session: Session
    status: Status
    path: Path | None = None
    """The session's file; None where there is none."""
    error: str | None = None
    """Why it failed, or why its file cannot be read."""

    @property
    def begun(self) -> bool:
        """True if there is something to measure: a session, or an output."""
        return bool(self.session.events) or self.path is not None


@dataclass(frozen=True)
class Run:
    """Everything that is known of one run."""

    name: str
    path: Path
    cases: Mapping[str, Case]
    """By id, in the order of the batch."""
    compared_by: tuple[str, ...] = ()
    """The models that compared answers with what is right (`--equivalence`)."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What a batch was begun with, as its folder has it; empty for outputs."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of its sessions; none for outputs."""
        return tuple(
            dict.fromkeys(
                case.session.method
                for case in self.cases.values()
                if case.session.header.lineup
            )
        )

    @cached_property
    def facts(self) -> dict[str, list[str]]:
        """What its sessions were made with, each with all its values.

        `method`, `prompts`, `corpus`, `model.ROLE`, `param.ROLE.NAME`, `setting.NAME`.
        """
        found: dict[str, dict[str, None]] = {}
        for case in self.cases.values():
            for name, value in _facts(case.session):
                found.setdefault(name, {})[value] = None
        return {name: list(values) for name, values in found.items()}


def read_run(path: Path) -> Run:
    """The run that stands in a folder or a file. Raises: BadInput."""
    if not path.exists():
        raise BadInput(t("wrong.runs.none", path=path))
    if path.is_dir():
        return _folder(path)
    return _outputs(path)


def names(runs: Iterable[Run]) -> list[Run]:
    """The runs under names that tell them apart: that of the folder, or the path as it was given where two have one name."""
    listed = list(runs)
    alone = [run.name for run in listed]
    if len(set(alone)) == len(alone):
        return listed
    return [replace(run, name=str(run.path)) for run in listed]


# ------------------------------------------------------------------ a folder


def _folder(path: Path) -> Run:
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
            raise BadInput(
                t("wrong.runs.several", path=path, names=", ".join(conditions[:8]))
            ) from None
        raise BadInput(t("wrong.runs.no_batch", path=path)) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(t("wrong.runs.unread", path=path / BATCH)) from None
    by_model, models = _same(path)
    rated = _rated(path)
    empty = _empty_lines(path)
    cases: dict[str, Case] = {}
    for id_ in dict.fromkeys([*empty, *marks]):
        cluster = str(named.get(id_, ""))
        case = (
            _session(path / file_of(id_), id_, cluster)
            if not empty.get(id_)
            else _without_text(id_, cluster)
        )
        said = {
            ACCEPTED_BY_MODEL: by_model.get(id_),
            RATED: rated.get(case.session.header.id),
        }
        if any(said.values()):
            fields = {
                **case.item.fields,
                **{name: value for name, value in said.items() if value is not None},
            }
            case = replace(case, item=replace(case.item, fields=fields))
        cases[id_] = case
    return Run(path.resolve().name, path, cases, models, options)


def _session(path: Path, id_: str, cluster: str) -> Case:
    """The case of a session's file, which may not be there yet."""
    try:
        with path.open("rb") as file:
            found = load(
                file.read(min(os.fstat(file.fileno()).st_size, LIMIT) + 1), path.name
            )
    except FileNotFoundError:
        return Case(_unknown(id_, cluster), blank_session(id_), "stopped")
    except OSError as error:
        return Case(
            _unknown(id_, cluster),
            blank_session(id_),
            "failed",
            path,
            t("wrong.file.unread", path=path, why=cause(error)),
        )
    except SessionError as error:
        return Case(
            _unknown(id_, cluster), blank_session(id_), "failed", path, str(error)
        )
    session = Session(found.header, found.events)
    last = session.events[-1] if session.events else None
    status: Status = "done" if session.result is not None else "stopped"
    item = item_of(id_, session.header.task, cluster)
    if status != "done" and isinstance(last, Failure) and last.kind != "cancelled":
        return Case(item, session, "failed", path, last.message)
    return Case(item, session, status, path)


def _without_text(id_: str, cluster: str) -> Case:
    """The case of a line without text to work on: its answer is empty."""
    return Case(
        _unknown(id_, cluster), blank_session(id_, Stated(number=1, answer="")), "done"
    )


def _empty_lines(path: Path) -> dict[str, bool]:
    """The ids of summary.jsonl in order, and whether the line has no session since there is nothing to work on."""
    found: dict[str, bool] = {}
    try:
        text = (path / SUMMARY).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return found
    for line in text.splitlines():
        try:
            row = msgspec.json.decode(line)
            found[str(row["id"])] = row["file"] is None
        except (msgspec.MsgspecError, KeyError, TypeError):
            continue
    return found


def _same(path: Path) -> tuple[dict[str, dict[str, list[str]]], tuple[str, ...]]:
    """By id the answers that a model found to be the same as a right one or a trap, as the report counts them; and these models."""
    try:
        report = json.loads((path / REPORT).read_text("utf-8"))
        models = tuple(str(name) for name in report["equivalence"]["models"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}, ()
    found: dict[str, dict[str, list[str]]] = {}
    for said in equivalence.kept(path / equivalence.FILE):
        if said.same and said.error is None and said.model in models:
            found.setdefault(said.id, {}).setdefault(said.of, []).append(said.answer)
    return found, models


def _rated(path: Path) -> dict[str, dict[str, list[int]]]:
    """What people said of answers, by session and scale. Raises: SessionError for a file that is none of labels."""
    found: dict[str, dict[str, list[int]]] = {}
    for name, labels in people_of(path).items():
        for key, label in labels.items():
            if name != GOLD and key.measure and label.value is not None:
                found.setdefault(key.session, {}).setdefault(key.measure, []).append(
                    label.value
                )
    return found


def people_of(path: Path) -> dict[str, Latest]:
    """Everybody's labels of a run's answers, by name: in its folder, or in that of the study that it stands in. Raises: SessionError."""
    study = path.resolve().parent
    people: dict[str, Latest] = {}
    for place in (
        path,
        *([study] if kind_of(study) == "study" or (study / FOLDER).is_dir() else []),
    ):
        reader = LabelReader(place)
        reader.look()
        people = later(people, reader.people)
    return people


# ------------------------------------------------------------------ a file of outputs


def _outputs(path: Path) -> Run:
    cases: dict[str, Case] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            if not cases and _is_ranked(line):
                raise BadInput(t("wrong.runs.ranking", path=path))
            where = f"{path}, line {number}"
            case = _output(line, number, where)
            if case.item.id in cases:
                raise BadInput(t("wrong.runs.same_id", where=where, id=case.item.id))
            cases[case.item.id] = case
    if not cases:
        raise BadInput(t("wrong.runs.nothing", path=path, form=FORM))
    return Run(path.name, path, cases)


def _is_ranked(line: str) -> bool:
    """True for a line of a TREC run."""
    fields = line.split()
    return len(fields) in (5, 6) and fields[1] in ITERATIONS and fields[3].isdigit()


def _output(line: str, number: int, where: str) -> Case:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput(t("wrong.lines.no_json", where=where, form=FORM)) from None
    if (
        not isinstance(row, dict)
        or "id" not in row
        or not isinstance(row.get("answer"), str | int | float | None)
    ):
        raise BadInput(t("wrong.runs.no_output", where=where, form=FORM))
    try:
        id_, cluster = id_of(row, number), cluster_of(row)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    task = {name: row[name] for name in TASK if row.get(name) is not None}
    for name in ("answers", "wrong_answers"):
        if name in task:
            task[name] = [
                str(one)
                for one in (
                    task[name] if isinstance(task[name], list) else [task[name]]
                )
            ]
    more = {
        name: value
        for name, value in row.items()
        if name not in (*TASK, "id", "answer", "cluster")
    }
    answer = None if row["answer"] is None else str(row["answer"])
    item = item_of(id_, task, cluster, more)
    return Case(item, blank_session(id_, Stated(number=1, answer=answer)), "done")


# ------------------------------------------------------------------ shared


def _unknown(id_: str, cluster: str) -> Item:
    """An item of which only the id is known: another run may say what it is about."""
    return Item(id_, cluster or id_, "", {})


def blank_session(id_: str, *events: Event) -> Session:
    """A session of no method, with these events."""
    prompts = Prompts(set="", hash="", templates={})
    return Session(
        Header(
            id=id_,
            workspace="",
            created="",
            title=id_,
            task={},
            lineup={},
            settings={},
            prompts=prompts,
        ),
        list(events),
    )


def _facts(session: Session) -> Iterable[tuple[str, str]]:
    header = session.header
    if not header.lineup:
        return
    yield "method", session.method
    yield (
        "prompts",
        f"{header.prompts.set} {header.prompts.hash.removeprefix('sha256:')[:8]}",
    )
    if isinstance(header.task.get("corpus"), str):
        yield "corpus", header.task["corpus"]
    for role, seat in session.seated(header.lineup):
        yield (
            f"model.{role}",
            f"{named(seat)} ({seat.rule})" if seat.panel else seat.called,
        )
        for name, value in seat.params.items():
            yield f"param.{role}.{name}", json.dumps(value, ensure_ascii=False)
    for name in header.settings:
        value = session.setting(name)
        if value is not None:
            yield (
                f"setting.{name}",
                value
                if isinstance(value, str)
                else json.dumps(value, ensure_ascii=False),
            )

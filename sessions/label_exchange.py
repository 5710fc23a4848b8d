"""Labels in the files of other tools: Label Studio JSON, INCEpTION's UIMA CAS JSON 0.4,
and Argilla records.

A pair is found by its texts. A level, a note and passages stand where each tool shows
them; the whole label stands beside them, and what the tool shows counts.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from . import files
from .annotators import GOLD, name_of
from .case_pairs import PairAt, pair_digest
from .emit import document
from .errors import SessionError, bad_input, not_written, unread
from .events import plain
from .events.labels import Evidence, Label
from .journal import read_session
from .label_files import LabelHeader, is_level, own_file
from .label_store import LabelStore
from .msgspec_types import known
from .new import timestamp

UNDECIDED = "undecided"
BETWEEN = "\n\n==========\n\n"
"""Stands between the two cases in a document of INCEpTION."""

_WHOLE = "verifytui"
_WRONG = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RuntimeError,
    OverflowError,
)
"""What a file of another shape may raise while it is read: RuntimeError for one nested
too deep, or a CAS without text."""
_LEVEL, _FACT = "webanno.custom.Relevance", "webanno.custom.Fact"


class ExchangedPair(NamedTuple):
    """A pair with its texts, and everybody's label of it."""

    pair: PairAt
    query: str
    candidate: str
    labels: dict[str, Label]

    @property
    def name(self) -> str:
        return f"{self.pair.query} {self.pair.candidate}"

    @property
    def document(self) -> str:
        return self.query + BETWEEN + self.candidate

    def passages(self, label: Label) -> Iterator[tuple[Evidence, bool, int, int]]:
        """Evidence with offsets: whether it is in the query, start and end."""
        for fact in label.facts:
            if fact.start is not None and fact.end is not None:
                yield fact, fact.case == "query", fact.start, fact.end

    def fact(self, in_query: bool, start: int, end: int, kind: object) -> Evidence:
        text = self.query if in_query else self.candidate
        case = "query" if in_query else self.pair.candidate
        named: Any = kind if kind in ("material", "legal") else None
        return Evidence(
            case=case, kind=named, text=text[start:end], start=start, end=end
        )


class ForeignLabels(NamedTuple):
    """The labels in the files of another tool."""

    labels: dict[str, list[Label]]
    """By annotator."""
    unmatched: int
    """Annotations of texts that are no pair here."""


def labeled_pairs(folder: Path) -> list[ExchangedPair]:
    """The pairs of a folder, with the labels that count. Raises: SessionError."""
    store = LabelStore.of_pairs(folder)
    found = []
    for pair in store.pairs:
        task = read_session(pair.path).header.task
        given = {str(one["id"]): str(one["text"]) for one in task["candidates"]}
        labels = {
            name: of_person[pair.key]
            for name, of_person in store.people.items()
            if pair.key in of_person and not of_person[pair.key].undone
        }
        query = str(task["query"]["text"]).rstrip("\n")
        candidate = given[pair.candidate].rstrip("\n")
        found.append(ExchangedPair(pair, query, candidate, labels))
    return found


def write(pairs: list[ExchangedPair], tool: str, into: Path) -> None:
    """Writes a JSON file, or for INCEpTION a folder with a file for each pair and
    annotator. Raises: SessionError where `into` is there or cannot be written.
    """
    if tool != "inception":
        make = _task if tool == "label-studio" else _record
        told = [make(number, one) for number, one in enumerate(pairs, 1)]
        files.write_new(into, _bytes(told))
        return
    try:
        into.mkdir()
    except OSError as error:
        raise not_written(into, error, SessionError) from None
    annotation = files.own_folder(into / "annotation")
    for one in pairs:
        name = Path(files.file_of(one.name)).stem + ".txt"
        folder = files.own_folder(annotation / name)
        for name, label in one.labels.items():
            file = folder / Path(files.file_of(name)).with_suffix(".json")
            files.write_new(file, _bytes(_cas(one, label)))


def read(
    source: Path, tool: str, pairs: list[ExchangedPair], names: Mapping[str, str]
) -> ForeignLabels:
    """`names`: the tool's user to annotator; others keep the tool's name.

    Raises: BadInput for a file that is not of this tool.
    """
    by_text = {pair_digest(one.query, one.candidate): one for one in pairs}
    by_text |= {one.document: one for one in pairs}
    parse: Callable[[Any, Path, dict[str, ExchangedPair]], Iterator[_Found]] = {
        "label-studio": _tasks,
        "argilla": _records,
        "inception": _cases,
    }[tool]
    found: dict[str, list[Label]] = {}
    unmatched = 0
    for file in sorted(source.rglob("*.json")) if source.is_dir() else [source]:
        try:
            for user, pair, label in parse(
                json.loads(file.read_bytes()), file, by_text
            ):
                if pair is None:
                    unmatched += 1
                    continue
                name = names.get(user, label.annotator or user)
                label.annotator = name_of(name, adjudicator=name == GOLD)
                found.setdefault(label.annotator, []).append(pair.pair.label(label))
        except OSError as error:
            raise unread(file, error) from None
        except _WRONG:
            raise bad_input("wrong.labels.exchange", path=file, tool=tool) from None
    return ForeignLabels(found, unmatched)


def as_files(labels: dict[str, list[Label]], folder: Path) -> list[Path]:
    """Writes a file of labels for each annotator into an empty folder."""
    made = []
    for name, given in labels.items():
        made.append(own_file(folder, name))
        given.sort(key=lambda one: one.time)
        header = LabelHeader(annotator=name, made=timestamp())
        written = [document(plain(header), first=True)]
        for number, label in enumerate(given, 1):
            label.number = number
            written.append(document(plain(label)))
        files.write_new(made[-1], b"".join(written))
    return made


_Found = tuple[str, ExchangedPair | None, Label]


def _bytes(told: object) -> bytes:
    return json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _shown(label: Label) -> str:
    return UNDECIDED if label.value is None else str(label.value)


def _label(whole: object, level: str, note: str, time: object = None) -> Label:
    """A label with what the tool shows. Raises: ValueError for another level."""
    if isinstance(whole, str):
        whole = json.loads(whole)
    label = msgspec.convert(whole or {"number": 0, "time": ""}, known(Label))
    value = None if level == UNDECIDED else int(level)
    if not is_level(value):
        raise ValueError(level)
    if not label.time:
        label.time = _time(time)
    elif (value, note) != (label.value, label.note):
        label.time = timestamp()  # given in the tool, after the export
    if value != label.value:
        label.bits = None
    label.value, label.note = value, note
    return label


def _time(given: object) -> str:
    if not isinstance(given, str):
        return timestamp()
    at = datetime.fromisoformat(given).astimezone(UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _whole(label: Label) -> dict[str, object]:
    return {"event": "label", **plain(label)}


def _task(number: int, one: ExchangedPair) -> dict[str, object]:
    ids = {"query_id": one.pair.query, "candidate_id": one.pair.candidate}
    return {
        "id": number,
        "data": {**ids, "query": one.query, "candidate": one.candidate},
        "annotations": [
            {
                "completed_by": {"email": name},
                "created_at": label.time,
                "lead_time": label.seconds,
                "was_cancelled": False,
                "ground_truth": name == GOLD,
                "result": list(_results(one, label)),
            }
            for name, label in one.labels.items()
        ],
    }


def _results(one: ExchangedPair, label: Label) -> Iterator[dict[str, object]]:
    def result(name: str, to: str, kind: str, value: object) -> dict[str, object]:
        at = {"from_name": name, "to_name": to, "type": kind, "value": value}
        return {"id": uuid.uuid4().hex[:10], **at}

    level = result("level", "candidate", "choices", {"choices": [_shown(label)]})
    yield level | {"meta": {_WHOLE: _whole(label)}}
    if label.note:
        yield result("note", "candidate", "textarea", {"text": [label.note]})
    for fact, in_query, start, end in one.passages(label):
        value = {"start": start, "end": end, "text": fact.text}
        value["labels"] = [fact.kind] if fact.kind else []
        yield result("facts", "query" if in_query else "candidate", "labels", value)


def _tasks(told: Any, _: Path, by_text: dict[str, ExchangedPair]) -> Iterator[_Found]:
    for task in told:
        data = task["data"]
        pair = by_text.get(pair_digest(data["query"], data["candidate"]))
        for given in task["annotations"]:
            user = given["completed_by"]
            name = user["email"] if isinstance(user, dict) else str(user)
            yield name, pair, _annotated(given, pair)


def _annotated(given: Any, pair: ExchangedPair | None) -> Label:
    level, note, whole, facts = UNDECIDED, "", None, []
    for one in given["result"]:
        value = one["value"]
        if one["type"] in ("choices", "rating"):
            level = str(value.get("rating", value.get("choices", [UNDECIDED])[0]))
            whole = one.get("meta", {}).get(_WHOLE)
        elif one["type"] == "textarea":
            note = "\n".join(value["text"])
        elif one["type"] == "labels" and pair is not None:
            kind = next(iter(value["labels"]), None)
            at = (value["start"], value["end"])
            facts.append(pair.fact(one["to_name"] == "query", *at, kind))
    if given.get("was_cancelled"):
        level = UNDECIDED
    label = _label(whole, level, note, given.get("created_at"))
    label.facts = [one for one in label.facts if one.start is None] + facts
    if whole is None:
        label.seconds = float(given.get("lead_time") or 0)
    return label


def _record(_: int, one: ExchangedPair) -> dict[str, object]:
    def answers(told: Callable[[Label], str]) -> list[dict[str, str]]:
        return [
            {"value": told(label), "user_id": _user(name)}
            for name, label in one.labels.items()
            if told(label)
        ]

    return {
        "id": one.pair.key.subject,
        "fields": {"query": one.query, "candidate": one.candidate},
        "metadata": {
            "query_id": one.pair.query,
            "candidate_id": one.pair.candidate,
            _WHOLE: [json.dumps(_whole(label)) for label in one.labels.values()],
        },
        "suggestions": {},
        "responses": {
            "level": answers(_shown),
            "note": answers(lambda label: label.note),
        },
        "vectors": {},
    }


def _user(name: str) -> str:
    """Argilla knows users by UUID."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{_WHOLE}:{name}"))


def _records(told: Any, _: Path, by_text: dict[str, ExchangedPair]) -> Iterator[_Found]:
    for record in told:
        fields = record["fields"]
        pair = by_text.get(pair_digest(fields["query"], fields["candidate"]))
        whole = map(json.loads, record.get("metadata", {}).get(_WHOLE, ()))
        of_user = {_user(one["annotator"]): one for one in whole}
        responses = record["responses"]
        notes = {one["user_id"]: one["value"] for one in responses.get("note", ())}
        for one in responses.get("level", ()):
            user = one["user_id"]
            note = notes.get(user, "")
            yield user, pair, _label(of_user.get(user), str(one["value"]), note)


def _cas(one: ExchangedPair, label: Label) -> dict[str, object]:
    """Offsets are in UTF-16 code units, as in Java."""
    text = one.document
    after = len(one.query + BETWEEN)
    spans: list[tuple[str, int, int, dict[str, str]]] = [
        (_FACT, start + shift, end + shift, {"kind": fact.kind or ""})
        for fact, in_query, start, end in one.passages(label)
        for shift in [0 if in_query else after]
    ]
    shown = {"level": _shown(label), "note": label.note}
    shown[_WHOLE] = json.dumps(_whole(label), ensure_ascii=False)
    spans.append((_LEVEL, 0, len(text), shown))
    sofa = {"sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text"}
    structures: list[dict[str, object]] = [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", **sofa, "sofaString": text}
    ]
    for number, (kind, start, end, features) in enumerate(spans, 2):
        at = {"@sofa": 1, "begin": _units(text[:start]), "end": _units(text[:end])}
        structures.append({"%ID": number, "%TYPE": kind, **at, **features})
    members = [one["%ID"] for one in structures[1:]]
    return {
        "%TYPES": {
            kind: {"%NAME": kind, "%SUPER_TYPE": "uima.tcas.Annotation"}
            | {at: {"%NAME": at, "%RANGE": "uima.cas.String"} for at in features}
            for kind, features in ((_LEVEL, tuple(shown)), (_FACT, ("kind",)))
        },
        "%FEATURE_STRUCTURES": structures,
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}},
    }


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2


def _cases(
    told: Any, file: Path, by_text: dict[str, ExchangedPair]
) -> Iterator[_Found]:
    structures = told["%FEATURE_STRUCTURES"]
    if isinstance(structures, dict):  # as 0.4 allows, by id
        structures = list(structures.values())
    text = next(one["sofaString"] for one in structures if "sofaString" in one)
    pair = by_text.get(text)
    units = text.encode("utf-16-le", "replace")
    facts = []
    for one in structures:
        if one["%TYPE"] == _FACT and pair is not None:
            ends = (one.get("begin", 0), one["end"])
            start, end = (len(units[: 2 * at].decode("utf-16-le")) for at in ends)
            after = len(pair.query + BETWEEN)
            shift = after if start >= after else 0
            at = (start - shift, end - shift)
            facts.append(pair.fact(not shift, *at, one.get("kind")))
    for one in structures:
        if one["%TYPE"] == _LEVEL and one.get("level"):
            label = _label(one.get(_WHOLE), one["level"], one.get("note", ""))
            label.facts = [one for one in label.facts if one.start is None] + facts
            yield file.stem, pair, label

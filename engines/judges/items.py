"""The items of an audit: what a judge is shown, and what a fair one must say.

Form of a line: `{"id", "lang", "seat", "cluster", "right", …}` and the fields of the
seat.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from ...sessions.clean import json_line
from ...sessions.errors import BadInput
from ...sessions.files import read_text
from ...texts import t
from ..batches.lines import bad_lines
from ..figures.columns import label_column, number
from ..figures.items import ANSWERS, IDS
from ..figures.rows import BINARY, Row, rows

Seat = Literal[
    "verifier",
    "claims",
    "judge",
    "annotator",
    "grader",
    "ranker",
    "equivalence",
    "judge-correctness",
    "judge-quality",
    "judge-preference",
    "judge-ambiguity",
]
SEATS: tuple[Seat, ...] = get_args(Seat)
COMPARING = ("judge", "ranker", "judge-preference")
"""Seats that choose between texts: a fair judge chooses the right one."""
_ITEMS_OF: Mapping[Seat, Seat] = {
    "judge-correctness": "equivalence",
    "judge-quality": "equivalence",
    "judge-preference": "ranker",
}
"""Seats that are asked of the items of another one."""
BUNDLED = Path(__file__).parent / "items"
FORM = '{"id": "…", "lang": "en", "seat": "verifier", "right": true, …}'
_OF_ANSWERS = (
    "verifier",
    "claims",
    "equivalence",
    "judge-correctness",
    "judge-quality",
)
"""Seats whose items results of other programs have: answers that are right or wrong."""
_TRUTHS = ("right", "correct_side", "relevant", "level", "best")
RELEVANT = 2
"""The lowest level that calls a case relevant."""

_Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _truth(value: Any) -> bool:
    return isinstance(value, bool)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_text, value))


def _passages(value: Any) -> bool:
    return _objects(value, "text")


def _objects(value: Any, *names: str) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(one, dict) and all(_text(one.get(name)) for name in names)
            for one in value
        )
    )


def _side(value: Any) -> bool:
    return value in ("affirmative", "negative")


def _speeches(value: Any) -> bool:
    return _objects(value, "role", "text") and [one["role"] for one in value] == [
        "affirmative",
        "negative",
    ]


_ANSWER: dict[str, _Check] = {
    "question": _text,
    "answer": _text,
    "references": _passages,
    "right": _truth,
}
_COMPARED: dict[str, _Check] = {
    "question": _text,
    "answer": _text,
    "accepted": _texts,
    "right": _truth,
}
_RANKED: dict[str, _Check] = {
    "question": _text,
    "answers": lambda value: _objects(value, "name", "text") and len(value) > 1,
    "best": _text,
}
_FIELDS: Mapping[str, Mapping[str, _Check]] = {
    "verifier": _ANSWER,
    "claims": _ANSWER,
    "equivalence": _COMPARED,
    "judge-correctness": _COMPARED,
    "judge-quality": _COMPARED,
    "judge-ambiguity": {**_COMPARED, "wrong": _texts},
    "judge": {"topic": _text, "speeches": _speeches, "correct_side": _side},
    "annotator": {
        "query_facts": _texts,
        "candidate_facts": _texts,
        "relevant": _truth,
        "kind": lambda value: value in ("material", "legal"),
    },
    "grader": {
        "query": _text,
        "candidate": _text,
        "level": lambda value: value in (0, 1, 2, 3) and not _truth(value),
    },
    "ranker": _RANKED,
    "judge-preference": _RANKED,
}


@dataclass(frozen=True)
class AuditItem:
    """What a judge is shown once."""

    id: str
    seat: Seat
    language: Literal["en", "zh"]
    cluster: str
    fields: Mapping[str, Any]
    """As in the line."""

    @property
    def right(self) -> bool:
        """Whether a fair judge accepts the text; of a debate and a ranking, whether the
        right side or answer wins.
        """
        given = self.fields
        if self.seat == "grader":
            return bool(given["level"] >= RELEVANT)
        if self.seat in COMPARING:
            return True
        return bool(given["relevant" if self.seat == "annotator" else "right"])

    @property
    def content(self) -> str:
        """What is judged, without what a fair judge says of it."""
        shown = {name: x for name, x in self.fields.items() if name not in _TRUTHS}
        return json.dumps([self.seat, shown], sort_keys=True)

    def with_fields(self, **fields: Any) -> AuditItem:
        """The same item with other fields."""
        return replace(self, fields={**self.fields, **fields})


def read_items(path: Path, seat: Seat) -> list[AuditItem]:
    """The items of a file for one seat; lines of other seats are skipped.

    Raises: BadInput, which names all lines that are wrong.
    """
    audit_items: dict[str, AuditItem] = {}
    faults: list[str] = []
    placed = [*rows(path, FORM, faults)]
    column = None
    if seat in _OF_ANSWERS and not any(_has(one.row, "right") for one in placed):
        column = label_column([one.row for one in placed if isinstance(one.row, dict)])
    for _, where, row in placed:
        try:
            one = _item(_of_results(row, seat, column), seat)
        except BadInput as error:
            faults.append(f"{where}: {error}")
            continue
        if one is None:
            continue
        if one.id in audit_items:
            faults.append(f"{where}: {t('wrong.audit.same_id', id=one.id)}")
        audit_items[one.id] = one
    if faults:
        raise bad_lines(faults)
    if not audit_items:
        raise BadInput(t("wrong.audit.no_items", path=path, seat=seat))
    return list(audit_items.values())


def bundled(seat: Seat) -> Path:
    """The file of the bundled items of a seat. Raises: BadInput without one."""
    path = BUNDLED / f"{_ITEMS_OF.get(seat, seat)}.jsonl"
    if not path.exists():
        raise BadInput(t("wrong.audit.no_bundled", seat=seat))
    return path


def digest_of(path: Path) -> str:
    """The digest of a file of items."""
    binary = path.suffix.lower() in BINARY
    content = path.read_bytes() if binary else read_text(path).encode()
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def items_text(path: Path, seat: Seat) -> str:
    """The items of a file as JSON lines: as they are written, or as they were read from
    a file in another form. Raises: BadInput.
    """
    if path.suffix == ".jsonl":
        return read_text(path)
    return "".join(
        json_line(
            {
                "id": one.id,
                "seat": one.seat,
                "lang": one.language,
                "cluster": one.cluster,
                **one.fields,
            }
        )
        for one in read_items(path, seat)
    )


def _has(row: object, name: str) -> bool:
    return isinstance(row, dict) and name in row


def _of_results(row: object, seat: Seat, column: str | None) -> object:
    """The row with our names for what results of other programs have.

    `accepted` may be `answers`, which are also the references where there are none;
    `right` is the `column` of labels.
    """
    if not isinstance(row, dict) or seat not in _OF_ANSWERS:
        return row
    made = dict(row)
    id_name = next((name for name in IDS if name in row), None)
    if id_name is not None and type(row[id_name]) is int:
        made["id"] = str(row[id_name])
    elif id_name is not None:
        made["id"] = row[id_name]
    answer = next((name for name in ANSWERS if name in row), None)
    if answer is not None:
        made["answer"] = row[answer]
    accepted = row.get("accepted", row.get("answers"))
    if accepted is not None:
        listed = accepted if isinstance(accepted, list) else [accepted]
        made.setdefault("accepted", [str(one) for one in listed])
        made.setdefault("references", made["accepted"])
    if isinstance(made.get("references"), list):
        made["references"] = [
            {"text": one} if isinstance(one, str) else one for one in made["references"]
        ]
    if column is not None and (value := number(row.get(column))) is not None:
        made["right"] = value == 1
    return made


def _item(row: object, seat: Seat) -> AuditItem | None:
    if not isinstance(row, dict):
        raise BadInput(t("wrong.audit.form", form=FORM))
    if row.get("seat", seat) not in (seat, _ITEMS_OF.get(seat)):
        return None
    wrong = _wrong(row, seat)
    if wrong:
        raise BadInput(t("wrong.audit.fields", names=", ".join(wrong)))
    return AuditItem(
        str(row["id"]),
        seat,
        row.get("lang", "en"),
        str(row.get("cluster") or row["id"]),
        {name: value for name, value in row.items() if name not in _OWN},
    )


_OWN = ("id", "seat", "lang", "cluster")


def _wrong(row: Row, seat: Seat) -> Sequence[str]:
    """The names of the fields that are missing or wrong."""
    wrong = [name for name, check in _FIELDS[seat].items() if not check(row.get(name))]
    if not _text(row.get("id")):
        wrong.insert(0, "id")
    if row.get("lang", "en") not in ("en", "zh"):
        wrong.append("lang")
    if "best" in _FIELDS[seat] and not wrong:
        names = [one["name"] for one in row["answers"]]
        if row["best"] not in names or len(set(names)) < len(names):
            wrong.append("best")
    return wrong

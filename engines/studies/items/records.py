"""The records of a published file: JSON lines, a JSON list, a JSON object that holds
one, or CSV with a row of names.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ....sessions.errors import BadInput, bad_input
from ...batches.lines import text_of, texts_of
from ...figures.measure import Item
from ...metrics.values import first_in, read_text

Record = Mapping[str, Any]
M = TypeVar("M")
LISTS = ("data", "Data")
"""Where a JSON object has its records."""


def records(path: Path) -> list[tuple[str, Record]]:
    """Each record with its location in words.

    Raises: BadInput for a file without records.
    """
    text = read_text(path)
    made = (
        _table(text, path)
        if path.suffix.lower() == ".csv"
        else _lines(text, path) or _whole(text, path)
    )
    if not made:
        raise bad_input("wrong.data.no_records", path=path)
    return made


def items(
    files: Sequence[Path],
    more: Mapping[str, object],
    left_out: list[str] | None,
    of: Callable[[Record, int, Path], Iterable[Item]],
) -> Iterator[Item]:
    """The items of all files.

    `of` makes those of a record, given its number in its file from 1, and the file.
    Raises: BadInput.
    """
    no_more(more)
    for path in files:
        for number, (where, record) in enumerate(records(path), 1):
            yield from usable(where, left_out, partial(of, record, number, path))


def usable(
    where: str, left_out: list[str] | None, make: Callable[[], Iterable[M]]
) -> list[M]:
    """What is made of a record; nothing where it cannot be used and `left_out` takes
    the reason. Raises: BadInput that says where.
    """
    try:
        return list(make())
    except BadInput as error:
        told = f"{where}: {error}"
        if left_out is None:
            raise BadInput(told) from None
        left_out.append(told)
        return []


def no_more(more: Mapping[str, object], *known: str) -> None:
    """Raises: BadInput for an entry of `items` that the adapter does not know."""
    for name in more:
        if name not in known:
            raise bad_input(
                "wrong.data.entry",
                name=name,
                known=", ".join(
                    ("adapter", "file", "take", "cluster", "unusable", *known)
                ),
            )


def text_in(record: Record, *names: str) -> str:
    """The text under the first of these names. Raises: BadInput where there is none."""
    return text_of(record, *names).strip()


def texts_in(record: Record, *names: str) -> list[str]:
    """The texts under the first of these names, each once; one text is a list of one.
    Raises: BadInput for anything else.
    """
    listed = [one.strip() for one in texts_of(record, *names)]
    return list(dict.fromkeys(filter(None, listed)))


def accepted(record: Record, *names: str) -> list[str]:
    """As `texts_in`.

    Raises: BadInput also where there is no text at all: nothing would be right.
    """
    found = texts_in(record, *names)
    if not found:
        raise bad_input("wrong.data.no_answer", name=names[0])
    return found


def name_in(record: Record, otherwise: str, *names: str) -> str:
    """The id under the first of these names, whole numbers as written; else
    `otherwise`.
    """
    value = first_in(record, names)
    if (
        isinstance(value, str | int)
        and not isinstance(value, bool)
        and str(value).strip()
    ):
        return str(value).strip()
    return otherwise


def numbered(path: Path, number: int) -> str:
    """An id for a record without one: the file's name and the record's number in it,
    which do not change while the file does not.
    """
    return f"{path.name.partition('.')[0]}-{number:04d}"


def _table(text: str, path: Path) -> list[tuple[str, Record]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        return [
            (f"{path}, line {reader.line_num}", row)
            for row in reader
            if any(isinstance(one, str) and one.strip() for one in row.values())
        ]
    except csv.Error:
        raise bad_input("wrong.data.no_records", path=path) from None


def _lines(text: str, path: Path) -> list[tuple[str, Record]]:
    """The objects of JSON lines; none where the first line is no object of its own."""
    made: list[tuple[str, Record]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        value = _json(line)
        if isinstance(value, dict) and (made or first_in(value, LISTS, list) is None):
            made.append((f"{path}, line {number}", value))
        elif made:
            raise bad_input("wrong.data.line", where=f"{path}, line {number}")
        else:
            return []
    return made


def _whole(text: str, path: Path) -> list[tuple[str, Record]]:
    value = _json(text)
    if isinstance(value, dict):
        value = first_in(value, LISTS, list)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise bad_input("wrong.data.no_records", path=path)
    return [(f"{path}, record {number}", one) for number, one in enumerate(value, 1)]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

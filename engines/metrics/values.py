"""Ids, levels and texts as files hold them, each checked where it enters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from ...sessions.errors import bad_input
from ...sessions.files import read_text as text_of_file
from .levels import LEVELS

QUERY_NAMES = ("query", "qid", "query_id", "query-id", "topic")
CANDIDATE_NAMES = (
    "candidate",
    "did",
    "docid",
    "doc_id",
    "candidate_id",
    "corpus-id",
    "document",
)
LABEL_NAMES = ("label", "relevance", "rel", "score")

RANGE = f"a whole number from {LEVELS[0]} to {LEVELS[-1]}"


def read_text(path: Path) -> str:
    """A UTF-8 text file, with or without byte-order mark.

    BadInput where it cannot be read or holds nothing.
    """
    text = text_of_file(path)
    if not text.strip():
        raise bad_input("wrong.values.empty", path=path)
    return text


def first_in(row: Mapping[Any, Any], names: Iterable[str], kind: type = object) -> Any:
    """The value of this kind under the first of these names that has one, or None."""
    values = (row.get(name) for name in names)
    return next(
        (value for value in values if value is not None and isinstance(value, kind)),
        None,
    )


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers from 1."""
    start = 0
    for number in count(1):
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        if line.strip():
            yield number, line.rstrip("\r")
        if end < 0:
            return
        start = end + 1


def level_of(value: object, where: str) -> int | None:
    """A level of JSON; null is unread, 2.0 is 2.

    BadInput for everything else, text too: a rating is never guessed.
    """
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or value not in LEVELS
    ):
        raise bad_input(
            "wrong.values.label_or_null",
            where=where,
            label=shown(value),
            range=RANGE,
        )
    return int(value)


def level_in(text: str, where: str) -> int | None:
    """A level of a column; an empty one is unread. BadInput for everything else."""
    text = text.strip()
    if not text:
        return None
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value not in LEVELS:
        raise bad_input(
            "wrong.values.label", where=where, label=shown(text), range=RANGE
        )
    return int(value or 0)


def id_of(value: object, what: str, where: str) -> str:
    """An id: text, a whole number, or an object with `id` (without one, its `text`).

    BadInput for anything else.
    """
    if isinstance(value, dict):
        value = value.get("id") if value.get("id") is not None else value.get("text")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise bad_input("wrong.values.no_id", where=where, what=what)
    return value


def read_json(text: str, where: str) -> Any:
    """A JSON value.

    BadInput if it is none, or if an object has a key twice, which would lose a value
    silently.
    """

    def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        if len(made) < len(members):
            names = [name for name, _ in members]
            double = next(
                name for place, name in enumerate(names) if name in names[:place]
            )
            raise bad_input("wrong.values.twice", where=where, id=shown(double))
        return made

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise bad_input("wrong.values.no_json", where=where) from None


def shown(value: object) -> str:
    """A value for a message, not longer than a message bears."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, default=str)
    )
    if len(text) > 41:
        return f"“{text[:40]}…”"
    return f"“{text}”"

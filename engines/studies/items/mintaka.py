"""Mintaka: questions with answers of several types: entities, numbers, dates, yes or
no.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of
from .records import Record, name_in, numbered, text_in, texts_in


def fits(record: Record) -> bool:
    """True for a record of the set as published."""
    return (
        isinstance(record.get("answer"), Mapping) and "answerType" in record["answer"]
    )


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One question a record, in English."""
    given = record.get("answer")
    answers = (
        _answers(given, record.get("complexityType"))
        if isinstance(given, Mapping)
        else []
    )
    if not answers:
        raise bad_input("wrong.data.no_answer", name="answer")
    about = {
        name: record[name]
        for name in ("category", "complexityType")
        if isinstance(record.get(name), str)
    }
    yield item_of(
        name_in(record, numbered(path, number), "id"),
        {"question": text_in(record, "question"), "answers": answers, **about},
    )


def _answers(given: Mapping[str, object], asked: object) -> list[str]:
    """What is accepted: of a count its number; of one entity its name; the answer as it
    was written; yes or no.
    """
    listed = given.get("answer")
    listed = listed if isinstance(listed, list) else []
    if asked == "count" and given.get("answerNum") is not None:
        return [str(given["answerNum"])]
    if given.get("answerType") == "boolean":
        return ["Yes" if one else "No" for one in listed[:1]]
    names = [one.get("label") if isinstance(one, Mapping) else one for one in listed]
    names = [name.get("en") if isinstance(name, Mapping) else name for name in names]
    alone = (
        [str(name) for name in names if isinstance(name, str | int | float)]
        if len(names) == 1
        else []
    )
    return list(dict.fromkeys([*alone, *texts_in(given, "mention")]))

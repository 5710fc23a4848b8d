"""Open questions with a list of accepted answers: NQ-open, and all that is published as
{"question", "answer": […]}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...figures.measure import Item
from . import item_of
from .records import Record, accepted, items, name_in, numbered, text_in

ANSWERS = ("answer", "answers")


def fits(record: Record) -> bool:
    """True for a record of this form, with the answers in `answer`; those in `answers`
    are a batch's own lines.
    """
    return "question" in record and isinstance(record.get(ANSWERS[0]), list)


def read(
    files: Sequence[Path], more: Mapping[str, Any], left_out: list[str] | None
) -> Iterator[Item]:
    """One question a record."""
    return items(files, more, left_out, item)


def item(record: Record, number: int, path: Path) -> Iterable[Item]:
    """The item of a record of this form."""
    name = name_in(record, numbered(path, number), "id", "question_id")
    yield item_of(
        name,
        {
            "question": text_in(record, "question"),
            "answers": accepted(record, *ANSWERS),
        },
    )

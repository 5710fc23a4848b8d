"""Open questions with a list of accepted answers: NQ-open, and all that is published as
{"question", "answer": […]}.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...figures.measure import Item
from . import item_of
from .records import Record, accepted, name_in, numbered, text_in

ANSWERS = ("answer", "answers")


def fits(record: Record) -> bool:
    """True for a record of this form, with the answers in `answer`; those in `answers`
    are a batch's own lines.
    """
    return "question" in record and isinstance(record.get(ANSWERS[0]), list)


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One question a record."""
    name = name_in(record, numbered(path, number), "id", "question_id")
    yield item_of(
        name,
        {
            "question": text_in(record, "question"),
            "answers": accepted(record, *ANSWERS),
        },
    )

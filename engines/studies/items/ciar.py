"""Counter-Intuitive Arithmetic Reasoning: questions with the right answers and the
intuitive wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...figures.measure import Item
from . import item_of
from .records import Record, accepted, name_in, text_in, texts_in

TRAPS = "incorrect answer"


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return {"question", "answer", TRAPS} <= set(record)


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One question a record; the wrong answers are its traps."""
    fields = {
        "topic": text_in(record, "question"),
        "answers": accepted(record, "answer"),
        "wrong_answers": texts_in(record, TRAPS),
    }
    yield item_of(name_in(record, f"ciar-{number - 1:02d}", "id"), fields)

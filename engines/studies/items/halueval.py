"""HaluEval: for each question a right answer and a hallucinated one, with the passage
that settles which is which.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...figures.measure import Item
from . import item_of
from .records import Record, name_in, numbered, text_in

ANSWERS = ("right", "hallucinated")


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return {"question", "right_answer", "hallucinated_answer"} <= set(record)


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """Two answers to verify a record, one cluster: `ID.right`, `ID.hallucinated`."""
    name, right = (
        name_in(record, numbered(path, number), "id"),
        text_in(record, "right_answer"),
    )
    for which in ANSWERS:
        fields = {
            "question": text_in(record, "question"),
            "answer": text_in(record, f"{which}_answer"),
            "answers": [right],
            "references": [
                {"title": "knowledge", "text": text_in(record, "knowledge")}
            ],
            "true": which == ANSWERS[0],
        }
        yield item_of(f"{name}.{which}", fields, name)

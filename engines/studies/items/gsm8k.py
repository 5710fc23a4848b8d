"""GSM8K: word problems; the right answer is the number behind `####` at the end of the
worked solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of
from .records import Record, name_in, numbered, text_in

MARK = "####"


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return "question" in record and any(
        MARK in str(record.get(name)) for name in ("answer", "solution")
    )


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One problem a record."""
    solution = text_in(record, "solution", "answer")
    answer = solution.rpartition(MARK)[2].strip()
    if MARK not in solution or not answer:
        raise bad_input("wrong.data.mark", mark=MARK)
    answers = list(dict.fromkeys([answer, answer.replace(",", "")]))
    yield item_of(
        name_in(record, numbered(path, number), "id"),
        {"topic": text_in(record, "question"), "answers": answers},
    )

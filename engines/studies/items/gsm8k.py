"""GSM8K: word problems; the right answer is the number behind `####` at the end of the
worked solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....sessions.errors import BadInput
from ....texts import t
from ...figures.measure import Item
from . import item_of
from .records import Record, items, name_in, numbered, text_in

MARK = "####"


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return "question" in record and any(
        MARK in str(record.get(name)) for name in ("answer", "solution")
    )


def read(
    files: Sequence[Path], more: Mapping[str, Any], left_out: list[str] | None
) -> Iterator[Item]:
    """One problem a record."""
    return items(files, more, left_out, _item)


def _item(record: Record, number: int, path: Path) -> Iterable[Item]:
    solution = text_in(record, "solution", "answer")
    answer = solution.rpartition(MARK)[2].strip()
    if MARK not in solution or not answer:
        raise BadInput(t("wrong.data.mark", mark=MARK))
    answers = list(dict.fromkeys([answer, answer.replace(",", "")]))
    yield item_of(
        name_in(record, numbered(path, number), "id"),
        {"topic": text_in(record, "question"), "answers": answers},
    )

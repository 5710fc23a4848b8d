"""Common MT: Chinese sentences with an ambiguous word or structure, the right English
translation and the tempting wrong one.

As published: three CSV files, in which two neighbouring rows share what is ambiguous.
Also JSON lines {"source", "correct", "wrong"}, and {"source", "reference"} of the
sentences that the debate paper took.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...figures.measure import Item
from . import item_of
from .records import Record, accepted, name_in, text_in, texts_in

SOURCE = ("source", "chinese_source")
CORRECT = ("correct", "english_target_correct", "reference")
WRONG = ("wrong", "english_target_wrong")


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return any(name in record for name in SOURCE) and any(
        name in record for name in CORRECT
    )


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One translation a row, clustered by the pair that shares the ambiguity."""
    kind = path.name.partition(" ")[0].partition(".")[0]
    pair = name_in(
        record,
        f"{kind}-p{(number - 1) // 2:03d}" if SOURCE[1] in record else "",
        "pair",
    )
    fields = {
        "kind": "translation",
        "from": "zh",
        "to": "en",
        "topic": text_in(record, *SOURCE),
        "answers": accepted(record, *CORRECT),
        "wrong_answers": texts_in(record, *WRONG),
    }
    yield item_of(
        name_in(record, f"{kind}-{number - 1:03d}", "id"),
        fields | ({"pair": pair} if pair else {}),
        pair,
    )

"""Questions on passages in the form of SQuAD: XQuAD, CMRC 2018, SQuAD itself.

Also CMRC's own form, and lines with the passage's id.

What a study looks up is another matter: by default an item has its question and
answers, and `references: gold` gives it its own passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of
from .records import (
    Record,
    accepted,
    name_in,
    no_more,
    numbered,
    records,
    text_in,
    usable,
)

GOLD = "gold"


def fits(record: Record) -> bool:
    """True for a record of one of these forms."""
    return (
        "paragraphs" in record
        or ("context_text" in record and "qas" in record)
        or ("pid" in record and "question" in record)
    )


def read(
    files: Sequence[Path], more: Mapping[str, object], left_out: list[str] | None
) -> Iterator[Item]:
    """One question each, clustered by the passage that answers it.

    `references: gold`: with that passage.
    """
    no_more(more, "references")
    if more.get("references", GOLD) != GOLD:
        raise bad_input("wrong.data.references", value=more["references"], known=GOLD)
    gold = "references" in more
    for path in files:
        for number, (where, record) in enumerate(records(path), 1):
            for at, make in _makers(record, number, path, gold=gold):
                yield from usable(f"{where}{at}", left_out, make)


def _makers(
    record: Record, number: int, path: Path, *, gold: bool
) -> Iterator[tuple[str, Callable[[], list[Item]]]]:
    """For each question where it stands, and what makes its item."""
    if "question" in record:
        if gold:
            raise bad_input("wrong.data.no_passage")
        yield (
            "",
            lambda: _items(
                record, text_in(record, "pid"), numbered(path, number), None
            ),
        )
        return
    title = str(record.get("title") or "")
    for place, paragraph in enumerate(
        _listed(record, "paragraphs") if "paragraphs" in record else [record]
    ):
        passage = name_in(paragraph, f"{number - 1:02d}-{place}", "id", "context_id")
        text = text_in(paragraph, "context", "context_text")
        references = (
            {"references": [{"id": passage, "title": title, "text": text}]}
            if gold
            else None
        )
        for n, asked in enumerate(_listed(paragraph, "qas")):
            yield (
                f", question {n + 1}",
                partial(_items, asked, passage, f"{passage}-{n}", references),
            )


def _items(
    record: Record,
    passage: str,
    otherwise: str,
    references: Mapping[str, object] | None,
) -> list[Item]:
    answers = record.get("answers")
    if isinstance(answers, list):
        record = {
            **record,
            "answers": [
                answer.get("text") if isinstance(answer, Mapping) else answer
                for answer in answers
            ],
        }
    fields = {
        "question": text_in(record, "question", "query_text"),
        "answers": accepted(record, "answers"),
        "passage": passage,
    }
    return [
        item_of(
            name_in(record, otherwise, "id", "query_id"),
            fields | dict(references or {}),
            passage,
        )
    ]


def _listed(record: Record, name: str) -> list[Record]:
    value = record.get(name)
    if not isinstance(value, list) or not all(
        isinstance(one, Mapping) for one in value
    ):
        raise bad_input("wrong.data.list", name=name)
    return value

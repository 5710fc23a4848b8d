"""RetrievalQA: questions that need a search, each with the snippets that one found.

Many of the snippets do not hold the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of
from .records import Record, accepted, items, name_in, numbered, text_in

NONE = "none"


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return {"question", "ground_truth", "context"} <= set(record)


def read(
    files: Sequence[Path], more: Mapping[str, object], left_out: list[str] | None
) -> Iterator[Item]:
    """One question a record, with its snippets as references; `references: none` leaves
    them out, for a retriever of one's own.
    """
    kept = dict(more)
    given = kept.pop("references", None)
    if given not in (None, NONE):
        raise bad_input("wrong.data.references", value=given, known=NONE)

    def of(record: Record, number: int, path: Path) -> list[Item]:
        fields: dict[str, object] = {
            "question": text_in(record, "question"),
            "answers": accepted(record, "ground_truth"),
        }
        if isinstance(record.get("data_source"), str):
            fields["data_source"] = record["data_source"]
        if given is None:
            fields["references"] = _references(record)
        return [
            item_of(
                name_in(record, numbered(path, number), "question_id", "id"), fields
            )
        ]

    return items(files, kept, left_out, of)


def _references(record: Record) -> list[dict[str, str]]:
    """The snippets, which can be plain texts; one with only a title uses it as its
    text, one without either is skipped.
    """
    listed = record.get("context")
    if not isinstance(listed, list) or not all(
        isinstance(one, Mapping | str) for one in listed
    ):
        raise bad_input("wrong.data.list", name="context")
    rows = [{"text": one} if isinstance(one, str) else one for one in listed]
    found = [
        (str(row.get("title") or "").strip(), str(row.get("text") or "").strip())
        for row in rows
    ]
    return [
        {"title": title, "text": text or title}
        for title, text in found
        if text or title
    ]

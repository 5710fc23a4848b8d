"""RAGChecker's answers that people have compared: two real answers to one question, and
which of them each of two people prefers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of
from .records import Record, name_in, no_more, numbered, records, text_in, usable

ANSWERS = ("model1", "model2")
ASPECTS = ("correctness", "completeness", "overall")


def fits(record: Record) -> bool:
    """True for a record of this set."""
    return "query" in record and all(
        isinstance(record.get(name), Mapping) for name in ANSWERS
    )


def read(
    files: Sequence[Path], more: Mapping[str, Any], left_out: list[str] | None
) -> Iterator[Item]:
    """One pair of answers each, clustered by the query.

    As published each person's labels are a record: those of one pair are put together.

    `labels`: aspect to what the people said, -2 to 2; above 0 the second answer is
    better.
    """
    no_more(more)
    pairs: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in files:
        for number, (where, record) in enumerate(records(path), 1):
            for made in usable(
                where, left_out, partial(_pair, record, numbered(path, number))
            ):
                key = (
                    made["cluster"],
                    *(text for one in made["answers"] for text in one.values()),
                )
                known = pairs.setdefault(key, made)
                if known is not made:
                    for name in ASPECTS:
                        known["labels"][name] += made["labels"][name]
    for pair in pairs.values():
        name, cluster = pair.pop("id"), pair.pop("cluster")
        yield item_of(name, pair, cluster)


def _pair(record: Record, otherwise: str) -> list[dict[str, Any]]:
    if not fits(record):
        raise bad_input("wrong.data.no_pair")
    answers = [
        {
            "name": text_in(record[name], "model_name"),
            "text": str(record[name].get("response") or ""),
        }
        for name in ANSWERS
    ]
    made = {
        "id": name_in(record, otherwise, "id", "instance_id"),
        "cluster": "-".join(
            name
            for name in (
                name_in(record, "", "dataset"),
                name_in(record, "", "query_id"),
            )
            if name
        ),
        "question": text_in(record, "query"),
        "answers": answers,
        "reference": text_in(record, "gt_answer"),
        "labels": _labels(record),
    }
    return [made]


def _labels(record: Record) -> dict[str, list[int]]:
    listed = record.get("labels", [record])
    given = (
        [one for one in listed if isinstance(one, Mapping)]
        if isinstance(listed, list)
        else []
    )
    found = {
        name: [
            one[f"{name}_label"]
            for one in given
            if isinstance(one.get(f"{name}_label"), int)
        ]
        for name in ASPECTS
    }
    return {name: [int(label) for label in labels] for name, labels in found.items()}

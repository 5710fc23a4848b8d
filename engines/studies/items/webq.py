"""WebQuestions: as published, {"utterance", "targetValue", "url"} with answers in a
Lisp list, or as open questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....sessions.errors import BadInput
from ....texts import t
from ...figures.measure import Item
from . import item_of, openqa
from .records import Record, items, numbered, text_in

_DESCRIPTION = re.compile(r'\(description (?:"((?:[^"\\]|\\.)*)"|([^()"]+))\)')


def fits(record: Record) -> bool:
    """True for a record of the set as published."""
    return {"utterance", "targetValue"} <= set(record)


def read(
    files: Sequence[Path], more: Mapping[str, Any], left_out: list[str] | None
) -> Iterator[Item]:
    """One question a record, clustered by the page that its answer is on, where it
    names one.
    """
    return items(files, more, left_out, _item)


def _item(record: Record, number: int, path: Path) -> Iterable[Item]:
    if not fits(record):
        yield from openqa.item(record, number, path)
        return
    found = _DESCRIPTION.findall(text_in(record, "targetValue"))
    answers = list(
        dict.fromkeys(
            re.sub(r"\\(.)", r"\1", quoted) or plain.strip() for quoted, plain in found
        )
    )
    if not answers:
        raise BadInput(t("wrong.data.no_answer", name="targetValue"))
    url = record.get("url") if isinstance(record.get("url"), str) else ""
    yield item_of(
        numbered(path, number),
        {"question": text_in(record, "utterance"), "answers": answers},
        str(url),
    )

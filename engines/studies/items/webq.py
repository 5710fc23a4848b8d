"""WebQuestions: as published, {"utterance", "targetValue", "url"} with answers in a
Lisp list, or as open questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of, openqa
from .records import Record, numbered, text_in

_DESCRIPTION = re.compile(r'\(description (?:"((?:[^"\\]|\\.)*)"|([^()"]+))\)')


def fits(record: Record) -> bool:
    """True for a record of the set as published."""
    return {"utterance", "targetValue"} <= set(record)


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One question a record, clustered by the page that its answer is on, where it
    names one.
    """
    if not fits(record):
        yield from openqa.record_items(record, number, path)
        return
    found = _DESCRIPTION.findall(text_in(record, "targetValue"))
    answers = list(
        dict.fromkeys(
            re.sub(r"\\(.)", r"\1", quoted) or plain.strip() for quoted, plain in found
        )
    )
    if not answers:
        raise bad_input("wrong.data.no_answer", name="targetValue")
    url = record.get("url") if isinstance(record.get("url"), str) else ""
    yield item_of(
        numbered(path, number),
        {"question": text_in(record, "utterance"), "answers": answers},
        str(url),
    )

"""TriviaQA: {"Data": [{"Question", "QuestionId", "Answer": {"Value", "Aliases"}}]},
rows in small letters, or open questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ....sessions.errors import bad_input
from ...figures.measure import Item
from . import item_of, openqa
from .records import Record, name_in, numbered, text_in, texts_in


def fits(record: Record) -> bool:
    """True for a record of the set as published."""
    answer = _answer(record)
    return isinstance(answer, Mapping) and ("Aliases" in answer or "aliases" in answer)


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """One question a record; every alias is accepted.

    A question of the test part, which has no answer, is refused.
    """
    answer = _answer(record)
    if not isinstance(answer, Mapping):
        yield from openqa.record_items(record, number, path)
        return
    answers = list(
        dict.fromkeys(
            [
                *texts_in(answer, "Value", "value"),
                *texts_in(answer, "Aliases", "aliases"),
            ]
        )
    )
    if not answers or answers == ["<unk>"]:
        raise bad_input("wrong.data.no_answer", name="Answer")
    name = name_in(record, numbered(path, number), "QuestionId", "question_id")
    yield item_of(
        name, {"question": text_in(record, "Question", "question"), "answers": answers}
    )


def _answer(record: Record) -> Any:
    return record.get("Answer", record.get("answer"))

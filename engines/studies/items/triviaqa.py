"""TriviaQA: {"Data": [{"Question", "QuestionId", "Answer": {"Value", "Aliases"}}]},
rows in small letters, or open questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....sessions.errors import BadInput
from ....texts import t
from ...figures.measure import Item
from . import item_of, openqa
from .records import Record, items, name_in, numbered, text_in, texts_in


def fits(record: Record) -> bool:
    """True for a record of the set as published."""
    answer = _answer(record)
    return isinstance(answer, Mapping) and ("Aliases" in answer or "aliases" in answer)


def read(
    files: Sequence[Path], more: Mapping[str, Any], left_out: list[str] | None
) -> Iterator[Item]:
    """One question a record; every alias is accepted.

    A question of the test part, which has no answer, is refused.
    """
    return items(files, more, left_out, _item)


def _item(record: Record, number: int, path: Path) -> Iterable[Item]:
    answer = _answer(record)
    if not isinstance(answer, Mapping):
        yield from openqa.item(record, number, path)
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
        raise BadInput(t("wrong.data.no_answer", name="Answer"))
    name = name_in(record, numbered(path, number), "QuestionId", "question_id")
    yield item_of(
        name, {"question": text_in(record, "Question", "question"), "answers": answers}
    )


def _answer(record: Record) -> Any:
    return record.get("Answer", record.get("answer"))

"""The answers that the conditions of a study gave to one question, beside each other:
to be ranked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from ....sessions.errors import bad_input
from ....sessions.files import has_batch
from ....texts import t
from ...figures.common import answer_of
from ...figures.measure import Item
from ...figures.runs import RunItem, read_run
from . import item_of
from .records import no_more


def read(
    files: Sequence[Path], more: Mapping[str, object], left_out: list[str] | None
) -> Iterator[Item]:
    """One question each, with an answer for every condition that has one, and the
    references that it rests on.

    A question with fewer than two answers cannot be ranked.
    """
    no_more(more)
    for folder in files:
        runs = (
            {
                path.name: read_run(path).cases
                for path in sorted(folder.iterdir())
                if has_batch(path)
            }
            if folder.is_dir()
            else {}
        )
        if len(runs) < 2:
            raise bad_input("wrong.data.no_study", path=folder)
        for name in dict.fromkeys(name for cases in runs.values() for name in cases):
            given = {
                condition: cases[name]
                for condition, cases in runs.items()
                if name in cases
            }
            answers = [
                made
                for condition, case in given.items()
                if (made := _answer(condition, case)) is not None
            ]
            if len(answers) > 1:
                item = next(iter(given.values())).item
                yield item_of(
                    name,
                    {
                        "question": _question(item),
                        "answers": answers,
                        "accepted": item.fields.get("answers"),
                    },
                    item.cluster,
                )
            elif left_out is not None:
                left_out.append(t("wrong.data.one_answer", name=name))
            else:
                raise bad_input("wrong.data.one_answer", name=name)


def _question(item: Item) -> str:
    return str(item.fields.get("question") or item.fields.get("topic") or "")


def _answer(condition: str, case: RunItem) -> dict[str, object] | None:
    """The answer of a session with the references of its last search; None where it has
    none.
    """
    text = answer_of(case.session).text
    if text is None:
        return None
    found = [
        listed
        for event in case.session.events
        if (listed := getattr(event, "references", None))
    ]
    made = {"name": condition, "text": text}
    return made | ({"references": msgspec.to_builtins(found[-1])} if found else {})

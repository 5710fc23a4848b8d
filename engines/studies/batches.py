"""The batches of a study: one for each condition, whose lines are the items, once for
each repeat.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from ...sessions.errors import BadInput, bad_input
from ...texts import t
from ..batches.batch import Batch, headers_of
from ..batches.lines import BatchLine
from ..starting import Starter
from ..tools import Tools
from .conditions import PlayedCondition
from .items import line_of
from .plan import StudyPlan


def batch_of(
    plan: StudyPlan,
    condition: PlayedCondition,
    starter: Starter,
    tools: Tools,
    chosen: Collection[str] | None = None,
) -> Batch:
    """The batch of a condition.

    `chosen`: the ids of its lines; None: all. Raises: BadInput, which names condition
    and item.
    """
    lines = _lines(plan, condition, chosen)
    if plan.numbered and plan.study.repeats > 1:
        lines = [_repeat(plan, line) for line in lines]
    lines, headers = headers_of(
        lines, lambda wanted: condition.method.begin(wanted, starter)
    )
    repeats = {name: repeat - 1 for name, (_, repeat) in plan.by_line.items()}
    kind = condition.method.batches[condition.lines_are]
    return Batch(
        kind,
        lines,
        headers,
        condition.wishes.given(),
        condition.method,
        tools,
        repeats=repeats,
    )


def _repeat(plan: StudyPlan, line: BatchLine) -> BatchLine:
    item, repeat = plan.by_line[line.id]
    return line.as_repeat(item.id, repeat - 1)


def _lines(
    plan: StudyPlan, condition: PlayedCondition, chosen: Collection[str] | None
) -> Sequence[BatchLine]:
    """The lines as the method reads them from a file."""
    rows = []
    for name, (item, _) in plan.by_line.items():
        if chosen is None or name in chosen:
            line = line_of(
                item, condition.method.settings, condition.lines_are, condition.options
            )
            clustered = (
                {"cluster": item.cluster}
                if "cluster" in line or plan.study.repeats > 1
                else {}
            )
            rows.append((name, {**line, **clustered, "id": name}))
    if not rows:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        path.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for _, row in rows),
            "utf-8",
            "surrogatepass",
        )
        try:
            lines = condition.method.batches[condition.lines_are].read(
                path, condition.wishes
            )[0]
        except BadInput as error:
            match = re.search(rf"{re.escape(str(path))}, line (\d+)(?:: )?", str(error))
            where = rows[int(match[1]) - 1][0] if match else rows[0][0]
            why = str(error).replace(match[0], "") if match else str(error)
            raise bad_input(
                "wrong.study.item", condition=condition.name, id=where, why=why
            ) from None
    return [
        replace(
            line, where=t("wrong.study.item_of", condition=condition.name, id=line.id)
        )
        for line in lines
    ]

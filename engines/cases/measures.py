"""What is counted of one pair of cases, whoever judged it: whether its level, and the two bits of it, are those of the data.

A session of many candidates is no pair and has none of these. An unread level is not right. Cohen's kappa of levels and bits leaves it out,
as the report of a batch does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...sessions.events.relevance import RelevanceResult
from ...sessions.session import Session
from ..measures.measure import Item, Measure, Measured
from ..metrics.agreement import cohen_kappa
from ..metrics.levels import LEVELS, Bit, bit
from .task import is_level


def _gold(item: Item) -> int | None:
    """The known level of the one candidate."""
    listed: Any = item.fields.get("candidates")
    one = listed[0] if isinstance(listed, list | tuple) and len(listed) == 1 else None
    gold = one.get("gold") if isinstance(one, Mapping) else None
    return gold if is_level(gold) else None


def _right(
    part: Callable[[int], int], session: Session, item: Item
) -> Iterator[Measured]:
    gold, result = _gold(item), session.result
    if gold is None:
        return
    if not isinstance(result, RelevanceResult):
        yield Measured(0.0, "failed")
        return
    level = result.scores[0] if len(result.scores) == 1 else None
    if level is None:
        yield Measured(0.0, "unread")
    else:
        right = part(level) == part(gold)
        yield Measured(float(right), "right" if right else "wrong")


def _rated(
    part: Callable[[int], int], size: int, session: Session, item: Item
) -> Iterator[Measured]:
    """Where the pair stands in the table of what people said against what was judged, row by row."""
    for one in _right(part, session, item):
        gold, result = _gold(item), session.result
        if (
            one.state not in ("right", "wrong")
            or gold is None
            or not isinstance(result, RelevanceResult)
        ):
            yield Measured(None, one.state)
            return
        place = part(gold) * size + part(result.scores[0] or 0)
        yield one._replace(
            counts=tuple(float(at == place) for at in range(size * size))
        )


def _kappa(size: int, counts: Sequence[float]) -> float | None:
    """Cohen's kappa of a table that stands row by row; None where it is undefined."""
    return cohen_kappa(
        [
            [int(count) for count in counts[row * size : (row + 1) * size]]
            for row in range(size)
        ]
    )


def _level(level: int) -> int:
    return level


def _bit(kind: Bit) -> Callable[[int], int]:
    return lambda level: bit(level, kind)


def _measure(name: str, part: Callable[[int], int]) -> Measure:
    return Measure(name, "higher", partial(_right, part), share=True, low=0, high=1)


def _agreement(name: str, part: Callable[[int], int], size: int) -> Measure:
    return Measure(
        name,
        "higher",
        partial(_rated, part, size),
        low=-1,
        high=1,
        pooled=partial(_kappa, size),
    )


MEASURES: Mapping[str, Measure] = {
    one.name: one
    for one in (
        _measure("level_right", _level),
        _measure("material_right", _bit("material")),
        _measure("legal_right", _bit("legal")),
        _agreement("kappa_level", _level, len(LEVELS)),
        _agreement("kappa_material", _bit("material"), 2),
        _agreement("kappa_legal", _bit("legal"), 2),
    )
}

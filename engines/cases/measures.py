"""Measures of one judged pair of cases, for any method.

A session of several candidates is not a pair and has none of them. An unread level
counts as wrong; kappa and raw agreement exclude it and count it as missing.

Repeats of a pair are lines of the same content whose ids end in `.r1`, `.r2`, after
`.t0.3` if there are several temperatures. Cohen's kappa of repeats pools several
tables, one for each two repeats of a temperature (De Vries et al. 2008); temperatures
are never mixed in a table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import comb
from statistics import fmean
from typing import Any, NamedTuple

from ...sessions.events.relevance import LEAST_PAIRS, RelevanceResult
from ...sessions.session import Session
from ..figures.common import category_shares
from ..figures.measure import (
    Item,
    Measure,
    MeasuredValue,
    ratio,
    right_if,
    without_verdict,
)
from ..metrics.agreement import Table as Counted
from ..metrics.agreement import Weights, pooled_kappa
from ..metrics.gwet import gwet_table
from ..metrics.levels import LEVELS, bit
from .task import is_level

_END = re.compile(
    r"(?:\.t(?P<temperature>\d+(?:\.\d+)?(?:e-\d+)?))?(?:\.r(?P<repeat>\d+))?$"
)

Measurements = Sequence[tuple[Item, MeasuredValue]]
Table = tuple[Any, ...]
"""What names a table of two levels: the temperature, and the repeats."""
Couples = Mapping[Table, tuple[int | None, int | None]]
"""Two levels of one pair, by the table that they belong to; None: unread."""


class LevelScale(NamedTuple):
    """The part of two levels that is compared."""

    name: str
    part: Callable[[int], int]
    size: int
    """The number of values that `part` has."""
    weights: Weights = None


def _level(level: int) -> int:
    return level


LEVEL = LevelScale("level", _level, len(LEVELS))
MATERIAL = LevelScale("material", partial(bit, kind="material"), 2)
LEGAL = LevelScale("legal", partial(bit, kind="legal"), 2)
PLAIN = (LEVEL, MATERIAL, LEGAL)
SCALES = (
    *PLAIN,
    LEVEL._replace(name="level_linear", weights="linear"),
    LEVEL._replace(name="level_quadratic", weights="quadratic"),
)


def known_level(item: Item) -> int | None:
    """Return the level that the data has for the one candidate."""
    candidate = _candidate(item)
    gold = candidate.get("gold") if candidate is not None else None
    if is_level(gold):
        return gold
    return None


def _candidate(item: Item) -> Mapping[str, Any] | None:
    """Return the one candidate; None if there are several."""
    listed: Any = item.fields.get("candidates")
    if not isinstance(listed, list | tuple) or len(listed) != 1:
        return None
    if isinstance(listed[0], Mapping):
        return listed[0]
    return None


def judged_level(session: Session) -> int | None:
    """Return the level that a session about one candidate reached; None without one."""
    result = session.result
    if isinstance(result, RelevanceResult) and len(result.scores) == 1:
        return result.scores[0]
    return None


def _judgement(session: Session, item: Item) -> Iterator[MeasuredValue]:
    if _candidate(item) is None:
        return
    level = judged_level(session)
    if level is not None:
        yield MeasuredValue(float(level), "measured")
    else:
        judged = isinstance(session.result, RelevanceResult)
        state = without_verdict(session.events) if judged else "failed"
        yield MeasuredValue(None, state)


def _scored(session: Session, item: Item) -> Iterator[MeasuredValue]:
    for judged in _judgement(session, item):
        missing = judged.value is None
        yield (
            MeasuredValue(0.0, judged.state) if missing else MeasuredValue(1.0, "right")
        )


def _right(
    scale: LevelScale, unread: float | None, session: Session, item: Item
) -> Iterator[MeasuredValue]:
    """Return whether judgement and data agree. `unread`: the value without a level."""
    gold = known_level(item)
    for judged in _judgement(session, item) if gold is not None else ():
        if judged.value is None or gold is None:
            yield MeasuredValue(unread, judged.state)
        else:
            right = scale.part(int(judged.value)) == scale.part(gold)
            yield right_if(right)


def _rated(scale: LevelScale, session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return the cell of the table of the data's levels and the judged ones."""
    gold = known_level(item)
    for judged in _judgement(session, item) if gold is not None else ():
        level = None if judged.value is None else int(judged.value)
        yield _agreement(scale, [()], {(): (gold, level)}, judged)


def _agreement(
    scale: LevelScale, tables: Sequence[Table], couples: Couples, judged: MeasuredValue
) -> MeasuredValue:
    """Return the couples of one pair: the share that agrees, and as counts 1 (the
    pair), then the cells of each table, row by row. `judged` says why there is no
    couple.
    """
    size = scale.size
    counts = [1.0] + [0.0] * len(tables) * size * size
    places = {table: place for place, table in enumerate(tables)}
    agree = []
    for table, (first, second) in couples.items():
        if first is None or second is None:
            continue
        row, column = scale.part(first), scale.part(second)
        counts[1 + (places[table] * size + row) * size + column] += 1
        agree.append(row == column)
    if not agree:
        state = judged.state if judged.value is None else "unread"
        return MeasuredValue(None, state)
    return MeasuredValue(fmean(agree), "measured", counts=tuple(counts))


def _gwet(tables: Sequence[Counted], weights: Weights) -> float | None:
    """Gwet's AC2 of the only table."""
    return gwet_table(tables[0], weights)


def _kappa(
    scale: LevelScale,
    counts: Sequence[float],
    of: Callable[[list[Counted], Weights], float | None] = pooled_kappa,
) -> float | None:
    """Cohen's kappa, or another coefficient; None if it is undefined, or for fewer than
    `LEAST_PAIRS` pairs.
    """
    pairs, *cells = (int(count) for count in counts)
    if pairs < LEAST_PAIRS:
        return None
    size = scale.size
    rows = [cells[at : at + size] for at in range(0, len(cells), size)]
    tables = [rows[at : at + size] for at in range(0, len(rows), size)]
    return of(tables, scale.weights)


# ------------------------------------------------------------------ repeats


@dataclass
class Repeated:
    """The judgements of one pair at one temperature."""

    item: Item
    """That of the pair: its id has no `.rN`."""
    temperature: str
    last: MeasuredValue
    levels: dict[int, int | None] = field(default_factory=dict)
    """By the number of the repeat, from 1; None: unread or failed."""


def repeated(items: Measurements) -> list[Repeated]:
    """Return the judgements of every pair and temperature, with their repeats."""
    found: dict[tuple[str, str], Repeated] = {}
    for item, judged in items:
        temperature, number = judged_at(item.id)
        id_ = item.id.removesuffix(f".r{number}") if number else item.id
        pair = found.setdefault(
            (id_, item.digest), Repeated(replace(item, id=id_), temperature, judged)
        )
        level = None if judged.value is None else int(judged.value)
        pair.levels[int(number or 1)] = level
        pair.last = judged
    return list(found.values())


def judged_at(id_: str) -> tuple[str, str]:
    """Return the temperature and the repeat at the end of a line's id, or ""."""
    end = _END.search(id_)
    if end:
        return (end["temperature"] or "", end["repeat"] or "")
    return ("", "")


def _together(
    scale: LevelScale, pairs: Sequence[Repeated], couples: Sequence[Couples]
) -> list[tuple[Item, MeasuredValue]]:
    tables = sorted({table for each in couples for table in each})
    return [
        (pair.item, _agreement(scale, tables, each, pair.last))
        for pair, each in zip(pairs, couples, strict=True)
        if each
    ]


def _reliability(
    scale: LevelScale, items: Measurements
) -> list[tuple[Item, MeasuredValue]]:
    """Compare every two repeats of a pair; nothing without repeats."""
    pairs = repeated(items)
    couples: list[Couples] = [
        {
            (pair.temperature, one, two): (pair.levels[one], pair.levels[two])
            for one, two in combinations(sorted(pair.levels), 2)
        }
        for pair in pairs
    ]
    return _together(scale, pairs, couples)


def _validity(
    scale: LevelScale, items: Measurements
) -> list[tuple[Item, MeasuredValue]]:
    """Compare every repeat of a pair with the data; nothing if each pair is judged
    once.
    """
    pairs = [one for one in repeated(items) if known_level(one.item) is not None]
    couples: list[Couples] = [
        {
            (pair.temperature, number): (known_level(pair.item), level)
            for number, level in pair.levels.items()
        }
        for pair in pairs
    ]
    tables = {table for each in couples for table in each}
    if len(tables) > 1:
        return _together(scale, pairs, couples)
    return []


def _ties_broken(items: Measurements) -> list[tuple[Item, MeasuredValue]]:
    """For each query and temperature, return the share of couples of candidates with
    equal levels in the first repeat that the mean of the repeats distinguishes.
    """
    pairs = repeated(items)
    if all(len(pair.levels) < 2 for pair in pairs):
        return []
    means: dict[tuple[str, str], dict[int, list[float]]] = {}
    for pair in pairs:
        first = pair.levels[min(pair.levels)]
        if first is not None:
            rated = [level for level in pair.levels.values() if level is not None]
            by_level = means.setdefault((_query(pair.item), pair.temperature), {})
            by_level.setdefault(first, []).append(fmean(rated))
    found = []
    for (query, temperature), by_level in means.items():
        tied = sum(comb(len(alike), 2) for alike in by_level.values())
        counts = [Counter(alike).values() for alike in by_level.values()]
        left = sum(comb(n, 2) for alike in counts for n in alike)
        if tied:
            share = (tied - left) / tied
            id_ = f"{query}.t{temperature}" if temperature else query
            measured = MeasuredValue(share, "measured", counts=(tied - left, tied))
            found.append((Item(id_, query, ""), measured))
    return found


def _query(item: Item) -> str:
    query: object = item.fields.get("query")
    if isinstance(query, Mapping):
        return str(query.get("id", ""))
    return item.cluster


# ------------------------------------------------------------------ the measures


def _category(session: Session) -> str | None:
    level = judged_level(session)
    if level is None:
        return None
    return str(level)


def _listed() -> Iterator[Measure]:
    for scale in PLAIN:
        of = partial(_right, scale, 0.0)
        yield Measure(f"{scale.name}_right", "higher", of, True, 0, 1)
    for scale in SCALES:
        of, kappa = partial(_rated, scale), partial(_kappa, scale)
        name = f"kappa_{scale.name}"
        yield Measure(name, "higher", of, low=-1, high=1, pooled=kappa)
    for scale in (MATERIAL, LEGAL, SCALES[-1]):
        of, gwet = partial(_rated, scale), partial(_kappa, scale, of=_gwet)
        name = f"gwet_{scale.name}"
        yield Measure(name, "higher", of, low=-1, high=1, pooled=gwet, tested=False)
    for scale in PLAIN:
        of = partial(_right, scale, None)
        yield Measure(f"raw_agreement_{scale.name}", "higher", of, True, 0, 1)
    yield Measure("scored", "higher", _scored, True, 0, 1, subject="process")
    yield from category_shares("score", map(str, LEVELS), _category, judge=".level")
    for scale in SCALES:
        yield _of_repeats(f"reliability_{scale.name}", scale, _reliability)
    for scale in SCALES:
        yield _of_repeats(f"validity_{scale.name}", scale, _validity)
    yield Measure(
        "ties_broken",
        "neither",
        _judgement,
        low=0,
        high=1,
        pooled=ratio,
        across=_ties_broken,
        subject="process",
    )


def _of_repeats(
    name: str,
    scale: LevelScale,
    rule: Callable[[LevelScale, Measurements], list[tuple[Item, MeasuredValue]]],
) -> Measure:
    return Measure(
        name,
        "higher",
        _judgement,
        low=-1,
        high=1,
        pooled=partial(_kappa, scale),
        across=partial(rule, scale),
        subject="process" if rule is _reliability else "answer",
    )


MEASURES: dict[str, Measure] = {one.name: one for one in _listed()}

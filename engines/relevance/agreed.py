"""How the raters of a session agree, as a part of its export: the tables of levels and bits, and every kappa."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ...sessions.export.blocks import Block, Grid
from ...sessions.session import Session
from ..metrics.agreement import Table, bits
from ..metrics.bootstrap import Figure
from ..metrics.compare import BITS, KAPPAS, NOTE, Comparison, Rater, compare
from ..metrics.heatmap import step
from .plan import Fold, gold, is_level
from .result import GOLD, MACHINE, rater_name

TITLES = {"material": "Material bit (MF)", "legal": "Legal bit (LF)"}


def agreement_blocks(session: Session) -> list[Block]:
    """A block for every two raters that have a candidate in common, people before the data and the machine; none without labels.

    What counts is what is in force at the end. Labels given before the machine's word was seen are compared with it once more, apart.
    """
    compared = [found for one, other in _couples(session) if (found := compare(one, other)).pairs]
    made = [_block(one) for one in compared]
    if made and any(GOLD in (one.first, one.second) for one in compared):
        made[-1].facts.append(("Remark", NOTE))
    return made


def _couples(session: Session) -> Iterator[tuple[Rater, Rater]]:
    fold = Fold(session)
    machine = Rater(MACHINE, {("", id_): _level(one.score.value) for id_, one in fold.candidates.items() if one.score is not None})
    people: dict[str, Rater] = {}
    blind: dict[str, Rater] = {}
    for id_, one in fold.candidates.items():
        for annotator, label in one.labels.items():
            name = rater_name(annotator)
            people.setdefault(name, Rater(name)).labels["", id_] = _level(label.value)
            if not label.seen_machine:
                blind.setdefault(name, Rater(f"{name}, blind labels only")).labels["", id_] = _level(label.value)
    yield from combinations([*people.values(), Rater(GOLD, {("", id_): level for id_, level in gold(session).items()}), machine], 2)
    yield from ((one, machine) for one in blind.values())


def _level(value: int | None) -> int | None:
    """A level; None also for what a file from elsewhere has in its place."""
    return value if is_level(value) else None


def _block(one: Comparison) -> Block:
    left = f"{one.unread} unread or undecided by either, {one.only_first} only with {one.first}, {one.only_second} only with {one.second}"
    facts = [("Rated by both", f"{one.pairs}; left out: {left}")]
    facts += [(f"Cohen's kappa, {KAPPAS[name]}", _told(figure)) for name, figure in one.kappa.items()]
    facts += [(f"Raw agreement, {KAPPAS[name]}", f"{share:.1%}") for name, share in one.raw.items() if share is not None]
    grids = [_grid("Four levels", one, one.levels), *(_grid(TITLES[kind], one, bits(one.levels, kind)) for kind in BITS)]
    return Block(number=0, kind="agreement", heading=f"{one.first} and {one.second}", part="Agreement", facts=facts, grids=grids)


def _grid(title: str, one: Comparison, table: Table) -> Grid:
    most = max(max(row) for row in table)
    shades = [[step(count, most) for count in row] for row in table]
    return Grid(title=title, down=one.first, across=one.second, counts=table, shades=shades)


def _told(figure: Figure) -> str:
    if figure.value is None:
        return str(figure.reason)
    interval = "" if figure.low is None or figure.high is None else f" (95 % interval {figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.2f}{interval}"

"""How the raters of a session agree, as a part of its export: the tables of levels and bits, base rates, and every kappa."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...sessions.events.relevance import LEAST_PAIRS
from ...sessions.export.block import Block, Grid
from ...sessions.session import Session
from ...texts import t
from ..metrics.agreement import Table, bits
from ..metrics.bootstrap import Figure
from ..metrics.compare import BITS, KAPPAS, NOTE, Comparison, Rater, compare
from ..metrics.heatmap import step
from ..metrics.levels import LEVELS
from ..metrics.raters import choose
from .plan import Fold, gold, is_level
from .result import GOLD, MACHINE, rater_name

TITLES = {"material": "Material bit (MF)", "legal": "Legal bit (LF)"}


def agreement_blocks(session: Session, names: Sequence[str] = ()) -> list[Block]:
    """A block for every two raters that have a candidate in common, people before the data and the machine; none without labels.

    `names` chooses raters, as `choose` reads them. What counts is what is in force at the end. Where the machine is chosen, labels given
    before its word was seen are compared with it once more, apart. BadInput for a name that nobody has.
    """
    raters = _raters(session)
    chosen = choose(raters, names)
    couples = [*combinations(chosen, 2), *_blind(session, chosen)]
    compared = [found for one, other in couples if (found := compare(one, other)).pairs]
    made = [_block(one) for one in compared]
    left = [rater.name for rater in raters if rater not in chosen]
    if made and left:
        made[-1].facts.append(("Not compared", f"{', '.join(left)}; --raters names them"))
    if made and any(GOLD in (one.first, one.second) for one in compared):
        made[-1].facts.append(("Remark", NOTE))
    return made


def _raters(session: Session) -> list[Rater]:
    """People, then the data and the machine; those who have rated nothing are left out."""
    fold = Fold(session)
    people: dict[str, Rater] = {}
    for id_, one in fold.candidates.items():
        for annotator, label in one.labels.items():
            name = rater_name(annotator)
            people.setdefault(name, Rater(name, kind="person")).labels["", id_] = _level(label.value)
    data = Rater(GOLD, {("", id_): level for id_, level in gold(session).items()}, kind="gold")
    scores = {("", id_): _level(one.score.value) for id_, one in fold.candidates.items() if one.score is not None}
    return [rater for rater in (*people.values(), data, Rater(MACHINE, scores, kind="machine")) if rater.labels]


def _blind(session: Session, chosen: Sequence[Rater]) -> Iterator[tuple[Rater, Rater]]:
    """Each person who is chosen, by the labels that were given unseen, beside the machine."""
    machine = next((rater for rater in chosen if rater.kind == "machine"), None)
    if machine is None:
        return
    people = {rater.name for rater in chosen if rater.kind == "person"}
    blind: dict[str, Rater] = {}
    for id_, one in Fold(session).candidates.items():
        for annotator, label in one.labels.items():
            name = rater_name(annotator)
            if name in people and not label.seen_machine:
                blind.setdefault(name, Rater(t("report.measures.blind", name=name))).labels["", id_] = _level(label.value)
    yield from ((one, machine) for one in blind.values())


def _level(value: int | None) -> int | None:
    """A level; None also for what a file from elsewhere has in its place."""
    return value if is_level(value) else None


def _block(one: Comparison) -> Block:
    left = f"{one.unread} unread or undecided by either, {one.only_first} only with {one.first}, {one.only_second} only with {one.second}"
    facts = [("Rated by both", f"{one.pairs}; left out: {left}")]
    for name, base in zip((one.first, one.second), one.rates(), strict=True):
        levels = ", ".join(f"{level}: {share:.1%}" for level, share in zip(LEVELS, base.levels, strict=True))
        positives = ", ".join(f"{kind} bit: {share:.1%}" for kind, share in base.bits.items())
        facts.append((f"Base rates of {name}", f"{levels}; {positives}"))
    told = {"levels": "level", "material": "material bit", "legal": "legal bit"}
    for single in one.single():
        facts.append(("One value only", f"{single.rater} gave {told[single.what]} {single.value} to all: kappa says nothing there"))
    if one.pairs < LEAST_PAIRS:
        facts.append(("Cohen's kappa", str(one.kappa["levels"].reason)))
    else:
        facts += [(f"Cohen's kappa, {KAPPAS[name]}", _told(figure)) for name, figure in one.kappa.items()]
        facts.append(("Intervals", "none: they are drawn from queries, and this is one"))
    facts += [(f"Raw agreement, {KAPPAS[name]}", f"{share:.1%}") for name, share in one.raw.items() if share is not None]
    grids = [_grid(t("report.measures.four_levels"), one, one.levels), *(_grid(TITLES[kind], one, bits(one.levels, kind)) for kind in BITS)]
    return Block(number=0, kind="summary", heading=f"{one.first} and {one.second}", part="Agreement", facts=facts, grids=grids)


def _grid(title: str, one: Comparison, table: Table) -> Grid:
    most = max(max(row) for row in table)
    shades = [[step(count, most) for count in row] for row in table]
    return Grid(title=title, down=one.first, across=one.second, counts=table, shades=shades)


def _told(figure: Figure) -> str:
    return str(figure.reason) if figure.value is None else f"{figure.value:.2f}"

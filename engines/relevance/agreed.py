"""How far the raters of a session agree, for its export: the tables of levels and bits,
base rates, and every kappa.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...sessions.events.relevance import LEAST_PAIRS
from ...sessions.export.block import Block, Grid
from ...sessions.session import Session
from ...texts import own_words, t
from ..cases.rating import GOLD, MACHINE, rater_name
from ..cases.task import gold, is_level
from ..metrics.agreement import Table, bits
from ..metrics.bootstrap import IntervalEstimate
from ..metrics.compare import (
    BITS,
    NOTE,
    RaterComparison,
    RaterLevels,
    compare,
    figure_name,
)
from ..metrics.heatmap import step
from ..metrics.levels import LEVELS
from ..metrics.raters import choose
from .plan import RelevanceState


def agreement_blocks(session: Session, names: Sequence[str] = ()) -> list[Block]:
    """Return a block for every two raters that have a candidate in common, people
    before the data and the model; none without labels.

    `names` selects raters, as `choose` reads them. Values in force at the end are
    compared. If the model is selected, labels given before the annotator saw the
    model's level are compared with it again, separately. Raises: BadInput for an
    unknown rater.
    """
    raters = _raters(session)
    chosen = choose(raters, names)
    couples = [*combinations(chosen, 2), *_blind(session, chosen)]
    compared = [found for one, other in couples if (found := compare(one, other)).pairs]
    made = [_block(one) for one in compared]
    left = [rater.name for rater in raters if rater not in chosen]
    if made and left:
        made[-1].facts.append(
            (
                t("report.ratings.not_compared"),
                t("report.ratings.name_them", names=", ".join(left)),
            )
        )
    if made and any(GOLD in (one.first, one.second) for one in compared):
        made[-1].facts.append((t("report.ratings.remark"), own_words(NOTE)))
    return made


def _raters(session: Session) -> list[RaterLevels]:
    """Return people, then the data and the model, without those who have rated
    nothing.
    """
    fold = RelevanceState(session)
    people: dict[str, RaterLevels] = {}
    for id_, one in fold.candidates.items():
        for annotator, label in one.labels.items():
            name = rater_name(annotator)
            people.setdefault(name, RaterLevels(name, kind="person")).labels[
                "", id_
            ] = _level(label.value)
    data = RaterLevels(
        GOLD, {("", id_): level for id_, level in gold(session).items()}, kind="gold"
    )
    scores = {
        ("", id_): _level(one.score.value)
        for id_, one in fold.candidates.items()
        if one.score is not None
    }
    return [
        rater
        for rater in (
            *people.values(),
            data,
            RaterLevels(MACHINE, scores, kind="machine"),
        )
        if rater.labels
    ]


def _blind(
    session: Session, chosen: Sequence[RaterLevels]
) -> Iterator[tuple[RaterLevels, RaterLevels]]:
    """Return each selected annotator's labels that were given before seeing the model's
    level, paired with the model.
    """
    machine = next((rater for rater in chosen if rater.kind == "machine"), None)
    if machine is None:
        return
    people = {rater.name for rater in chosen if rater.kind == "person"}
    blind: dict[str, RaterLevels] = {}
    for id_, one in RelevanceState(session).candidates.items():
        for annotator, label in one.labels.items():
            name = rater_name(annotator)
            if name in people and not label.seen_machine:
                blind.setdefault(
                    name, RaterLevels(t("report.measures.blind", name=name))
                ).labels["", id_] = _level(label.value)
    yield from ((one, machine) for one in blind.values())


def _level(value: int | None) -> int | None:
    """Return a level; None for an invalid value, as a foreign file may have."""
    if is_level(value):
        return value
    return None


def _block(one: RaterComparison) -> Block:
    grids = [
        _grid(t("report.measures.four_levels"), one, one.levels),
        *(
            _grid(t(f"report.figure.{kind}_bit"), one, bits(one.levels, kind))
            for kind in BITS
        ),
    ]
    return Block(
        number=0,
        kind="summary",
        heading=t("report.ratings.couple", first=one.first, second=one.second),
        part=t("report.ratings.agreement"),
        facts=[*_counts(one), *_kappas(one)],
        grids=grids,
    )


def _counts(one: RaterComparison) -> Iterator[tuple[str, str]]:
    """Return how many pairs both have rated, how often each gave which level, and who
    always gave the same one.
    """
    left = t(
        "report.ratings.left_of_both",
        unread=one.unread,
        only_first=one.only_first,
        first=one.first,
        only_second=one.only_second,
        second=one.second,
    )
    both = t("report.ratings.pairs_left", pairs=one.pairs, left=left)
    yield t("report.ratings.rated_by_both"), both
    for name, base in zip((one.first, one.second), one.rates(), strict=True):
        levels = ", ".join(
            f"{level}: {share:.1%}"
            for level, share in zip(LEVELS, base.levels, strict=True)
        )
        positives = ", ".join(
            t(
                "report.ratings.bit_share",
                kind=t(f"report.figure.short_{kind}"),
                share=share,
            )
            for kind, share in base.bits.items()
        )
        rates = t("report.ratings.base_rates_of", name=name)
        yield rates, f"{levels}; {positives}"
    for single in one.single():
        told = (
            t("report.figure.level")
            if single.what == "levels"
            else figure_name(single.what)
        )
        always = t(
            "report.ratings.single_here",
            rater=single.rater,
            subject=told,
            value=single.value,
        )
        yield t("report.ratings.one_value"), always


def _kappas(one: RaterComparison) -> Iterator[tuple[str, str]]:
    """Return their agreement, raw and, with enough pairs, corrected for chance."""
    if one.pairs < LEAST_PAIRS:
        why = own_words(str(one.kappa["levels"].reason))
        yield t("report.ratings.kappa"), why
    else:
        for key, figures in (("kappa", one.kappa), ("gwet", one.gwet)):
            for name, figure in figures.items():
                told = t(f"report.ratings.{key}_named", figure=figure_name(name))
                yield told, _estimate_text(figure)
        yield t("report.ratings.intervals"), t("report.ratings.one_query")
    for name, share in one.raw.items():
        if share is not None:
            raw = t("report.ratings.raw_named", figure=figure_name(name))
            yield raw, f"{share:.1%}"


def _grid(title: str, one: RaterComparison, table: Table) -> Grid:
    most = max(max(row) for row in table)
    shades = [[step(count, most) for count in row] for row in table]
    return Grid(
        title=title, down=one.first, across=one.second, counts=table, shades=shades
    )


def _estimate_text(figure: IntervalEstimate) -> str:
    if figure.value is None:
        return str(figure.reason)
    return f"{figure.value:.2f}"

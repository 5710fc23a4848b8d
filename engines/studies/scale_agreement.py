"""How far people agree on answers that they rated without knowing whose they are: for
every two of them, thing by thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from ...sessions.annotators import GOLD, same_name
from ...sessions.clean import clean_line
from ...sessions.errors import bad_input
from ...sessions.label_store import LabelStore
from ...sessions.labels import Latest
from ...texts import t
from ..figures.rated import SCALES, RatingScale
from ..metrics import agreement
from ..metrics.agreement import Table
from ..metrics.bootstrap import RESAMPLES, IntervalEstimate, figure, resampled
from ..metrics.compare import LEAST_PAIRS as LEAST
from ..metrics.gwet import gwet_table
from ..metrics.values import shown
from ..reports.agreement import NOTHING, figure_cell, share_cell
from ..reports.document import (
    Cell,
    DataTable,
    Part,
    ReportDocument,
    TextBlock,
    number_column,
    text_column,
)
from .rating import RatedAnswer, said


@dataclass(frozen=True)
class ScaleAgreement:
    """Two people on one scale, over the answers that both have rated."""

    scale: RatingScale
    first: str
    second: str
    n: int
    equal: float | None
    """The share of answers of which both said the same; None without an answer."""
    means: tuple[float, float] | None
    """What each said on average; a share where it is right or wrong."""
    kappa: IntervalEstimate
    """Cohen's; with quadratic weights where there are more than two values.

    The interval is by cluster.
    """
    gwet: IntervalEstimate
    """Gwet's AC2, in the same way."""


def people_in(
    path: Path, names: Sequence[str] = (), without: Sequence[str] = ()
) -> dict[str, Latest]:
    """The labels of the people who rate here, by name.

    `names`: only these, one per text or several with commas. `without`: whose files are
    not read. Raises: BadInput for an unknown name and for fewer than two people;
    SessionError.
    """
    store = LabelStore.of_answers(path, without=without)
    people = {
        name: labels
        for name, labels in sorted(store.people.items())
        if labels and name != GOLD
    }
    wanted = [
        same_name(part)
        for text in names
        for part in ([text] if same_name(text) in people else text.split(","))
    ]
    for name in wanted:
        if name not in people:
            raise bad_input(
                "wrong.ratings.no_rater",
                name=shown(name),
                names=clean_line(", ".join(people))[:300],
            )
    chosen = {name: people[name] for name in wanted or people}
    if len(chosen) < 2:
        raise bad_input("wrong.labels.two_people", n=len(chosen), path=path)
    return chosen


def agreed(
    answers: Sequence[RatedAnswer],
    people: Mapping[str, Latest],
    resamples: int = RESAMPLES,
) -> list[ScaleAgreement]:
    """Every two people on every scale that any of these answers is rated on."""
    found = []
    for scale in SCALES:
        rated = [answer for answer in answers if scale in answer.scales]
        if rated:
            found += [
                _couple(scale, rated, one, other, people, resamples)
                for one, other in combinations(people, 2)
            ]
    return found


def differing(
    answers: Sequence[RatedAnswer], people: Mapping[str, Latest]
) -> Iterator[dict[str, object]]:
    """The answers that people labelled differently, with the label of each."""
    for answer in answers:
        for scale in answer.scales:
            values = {
                name: value
                for name, labels in people.items()
                if (value := said(answer, scale, labels)) is not None
            }
            if len(set(values.values())) > 1:
                yield {
                    "item": answer.item,
                    "answer": answer.answer,
                    "measure": scale.measure,
                    "labels": values,
                }


def agreed_json(
    agreements: Sequence[ScaleAgreement], differ: Iterator[dict[str, object]]
) -> dict[str, object]:
    """One object: a comparison for every two people and scale, and the answers on which
    people differ.
    """
    rows = [
        {
            "measure": agreement.scale.measure,
            "raters": [agreement.first, agreement.second],
            "answers": agreement.n,
            "equal": agreement.equal,
            "means": agreement.means,
            **{
                key: {
                    name: value
                    for name, value in figure._asdict().items()
                    if name != "reason"
                }
                for key, figure in (
                    ("kappa", agreement.kappa),
                    ("gwet", agreement.gwet),
                )
            },
        }
        for agreement in agreements
    ]
    return {"comparisons": rows, "differ": list(differ), "least_answers": LEAST}


def agreed_report(agreements: Sequence[ScaleAgreement]) -> ReportDocument:
    """A table for each scale, with a row for every two people."""
    parts: list[Part] = []
    for scale in SCALES:
        couples = [agreement for agreement in agreements if agreement.scale == scale]
        if couples:
            parts.append(_scale_table(scale, couples))
    parts.append(TextBlock([t("report.agreed.note", least=LEAST)], shade="muted"))
    return ReportDocument(t("report.ratings.agreement"), parts=parts)


def _scale_table(scale: RatingScale, couples: Sequence[ScaleAgreement]) -> DataTable:
    columns = [
        text_column("report.ratings.couple_column", "raters"),
        number_column("report.agreed.answers", "answers"),
        number_column("report.agreed.equal", "equal"),
        number_column("report.ratings.kappa", "kappa"),
        number_column("report.ratings.gwet", "gwet"),
        number_column("report.agreed.first_mean", "first_mean"),
        number_column("report.agreed.second_mean", "second_mean"),
    ]
    rows: list[Sequence[Cell | str]] = []
    for couple in couples:
        means = couple.means or (None, None)
        raters = t("report.ratings.couple", first=couple.first, second=couple.second)
        rows.append(
            [
                raters,
                Cell(f"{couple.n:,}", couple.n),
                share_cell(couple.equal),
                figure_cell(couple.kappa, ".2f"),
                figure_cell(couple.gwet, ".2f"),
                *(_mean_cell(scale, mean) for mean in means),
            ]
        )
    undefined = (
        couple.kappa for couple in couples if couple.n and couple.kappa.value is None
    )
    notes = [f"{NOTHING}: {why}" for why in dict.fromkeys(k.reason for k in undefined)]
    return DataTable(t(f"report.agreed.{scale.measure}"), columns, rows, notes)


def _mean_cell(scale: RatingScale, mean: float | None) -> Cell:
    if mean is None or scale.high == 1:
        return share_cell(mean)
    return Cell(f"{mean:.1f}", mean)


def _couple(
    scale: RatingScale,
    answers: Sequence[RatedAnswer],
    first: str,
    second: str,
    people: Mapping[str, Latest],
    resamples: int,
) -> ScaleAgreement:
    size = scale.high - scale.low + 1
    clusters: dict[str, list[int]] = {}
    for answer in answers:
        one, other = (said(answer, scale, people[name]) for name in (first, second))
        if one is not None and other is not None and {one, other} <= {*scale.values}:
            cell = (one - scale.low) * size + other - scale.low
            clusters.setdefault(answer.cluster, [0] * size**2)[cell] += 1
    table = _table(
        [sum(column) for column in zip(*clusters.values(), strict=True)]
        or [0] * size**2,
        size,
    )
    n = sum(map(sum, table))
    return ScaleAgreement(
        scale,
        first,
        second,
        n,
        agreement.raw_agreement(table),
        _means(table, scale, n),
        *(
            _coefficient(of, table, clusters, n, resamples)
            for of in (agreement.cohen_kappa, gwet_table)
        ),
    )


def _coefficient(
    coefficient: Callable[[Table, agreement.Weights], float | None],
    table: Table,
    clusters: Mapping[str, Sequence[int]],
    n: int,
    resamples: int,
) -> IntervalEstimate:
    if n < LEAST:
        return IntervalEstimate(None, t("report.agreed.few"))
    size = len(table)

    def of(counts: Sequence[float]) -> float | None:
        return coefficient(_table(counts, size), "quadratic" if size > 2 else None)

    drawn = resampled(clusters.values(), resamples)
    return figure(
        of([count for row in table for count in row]),
        lambda: map(of, drawn),
        t("report.agreed.undefined"),
        len(clusters),
    )


def _table(counts: Sequence[Any], size: int) -> Table:
    return [
        list(counts[place : place + size])
        for place in range(
            0,
            size**2,
            size,
        )
    ]


def _means(table: Table, scale: RatingScale, n: int) -> tuple[float, float] | None:
    if not n:
        return None
    rows, columns = (
        [sum(row) for row in table],
        [sum(column) for column in zip(*table, strict=True)],
    )
    first, second = (
        sum((place + scale.low) * count for place, count in enumerate(margin)) / n
        for margin in (rows, columns)
    )
    return first, second

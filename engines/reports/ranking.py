"""The report on the quality of a ranking, as a document and as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...sessions.clean import clean_line
from ...texts import own_words, t
from ..metrics.charges import ChargeMeans
from ..metrics.ranking import (
    Intervals,
    Labels,
    Means,
    Order,
    QueryFigures,
    RunLine,
    rising,
)
from .agreement import between
from .document import (
    Cell,
    DataTable,
    Part,
    ReportDocument,
    TextBlock,
    number_column,
    text_column,
)

TIES = "mean over all orders of equal scores"
FILE_ORDER = "by score, then rank in the file, then id"
LEAST_QUERIES = 10
"""Queries from which on a run can be said to be worse than a random order."""
MOST_NAMES = 10
ORDERS: tuple[Order, ...] = ("worst", "best", "file", "random")
Ends = tuple[float, float] | None


class Scope(NamedTuple):
    """What a ranking was measured on, and how."""

    labels: Mapping[str, Labels]
    cuts: Sequence[int]
    relevant: int
    """The least level that is relevant."""
    condensed: bool
    """Candidates without a label were taken out first."""
    charged: ChargeMeans | None = None
    """The figures beside those of charges alone, where charges are known."""


class ReversedRun(NamedTuple):
    """A run whose scores rise with its ranks."""

    queries: int
    of: int
    assumed: str
    """The order that was taken."""
    remark: str


# ------------------------------------------------------------------ remarks


def looks_reversed(
    run: Path, lists: Mapping[str, Sequence[RunLine]], *, by_rank: bool
) -> ReversedRun | None:
    """Return whether ranks and scores of a run contradict each other. The run is not
    changed.
    """
    queries = [query for query, listed in lists.items() if rising(listed)]
    if 2 * len(queries) <= len(lists):
        return None
    name = clean_line(str(run))
    assumed = t("report.ranking.by_rank") if by_rank else t("report.ranking.by_score")
    otherwise = "" if by_rank else t("report.ranking.give_by_rank")
    words = {"name": name, "n": len(queries), "lists": len(lists)}
    remark = t("report.ranking.reversed", assumed=assumed, otherwise=otherwise, **words)
    return ReversedRun(len(queries), len(lists), assumed, remark)


def worse_than_random(run: Path, means: Means, k: int) -> list[str]:
    """Return a sentence if a run is worse than a random order, and better when
    reversed.
    """
    ranked, random, turned = means.ranked, means.orders["random"], means.turned
    few = len(means.queries) < LEAST_QUERIES
    if few or ranked is None or random is None or turned is None:
        return []
    if not ranked.ndcg[k] < random.ndcg[k] < turned.ndcg[k]:
        return []
    words = {
        "ndcg": ranked.ndcg[k],
        "random": random.ndcg[k],
        "reversed_list": turned.ndcg[k],
    }
    name = clean_line(str(run))
    return [t("report.ranking.worse", name=name, k=k, **words)]


def no_better_than_charges(run: Path, means: ChargeMeans | None, k: int) -> list[str]:
    """Return a sentence for each gain of a run that charges alone also achieve."""
    if means is None or len(means.run.queries) < LEAST_QUERIES:
        return []
    pairs = {
        "charge_only": (means.run.ranked, means.only.ranked),
        "charge_within": (means.within.ranked, means.within.orders["random"]),
    }
    return [
        t(
            f"report.ranking.no_better_{key}",
            name=clean_line(str(run)),
            k=k,
            ndcg=mine.ndcg[k],
            baseline=theirs.ndcg[k],
        )
        for key, (mine, theirs) in pairs.items()
        if mine is not None and theirs is not None and mine.ndcg[k] <= theirs.ndcg[k]
    ]


# ------------------------------------------------------------------ JSON


def ranking_json(
    means: Means, scope: Scope, looks: ReversedRun | None, remarks: Sequence[str]
) -> dict[str, object]:
    """One object: means with intervals, those of the orders of equal scores, and each
    query."""
    queries = {
        query: {
            **(_figures(one, "ap") or {}),
            **{
                _key(order): _figures(means.by_order[order][query], "ap")
                for order in ORDERS
            },
        }
        for query, one in means.queries.items()
    }
    return {
        "unlabelled": "condensed" if scope.condensed else "zero",
        "relevant": scope.relevant,
        "ties": TIES,
        "file_order": FILE_ORDER,
        "tied_share": means.tied,
        "labels": sum(map(len, scope.labels.values())),
        "queries_labelled": len(scope.labels),
        "queries_ranked": len(means.queries),
        "queries_missing": means.missing,
        "queries_unknown": means.unknown,
        "queries_without_gain": means.no_gain,
        "queries_without_relevant": means.no_relevant,
        "unlabelled_share": means.unlabelled,
        "means": _figures(means.ranked),
        "intervals": _figures(means.intervals),
        **{f"means_{_key(order)}": _figures(means.orders[order]) for order in ORDERS},
        "means_missing_as_zero": _figures(means.all),
        "queries": queries,
        "charges": _charges_json(scope.charged) if scope.charged else None,
        "looks_reversed": looks._asdict() if looks else None,
        "remarks": list(remarks),
    }


def _charges_json(means: ChargeMeans) -> dict[str, object]:
    return {
        "queries": len(means.run.queries),
        "queries_within": len(means.within.queries),
        "candidates_unknown": means.unknown,
        **{
            name: {"means": _figures(mean), "intervals": _figures(ends)}
            for name, mean, ends in _by_charge(means)
        },
    }


def _by_charge(
    found: ChargeMeans,
) -> list[tuple[str, QueryFigures | None, Intervals | None]]:
    """The run, charges alone, the run within the charge, and chance there."""
    named = {"run": found.run, "charge_only": found.only, "charge_within": found.within}
    return [
        *((name, means.ranked, means.intervals) for name, means in named.items()),
        ("charge_random", found.within.orders["random"], None),
    ]


def _key(order: Order) -> str:
    if order == "file":
        return "file_order"
    return order


def _figures(
    of: QueryFigures | Intervals | None, average: str = "map"
) -> dict[str, Any] | None:
    """The figures, or their intervals, by name."""
    if of is None:
        return None
    named: dict[str, object] = {f"ndcg@{k}": value for k, value in of.ndcg.items()}
    named |= {f"p@{k}": value for k, value in of.precision.items()}
    return named | {average: of.average_precision}


# ------------------------------------------------------------------ the document


def ranking_report(
    means: Means, scope: Scope, remarks: Sequence[str]
) -> ReportDocument:
    """The report of a run."""
    parts: list[Part] = [TextBlock(remarks, shade="warning")] if remarks else []
    parts += [_table(means), *_missing(means)]
    parts += [_charges_table(scope.charged)] if scope.charged else []
    parts.append(TextBlock(_notes(means, scope), shade="muted"))
    handling = "condensed" if scope.condensed else "zero"
    context = [
        t(
            "report.ranking.head",
            queries=len(means.queries),
            labels=sum(map(len, scope.labels.values())),
            unlabelled=t(f"report.ranking.{handling}"),
        ),
        t(
            "report.ranking.shares",
            unlabelled=means.unlabelled or 0,
            k=scope.cuts[-1],
            tied=means.tied or 0,
        ),
    ]
    return ReportDocument(
        t("report.ranking.title"), _conclusion(means, scope.cuts[-1]), context, parts
    )


def _conclusion(means: Means, k: int) -> str:
    ranked, ends = means.ranked, means.intervals.ndcg.get(k)
    if ranked is None:
        return ""
    value = f"{ranked.ndcg[k]:.4f}"
    if ends is not None:
        low, high = (f"{end:.4f}" for end in ends)
        value = t("report.ratings.with_interval", value=value, low=low, high=high)
    queries = len(means.queries)
    return t("report.ranking.conclusion", k=k, ndcg=value, queries=queries)


def _table(means: Means) -> DataTable:
    """Every figure with its interval; beside it the orders that equal scores could
    have, and a random order.
    """
    tied = means.orders["worst"] != means.orders["best"]
    orders = {
        order: query
        for order in ORDERS
        if (query := means.orders[order]) is not None and (tied or order == "random")
    }
    columns = [
        text_column("report.ranking.figure", "figure"),
        number_column("report.ranking.mean", "mean"),
        *(number_column(f"report.ranking.{order}", _key(order)) for order in orders),
    ]
    ends = _figures(means.intervals) or {}
    others = [_figures(query) or {} for query in orders.values()]
    rows: list[list[Cell | str]] = [
        [
            Cell(_title(name), name),
            _cell(value, ends[name]),
            *(_cell(other[name]) for other in others),
        ]
        for name, value in (_figures(means.ranked) or {}).items()
    ]
    return DataTable("", columns, rows)


def _charges_table(means: ChargeMeans) -> DataTable:
    """The run beside charges alone, and among cases of the query's charge."""
    columns = _by_charge(means)
    named = [(_figures(mean) or {}, _figures(ends) or {}) for _, mean, ends in columns]
    rows: list[list[Cell | str]] = [
        [
            Cell(_title(name), name),
            *(
                _cell(mean[name], ends.get(name)) if name in mean else ""
                for mean, ends in named
            ),
        ]
        for name in named[0][0]
    ]
    title = t(
        "report.ranking.charges",
        queries=len(means.run.queries),
        within=len(means.within.queries),
        unknown=means.unknown,
    )
    heads = [number_column(f"report.ranking.{key}", key) for key, _, _ in columns]
    figure = text_column("report.ranking.figure", "figure")
    return DataTable(title, [figure, *heads], rows)


def _title(name: str) -> str:
    """`nDCG@10`, `P@10`, `MAP`"""
    return name.upper().replace("NDCG", "nDCG")


def _cell(value: float, ends: Ends = None) -> Cell:
    low, high = ends or (None, None)
    return Cell(f"{value:.4f}", value, low, high, between(low, high, ".4f"))


def _missing(means: Means) -> list[DataTable]:
    """The means with 0 for labelled queries that the run lacks."""
    figures = _figures(means.all) if means.missing else None
    if figures is None:
        return []
    columns = [
        text_column("report.ranking.figure", "figure"),
        number_column("report.ranking.mean", "mean"),
    ]
    rows = [[Cell(_title(name), name), _cell(value)] for name, value in figures.items()]
    title = t("report.ranking.lacks", n=len(means.missing))
    return [DataTable(title, columns, rows)]


def _notes(means: Means, scope: Scope) -> list[str]:
    lines = [
        t(f"report.ranking.{key}", n=len(queries), names=_some(queries))
        for key, queries in (
            ("unknown", means.unknown),
            ("no_gain", means.no_gain),
            ("no_relevant", means.no_relevant),
        )
        if queries
    ]
    levels = t("wrong.setting.or").join(map(str, range(scope.relevant, 4)))
    lines.append(t("report.ranking.how", levels=levels))
    ties, order = own_words(TIES), own_words(FILE_ORDER)
    lines.append(t("report.ranking.ties", ties=ties, file_order=order))
    queries = len(means.queries)
    if means.intervals.average_precision is not None:
        few = t("report.ratings.too_narrow") if queries < LEAST_QUERIES else ""
        lines.append(t("report.ratings.interval_from", queries=queries, few=few))
    return lines


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(clean_line(name)[:40] for name in names[:MOST_NAMES])
    return listed + (" …" if len(names) > MOST_NAMES else "")

"""`ranking`: how good a ranking is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, output_option
from .agreement import resamples_option

if TYPE_CHECKING:
    from ...engines.metrics.ranking import Labels, Means, Order, Query, Ranked


@command()
@click.argument("qrels", type=PATH, metavar="QRELS")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--at", default="10,20,30", show_default=True, metavar="K,…")
@click.option("--condensed", is_flag=True)
@click.option(
    "--relevant",
    type=click.IntRange(1, 3),
    default=3,
    show_default=True,
    metavar="LEVEL",
)
@click.option("--worst-first", is_flag=True)
@click.option("--by-rank", is_flag=True)
@resamples_option
@output_option
def ranking(
    qrels: Path,
    run: Path,
    at: str,
    condensed: bool,
    relevant: int,
    worst_first: bool,
    by_rank: bool,
    resamples: int,
    output: str,
) -> int:
    """nDCG, P and MAP of a run: a TREC run file, or JSON with a list of ids, best first, for every query."""
    from ...engines.metrics import ranking as figures
    from ...engines.metrics.trec import read_run

    cuts = _cuts(at)
    labels = _labels(qrels)
    lists = read_run(run, worst_first=worst_first)
    taken = {query: figures.by_rank(found) for query, found in lists.items()} if by_rank else lists
    rankings = {query: figures.tiers(found) for query, found in taken.items()}
    found = figures.means(rankings, labels, cuts, relevant=relevant, condense=condensed, resamples=resamples)
    if not found.queries:
        raise BadInput(t("wrong.ratings.none_ranked", run=run, qrels=qrels))
    reversed_ = _reversed(run, lists, by_rank=by_rank)
    remarks = ([reversed_["remark"]] if reversed_ else []) + _worse_than_random(run, found, cuts[-1])
    if output == "json":
        told = _ranking_json(found, labels, condensed, relevant)
        console.out_json({**told, "looks_reversed": reversed_, "remarks": remarks})
    else:
        console.out(_ranking_text(found, labels, cuts, condensed, relevant, remarks))
    return console.DONE


def _reversed(run: Path, lists: Mapping[str, Sequence[Ranked]], *, by_rank: bool) -> dict[str, Any] | None:
    """What a run says of its own order, where ranks and scores contradict each other. Nothing is turned round for it."""
    from ...engines.metrics.ranking import rising

    queries = [query for query, found in lists.items() if rising(found)]
    if 2 * len(queries) <= len(lists):
        return None
    name = clean(str(run), newlines=False)
    assumed = "the rank column, smallest first" if by_rank else "the scores, highest first"
    otherwise = "" if by_rank else "; if the ranks are right (the scores are distances, say), give --by-rank"
    told = f"{name}: this list looks reversed: in {len(queries)} of {len(lists)} queries the scores rise with the ranks. "
    return {"queries": len(queries), "of": len(lists), "assumed": assumed, "remark": f"{told}The order is that of {assumed}{otherwise}."}


def _worse_than_random(run: Path, found: Means, k: int) -> list[str]:
    """A sentence where a run is worse than a random order and better from its end: read the wrong way round, perhaps."""
    ours, chance, turned = found.ranked, found.orders["random"], found.turned
    if len(found.queries) < LEAST_QUERIES or ours is None or chance is None or turned is None:
        return []
    if not ours.ndcg[k] < chance.ndcg[k] < turned.ndcg[k]:
        return []
    name = clean(str(run), newlines=False)
    figures = f"nDCG@{k} {ours.ndcg[k]:.4f}, of a random order {chance.ndcg[k]:.4f}, of this list from its end {turned.ndcg[k]:.4f}"
    return [f"{name}: this list is worse than a random order ({figures}); if lists begin with the worst, give --worst-first."]


def _cuts(at: str) -> list[int]:
    try:
        cuts = sorted({int(one) for one in at.split(",")})
    except ValueError:
        cuts = []
    if not cuts or cuts[0] < 1 or cuts[-1] > 1_000_000:
        raise BadInput(t("wrong.ratings.at"))
    return cuts


def _labels(path: Path) -> dict[str, dict[str, int]]:
    """One rater's labels by query. A label that is unread is none."""
    from ...engines.metrics.raters import read_raters

    raters = read_raters([path])
    if len(raters) != 1:
        names = ", ".join(rater.name for rater in raters[:5])
        raise BadInput(t("wrong.ratings.several_raters", path=path, names=names))
    labels: dict[str, dict[str, int]] = {}
    for (query, candidate), level in raters[0].rated().items():
        labels.setdefault(query, {})[candidate] = level
    return labels


UNLABELLED = {False: "unlabelled = 0", True: "condensed lists: unlabelled candidates taken out first"}
TIES = "mean over all orders of equal scores"
FILE_ORDER = "by score, then rank in the file, then id"
LEAST_QUERIES = 10
"""Queries from which on a run can be said to be worse than a random order."""

ORDERS: dict[Order, str] = {"worst": "worst order", "best": "best order", "file": "order of the file", "random": "random order"}


def _figures(query: Query | None, average: str = "map") -> dict[str, float] | None:
    if query is None:
        return None
    named = {f"ndcg@{k}": value for k, value in query.ndcg.items()} | {f"p@{k}": value for k, value in query.precision.items()}
    return {**named, average: query.average_precision}


def _ranking_json(found: Means, labels: Mapping[str, Labels], condensed: bool, relevant: int) -> dict[str, Any]:
    single = {
        query: {**(_figures(one, "ap") or {}), **{_key(order): _figures(found.by_order[order][query], "ap") for order in ORDERS}}
        for query, one in found.queries.items()
    }
    ends = found.intervals
    intervals = {f"ndcg@{k}": pair for k, pair in ends.ndcg.items()} | {f"p@{k}": pair for k, pair in ends.precision.items()}
    return {
        "unlabelled": "condensed" if condensed else "zero",
        "relevant": relevant,
        "ties": TIES,
        "file_order": FILE_ORDER,
        "tied_share": found.tied,
        "labels": sum(map(len, labels.values())),
        "queries_labelled": len(labels),
        "queries_ranked": len(found.queries),
        "queries_missing": found.missing,
        "queries_unknown": found.unknown,
        "queries_without_gain": found.no_gain,
        "queries_without_relevant": found.no_relevant,
        "unlabelled_share": found.unlabelled,
        "means": _figures(found.ranked),
        "intervals": {**intervals, "map": ends.average_precision},
        **{f"means_{_key(order)}": _figures(found.orders[order]) for order in ORDERS},
        "means_missing_as_zero": _figures(found.all),
        "queries": single,
    }


def _key(order: Order) -> str:
    return "file_order" if order == "file" else order


def _ranking_text(
    found: Means, labels: Mapping[str, Labels], cuts: Sequence[int], condensed: bool, relevant: int, remarks: Sequence[str]
) -> str:
    lines = [
        *remarks,
        f"{len(found.queries)} queries, {sum(map(len, labels.values()))} labels; {UNLABELLED[condensed]}",
        f"{(found.unlabelled or 0):.1%} of the first {cuts[-1]} places hold a candidate without a label; "
        f"{(found.tied or 0):.1%} of the candidates have the score of another",
        *_table(found, cuts),
    ]
    if found.missing:
        lines += [f"Labelled queries that the run lacks: {len(found.missing)}; with 0 for each of them:", *_means(found.all, cuts)]
    for queries, what in (
        (found.unknown, "Queries of the run without labels, left out"),
        (found.no_gain, "Queries without a label above 0, whose nDCG counts 0"),
        (found.no_relevant, "Queries without a relevant candidate, whose P and AP count 0"),
    ):
        if queries:
            lines.append(f"{what}: {len(queries)} ({_some(queries)})")
    levels = " or ".join(map(str, range(relevant, 4)))
    lines.append(f"nDCG: gain = label, discount log2(rank + 1), ideal from all labels of the query; P and MAP: relevant = label {levels}")
    lines.append(f"Equal scores: {TIES}; order of the file: {FILE_ORDER}; random order: the same candidates shuffled")
    if len(found.queries) < LEAST_QUERIES and found.intervals.average_precision is not None:
        lines.append(f"95 % intervals from {len(found.queries)} queries are too narrow")
    return "\n".join([*lines, ""])


WIDTH = 20
"""Cells of a row's name."""


def _table(found: Means, cuts: Sequence[int]) -> list[str]:
    """Every figure with its interval, the orders that equal scores could have, and a random order."""
    ranked, ends = found.ranked, found.intervals
    if ranked is None:
        return []
    tied = found.orders["worst"] != found.orders["best"]
    orders = {order: query for order in ORDERS if (query := found.orders[order]) is not None and (tied or order == "random")}
    width = max(11, len(str(cuts[-1])) + 3)

    def row(name: str, cells: Sequence[str]) -> str:
        return f"{name:<{WIDTH}}" + "".join(f"{cell:>{width}}" for cell in cells)

    def rows(name: str, of: Callable[[Query], Sequence[float]], between: Sequence[tuple[float, float] | None]) -> list[str]:
        found = [row(name, [f"{value:.4f}" for value in of(ranked)])]
        if any(between):
            found.append(row("  95 % interval", ["–" if pair is None else f"{pair[0]:.2f}–{pair[1]:.2f}" for pair in between]))
        return found + [row(f"  {ORDERS[order]}", [f"{value:.4f}" for value in of(query)]) for order, query in orders.items()]

    return [
        row("", [f"@{k}" for k in cuts]),
        *rows("nDCG", lambda query: list(query.ndcg.values()), list(ends.ndcg.values())),
        *rows("P", lambda query: list(query.precision.values()), list(ends.precision.values())),
        *rows("MAP", lambda query: [query.average_precision], [ends.average_precision]),
    ]


def _means(figures: Query | None, cuts: Sequence[int]) -> list[str]:
    if figures is None:
        return []
    width = max(8, len(str(cuts[-1])) + 3)
    return [
        "      " + "".join(f"{f'@{k}':>{width}}" for k in cuts),
        "nDCG  " + "".join(f"{figures.ndcg[k]:>{width}.4f}" for k in cuts),
        "P     " + "".join(f"{figures.precision[k]:>{width}.4f}" for k in cuts),
        f"MAP   {figures.average_precision:>{width}.4f}",
    ]


def _some(names: Sequence[str], most: int = 10) -> str:
    told = ", ".join(clean(name, newlines=False)[:40] for name in names[:most])
    return told + (" …" if len(names) > most else "")

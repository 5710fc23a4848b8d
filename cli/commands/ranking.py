"""`ranking`: how good a ranking is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.export.block import fact
from ...texts import own_words, t
from ...texts.columns import pad
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
    from ...engines.metrics.raters import read_labels
    from ...engines.metrics.trec import read_run

    cuts = _cuts(at)
    labels = read_labels(qrels)
    lists = read_run(run, worst_first=worst_first)
    taken = (
        {query: figures.by_rank(found) for query, found in lists.items()}
        if by_rank
        else lists
    )
    rankings = {query: figures.tiers(found) for query, found in taken.items()}
    found = figures.means(
        rankings,
        labels,
        cuts,
        relevant=relevant,
        condense=condensed,
        resamples=resamples,
    )
    if not found.queries:
        raise BadInput(t("wrong.ratings.none_ranked", run=run, qrels=qrels))
    reversed_ = _reversed(run, lists, by_rank=by_rank)
    remarks = ([reversed_["remark"]] if reversed_ else []) + _worse_than_random(
        run, found, cuts[-1]
    )
    if output == "json":
        told = _ranking_json(found, labels, condensed, relevant)
        console.out_json({**told, "looks_reversed": reversed_, "remarks": remarks})
    else:
        console.out(_ranking_text(found, labels, cuts, condensed, relevant, remarks))
    return console.DONE


def _reversed(
    run: Path, lists: Mapping[str, Sequence[Ranked]], *, by_rank: bool
) -> dict[str, Any] | None:
    """What a run says of its own order, where ranks and scores contradict each other. Nothing is turned round for it."""
    from ...engines.metrics.ranking import rising

    queries = [query for query, found in lists.items() if rising(found)]
    if 2 * len(queries) <= len(lists):
        return None
    name = clean(str(run), newlines=False)
    assumed = t("report.ranking.by_rank") if by_rank else t("report.ranking.by_score")
    otherwise = "" if by_rank else t("report.ranking.give_by_rank")
    told = t("report.ranking.reversed", name=name, n=len(queries), n2=len(lists))
    return {
        "queries": len(queries),
        "of": len(lists),
        "assumed": assumed,
        "remark": t(
            "report.ranking.assumed", told=told, assumed=assumed, otherwise=otherwise
        ),
    }


def _worse_than_random(run: Path, found: Means, k: int) -> list[str]:
    """A sentence where a run is worse than a random order and better from its end: read the wrong way round, perhaps."""
    ours, chance, turned = found.ranked, found.orders["random"], found.turned
    if (
        len(found.queries) < LEAST_QUERIES
        or ours is None
        or chance is None
        or turned is None
    ):
        return []
    if not ours.ndcg[k] < chance.ndcg[k] < turned.ndcg[k]:
        return []
    name = clean(str(run), newlines=False)
    figures = t(
        "report.ranking.figures",
        k=k,
        ndcg=ours.ndcg[k],
        ndcg2=chance.ndcg[k],
        ndcg3=turned.ndcg[k],
    )
    return [t("report.ranking.worse", name=name, figures=figures)]


def _cuts(at: str) -> list[int]:
    try:
        cuts = sorted({int(one) for one in at.split(",")})
    except ValueError:
        cuts = []
    if not cuts or cuts[0] < 1 or cuts[-1] > 1_000_000:
        raise BadInput(t("wrong.ratings.at"))
    return cuts


TIES = "mean over all orders of equal scores"
FILE_ORDER = "by score, then rank in the file, then id"
LEAST_QUERIES = 10
"""Queries from which on a run can be said to be worse than a random order."""

ORDERS: tuple[Order, ...] = ("worst", "best", "file", "random")


def _figures(query: Query | None, average: str = "map") -> dict[str, float] | None:
    if query is None:
        return None
    named = {f"ndcg@{k}": value for k, value in query.ndcg.items()} | {
        f"p@{k}": value for k, value in query.precision.items()
    }
    return {**named, average: query.average_precision}


def _ranking_json(
    found: Means, labels: Mapping[str, Labels], condensed: bool, relevant: int
) -> dict[str, Any]:
    single = {
        query: {
            **(_figures(one, "ap") or {}),
            **{
                _key(order): _figures(found.by_order[order][query], "ap")
                for order in ORDERS
            },
        }
        for query, one in found.queries.items()
    }
    ends = found.intervals
    intervals = {f"ndcg@{k}": pair for k, pair in ends.ndcg.items()} | {
        f"p@{k}": pair for k, pair in ends.precision.items()
    }
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
    found: Means,
    labels: Mapping[str, Labels],
    cuts: Sequence[int],
    condensed: bool,
    relevant: int,
    remarks: Sequence[str],
) -> str:
    lines = [
        *remarks,
        t(
            "report.ranking.head",
            n=len(found.queries),
            sum=sum(map(len, labels.values())),
            unlabelled_how=t(f"report.ranking.{'condensed' if condensed else 'zero'}"),
        ),
        t(
            "report.ranking.shares",
            unlabelled=found.unlabelled or 0,
            cuts=cuts[-1],
            tied=found.tied or 0,
        ),
        *_table(found, cuts),
    ]
    if found.missing:
        lines += [
            t("report.ranking.lacks", n=len(found.missing)),
            *_means(found.all, cuts),
        ]
    for queries, what in (
        (found.unknown, t("report.ranking.unknown")),
        (found.no_gain, t("report.ranking.no_gain")),
        (found.no_relevant, t("report.ranking.no_relevant")),
    ):
        if queries:
            lines.append(fact(what, f"{len(queries)} ({_some(queries)})"))
    levels = t("wrong.setting.or").join(map(str, range(relevant, 4)))
    lines.append(t("report.ranking.how", levels=levels))
    lines.append(
        t("report.ranking.ties", ties=own_words(TIES), file_order=own_words(FILE_ORDER))
    )
    if (
        len(found.queries) < LEAST_QUERIES
        and found.intervals.average_precision is not None
    ):
        lines.append(t("report.ranking.narrow", n=len(found.queries)))
    return "\n".join([*lines, ""])


WIDTH = 20
"""Cells of a row's name."""


def _table(found: Means, cuts: Sequence[int]) -> list[str]:
    """Every figure with its interval, the orders that equal scores could have, and a random order."""
    ranked, ends = found.ranked, found.intervals
    if ranked is None:
        return []
    tied = found.orders["worst"] != found.orders["best"]
    orders = {
        order: query
        for order in ORDERS
        if (query := found.orders[order]) is not None and (tied or order == "random")
    }
    width = max(11, len(str(cuts[-1])) + 3)

    def row(name: str, cells: Sequence[str]) -> str:
        return pad(name, WIDTH) + "".join(f"{cell:>{width}}" for cell in cells)

    def rows(
        name: str,
        of: Callable[[Query], Sequence[float]],
        between: Sequence[tuple[float, float] | None],
    ) -> list[str]:
        found = [row(name, [f"{value:.4f}" for value in of(ranked)])]
        if any(between):
            found.append(
                row(
                    t("report.ranking.interval"),
                    [
                        "–" if pair is None else f"{pair[0]:.2f}–{pair[1]:.2f}"
                        for pair in between
                    ],
                )
            )
        return found + [
            row(
                "  " + t(f"report.ranking.{order}"),
                [f"{value:.4f}" for value in of(query)],
            )
            for order, query in orders.items()
        ]

    return [
        row("", [f"@{k}" for k in cuts]),
        *rows(
            "nDCG", lambda query: list(query.ndcg.values()), list(ends.ndcg.values())
        ),
        *rows(
            "P",
            lambda query: list(query.precision.values()),
            list(ends.precision.values()),
        ),
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

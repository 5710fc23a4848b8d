"""`agreement` and `ranking`: how far raters agree, and how good a ranking is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.clean import clean
from ..sessions.errors import BadInput
from . import console
from .options import output_option

if TYPE_CHECKING:
    from ..engines.metrics.ranking import Labels, Means, Query


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option(
    "--columns", metavar="NAMES", help="Tables with tabs: query,candidate,label[,label2…], by name or by place; - is passed over."
)
@click.option(
    "--resamples",
    type=click.IntRange(0, 100_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="Samples for the 95 % intervals; 0: without.",
)
@output_option
def agreement(files: tuple[Path, ...], columns: str | None, resamples: int, output: str) -> int:
    """How far raters agree, and what to adjudicate: qrels, JSON lines, tables, LeCaRD's labels, sessions, folders of sessions."""
    from ..engines.metrics.compare import compare, disputes, overall
    from ..engines.metrics.raters import read_raters
    from .text_measures import agreement_json, agreement_text

    named = [one.strip() for one in columns.split(",")] if columns is not None else []
    if columns is not None and not all(named):
        raise BadInput("--columns has an empty name; it looks like query,candidate,label,label2.")
    raters = read_raters(files, named)
    if len(raters) < 2:
        who = f"only {clean(raters[0].name, newlines=False)}" if raters else "nobody"
        raise BadInput(f"Agreement needs two raters and {who} is there; name another file, or more columns.")
    couples = [(one, other) for place, one in enumerate(raters) for other in raters[place + 1 :]]
    compared = [compare(one, other, resamples=resamples) for one, other in couples]
    whole = overall(raters, resamples=resamples)
    if output == "json":
        console.out(console.json_line(agreement_json(raters, compared, whole, disputes(raters))))
    else:
        console.out(agreement_text(raters, compared, whole, disputes(raters)))
    return console.DONE


@click.command()
@click.argument("qrels", type=click.Path(path_type=Path), metavar="QRELS")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--at", default="10,20,30", show_default=True, metavar="K,…", help="Cut-offs.")
@click.option("--condensed", is_flag=True, help="Take candidates without a label out first; otherwise they count 0.")
@click.option(
    "--relevant",
    type=click.IntRange(1, 3),
    default=3,
    show_default=True,
    metavar="LEVEL",
    help="Labels from here up are relevant to P@k and MAP.",
)
@click.option("--worst-first", is_flag=True, help="The lists of a JSON run begin with the worst.")
@output_option
def ranking(qrels: Path, run: Path, at: str, condensed: bool, relevant: int, worst_first: bool, output: str) -> int:
    """nDCG, P and MAP of a run: a TREC run file, or JSON with a list of ids, best first, for every query."""
    from ..engines.metrics.ranking import means, ordered
    from ..engines.metrics.trec import read_run

    cuts = _cuts(at)
    labels = _labels(qrels)
    rankings = {query: ordered(found) for query, found in read_run(run, worst_first=worst_first).items()}
    found = means(rankings, labels, cuts, relevant=relevant, condense=condensed)
    if not found.queries:
        raise BadInput(f"{run} ranks none of the queries that {qrels} has labels for; are the ids of one kind?")
    if output == "json":
        console.out(console.json_line(_ranking_json(found, labels, condensed, relevant)))
    else:
        console.out(_ranking_text(found, labels, cuts, condensed, relevant))
    return console.DONE


def _cuts(at: str) -> list[int]:
    try:
        cuts = sorted({int(one) for one in at.split(",")})
    except ValueError:
        cuts = []
    if not cuts or cuts[0] < 1 or cuts[-1] > 1_000_000:
        raise BadInput("--at takes whole numbers from 1 with commas between, such as 10,20,30.")
    return cuts


def _labels(path: Path) -> dict[str, dict[str, int]]:
    """One rater's labels by query. A label that is unread is none."""
    from ..engines.metrics.raters import read_raters

    raters = read_raters([path])
    if len(raters) != 1:
        names = ", ".join(rater.name for rater in raters[:5])
        raise BadInput(f"{path} has labels of several raters ({names}); a ranking is measured by those of one.")
    labels: dict[str, dict[str, int]] = {}
    for (query, candidate), level in raters[0].rated().items():
        labels.setdefault(query, {})[candidate] = level
    return labels


UNLABELLED = {False: "unlabelled = 0", True: "condensed lists: unlabelled candidates taken out first"}
TIES = "by score, then rank in the file, then id"


def _figures(query: Query | None) -> dict[str, float] | None:
    if query is None:
        return None
    named = {f"ndcg@{k}": value for k, value in query.ndcg.items()} | {f"p@{k}": value for k, value in query.precision.items()}
    return {**named, "map": query.average_precision}


def _ranking_json(found: Means, labels: Mapping[str, Labels], condensed: bool, relevant: int) -> dict[str, Any]:
    single = {
        query: {"ap" if name == "map" else name: value for name, value in (_figures(one) or {}).items()}
        for query, one in found.queries.items()
    }
    return {
        "unlabelled": "condensed" if condensed else "zero",
        "relevant": relevant,
        "ties": TIES,
        "labels": sum(map(len, labels.values())),
        "queries_labelled": len(labels),
        "queries_ranked": len(found.queries),
        "queries_missing": found.missing,
        "queries_unknown": found.unknown,
        "queries_without_gain": found.no_gain,
        "queries_without_relevant": found.no_relevant,
        "unlabelled_share": found.unlabelled,
        "means": _figures(found.ranked),
        "means_missing_as_zero": _figures(found.all),
        "queries": single,
    }


def _ranking_text(found: Means, labels: Mapping[str, Labels], cuts: Sequence[int], condensed: bool, relevant: int) -> str:
    lines = [
        f"{len(found.queries)} queries, {sum(map(len, labels.values()))} labels; {UNLABELLED[condensed]}",
        f"{(found.unlabelled or 0):.1%} of the first {cuts[-1]} places hold a candidate without a label",
        *_table(found.ranked, cuts),
    ]
    if found.missing:
        lines += [f"Labelled queries that the run lacks: {len(found.missing)}; with 0 for each of them:", *_table(found.all, cuts)]
    for queries, what in (
        (found.unknown, "Queries of the run without labels, left out"),
        (found.no_gain, "Queries without a label above 0, whose nDCG counts 0"),
        (found.no_relevant, "Queries without a relevant candidate, whose P and AP count 0"),
    ):
        if queries:
            lines.append(f"{what}: {len(queries)} ({_some(queries)})")
    levels = " or ".join(map(str, range(relevant, 4)))
    lines.append(f"nDCG: gain = label, discount log2(rank + 1), ideal from all labels of the query; P and MAP: relevant = label {levels}")
    return "\n".join([*lines, f"Order: {TIES}", ""])


def _table(figures: Query | None, cuts: Sequence[int]) -> list[str]:
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

"""`ranking`: how good a ranking is."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ...sessions.errors import bad_input
from .. import console
from ..command import command
from ..flags import PATH, flag_option, report_option, typed_option, whole_option
from .agreement import resamples_option


@command()
@click.argument("qrels", type=PATH, metavar="QRELS")
@click.argument("run", type=PATH, metavar="RUN")
@typed_option("--at", str, "K,…", "10,20,30")
@flag_option("--condensed")
@whole_option("--relevant", 1, 3, 3, metavar="LEVEL")
@flag_option("--worst-first")
@flag_option("--by-rank")
@typed_option("--charges", PATH, "FILE")
@resamples_option
@report_option
def ranking(
    qrels: Path,
    run: Path,
    at: str,
    condensed: bool,
    relevant: int,
    worst_first: bool,
    by_rank: bool,
    charges: Path | None,
    resamples: int,
    output: str,
) -> int:
    """nDCG, P and MAP of a run: a TREC run file, or JSON with a list of ids, best
    first, for every query.
    """
    from ...engines.metrics import charges as known
    from ...engines.metrics import ranking as figures
    from ...engines.metrics.raters import read_labels
    from ...engines.metrics.trec import read_run
    from ...engines.reports import ranking as reports
    from ...engines.reports.forms import write

    cuts = _cuts(at)
    labels = read_labels(qrels)
    lists = read_run(run, worst_first=worst_first)
    taken = (
        {query: figures.by_rank(listed) for query, listed in lists.items()}
        if by_rank
        else lists
    )
    rankings = {query: figures.tiers(listed) for query, listed in taken.items()}
    measured = partial(
        figures.means,
        at=cuts,
        relevant=relevant,
        condense=condensed,
        resamples=resamples,
    )
    means = measured(rankings, labels)
    if not means.queries:
        raise bad_input("wrong.ratings.none_ranked", run=run, qrels=qrels)
    looks = reports.looks_reversed(run, lists, by_rank=by_rank)
    remarks = [looks.remark] if looks else []
    remarks += reports.worse_than_random(run, means, cuts[-1])
    charged = None
    if charges is not None:
        listed = known.read_charges(charges)
        charged = known.charge_means(rankings, labels, listed, measured)
    remarks += reports.no_better_than_charges(run, charged, cuts[-1])
    scope = reports.Scope(labels, cuts, relevant, condensed, charged)
    if output == "json":
        console.out_json(reports.ranking_json(means, scope, looks, remarks))
    else:
        console.out(write(reports.ranking_report(means, scope, remarks), output))
    return console.DONE


def _cuts(at: str) -> list[int]:
    try:
        cuts = sorted({int(one) for one in at.split(",")})
    except ValueError:
        cuts = []
    if not cuts or cuts[0] < 1 or cuts[-1] > 1_000_000:
        raise bad_input("wrong.ratings.at")
    return cuts

"""`train run`: ranks the documents of a data set for its queries with an encoder or
BM25, as a TREC run.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...cli import bar, console
from ...cli.command import command
from ...cli.flags import PATH, choice_option, output_option, typed_option, whole_option
from ...sessions.errors import bad_input
from ...texts import t

if TYPE_CHECKING:
    from ..training.ranking import Scorer, Told


@command("run")
@click.option("--encoder", required=True, metavar="DIR|bm25")
@click.option("--data", required=True, type=PATH, metavar="DIR")
@typed_option("--split", str, "NAME", "test")
@choice_option("--pool", "judged", "all")
@whole_option("--depth", 1, 1_000_000, 100)
@click.option("-o", "--out", required=True, type=PATH, metavar="RUN.trec")
@output_option
def train_run(
    encoder: str, data: Path, split: str, pool: Any, depth: int, out: Path, output: str
) -> int:
    from ...engines.metrics.ranking import RunLine, means, tiers
    from ...sessions.files import write_whole
    from ..encoders.data import by_query, read
    from ..training.ranking import as_run, ranked

    if not out.absolute().parent.is_dir():
        raise bad_input("wrong.train_run.no_folder", path=out)
    began = time.monotonic()
    found = read(data)
    labels = found.labels(split)
    scorer, tag = _scorer(encoder)
    meter = bar.ProgressBar()
    try:
        lists = ranked(found, labels, scorer, pool, depth, _watch(meter))
    finally:
        meter.clear()
    write_whole(out, as_run(lists, tag))
    rankings = {
        query: tiers([RunLine(name, score, 0) for name, score in listed])
        for query, listed in lists.items()
    }
    figure = means(rankings, by_query(labels), [AT])
    told = {
        "run": str(out),
        "encoder": encoder,
        "tag": tag,
        "split": split,
        "pool": pool,
        "queries": len(lists),
        "ranked": sum(map(len, lists.values())),
        "seconds": round(time.monotonic() - began, 3),
    }
    ndcg, ends = (
        figure.ranked.ndcg[AT] if figure.ranked is not None else None,
        figure.intervals.ndcg[AT],
    )
    if output == "json":
        console.out_json({**told, f"ndcg@{AT}": ndcg, "interval": ends})
        return console.DONE
    console.line(t("report.train_run.done", **told))
    if ndcg is not None:
        interval = f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends is not None else ""
        console.line(
            t(
                "report.train_run.figure",
                k=AT,
                value=f"{ndcg:.3f}",
                interval=interval,
                n=len(figure.queries),
            )
        )
    return console.DONE


AT = 30
"""Cutoff of the figure, as in the tables of the relevance paper."""


def _scorer(encoder: str) -> tuple[Scorer, str]:
    """Returns the scorer and the tag of the run. Raises: BadInput."""
    from ..training.ranking import BM25, by_encoder, by_words

    if encoder == BM25:
        return by_words, BM25
    from ..encoders.folder import digest
    from ..encoders.opening import PREFIX, open_encoder

    folder = Path(encoder.removeprefix(PREFIX)).expanduser()
    if not folder.is_dir():
        raise bad_input("wrong.train_run.no_encoder", path=folder)
    return by_encoder(open_encoder(str(folder))), f"local-{digest(folder)[:12]}"


def _watch(meter: bar.ProgressBar) -> Told:
    """Shows how many documents are done."""
    return lambda done, of: meter.show(
        done, of, t("report.train_run.progress", done=f"{done:,}", total=f"{of:,}")
    )

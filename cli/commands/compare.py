"""`compare`: runs beside each other, item by item; rankings query by query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean, json_line
from ...sessions.errors import BadInput
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, english_for_programs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...engines.measures.measure import Measure
    from ...engines.studies.comparing import Comparison
    from ...engines.studies.runs import Run


@command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN RUN…")
@click.option("--qrels", type=PATH, metavar="FILE|DIR")
@click.option("--measure", "measures", multiple=True, metavar="M")
@click.option("--cluster", metavar="FIELD")
@click.option("--margin", type=float, default=0.02, show_default=True, metavar="SHARE")
@click.option("--fail-if-worse", multiple=True, metavar="M")
@click.option("--allow-different", is_flag=True)
@click.option(
    "--output",
    type=click.Choice(["text", "json", "md", "html"]),
    default="text",
    show_default=True,
    callback=english_for_programs,
)
def compare(
    runs: tuple[Path, ...],
    qrels: Path | None,
    measures: tuple[str, ...],
    cluster: str | None,
    margin: float,
    fail_if_worse: tuple[str, ...],
    allow_different: bool,
    output: str,
) -> int:
    """Every run against the first one. 1 only if a run is worse where --fail-if-worse forbids it."""
    from ...engines.studies.comparing import Wanted
    from ...engines.studies.comparing import compare as compared
    from ...engines.studies.runs import names

    if len(runs) < 2:
        raise BadInput(t("wrong.compare.two_runs"))
    places = [path.resolve() for path in runs]
    again = next(
        (path for number, path in enumerate(runs) if path.resolve() in places[:number]),
        None,
    )
    if again is not None:
        raise BadInput(t("wrong.compare.twice", path=again))
    if not 0 <= margin < 1:
        raise BadInput(t("wrong.compare.margin"))
    if qrels is not None:
        measures, fail_if_worse = (
            tuple(name.replace("@", "_") for name in given)
            for given in (measures, fail_if_worse)
        )
        read, available = _rankings(runs, qrels, measures, fail_if_worse)
    else:
        read, available = _runs(runs)
    wanted = Wanted(measures, cluster, margin, allow_different, fail_if_worse)
    found = compared(names(read), available, wanted)
    console.out(_drawn(found, output))
    wanting = _worse(found, fail_if_worse)
    for sentence in wanting:
        console.say(sentence)
    return console.FAILED if wanting else console.DONE


def _runs(paths: Sequence[Path]) -> tuple[list[Run], Mapping[str, Measure]]:
    """Folders of sessions and files of outputs, and what can be measured of them."""
    from ...engines.method import method
    from ...engines.studies.comparing import measures_of
    from ...engines.studies.runs import read_run

    read = [read_run(path) for path in paths]
    return read, measures_of(read, lambda name: method(name).measures)


def _rankings(
    paths: Sequence[Path], qrels: Path, asked: Sequence[str], gates: Sequence[str]
) -> tuple[list[Run], Mapping[str, Measure]]:
    """Rankings, and the measures of them: those that are asked for, else the usual ones."""
    from ...engines.measures.ranked import FORMS, USUAL, named
    from ...engines.studies.items.qrels import read
    from ...engines.studies.rankings import read_ranking

    available = {}
    for name in dict.fromkeys((*(asked or USUAL), *gates)):
        measure = named(name)
        if measure is None:
            raise BadInput(t("wrong.compare.no_measure", name=name, names=FORMS))
        available[name] = measure
    items, runs = list(read([qrels], {}, None)), []
    for path in paths:
        run, unknown = read_ranking(path, items)
        if unknown:
            told = {
                "name": clean(run.name, newlines=False),
                "n": len(unknown),
                "id": clean(unknown[0], newlines=False),
            }
            console.say(t("report.compare.unknown_queries", **told))
        runs.append(run)
    return runs, available


def _drawn(found: Comparison, output: str) -> str:
    if output == "json":
        from ...engines.studies.compared_json import rows

        return "".join(map(json_line, rows(found)))
    if output == "md":
        from ...engines.studies.compared_markdown import markdown

        return markdown(found)
    if output == "html":
        from ...engines.studies.compared_page import page

        return page(found)
    from ...engines.studies.compared_text import text

    return text(found)


def _worse(found: Comparison, gates: tuple[str, ...]) -> list[str]:
    """A sentence for each run that is worse than the first one by more than the margin, or that cannot be held to a gate."""
    from ...engines.studies.wording import amount

    told = []
    for versus, one in found.differences:
        name = one.measure.name
        if name not in gates or one.worse_than_margin is False:
            continue
        runs = {
            "first": clean(versus.first.name, newlines=False),
            "second": clean(versus.second.name, newlines=False),
        }
        if one.worse_than_margin is None:
            told.append(t("report.compare.gate_unmeasured", name=name, **runs))
        else:
            by = amount(one.measure, abs(one.difference.value or 0.0))
            told.append(
                t(
                    "report.compare.gate",
                    name=name,
                    difference=by,
                    margin=amount(one.measure, one.margin),
                    **runs,
                )
            )
    return told

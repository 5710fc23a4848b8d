"""`agreement`: how far raters agree, and what to adjudicate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput, bad_input
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, many_option, report_option, whole_option, without_option
from ..label_targets import are_answers

if TYPE_CHECKING:
    from ...engines.metrics.compare import RaterLevels
    from ...engines.metrics.system_order import SystemOrder

resamples_option = whole_option("--resamples", 0, 100_000, 1000)


@command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="FILE…",
)
@click.option("--columns", metavar="NAMES")
@click.option(
    "--raters",
    "chosen",
    multiple=True,
    metavar="NAME,…",
)
@many_option("--run", "FILE", PATH)
@without_option
@resamples_option
@report_option
def agreement(
    files: tuple[Path, ...],
    columns: str | None,
    chosen: tuple[str, ...],
    run: tuple[Path, ...],
    without_rater: tuple[str, ...],
    resamples: int,
    output: str,
) -> int:
    """How far raters agree, and what to adjudicate: qrels, JSON lines, tables, LeCaRD's
    labels, sessions, folders of sessions.
    """
    from ...engines.metrics.compare import by_seen, compare, disputes, overall
    from ...engines.metrics.raters import choose, read_raters
    from ...engines.reports.agreement import agreement_json, agreement_report
    from ...engines.reports.forms import write

    if (
        len(files) == 1
        and columns is None
        and files[0].is_dir()
        and are_answers(files[0])
    ):
        return _of_answers(files[0], chosen, without_rater, resamples, output)
    named = [one.strip() for one in columns.split(",")] if columns is not None else []
    if columns is not None and not all(named):
        raise bad_input("wrong.ratings.empty_column")
    warnings: list[str] = []
    everybody = read_raters(files, named, warnings, without_rater)
    for warning in warnings:
        console.say(warning)
    raters = choose(everybody, chosen)
    if len(raters) < 2:
        raise BadInput(
            _too_few_raters(
                [rater.name for rater in raters], [rater.name for rater in everybody]
            )
        )
    couples = [
        (one, other)
        for place, one in enumerate(raters)
        for other in raters[place + 1 :]
    ]
    couples += by_seen(raters)
    compared = [compare(one, other, resamples=resamples) for one, other in couples]
    orders = _orders(couples, run, resamples)
    whole = overall(raters, resamples=resamples)
    left = [rater.name for rater in everybody if rater not in raters]
    differ = disputes(raters, everybody)
    if output == "json":
        console.out_json(agreement_json(raters, compared, whole, differ, left, orders))
    else:
        report = agreement_report(raters, compared, whole, differ, left, orders)
        console.out(write(report, output))
    return console.DONE


def _orders(
    couples: Sequence[tuple[RaterLevels, RaterLevels]],
    files: Sequence[Path],
    resamples: int,
) -> list[SystemOrder]:
    """The systems in these files by the labels of each couple. Raises: BadInput."""
    from ...engines.metrics.ranking import tiers
    from ...engines.metrics.system_order import system_order
    from ...engines.metrics.trec import read_run

    if len(files) == 1:
        raise bad_input("wrong.ratings.one_run")
    runs = {
        str(path): {query: tiers(listed) for query, listed in read_run(path).items()}
        for path in files
    }
    return [
        system_order(*couple, runs, resamples=resamples) for couple in couples if runs
    ]


def _of_answers(
    folder: Path,
    names: Sequence[str],
    without: Sequence[str],
    resamples: int,
    output: str,
) -> int:
    from ...engines.reports.forms import write
    from ...engines.studies.rating import answers_in
    from ...engines.studies.scale_agreement import (
        agreed,
        agreed_json,
        agreed_report,
        differing,
        people_in,
    )

    people, answers = people_in(folder, names, without), answers_in(folder)
    found = agreed(answers, people, resamples)
    if output == "json":
        console.out_json(agreed_json(found, differing(answers, people)))
    else:
        console.out(write(agreed_report(found), output))
    return console.DONE


def _too_few_raters(chosen: Sequence[str], everybody: Sequence[str]) -> str:
    who = (
        t("wrong.ratings.only", chosen=clean(chosen[0], newlines=False))
        if chosen
        else "nobody"
    )
    if len(everybody) > len(chosen):
        names = ", ".join(
            clean(name, newlines=False)[:60] for name in everybody[:8]
        ) + (" …" if len(everybody) > 8 else "")
        return t("wrong.ratings.two_chosen", who=who, names=names)
    return t("wrong.ratings.two", who=who)

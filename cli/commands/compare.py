"""`compare`: runs beside each other, item by item."""

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
    from ...engines.studies.comparing import Comparison


@command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN RUN…")
@click.option("--measure", "measures", multiple=True, metavar="M")
@click.option("--cluster", metavar="FIELD")
@click.option("--margin", type=float, default=0.02, show_default=True, metavar="SHARE")
@click.option("--fail-if-worse", multiple=True, metavar="M")
@click.option("--allow-different", is_flag=True)
@click.option(
    "--output", type=click.Choice(["text", "json", "md", "html"]), default="text", show_default=True, callback=english_for_programs
)
def compare(
    runs: tuple[Path, ...],
    measures: tuple[str, ...],
    cluster: str | None,
    margin: float,
    fail_if_worse: tuple[str, ...],
    allow_different: bool,
    output: str,
) -> int:
    """Every run against the first one. 1 only if a run is worse where --fail-if-worse forbids it."""
    from ...engines.method import method
    from ...engines.studies.comparing import Wanted, measures_of
    from ...engines.studies.comparing import compare as compared
    from ...engines.studies.runs import names, read_run

    if len(runs) < 2:
        raise BadInput(t("wrong.compare.two_runs"))
    places = [path.resolve() for path in runs]
    again = next((path for number, path in enumerate(runs) if path.resolve() in places[:number]), None)
    if again is not None:
        raise BadInput(t("wrong.compare.twice", path=again))
    if not 0 <= margin < 1:
        raise BadInput(t("wrong.compare.margin"))
    read = names(map(read_run, runs))
    wanted = Wanted(measures, cluster, margin, allow_different, fail_if_worse)
    found = compared(read, measures_of(read, lambda name: method(name).measures), wanted)
    console.out(_drawn(found, output))
    wanting = _worse(found, fail_if_worse)
    for sentence in wanting:
        console.say(sentence)
    return console.FAILED if wanting else console.DONE


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
        runs = {"first": clean(versus.first.name, newlines=False), "second": clean(versus.second.name, newlines=False)}
        if one.worse_than_margin is None:
            told.append(t("report.compare.gate_unmeasured", name=name, **runs))
        else:
            by = amount(one.measure, abs(one.difference.value or 0.0))
            told.append(t("report.compare.gate", name=name, difference=by, margin=amount(one.measure, one.margin), **runs))
    return told

"""`compare`: compares runs item by item, and rankings query by query."""

from __future__ import annotations

import gc
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean, json_line
from ...sessions.errors import bad_input
from ...texts import t
from .. import console
from ..command import command
from ..execution_options import CERTIFICATES
from ..flags import (
    PATH,
    english_for_programs,
    flag_option,
    many_option,
    silent_warnings,
    typed_option,
    with_options,
    without_warning_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...engines.figures.compare import RunComparison
    from ...engines.figures.difference import Difference
    from ...engines.figures.measure import Measure
    from ...engines.figures.runs import Run
    from ...engines.reports.comparison import Judges


@command()
@click.argument(
    "runs",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="RUN RUN…",
)
@typed_option("--qrels", PATH, "FILE|DIR")
@typed_option("--charges", PATH, "FILE")
@click.option("--measure", "measures", multiple=True, metavar="M")
@click.option("--cluster", metavar="FIELD")
@typed_option("--margin", float, "SHARE", 0.02)
@many_option("--fail-if-worse", "M")
@many_option("--require-not-worse", "M")
@flag_option("--allow-different")
@flag_option("--all-pairs")
@flag_option("--recheck")
@click.option("--by", metavar="FIELD")
@with_options(CERTIFICATES)
@without_warning_option
@click.option(
    "--output",
    type=click.Choice(["text", "json", "md", "html", "csv", "latex"]),
    default="text",
    show_default=True,
    callback=english_for_programs,
)
def compare(
    runs: tuple[Path, ...],
    qrels: Path | None,
    charges: Path | None,
    measures: tuple[str, ...],
    cluster: str | None,
    margin: float,
    fail_if_worse: tuple[str, ...],
    require_not_worse: tuple[str, ...],
    allow_different: bool,
    all_pairs: bool,
    recheck: bool,
    by: str | None,
    require_certified: bool,
    certificate: tuple[Path, ...],
    without_warning: tuple[str, ...],
    output: str,
) -> int:
    """Every run against the first one. 1 only if a run fails a gate."""
    from ...engines.figures.compare import CompareOptions
    from ...engines.figures.compare import compare as compared
    from ...engines.figures.gates import uncertified
    from ...engines.figures.runs import names as named

    _check_runs(runs)
    if not 0 <= margin < 1:
        raise bad_input("wrong.compare.margin")
    if qrels is not None:
        measures, fail_if_worse, require_not_worse = (
            tuple(name.replace("@", "_") for name in names)
            for names in (measures, fail_if_worse, require_not_worse)
        )
    elif charges is not None:
        raise bad_input("wrong.compare.charges")
    gates = (*fail_if_worse, *require_not_worse)
    if qrels is not None:
        read, available = _rankings(runs, qrels, charges, measures, gates)
        measures = tuple(available)
    else:
        read, available = _runs(runs, allow_different, recheck)
    silence = silent_warnings(without_warning)
    wanted = CompareOptions(
        measures, cluster, margin, allow_different, gates, all_pairs
    )
    found = compared(named(read), available, wanted)
    judges = _judges(found, certificate)
    console.out(_report(found, by, output, silence, judges))
    failed = _failed(found, fail_if_worse, require_not_worse)
    if require_certified:
        failed += [one for run in judges.values() for one in uncertified(run, gates)]
    for sentence in failed:
        console.say(sentence)
    if failed:
        return console.FAILED
    return console.DONE


def _check_runs(runs: Sequence[Path]) -> None:
    """Raises: BadInput for fewer than two runs, and for one that is named twice."""
    if len(runs) < 2:
        raise bad_input("wrong.compare.two_runs")
    places = [path.resolve() for path in runs]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise bad_input("wrong.compare.twice", path=runs[number])


def _runs(
    paths: Sequence[Path], allow_different: bool, recheck: bool
) -> tuple[list[Run], Mapping[str, Measure]]:
    """Folders of sessions and files of outputs, and what can be measured of them."""
    from ...engines.figures.compare import measures_of
    from ...engines.figures.contradictions import check_results
    from ...engines.figures.runs import read_run
    from ...engines.method import method, recomputed_result

    gc.disable()
    try:
        read = [read_run(path, recheck=recheck) for path in paths]
        gc.freeze()  # what was read stays, and collections need not visit it again
    finally:
        gc.enable()
    cases = (case for run in read for case in run.cases.values())
    for sentence in check_results(cases, recomputed_result, allowed=allow_different):
        console.say(clean(sentence))
    return read, measures_of(read, lambda name: method(name).measures)


def _rankings(
    paths: Sequence[Path],
    qrels: Path,
    charges: Path | None,
    asked: Sequence[str],
    gates: Sequence[str],
) -> tuple[list[Run], Mapping[str, Measure]]:
    """Rankings, and their measures: the requested ones, else the usual ones.

    Where charges are known, with those within the charge, and a run by charge alone.
    """
    from ...engines.figures.ranked import FORMS, SAME, USUAL, WITHIN, named
    from ...engines.studies.items.qrels import read
    from ...engines.studies.rankings import read_ranking

    more = {} if charges is None else {"charges": charges.absolute()}
    items, runs = list(read([qrels], more, None)), []
    charged = any(SAME in item.fields for item in items)
    wanted = list(asked or USUAL)
    wanted += [one + WITHIN for one in wanted if charged and one.startswith("ndcg")]
    available = {}
    for name in dict.fromkeys((*wanted, *gates)):
        measure = named(name)
        if measure is None:
            raise bad_input("wrong.compare.no_measure", name=name, names=FORMS)
        available[name] = measure
    for path in paths:
        run, unknown = read_ranking(path, items)
        if unknown:
            told = {
                "name": clean(run.name, newlines=False),
                "n": len(unknown),
                "id": clean(unknown[0], newlines=False),
            }
            console.tell("report.compare.unknown_queries", **told)
        runs.append(run)
    if charged:
        runs.append(read_ranking(paths[0], items, by_charge=True)[0])
    return runs, available


def _report(
    found: RunComparison,
    by: str | None,
    output: str,
    silence: Sequence[str],
    judges: Judges,
) -> str:
    """The comparison in one form; `by`: also for each value of a field of the items."""
    from ...engines.figures.strata import strata
    from ...engines.reports.comparison import comparison_report, records
    from ...engines.reports.forms import write
    from ...engines.studies.plots.svg import embedded
    from ...engines.studies.plots.text import lines

    groups = strata(found, by) if by is not None else []
    if output == "json":
        return "".join(map(json_line, records(found, groups, silence, judges)))
    written = output in ("md", "html")
    context = [_origin()] if written else []
    report = comparison_report(
        found,
        groups,
        context,
        items=output != "text",
        silence=silence,
        judges=judges,
    )
    return write(report, output, draw=lines, draw_svg=embedded)


def _judges(found: RunComparison, files: Sequence[Path]) -> Judges:
    """By run, whether the judges of what is compared are certified. Raises:
    BadInput.
    """
    from ...engines.figures.certificates import read_certificates
    from ...engines.judges.labelled import judges_of_run
    from ...engines.method import method

    measures = {one.measure.name: one.measure for _, one in found.differences}
    certificates, made = read_certificates(files), {}
    for run in found.runs:
        kinds = [kind for one in run.methods for kind in method(one).batches.values()]
        role = kinds[0].judged_by[0] if kinds else ""
        made[run.name] = judges_of_run(run, measures.values(), certificates, role)
    return made


def _origin() -> str:
    """When and by which command a document was made."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"{now} · verifytui {shlex.join(sys.argv[1:])}"


def _failed(
    comparison: RunComparison, fail_if_worse: Sequence[str], require: Sequence[str]
) -> list[str]:
    """A sentence for each run that fails a gate, or that cannot be held to it."""
    sentences = []
    for versus, one in comparison.differences:
        words = {
            "name": one.measure.name,
            "first": clean(versus.first.name, newlines=False),
            "second": clean(versus.second.name, newlines=False),
        }
        if one.measure.name in fail_if_worse:
            sentences.append(_worse(one, words))
        if one.measure.name in require:
            sentences.append(_maybe_worse(one, words))
    return [sentence for sentence in sentences if sentence]


def _worse(one: Difference, words: Mapping[str, str]) -> str:
    """Why `--fail-if-worse` fails; empty: it holds."""
    from ...engines.figures.wording import amount

    if one.not_worse is None:
        option = "--fail-if-worse"
        return t("report.compare.gate_unmeasured", option=option, **words)
    if not one.is_worse:
        return ""
    by = amount(one.measure, abs(one.difference.value or 0.0))
    key = "gate_different" if one.measure.better == "neither" else "gate"
    return t(f"report.compare.{key}", difference=by, **words)


def _maybe_worse(one: Difference, words: Mapping[str, str]) -> str:
    """Why `--require-not-worse` fails; empty: it holds."""
    from ...engines.figures.wording import amount

    if one.not_worse is None:
        option = "--require-not-worse"
        return t("report.compare.gate_unmeasured", option=option, **words)
    if one.not_worse:
        return ""
    return t(
        "report.compare.gate_margin",
        most=amount(one.measure, one.most_lost or 0.0),
        margin=amount(one.measure, one.margin),
        **words,
    )

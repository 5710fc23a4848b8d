"""`verifytui gate`: the report of a run or of a study's conditions, held to gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...texts import t
from .. import console
from ..command import command
from ..execution_options import CERTIFICATES, GATES
from ..flags import (
    PATH,
    report_option,
    silent_warnings,
    with_options,
    without_warning_option,
)

if TYPE_CHECKING:
    from ...engines.batches.finished import FinishedRun
    from ...engines.figures.gates import Gates
    from ...engines.reports.document import ReportDocument

WITH_LINES = ("html", "csv")
"""Forms that list every line of a run."""


@command()
@click.argument("run", type=PATH, metavar="RUN")
@with_options([*GATES, *CERTIFICATES])
@without_warning_option
@report_option
def gate(
    run: Path,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    max_unread: float | None,
    min_coverage: float | None,
    require_certified: bool,
    certificate: tuple[Path, ...],
    without_warning: tuple[str, ...],
    output: str,
) -> int:
    """Prints the report of a run; 1 if it does not pass its gates."""
    from ...engines.batches.finished import read_finished
    from ...engines.figures.gates import MIN_COVERAGE, parse_gates
    from ...engines.judges.labelled import add_judges
    from ...engines.method import method, verdicts_of

    silence = silent_warnings(without_warning)
    folders = _folders(run)
    runs = {
        name: read_finished(folder, method, silence) if folder.is_dir() else None
        for name, folder in folders.items()
    }
    measures = {
        name: measure
        for one in runs.values()
        if one is not None
        for name, measure in one.kind.measures.items()
    }
    least = MIN_COVERAGE if min_coverage is None else min_coverage
    gates = parse_gates(
        fail_under,
        fail_over,
        max_unread,
        least,
        measures,
        require_certified=require_certified,
    )
    for one in runs.values():
        if one is not None:
            add_judges(one.report, one.kind, one.run, verdicts_of, certificate)
    failures = _failures(runs, gates)
    _print(runs, folders, run, failures, output)
    for sentence in failures:
        console.say(sentence)
    if failures:
        return console.FAILED
    console.tell("report.said.gates_passed")
    return console.DONE


def _print(
    runs: Mapping[str, FinishedRun | None],
    folders: Mapping[str, Path],
    run: Path,
    failures: Sequence[str],
    output: str,
) -> None:
    """Prints the report of a run, or those of the conditions of a study."""
    from ...engines.reports.forms import write

    if output == "json":
        parts = {name: one and one.report.as_json() for name, one in runs.items()}
        report = parts.get("") or {"conditions": parts}
        console.out_json({**report, "passed": not failures, "failures": failures})
    else:
        documents = [
            _document(one, folders[name], output)
            for name, one in runs.items()
            if one is not None
        ]
        console.out(write(_joined(documents, run.resolve().name), output))


def _folders(run: Path) -> dict[str, Path]:
    """The folders of a study's conditions by name; that of a run under "".

    Raises: BadInput.
    """
    from ...engines.studies.manifest import is_study, read_manifest

    if not is_study(run):
        return {"": run}
    conditions = read_manifest(run)["conditions"]
    return {
        str(one["name"]): run / str(one["folder"])
        for one in conditions
        if "run" not in one
    }


def _failures(runs: dict[str, FinishedRun | None], gates: Gates) -> list[str]:
    """A sentence for each gate that a run does not pass, under its condition."""
    sentences = []
    for name, one in runs.items():
        if one is None:
            failures = [t("wrong.gates.not_begun")]
        else:
            failures = gates.failures(one.report)
        prefix = f"{name}: " if name else ""
        sentences += [prefix + failure for failure in failures]
    return sentences


def _document(one: FinishedRun, folder: Path, output: str) -> ReportDocument:
    from ...engines.batches.results import document_of, made

    cases = one.run.cases
    return document_of(
        one.report,
        one.kind,
        folder.resolve().name,
        one.rows if output in WITH_LINES else (),
        lambda row: cases[row.line.id].session,
        made(folder),
    )


def _joined(documents: list[ReportDocument], title: str) -> ReportDocument:
    """The reports of several conditions one after the other."""
    from ...engines.reports.document import Part, ReportDocument, TextBlock

    if len(documents) == 1:
        return documents[0]
    parts: list[Part] = []
    for one in documents:
        parts.append(TextBlock([one.conclusion, *one.context], one.title))
        parts += one.parts
    return ReportDocument(title, parts=parts)

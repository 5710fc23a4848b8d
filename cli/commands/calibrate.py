"""`calibrate`: compares a model's judgements with people's labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.errors import BadInput
from ...sessions.files import AUDITED
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, report_option, silent_warnings, without_warning_option
from ..label_targets import are_answers, first_method
from .agreement import resamples_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...engines.calibration.machine import Calibration
    from ...engines.calibration.thresholds import Goal
    from ...engines.figures.runs import Run


@command()
@click.argument(
    "runs",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="RUN…",
)
@click.option("--labels", type=PATH, metavar="FILE")
@click.option("--gold", is_flag=True)
@click.option("--rater", "raters", multiple=True, metavar="NAME")
@click.option("--machine", "machines", multiple=True, metavar="NAME")
@click.option("--columns", metavar="NAMES")
@click.option("--predict", default="", metavar="SCORE")
@click.option("--cutoff", default="", metavar="SCORE[=X]")
@click.option(
    "--goal",
    type=click.Choice(["youden", "accuracy"]),
    default="youden",
    show_default=True,
)
@click.option(
    "--folds", type=click.IntRange(2, 100), default=10, show_default=True, metavar="N"
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N")
@resamples_option
@click.option("--full", is_flag=True)
@click.option("--write", type=PATH, metavar="FILE")
@click.option("--certify", metavar="NAME")
@click.option("--at-least", type=click.FloatRange(0.5, 0.99), metavar="SHARE")
@click.option("--audit", type=PATH, metavar="DIR")
@without_warning_option
@report_option
def calibrate(
    runs: tuple[Path, ...],
    labels: Path | None,
    gold: bool,
    raters: tuple[str, ...],
    machines: tuple[str, ...],
    columns: str | None,
    predict: str,
    cutoff: str,
    goal: str,
    folds: int,
    seed: int,
    resamples: int,
    full: bool,
    write: Path | None,
    certify: str | None,
    at_least: float | None,
    audit: Path | None,
    without_warning: tuple[str, ...],
    output: str,
) -> int:
    """Compare the machine of each run with its reference labels."""
    if gold and (labels is not None or raters):
        raise BadInput(t("wrong.calibrate.two_truths"))
    if write is not None and write.exists():
        raise BadInput(t("wrong.file.exists", path=write))
    if certify is None:
        _check_use("only_certify", **{"at-least": at_least, "audit": audit})
    silence = silent_warnings(without_warning)
    names = [part.strip() for name in raters for part in name.split(",")]
    if certify is not None and len(runs) == 1 and _certified_alone(runs[0]):
        found = []
    elif all(path.is_dir() and are_answers(path) for path in runs):
        _check_use("only_pairs", machine=machines, columns=columns)
        found = _of_answers(
            runs, labels, gold, names, (goal, predict, cutoff, folds, seed, resamples)
        )
    else:
        _check_use("only_answers", predict=predict, cutoff=cutoff, write=write)
        named = (
            [one.strip() for one in columns.split(",")] if columns is not None else []
        )
        found = _of_levels(runs, labels, gold, names, machines, named, resamples)
    result = None
    if certify is not None:
        from ..certify import certified

        result = certified(certify, found, runs, at_least, audit, labels, names)
    about: dict[str, object] = (
        {} if result is None else {"certification": result.as_json}
    )
    _print(found, about, output, silence, full=full)
    if write is not None:
        _write(found, write)
    if result is None:
        return console.DONE
    console.say(result.in_words)
    if result.certificate is None:
        return console.FAILED
    return console.DONE


def _certified_alone(path: Path) -> bool:
    """Whether the judge of a run is certified without a calibration: the folder is an
    audit, or the judge chooses an answer.
    """
    if (path / AUDITED).is_file():
        return True
    found = first_method(path)
    seats = found.judging_seats.values() if found is not None else ()
    return any(one.chose is not None for one in seats)


def _print(
    found: list[Calibration],
    about: dict[str, object],
    output: str,
    silence: Sequence[str],
    *,
    full: bool,
) -> None:
    """Print the calibrations, but none for an audit.

    `about`: extra fields for JSON.
    """
    from ...engines.calibration.report import as_json, calibration_report
    from ...engines.reports.forms import write

    if output == "json":
        for told in [as_json(one, silence) for one in found] or [{}]:
            console.out_json(told | about)
    elif found:
        report = calibration_report(found, full=full, silence=silence)
        console.out(write(report, output))


def _check_use(why: str, **options: object) -> None:
    """Raises: BadInput for an option that what is calibrated has no use for."""
    for name, value in options.items():
        if value:
            raise BadInput(t(f"wrong.calibrate.{why}", name=f"--{name}"))


def _of_answers(
    paths: tuple[Path, ...],
    labels: Path | None,
    gold: bool,
    names: list[str],
    how: tuple[str, str, str, int, int, int],
) -> list[Calibration]:
    """Calibrate each run in these folders.

    With several runs, those without judged or labelled answers are skipped with a
    message.
    """
    from ...engines.calibration.answers import NothingToHold, read_answers
    from ...engines.calibration.machine import of_answers
    from ...engines.figures.compare import measures_of
    from ...engines.method import method, verdicts_of

    goal, predict, cutoff, folds, seed, resamples = how
    found = []
    runs = _runs_of(paths, labels)
    passed_over: list[tuple[str, NothingToHold]] = []
    for run in runs:
        accuracy = measures_of([run], lambda name: method(name).measures)["accuracy"]
        try:
            answers = read_answers(
                run,
                verdicts_of,
                accuracy,
                labels=labels,
                gold=gold,
                names=names,
            )
        except NothingToHold as error:
            passed_over.append((run.name, error))
            continue
        found.append(
            of_answers(
                run.name,
                answers,
                _goal(goal),
                predict=predict,
                cutoff=cutoff,
                folds=folds,
                seed=seed,
                resamples=resamples,
            )
        )
    if not found:
        raise (
            passed_over[0][1]
            if passed_over
            else BadInput(t("wrong.calibrate.no_judge", path=paths[0]))
        )
    for name, why in passed_over:
        console.say(t("report.calibrate.passed_over", name=name, why=why))
    return found


def _runs_of(paths: tuple[Path, ...], labels: Path | None) -> list[Run]:
    """The runs in these folders. Raises: BadInput for one file of labels of several."""
    from ...engines.figures.runs import names as named_apart
    from ...engines.figures.runs import read_run
    from ...engines.studies.rating import folders_in

    runs = named_apart(
        read_run(folder) for path in paths for folder in folders_in(path)
    )
    if labels is not None and len(runs) > 1:
        names = ", ".join(run.name for run in runs)[:300]
        raise BadInput(t("wrong.calibrate.one_file", names=names))
    return runs


def _of_levels(
    paths: tuple[Path, ...],
    labels: Path | None,
    gold: bool,
    names: list[str],
    machines: tuple[str, ...],
    columns: list[str],
    resamples: int,
) -> list[Calibration]:
    """Each machine among the raters of these files and folders."""
    from ...engines.calibration.levels import read_levels
    from ...engines.calibration.machine import of_levels

    found = read_levels(
        paths, columns, labels=labels, gold=gold, names=names, machines=machines
    )
    return [of_levels(one, resamples) for one in found]


def _goal(name: str) -> Goal:
    if name == "accuracy":
        return "accuracy"
    return "youden"


def _write(found: list[Calibration], path: Path) -> None:
    """Write the bounds of the only run that has some.

    Raises: BadInput unless exactly one run has bounds.
    """
    from ...engines.calibration.report import advised_against, section, too_few
    from ...sessions.files import write_whole

    chosen = [one for one in found if one.chosen is not None]
    if not chosen:
        few = next((one.too_few for one in found if one.too_few is not None), None)
        raise BadInput(
            too_few(few) if few is not None else t("wrong.calibrate.no_bounds")
        )
    if len(chosen) > 1:
        raise BadInput(
            t(
                "wrong.calibrate.which_run",
                names=", ".join(one.name for one in chosen)[:300],
            )
        )
    thresholds = chosen[0].chosen
    against = advised_against(thresholds) if thresholds is not None else ""
    if against:
        raise BadInput(t("wrong.calibrate.not_written", advice=against))
    write_whole(path, section(chosen[0]) or "")
    console.say(t("report.calibrate.written", path=path))

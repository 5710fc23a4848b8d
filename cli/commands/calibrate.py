"""`calibrate`: what a machine's word is worth beside people's labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.errors import BadInput
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, report_option
from ..label_targets import are_answers
from .agreement import resamples_option

if TYPE_CHECKING:
    from ...engines.calibration.machine import Calibration
    from ...engines.calibration.thresholds import Goal


@command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN…")
@click.option("--labels", type=PATH, metavar="FILE")
@click.option("--gold", is_flag=True)
@click.option("--rater", "raters", multiple=True, metavar="NAME")
@click.option("--machine", "machines", multiple=True, metavar="NAME")
@click.option("--columns", metavar="NAMES")
@click.option("--predict", default="", metavar="SCORE")
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
@report_option
def calibrate(
    runs: tuple[Path, ...],
    labels: Path | None,
    gold: bool,
    raters: tuple[str, ...],
    machines: tuple[str, ...],
    columns: str | None,
    predict: str,
    goal: str,
    folds: int,
    seed: int,
    resamples: int,
    full: bool,
    write: Path | None,
    output: str,
) -> int:
    """The machine of each run beside those who say what is right."""
    from ...engines.calibration.report import as_json, calibration_report
    from ...engines.reports.forms import write as written

    if gold and (labels is not None or raters):
        raise BadInput(t("wrong.calibrate.two_truths"))
    if write is not None and write.exists():
        raise BadInput(t("wrong.file.exists", path=write))
    names = [part.strip() for name in raters for part in name.split(",")]
    if all(path.is_dir() and are_answers(path) for path in runs):
        _check_use("only_pairs", machine=machines, columns=columns)
        found = _of_answers(
            runs, labels, gold, names, (goal, predict, folds, seed, resamples)
        )
    else:
        _check_use("only_answers", predict=predict, write=write)
        named = (
            [one.strip() for one in columns.split(",")] if columns is not None else []
        )
        found = _of_levels(runs, labels, gold, names, machines, named, resamples)
    if output == "json":
        for one in found:
            console.out_json(as_json(one))
    else:
        console.out(written(calibration_report(found, full=full), output))
    if write is not None:
        _write(found, write)
    return console.DONE


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
    how: tuple[str, str, int, int, int],
) -> list[Calibration]:
    """Each run of these folders.

    Of several, those without a judged or a labelled answer are passed over, which is
    said.
    """
    from ...engines.calibration.answers import NothingToHold, read_answers
    from ...engines.calibration.machine import of_answers
    from ...engines.figures.compare import measures_of
    from ...engines.figures.runs import names as named_apart
    from ...engines.figures.runs import read_run
    from ...engines.method import method
    from ...engines.studies.rating import folders_in

    goal, predict, folds, seed, resamples = how
    found = []
    runs = named_apart(
        read_run(folder) for path in paths for folder in folders_in(path)
    )
    if labels is not None and len(runs) > 1:
        raise BadInput(
            t(
                "wrong.calibrate.one_file",
                names=", ".join(run.name for run in runs)[:300],
            )
        )
    passed_over: list[tuple[str, NothingToHold]] = []
    for run in runs:
        accuracy = measures_of([run], lambda name: method(name).measures)["accuracy"]
        try:
            answers = read_answers(
                run,
                lambda name: method(name).verdicts,
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
    """Writes the bounds of the one run that has some.

    Raises: BadInput where there is none, or more than one.
    """
    from ...engines.calibration.report import section, too_few
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
    write_whole(path, section(chosen[0]) or "")
    console.say(t("report.calibrate.written", path=path))

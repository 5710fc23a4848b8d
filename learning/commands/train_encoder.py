"""`train encoder`: an encoder trained on pairs with levels."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...cli import bar, console
from ...cli.command import command
from ...cli.execution_options import dry_run_option
from ...cli.flags import PATH, choice_option, output_option, typed_option, whole_option
from ...cli.progress import span
from ...sessions.clean import clean_line
from ...sessions.errors import bad_input
from ...sessions.paths import paths
from ...texts import t

if TYPE_CHECKING:
    from ..training.encoder import Training, TrainingPlan, TrainingResult
    from ..training.options import TrainingOptions
    from ..training.trainer import TrainingStep


@command("encoder")
@click.option("--data", type=PATH, required=True, metavar="BEIR")
@click.option(
    "--set",
    "sets",
    multiple=True,
    default=("train",),
    show_default=True,
    metavar="NAME",
)
@typed_option("--validation", str, "NAME", "validation")
@click.option("--from", "start", required=True, metavar="DIR|HUB-ID|new")
@click.option("--into", type=PATH, required=True, metavar="DIR")
@choice_option("--loss", "cosent", "contrastive")
@whole_option("--relevant", 1, 3, 1, metavar="LEVEL")
@choice_option("--pool", "auto", "judged", "all")
@whole_option("--chunk", 16, 65536)
@whole_option("--stride", 1, 65536)
@whole_option("--window", 16, 65536)
@whole_option("--blocks", 1, 1000, 8)
@click.option("--vector", type=click.Choice(["mean", "cls"]))
@whole_option("--layers", 1, 24, 2)
@whole_option("--width", 32, 2048, 128)
@whole_option("--epochs", 1, 1000, 3)
@whole_option("--batch", 2, 4096, 16)
@click.option(
    "--lr",
    "rate",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="X",
)
@typed_option("--warmup", click.FloatRange(0, 1, max_open=True), "SHARE", 0.1)
@whole_option("--patience", 1, 1000, 3)
@whole_option("--every", 1, metavar="STEPS")
@whole_option("--seed", 0, 2**31, 0)
@typed_option("--max-hours", click.FloatRange(0, min_open=True), "H")
@dry_run_option
@output_option
def train_encoder(
    into: Path, max_hours: float | None, dry_run: bool, output: str, **wanted: Any
) -> int:
    """Train an encoder on pairs with levels."""
    from ...engines.batches.folder import locked
    from ..training.encoder import Interrupted, Training
    from ..training.trainer import CHECKPOINTS, Faces, leads
    from ..training.training_record import FILE

    _stays_local()
    training = Training(_options(**wanted))
    training.check(into)
    plan = training.plan()
    if output == "text" and leads():
        tell = console.say if dry_run else console.note
        tell("\n".join(_plan_in_words(plan, training)))
    if dry_run:
        if output == "json":
            console.out_json(plan._asdict())
        return console.DONE
    progress = TrainingProgress()
    faces = (
        Faces(progress.show, progress.measured) if leads() else Faces(lambda step: None)
    )
    try:
        with locked(into, FILE) if leads() else nullcontext():
            trained = training.run(into, max_hours, faces)
    except Interrupted as interrupted:
        progress.end()
        if leads():
            console.tell(
                "report.train_encoder.kept",
                step=interrupted.step,
                path=into / CHECKPOINTS,
            )
        return console.INTERRUPTED
    finally:
        progress.end()
    if trained is not None:
        _tell(trained, output)
    return console.DONE


def _options(
    window: int | None,
    chunk: int | None,
    stride: int | None,
    rate: float | None,
    every: int | None,
    **rest: Any,
) -> TrainingOptions:
    """Raises: BadInput."""
    from ..training.options import HEAD, NEW, RATE, RATE_NEW, TrainingOptions

    if rest["width"] % HEAD:
        raise bad_input("wrong.training.width", heads=HEAD)
    if window is not None and (chunk is not None or stride is not None):
        raise bad_input("wrong.training.window")
    if window is not None:
        chunk, stride = window, 0
    rate = rate if rate is not None else RATE_NEW if rest["start"] == NEW else RATE
    return TrainingOptions(
        chunk=chunk, stride=stride, rate=rate, every=every or 0, **rest
    )


def _stays_local() -> None:
    """With `local_only`, an encoder of the hub must already be on this disk."""
    from ...engines.models.config import load_config

    if load_config(paths().config_file, os.environ).local_only:
        os.environ["HF_HUB_OFFLINE"] = "1"


def _plan_in_words(plan: TrainingPlan, training: Training) -> list[str]:
    levels = t("batch.progress_comma").join(
        t("report.train_encoder.levels", level=level, n=n)
        for level, n in plan.levels.items()
    )
    told = {**plan._asdict(), "levels": levels}
    lines = [
        t("report.train_encoder.data", **told),
        t("report.train_encoder.plan", **told),
    ]
    if plan.twice:
        lines.append(t("report.train_encoder.twice", n=plan.twice))
    if plan.longer:
        key = "capped" if training.encoder.recipe.stride else "cut"
        lines.append(
            t(
                f"report.train_encoder.{key}",
                n=plan.longer,
                most=training.options.blocks,
            )
        )
    return lines


def _tell(trained: TrainingResult, output: str) -> None:
    if output == "json":
        told = trained._asdict()
        console.out_json(
            {
                **told,
                "folder": str(trained.folder),
                "figures": [figure._asdict() for figure in trained.figures],
            }
        )
        return
    between = (
        ""
        if trained.low is None
        else t("report.train_encoder.between", low=trained.low, high=trained.high)
    )
    path = clean_line(str(trained.folder))
    lines = [
        t("report.train_encoder.already", path=path)
        if trained.already
        else t(f"report.train_encoder.ended_{trained.ended}"),
        t(
            "report.train_encoder.done",
            best=trained.best,
            between=between,
            step=trained.best_step,
            before=trained.before,
        ),
        *(
            []
            if trained.best > trained.before
            else [t("report.train_encoder.helped_not")]
        ),
        t("report.train_encoder.where", path=path),
    ]
    console.line("\n".join(lines))


class TrainingProgress:
    """The progress of training as text."""

    def __init__(self) -> None:
        self._meter = bar.ProgressBar()

    def show(self, step: TrainingStep) -> None:
        """Shows a training step."""
        self._meter.show(
            step.step,
            step.steps,
            t("batch.progress_comma").join(self._parts(step)),
            last=step.step == step.steps,
        )

    def measured(self, done: int, of: int) -> None:
        """Shows the progress of a measurement."""
        self._meter.show(
            done, of, t("report.train_encoder.measuring", done=done, total=of)
        )

    def _parts(self, step: TrainingStep) -> list[str]:
        parts = [t("report.train_encoder.step", step=step.step, steps=step.steps)]
        parts += (
            [t("report.train_encoder.loss", loss=step.loss)]
            if step.loss is not None
            else []
        )
        parts += (
            [t("report.train_encoder.ndcg", ndcg=step.ndcg)]
            if step.ndcg is not None
            else []
        )
        parts += (
            [t("report.train_encoder.best", best=step.best)]
            if step.best is not None
            else []
        )
        parts += (
            [t("report.train_encoder.left", span=span(step.left))]
            if step.left is not None and step.step < step.steps
            else []
        )
        return parts

    def end(self) -> None:
        """Leaves the progress bar as it is."""
        self._meter.leave()

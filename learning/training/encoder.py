"""Trains an encoder in a folder: plan, training loop, and final files."""

from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...engines.figures.made_by import made_by
from ...engines.metrics.bootstrap import interval, resampled
from ...sessions.begun import check_empty
from ...sessions.files import own_folder
from ..encoders.folder import CHUNK, STRIDE, read_recipe, versions, write_recipe
from ..encoders.opening import check_installed
from . import measuring, trainer
from . import training_record as began
from .card import CARD, card
from .examples import Examples, examples
from .options import NEW, TrainingOptions
from .trainer import CHECKPOINTS, Faces, ValidationScore
from .training_record import TrainingRecord

RESAMPLES = 1000
"""Bootstrap samples for the interval of the best figure."""


class TrainingPlan(NamedTuple):
    """The plan of a training."""

    pairs: int
    """Training pairs."""
    twice: int
    """Pairs that occur in several sets."""
    queries: int
    documents: int
    levels: dict[str, int]
    """Number of pairs by level."""
    validation: int
    """Validation queries."""
    ranked: int
    """Documents ranked for the validation queries in total."""
    blocks: int
    """Blocks of the training texts."""
    longer: int
    """Number of texts with more blocks than a step uses or, with one block per text,
    that are cut off.
    """
    steps: int
    parameters: int
    size: int
    """Dimensions of a vector."""
    device: str


class TrainingResult(NamedTuple):
    """The result of a training."""

    folder: Path
    ended: str
    """`epochs`, `patience`, `hours`."""
    steps: int
    before: float
    """nDCG@30 on the validation set before training."""
    best: float
    low: float | None
    """95 % interval of `best`, resampled by query; None: too few queries."""
    high: float | None
    best_step: int
    figures: list[ValidationScore]
    already: bool
    """The training was already finished."""


class Interrupted(Exception):
    """The training was interrupted; a checkpoint is saved."""

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.step = step


class Training:
    """A training that has not started."""

    def __init__(self, options: TrainingOptions) -> None:
        """Reads the data, and creates or loads the initial encoder. Takes seconds.

        Raises: BadInput.
        """
        check_installed()
        trainer.take_device()
        self.options = options
        self.examples: Examples = examples(options)
        self.encoder = _start(options, self.examples)

    def plan(self) -> TrainingPlan:
        """Returns the plan. Cuts all texts into blocks to compute it."""
        pairs, encoder = self.examples.pairs, self.encoder
        counts = [len(encoder.blocks(text)) for text in self.examples.texts()]
        levels = sorted(pair.level for pair in pairs)
        return TrainingPlan(
            pairs=len(pairs),
            twice=self.examples.twice,
            queries=len({pair.query for pair in pairs}),
            documents=len({pair.document for pair in pairs}),
            levels={str(level): levels.count(level) for level in dict.fromkeys(levels)},
            validation=len(self.examples.validation),
            ranked=sum(map(len, self.examples.pool.values())),
            blocks=sum(counts),
            longer=self._longer(counts),
            steps=trainer.steps_of(self.examples, self.options),
            parameters=encoder.parameters,
            size=encoder.size,
            device=str(next(encoder.model.parameters()).device),
        )

    def _longer(self, counts: list[int]) -> int:
        if self.encoder.recipe.stride:
            return sum(count > self.options.blocks for count in counts)
        return sum(self.encoder.is_cut(text) for text in self.examples.texts())

    def run(
        self, folder: Path, hours: float | None, faces: Faces
    ) -> TrainingResult | None:
        """Trains in the folder, or continues there; the caller holds its lock. Finished
        work is only reported. Returns None in a secondary process of torchrun; the main
        process writes and reports.

        Raises: SessionError if the folder cannot be created, BadInput if it has another
        training, Interrupted after a signal.
        """
        own_folder(folder)
        self.check(folder)
        begun = began.begin(folder, self._now())
        if read_recipe(folder) is not None:
            _tidy(folder)
            return self._told(folder, already=True)
        if begun.before is None:
            begun.before = measuring.mean(
                measuring.figures(self.encoder, self.examples, faces.measured)
            )
            self._keep(folder, begun)
        if begun.ended:
            trainer.load_weights(self.encoder, folder / CHECKPOINTS / begun.best)
            figures = trainer.history(_log(folder))
        else:
            loop = trainer.train(
                self.encoder, self.examples, self.options, folder, hours, faces
            )
            if not loop.ended:
                raise Interrupted(loop.step)
            begun.ended, begun.best, figures = loop.ended, loop.best, loop.figures
            self._keep(folder, begun)
        if not trainer.leads():
            return None
        self._finish(folder, begun, figures, faces)
        return self._told(folder, already=False)

    def check(self, folder: Path) -> None:
        """Raises BadInput if the folder has another training or anything else. Writes
        nothing.
        """
        if not (folder / began.FILE).exists():
            check_empty(folder, began.FILE)
        began.check(folder, self._now())

    def _now(self) -> TrainingRecord:
        return TrainingRecord(
            options=self.options.told(),
            digests={**self.examples.data.digests, "start": _digest(self.encoder)},
        )

    def _keep(self, folder: Path, begun: TrainingRecord) -> None:
        if trainer.leads():
            began.keep(folder, begun)

    def _finish(
        self,
        folder: Path,
        begun: TrainingRecord,
        figures: list[ValidationScore],
        faces: Faces,
    ) -> None:
        """Writes the model, its card, and finally its recipe. After that, checkpoints
        are no longer needed.
        """
        by_query = measuring.figures(self.encoder, self.examples, faces.measured)
        low, high = _interval(by_query)
        recipe = self.encoder.recipe
        recipe.base, recipe.seed = self.options.start, self.options.seed
        recipe.trained_on, recipe.versions = self.examples.data.digests, versions()
        before = recipe.labelled_by
        labelled = made_by(self.options.data, self.options.sets)
        recipe.labelled_by = list(dict.fromkeys([*before, *labelled]))
        recipe.training = {
            "options": {"data": self.options.data.name, **self.options.told()},
            "ended": begun.ended,
            "best_step": int(begun.best.partition("-")[2]),
            "before": begun.before,
            "best": measuring.mean(by_query),
            "low": low,
            "high": high,
            "queries": len(by_query),
            "figures": [figure._asdict() for figure in figures],
            "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        }
        self.encoder.save_model(folder)
        (folder / CARD).write_text(card(recipe, self.examples), "utf-8")
        write_recipe(folder, recipe)
        _tidy(folder)

    def _told(self, folder: Path, *, already: bool) -> TrainingResult:
        recipe = self.encoder.recipe if not already else read_recipe(folder)
        told: dict[str, Any] = recipe.training if recipe is not None else {}
        figures = [ValidationScore(**one) for one in told["figures"]]
        return TrainingResult(
            folder=folder,
            ended=told["ended"],
            steps=figures[-1].step,
            before=told["before"],
            best=told["best"],
            low=told["low"],
            high=told["high"],
            best_step=told["best_step"],
            figures=figures,
            already=already,
        )


def _start(options: TrainingOptions, found: Examples) -> Any:
    from ..encoders.local import load, new

    if options.start == NEW:
        chunk = options.chunk or CHUNK
        stride = min(STRIDE, chunk // 2) if options.stride is None else options.stride
        shape: dict[str, Any] = {
            "layers": options.layers,
            "width": options.width,
            "chunk": chunk,
            "stride": stride,
        }
        return new(
            found.texts(), **shape, first=options.vector == "cls", seed=options.seed
        )
    return load(
        options.start,
        options.chunk,
        options.stride,
        first=None if options.vector is None else options.vector == "cls",
    )


def _digest(encoder: Any) -> str:
    """SHA-256 of the weights and of the tokenizer, independent of its current
    truncation length.
    """
    words = msgspec.json.decode(encoder.tokenizer.backend_tokenizer.to_str())
    words |= dict.fromkeys(("truncation", "padding"))
    found = hashlib.sha256(msgspec.json.encode(words))
    for name, value in sorted(encoder.model.state_dict().items()):
        found.update(name.encode())
        found.update(value.detach().cpu().contiguous().view(-1).numpy().tobytes())
    return found.hexdigest()


def _tidy(folder: Path) -> None:
    """Removes the checkpoints of a finished encoder."""
    if trainer.leads():
        shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def _log(folder: Path) -> list[dict[str, object]]:
    """The Trainer's log in the last checkpoint."""
    last = trainer.tidy(folder / CHECKPOINTS)
    if last is None:
        return []
    found: list[dict[str, object]] = msgspec.json.decode(
        (last / trainer.STATE).read_bytes()
    )["log_history"]
    return found


def _interval(by_query: dict[str, float]) -> tuple[float | None, float | None]:
    rows = [[value] for value in by_query.values()]
    if len(rows) < 2:
        return None, None
    low, high, _ = interval(
        [drawn[0] / len(rows) for drawn in resampled(rows, RESAMPLES)], len(rows)
    )
    return low, high

"""The training loop: transformers' Trainer with AdamW, on a CPU, a GPU, or several with
torchrun. Imports torch on use.
"""

from __future__ import annotations

import math
import os
import random
import shutil
import signal
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..encoders.data import PairLevel
from . import losses, measuring
from .examples import Examples
from .options import TrainingOptions
from .ranking import Told

CHECKPOINTS = "checkpoints"
STATE = "trainer_state.json"
"""The last file of a checkpoint to be written; it marks the checkpoint as complete."""
LONGEST_HISTORY = 2_000
"""Maximum number of stored losses."""


class TrainingStep(NamedTuple):
    """The progress of training."""

    step: int
    steps: int
    loss: float | None
    """Of the last steps; None: not available yet."""
    ndcg: float | None
    """The last validation figure."""
    best: float | None
    left: float | None
    """Estimated seconds."""


class Faces(NamedTuple):
    """Receives and shows the progress of training."""

    trained: Callable[[TrainingStep], None]
    measured: Told = lambda done, of: None
    """Called with the number of finished documents and of all documents."""


class ValidationScore(NamedTuple):
    """A measurement."""

    step: int
    epoch: float
    loss: float | None
    """Mean since the previous measurement."""
    ndcg: float


class Loop(NamedTuple):
    """The result of the loop."""

    ended: str
    """`epochs`, `patience`, `hours`; empty: interrupted."""
    step: int
    best: str
    """Name of the checkpoint with the best figure."""
    figures: list[ValidationScore]


def train(
    encoder: Any,
    examples: Examples,
    options: TrainingOptions,
    folder: Path,
    hours: float | None,
    faces: Faces,
) -> Loop:
    """Trains until the epochs end, figures stop improving, the time is over or a signal
    arrives, and leaves the best weights in `encoder`.

    Continues from the last complete checkpoint of the folder. Saves a checkpoint after
    a signal.
    """
    import torch
    import transformers

    last = tidy(folder / CHECKPOINTS)
    every = options.every or steps_of_epoch(len(examples.pairs), options)
    losses_of = _losses(encoder, examples, options)
    wanted = transformers.TrainingArguments(
        output_dir=str((folder / CHECKPOINTS).resolve()),
        per_device_train_batch_size=options.batch,
        num_train_epochs=options.epochs,
        learning_rate=options.rate,
        warmup_steps=options.warmup if options.warmup < 1 else 0,
        weight_decay=0.01,
        optim="adamw_torch",
        seed=options.seed,
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_ndcg",
        greater_is_better=True,
        logging_steps=max(1, steps_of(examples, options) // LONGEST_HISTORY),
        use_cpu=not (
            torch.cuda.is_available() or torch.backends.mps.is_available()
        ),  # said, or processes on processors train apart
        report_to="none",
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        dataloader_drop_last=_drops_last(len(examples.pairs), options),
    )
    stop = Stop(hours)
    trainer = _trainer(losses_of, wanted, encoder, examples, options, stop, faces)
    with stop.listening():
        trainer.train(resume_from_checkpoint=str(last) if last else None)
    state = trainer.state
    best = Path(state.best_model_checkpoint).name if state.best_model_checkpoint else ""
    ended = "epochs" if state.global_step >= state.max_steps else "patience"
    if stop.late:
        ended = "hours"
    if stop.asked:
        ended = ""
    return Loop(ended, state.global_step, best, history(state.log_history))


def steps_of_epoch(pairs: int, options: TrainingOptions) -> int:
    """Steps per epoch, on all devices together."""
    on_each = math.ceil(pairs / _world())
    return max(
        1,
        on_each // options.batch
        if _drops_last(pairs, options)
        else math.ceil(on_each / options.batch),
    )


def steps_of(examples: Examples, options: TrainingOptions) -> int:
    """Total number of steps."""
    return steps_of_epoch(len(examples.pairs), options) * options.epochs


def _drops_last(pairs: int, options: TrainingOptions) -> bool:
    """Contrastive: drops an incomplete last batch, which has fewer negatives."""
    return options.loss == "contrastive" and pairs >= options.batch * _world()


def _world() -> int:
    """Number of training processes."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def take_device() -> None:
    """Selects one GPU for this process before anything is loaded: that of its rank
    under torchrun, else the first.

    In a single process, the Trainer would split each batch over all GPUs, which lists
    of ids do not allow.
    """
    if _world() == 1:
        os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get(
            "CUDA_VISIBLE_DEVICES", "0"
        ).split(",")[0]
        return
    import torch

    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))


def leads() -> bool:
    """Whether this process writes and prints."""
    return os.environ.get("RANK", "0") == "0"


def tidy(folder: Path) -> Path | None:
    """The last complete checkpoint, or None. Removes later ones, which an interruption
    left incomplete.
    """
    found = (
        sorted(
            folder.glob("checkpoint-*"),
            key=lambda path: int(path.name.partition("-")[2]),
            reverse=True,
        )
        if folder.is_dir()
        else []
    )
    for path in found:
        if _is_whole(path):
            return path
        if leads():
            shutil.rmtree(path, ignore_errors=True)
    return None


def _is_whole(checkpoint: Path) -> bool:
    """Whether the last file of the checkpoint is readable."""
    try:
        msgspec.json.decode((checkpoint / STATE).read_bytes())
    except (OSError, msgspec.DecodeError):
        return False
    return True


def load_weights(encoder: Any, checkpoint: Path) -> None:
    """Loads the weights of a checkpoint into the encoder."""
    from safetensors.torch import load_file

    weights = load_file(str(checkpoint / "model.safetensors"))
    encoder.model.load_state_dict(
        {name.removeprefix("model."): value for name, value in weights.items()}
    )


def history(log: Sequence[dict[str, Any]]) -> list[ValidationScore]:
    """The measurements in the Trainer's log."""
    found = []
    since = []
    for line in log:
        if "loss" in line:
            since.append(line["loss"])
        if "eval_ndcg" in line:
            found.append(
                ValidationScore(
                    line["step"],
                    line["epoch"],
                    math.fsum(since) / len(since) if since else None,
                    line["eval_ndcg"],
                )
            )
            since = []
    return found


def is_over(log: Sequence[dict[str, Any]], patience: int) -> bool:
    """Whether this many measurements follow the best one. Based on the log, so that a
    restart does not count them twice.
    """
    figures = [line["eval_ndcg"] for line in log if "eval_ndcg" in line]
    return bool(figures) and len(figures) - 1 - figures.index(max(figures)) >= patience


class Stop:
    """Whether training must stop early."""

    def __init__(self, hours: float | None) -> None:
        self.asked = self.late = False
        self._until = time.monotonic() + hours * 3600 if hours is not None else None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """The first signal requests a checkpoint and a stop after the step; the second
        one stops immediately.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {}
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, self._ask)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ask(self, number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def is_late(self) -> bool:
        self.late = self.late or (
            self._until is not None and time.monotonic() > self._until
        )
        return self.late


class _TextBlocks:
    """The blocks of texts for training; at most this many per text, spread over it."""

    def __init__(self, encoder: Any, texts: Mapping[str, str], most: int) -> None:
        self._encoder, self._texts, self._most = encoder, texts, most
        self._cut: dict[str, list[array[int]]] = {}

    def __getitem__(self, name: str) -> list[array[int]]:
        if name not in self._cut:
            every = self._encoder.blocks(self._texts[name])
            count, most = len(every), self._most
            if count > most:
                every = [every[at * count // most] for at in range(most)]
            self._cut[name] = [array("i", block) for block in every]
        return self._cut[name]


def _losses(encoder: Any, examples: Examples, options: TrainingOptions) -> Any:
    """The trained module: pairs in, their loss out."""
    import torch

    data = examples.data
    query_blocks = _TextBlocks(encoder, data.queries, options.blocks)
    document_blocks = _TextBlocks(encoder, data.documents, options.blocks)

    class Losses(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = encoder.model

        def forward(
            self, query: list[str], document: list[str], level: Any
        ) -> dict[str, object]:
            queries = [query_blocks[name] for name in query]
            documents = [document_blocks[name] for name in document]
            places = range(len(query))
            if options.loss == "cosent":
                pairs = [(at, at) for at in places]
                scores = losses.nearest(encoder, queries, documents, pairs)
                return {"loss": losses.cosent(scores, level)}
            pairs = [(place, other) for place in places for other in places]
            scores = losses.nearest(encoder, queries, documents, pairs)
            scores = scores.view(len(query), len(query))
            near = [
                [
                    one != other and _is_near(examples, name, document[other])
                    for other in places
                ]
                for one, name in enumerate(query)
            ]
            known = torch.tensor(near, device=scores.device)
            return {"loss": losses.contrastive(scores, known)}

    return Losses()


def _is_near(examples: Examples, query: str, document: str) -> bool:
    """Whether a document is not a negative of a query: it is the query itself, or
    relevant to it.
    """
    return document == query or document in examples.near[query]


def _shared(values: Sequence[float], device: Any) -> list[float]:
    """The maximum of each value over all processes, so that they decide alike."""
    import torch

    found = torch.tensor(values, dtype=torch.float64, device=device)
    torch.distributed.all_reduce(found, op=torch.distributed.ReduceOp.MAX)
    shared: list[float] = found.tolist()
    return shared


def _collated(pairs: Sequence[PairLevel]) -> dict[str, object]:
    import torch

    levels = torch.tensor([float(pair.level) for pair in pairs])
    return {
        "query": [pair.query for pair in pairs],
        "document": [pair.document for pair in pairs],
        "level": levels,
    }


def _progress(patience: int, stop: Stop, faces: Faces) -> Any:
    """Callbacks of transformers during training."""
    import transformers

    class ProgressCallback(transformers.TrainerCallback):  # type: ignore[misc]
        """Reports progress, and stops training on request."""

        def __init__(self) -> None:
            self.began, self.first = time.monotonic(), -1
            self.loss: float | None = None
            self.ndcg: float | None = None

        def on_train_begin(
            self, args: Any, state: Any, control: Any, **kwargs: Any
        ) -> None:
            self.began, self.first = time.monotonic(), state.global_step
            self.tell(state)

        def on_step_end(
            self, args: Any, state: Any, control: Any, **kwargs: Any
        ) -> None:
            stop.late = stop.is_late()
            # all stop after the same step, or the others would wait forever
            if _world() > 1:
                shared = _shared([stop.asked, stop.late], args.device)
                stop.asked, stop.late = map(bool, shared)
            if stop.asked or stop.late:
                control.should_save = control.should_training_stop = True
                control.should_evaluate = control.should_evaluate or not stop.asked
            self.on_evaluate(args, state, control)

        def on_evaluate(
            self, args: Any, state: Any, control: Any, **kwargs: Any
        ) -> None:
            if is_over(state.log_history, patience):
                control.should_training_stop = True

        def on_log(
            self,
            args: Any,
            state: Any,
            control: Any,
            logs: dict[str, float] | None = None,
            **kwargs: Any,
        ) -> None:
            self.loss = (logs or {}).get("loss", self.loss)
            self.ndcg = (logs or {}).get("eval_ndcg", self.ndcg)
            self.tell(state)

        def tell(self, state: Any) -> None:
            done, left = state.global_step - self.first, None
            if done:
                step = (time.monotonic() - self.began) / done
                left = step * (state.max_steps - state.global_step)
            faces.trained(_training_step(state, self.loss, self.ndcg, left))

    return ProgressCallback()


def _training_step(
    state: Any, loss: float | None, ndcg: float | None, left: float | None
) -> TrainingStep:
    """The progress of training. `left`: seconds."""
    figures = [one for one in (state.best_metric, ndcg) if one is not None]
    best = max(figures, default=None)
    return TrainingStep(state.global_step, state.max_steps, loss, ndcg, best, left)


def _trainer(
    model: Any,
    wanted: Any,
    encoder: Any,
    examples: Examples,
    options: TrainingOptions,
    stop: Stop,
    faces: Faces,
) -> Any:
    import transformers

    class Trainer(transformers.Trainer):  # type: ignore[misc]
        """Evaluates by ranking the validation set."""

        control: Any

        def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
            figures = measuring.figures(encoder, examples, faces.measured)
            figure = measuring.mean(figures)
            if _world() > 1:
                (figure,) = _shared([figure], self.args.device)
            metrics = {"eval_ndcg": figure}
            self.log(metrics)
            self.control = self.callback_handler.on_evaluate(
                self.args, self.state, self.control, metrics
            )
            return metrics

    pairs = list(examples.pairs)
    random.Random(options.seed).shuffle(pairs)  # noqa: S311
    trainer = Trainer(
        model=model,
        args=wanted,
        train_dataset=pairs,
        eval_dataset=pairs[:1],
        data_collator=_collated,
        callbacks=[_progress(options.patience, stop, faces)],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer

"""The options of training."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

NEW = "new"
"""In place of an initial encoder: random weights."""
HEAD = 32
"""Width of an attention head with random weights."""
RATE, RATE_NEW = 2e-5, 5e-4
"""Default learning rates, for pretrained and for random weights."""

Loss = Literal["cosent", "contrastive"]
Pool = Literal["auto", "judged", "all"]
BlockVector = Literal["mean", "cls"]


class TrainingOptions(msgspec.Struct, kw_only=True, frozen=True):
    """The options of `train encoder` that change the weights, by their command-line
    names.
    """

    data: Path
    sets: tuple[str, ...] = ("train",)
    validation: str = "validation"
    start: str
    """`new`, a folder, or a name on the hub."""
    loss: Loss = "cosent"
    relevant: int = 1
    """Contrastive: the lowest level of a relevant pair."""
    pool: Pool = "auto"
    """Documents ranked for a validation query: those with a level, or all. auto: all if
    no query has two different levels.
    """
    chunk: int | None = None
    """Tokens per block. None: the encoder's value; 256 for a new one."""
    stride: int | None = None
    """0: one block per text, the rest is cut off. None: the encoder's value; 128 for a
    new one.
    """
    blocks: int = 8
    """Maximum number of blocks of a text in a training step, spread evenly over the
    text. Validation uses all blocks.
    """
    vector: BlockVector | None = None
    """The vector of a block: the mean of its tokens, or its first token. None: as the
    model defines it.
    """
    layers: int = 2
    width: int = 128
    """For random weights only, like `layers`."""
    epochs: int = 3
    batch: int = 16
    """Pairs per step, on each device."""
    rate: float = RATE
    warmup: float = 0.1
    """Share of the steps with a rising learning rate."""
    patience: int = 3
    """Number of measurements without improvement before training stops."""
    every: int = 0
    """Steps between measurements, each with a checkpoint. 0: one epoch."""
    seed: int = 0

    def told(self) -> dict[str, Any]:
        """The options as JSON, without data and start, which are compared by digest."""
        found = msgspec.structs.asdict(self)
        return {
            **{
                name: value
                for name, value in found.items()
                if name not in ("data", "start")
            },
            "sets": list(self.sets),
        }

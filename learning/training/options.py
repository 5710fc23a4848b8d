"""What shapes an encoder that is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

NEW = "new"
"""In place of an encoder to begin with: random weights."""
HEAD = 32
"""Width of an attention head of random weights."""
RATE, RATE_NEW = 2e-5, 5e-4
"""The learning rate for weights that were trained before, and for random ones."""

Loss = Literal["cosent", "contrastive"]
Pool = Literal["auto", "judged", "all"]
BlockVector = Literal["mean", "cls"]


class TrainingOptions(msgspec.Struct, kw_only=True, frozen=True):
    """The options of `train encoder` that change the weights.

    Their names are those of the command line.
    """

    data: Path
    sets: tuple[str, ...] = ("train",)
    validation: str = "validation"
    start: str
    """`new`, a folder, or a name of the hub."""
    loss: Loss = "cosent"
    relevant: int = 1
    """Contrastive: the lowest level of a pair that counts as near."""
    pool: Pool = "auto"
    """Which documents are ranked for a query of the validation: those with a level, or
    all. auto: all, if no query has two levels.
    """
    chunk: int | None = None
    """Tokens of a block. None: as the encoder has it, and 256 for a new one."""
    stride: int | None = None
    """0: one block a text, the rest of it is cut off.

    None: as the encoder has it, and 128 for a new one.
    """
    blocks: int = 8
    """Most blocks of a text in a step of training, spread evenly over it.

    Measuring takes all of them.
    """
    vector: BlockVector | None = None
    """The vector of a block: the mean of its tokens', or that of its first token.

    None: as the model has it.
    """
    layers: int = 2
    width: int = 128
    """Only for random weights, as `layers`."""
    epochs: int = 3
    batch: int = 16
    """Pairs of a step, on each device."""
    rate: float = RATE
    warmup: float = 0.1
    """Share of all steps in which the rate rises from 0."""
    patience: int = 3
    """Measurements without a better figure after which training ends."""
    every: int = 0
    """Steps between two measurements, each with a checkpoint. 0: an epoch's."""
    seed: int = 0

    def told(self) -> dict[str, Any]:
        """As JSON holds them.

        Data and start are left out: what counts of them is their digests.
        """
        found = msgspec.structs.asdict(self)
        return {
            **{
                name: value
                for name, value in found.items()
                if name not in ("data", "start")
            },
            "sets": list(self.sets),
        }

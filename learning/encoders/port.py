"""What an encoder does, whoever has made it, and what is computed of its vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = "NDArray[Any]"
    """Blocks × size, float32. Each row is the vector of a block, of length 1."""
    Vector: TypeAlias = "NDArray[Any]"
    """Size, float32, of length 1."""

Progress = Callable[[int, int], None]
"""Takes blocks that are done, and all."""


def score(query: Matrix, document: Matrix) -> float:
    """The largest dot product of a block of the one and a block of the other, -1 to 1:
    the two passages that are nearest.

    Blocks and their maximum: BERT-PLI (Shao et al. 2020), whose interaction of
    paragraphs is here that of their vectors.
    """
    return float((query @ document.T).max())


def whole(blocks: Matrix) -> Vector:
    """One vector of length 1 for all blocks of a text: the direction of their mean.

    Zeros if they cancel out.
    """
    import numpy as np

    mean: Vector = blocks.mean(axis=0)
    length = float(np.linalg.norm(mean))
    if length > 0:
        return np.divide(mean, length)
    return mean

"""The interface of an encoder, and what is computed from its vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = "NDArray[Any]"
    """Shape (blocks, size), float32. Each row is the vector of a block, of length 1."""
    Vector: TypeAlias = "NDArray[Any]"
    """Shape (size,), float32, of length 1."""

Progress = Callable[[int, int], None]
"""Called with the number of finished blocks and of all blocks."""


def score(query: Matrix, document: Matrix) -> float:
    """The largest dot product of a block of one text and a block of the other, from -1
    to 1: the two nearest passages.

    Blocks and their maximum follow BERT-PLI (Shao et al. 2020), with dot products of
    vectors in place of its paragraph interaction.
    """
    return float((query @ document.T).max())


def whole(blocks: Matrix) -> Vector:
    """One vector of length 1 for all blocks of a text: their normalized mean. Zeros if
    they cancel out.
    """
    import numpy as np

    mean: Vector = blocks.mean(axis=0)
    length = float(np.linalg.norm(mean))
    if length > 0:
        return np.divide(mean, length)
    return mean

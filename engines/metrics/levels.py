"""The four levels of relevance and the two bits they are made of: level = 1 x material
+ 2 x legal.
"""

from __future__ import annotations

from typing import Literal

LEVELS = (0, 1, 2, 3)

Bit = Literal["material", "legal"]


def bit(level: int, kind: Bit) -> int:
    """1 if a level says that the material facts (1, 3) or the legal facts (2, 3) are
    relevant, else 0.
    """
    if kind == "material":
        return level & 1
    return level >> 1

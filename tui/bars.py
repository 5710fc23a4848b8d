"""Shapes for figures from 0 to 1, readable without colour: bars and single signs."""

from __future__ import annotations

from collections.abc import Sequence

STEPS = "▁▂▃▄▅▆▇"


def _share(value: float) -> float:
    if value == value:
        return min(max(value, 0.0), 1.0)
    return 0.0


def bar(value: float, cells: int) -> tuple[str, str]:
    """Returns the filled and the empty part of a bar.

    Only 0 has no filled cell, only 1 no empty one.
    """
    share = _share(value)
    full = round(share * cells)
    if 0 < share < 1:
        full = min(max(full, 1), cells - 1)
    return "▇" * full, "▁" * (cells - full)


def trend(values: Sequence[float | None]) -> str:
    """Returns one sign for each figure, as high as the figure."""
    return "".join(
        "?" if value is None else STEPS[round(_share(value) * (len(STEPS) - 1))]
        for value in values
    )

"""A confusion matrix as text: digits with shades, so that it reads without colour."""

from __future__ import annotations

from collections.abc import Sequence

SHADES = " ░▒▓█"


def heatmap(table: Sequence[Sequence[int]], heading: str) -> list[str]:
    """Lines of text under a heading: the first rater's levels downwards, the second's
    across. The fullest cell is the darkest.

    Only 0 is blank.
    """
    most = max(max(row) for row in table)
    width = max(len(str(most)), 3)
    edge = max(len(str(len(table) - 1)), 2)
    lines = [
        heading,
        " " * edge + "".join(f"  {j:>{width + 3}}" for j in range(len(table[0]))),
    ]
    for i, row in enumerate(table):
        cells = "".join(f"  {shade(count, most) * 2} {count:>{width}}" for count in row)
        lines.append(f"{i:>{edge}}{cells}")
    return lines


def shade(count: int, most: int) -> str:
    """One of five shades; blank for 0 alone."""
    return SHADES[step(count, most)]


def step(count: int, most: int) -> int:
    """Darkness of a cell relative to the largest count, 0 to 4; 0 only for 0."""
    if count:
        return 1 + min(3, 4 * count // (most + 1))
    return 0

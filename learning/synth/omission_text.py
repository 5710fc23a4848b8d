"""What a data set leaves out, and why."""

from __future__ import annotations

from collections.abc import Mapping


def reasons(left_out: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str, int]]:
    """Table of what is left out, the largest number first: object, reason, number."""
    rows = [
        (table, why, many)
        for table, found in left_out.items()
        for why, many in found.items()
    ]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))

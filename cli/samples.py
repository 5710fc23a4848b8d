"""Samples of this many items, or with the same number of pairs at each level.

How `--sample` is read, and the lines that tell the user what was taken.
"""

from __future__ import annotations

import re

from ..sessions.clean import clean
from ..sessions.errors import bad_input
from ..texts import t


def per_level(text: str) -> int:
    """`100/level` as the number of pairs of every level. Raises: BadInput."""
    found = re.fullmatch(r"(\d{1,9})/level", text, re.ASCII)
    if found is None or int(found[1]) == 0:
        raise bad_input("wrong.labels.sample", text=clean(text, newlines=False)[:40])
    return int(found[1])


def so_many(text: str) -> int:
    """`50` as a number of items. Raises: BadInput."""
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) is None or int(text) == 0:
        raise bad_input(
            "wrong.labels.sample_items", text=clean(text, newlines=False)[:40]
        )
    return int(text)


def per_verdict(text: str) -> int | None:
    """`65/verdict` as the number of answers of every verdict; None for another form."""
    found = re.fullmatch(r"(\d{1,9})/verdict", text, re.ASCII)
    return int(found[1]) or None if found is not None else None


def sample_told(by: str, counts: dict[int, int], most: int, left: int) -> str:
    """One line about a sample."""
    levels = ", ".join(
        f"{level}: {min(count, most)}" for level, count in counts.items()
    )
    few = [str(level) for level, count in counts.items() if count < most]
    told = t("report.said.sample", levels=levels, order=t(f"report.said.by_{by}"))
    told += t("report.said.sample_few", levels=", ".join(few), most=most) if few else ""
    return told + (t("report.said.sample_left", left=left) if left else "")

"""How the command line shows runs: a table of all, and a line on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..sessions.clean import clean
from ..texts import t
from ..texts.columns import cells, pad
from .progress import span

if TYPE_CHECKING:
    from ..engines.batches.runs import RunNow

HEADS = ("name", "what", "state", "done", "cost", "speed", "left", "pid", "folder")
RIGHT = ("done", "cost", "speed", "left", "pid")
SPARED = ("what", "speed", "left", "cost")
"""Columns that are left out first."""
WIDEST_NAME = 24


def table(found: Sequence[RunNow], width: int | None = None) -> list[str]:
    """A line for each run under a line of headings, in columns as wide as they must be.

    `width`: the cells of a line; where they are too few, the columns that can be spared
    are left out.
    """
    rows = [[t(f"report.runs.head_{name}") for name in HEADS], *map(_row, found)]
    widths = {
        name: max(cells(row[place]) for row in rows) for place, name in enumerate(HEADS)
    }
    for name in SPARED:
        if width is not None and sum(widths.values()) + 2 * (len(widths) - 1) > width:
            del widths[name]
    return [
        "  ".join(
            _cell(name, text, widths[name])
            for name, text in zip(HEADS, row, strict=True)
            if name in widths
        ).rstrip()
        for row in rows
    ]


def _cell(name: str, text: str, width: int) -> str:
    if name in RIGHT:
        return " " * (width - cells(text)) + text
    return pad(text, width)


def _row(now: RunNow) -> list[str]:
    counts, began, speed, left = (
        now.counts(),
        now.head.began,
        now.per_minute(),
        now.left(),
    )
    failed = f" !{counts['failed']}" if counts["failed"] else ""
    where = (
        ""
        if began is None
        else str(began.pid)
        if now.alive
        else began.host
        if now.state == "elsewhere"
        else ""
    )
    name = clean(now.folder.name, newlines=False)
    return [
        name if cells(name) <= WIDEST_NAME else name[: WIDEST_NAME // 2 - 1] + "…",
        t("report.runs.study")
        if now.kind == "study"
        else clean(now.what, newlines=False),
        state(now),
        f"{counts['done'] + counts['failed']}/{sum(counts.values())}{failed}"
        if now.kind is not None
        else "",
        now.cost_in_words() if now.kind is not None else "",
        t("report.runs.speed", n=f"{speed:.3g}")
        if speed is not None and now.alive
        else "",
        span(left) if left is not None else "",
        clean(where, newlines=False),
        clean(_short(now.folder), newlines=False),
    ]


def line(now: RunNow) -> str:
    """How far a run is, in a line."""
    counts, spent, left, outside = (
        now.counts(),
        now.spent(),
        now.left(),
        now.head.outside,
    )
    parts = [
        f"{state(now)} {counts['done'] + counts['failed']}/{sum(counts.values())}",
        t("batch.progress_done", n=counts["done"]),
        t("batch.progress_failed", n=counts["failed"]),
        *(
            [t("batch.progress_tokens", n=f"{spent.tokens:,}")]
            if spent.tokens is not None
            else []
        ),
        spent.cost_in_words(lambda dollars: f"${dollars:.2f}", roles=False),
        *(
            [t("batch.progress_left", span=span(left))]
            if left is not None and outside is None
            else []
        ),
        *([outside.in_words()] if outside is not None else []),
    ]
    return t("batch.progress_comma").join(parts)


def state(now: RunNow) -> str:
    if now.kind is not None:
        return t(f"follow.{now.state}")
    return t("report.runs.gone")


def _short(folder: Path) -> str:
    """The path, with `~` for the user's own folder."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder)

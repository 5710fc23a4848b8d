"""What the list of runs says: a row for each run, and a few lines about the one under
the cursor.
"""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len
from textual.content import Content

from ...engines.batches.runs import RunNow
from ...texts import t
from ...texts.amounts import money
from ..showing import clean_line
from ..title_columns import fit
from ..widgets.long_list import Row
from .batch_lines import span

STYLES = {
    "running": "live",
    "paused": "doubtful",
    "none": "doubtful",
    "failed": "bad",
    "done": "good",
}
WIDE = 100
"""Cells from which all columns have room."""


def head(width: int) -> Content:
    names = ("state", "name", "what", "done", "cost", "speed", "left")
    return Content(
        "".join(
            text
            for text, _ in _columns(
                [(t(f"machine.head_{name}"), "") for name in names], width
            )
        )
    )


def row(run: RunNow, width: int) -> Row:
    """A run as a row."""
    counts, speed, left = run.counts(), run.per_minute(), run.left()
    there, state = run.kind is not None, run.state
    failed = f" !{counts['failed']}" if counts["failed"] else ""
    cells = [
        (
            t(f"follow.{state}") if there else t("machine.gone_state"),
            STYLES.get(state, "quiet") if there else "quiet",
        ),
        (clean_line(run.folder.name), ""),
        (
            clean_line(run.what) if run.kind != "study" else t("library.kind_study"),
            "quiet",
        ),
        (
            f"{counts['done'] + counts['failed']}/{sum(counts.values())}{failed}"
            if there
            else "",
            "bad" if failed else "",
        ),
        (run.cost_in_words() if there else "", "quiet"),
        (
            t("machine.speed", n=f"{speed:.3g}")
            if speed is not None and run.alive
            else "",
            "quiet",
        ),
        (span(left) if left is not None else "", "quiet"),
    ]
    return _columns(cells, width)


def _columns(cells: list[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Each cell as wide as its column; numbers at the right.

    Where there is little room, kind and speed are left out.
    """
    sizes = (
        [
            18,
            0,
            18,
            14,
            11,
            10,
            13,
        ]
        if width >= WIDE
        else [17, 0, 0, 13, 9, 0, 12]
    )
    sizes[1] = max(width - sum(sizes), 8)
    made = []
    for place, ((text, style), size) in enumerate(
        zip(
            cells,
            sizes,
            strict=True,
        )
    ):
        if size:
            words = fit(text, size - 1)
            made.append(
                (
                    " " * max(size - 1 - cell_len(words.rstrip()), 0)
                    + words.rstrip()
                    + " "
                    if place > 2
                    else words + " ",
                    style,
                )
            )
    return made


def detail(run: RunNow, width: int, now: float) -> Content:
    """Where a run is, who works on it, and with which command it continues."""
    began = run.head.began
    first = clean_line(str(run.folder))
    if run.kind is None:
        second = t("machine.gone")
    elif run.state == "elsewhere" and began is not None:
        ago = span(max(now - run.head.last, 0.0))
        second = t("follow.elsewhere_why", host=clean_line(began.host), ago=ago)
    elif run.alive and began is not None:
        parts = [
            t("machine.process", pid=began.pid),
            t("follow.worked", span=span(run.head.worked(now))),
        ]
        parts += [t("follow.at_a_time", n=run.concurrency)]
        parts += (
            [t("machine.budget", n=money(run.budget_usd))]
            if run.budget_usd is not None
            else []
        )
        parts += (
            [t("machine.budget", n=t("follow.tokens", n=f"{run.budget_tokens:,}"))]
            if run.budget_tokens is not None
            else []
        )
        second = " · ".join(parts)
    else:
        second = ""
    command = (
        clean_line(began.command) if began is not None and run.kind is not None else ""
    )
    lines = [
        (_from_behind(first, width), "$foreground"),
        *[(fit(one, width).rstrip(), "") for one in (second, command) if one],
    ]
    return Content.assemble(
        *(
            (f"{text}\n" if number < len(lines) else text, style)
            for number, (text, style) in enumerate(lines, 1)
        )
    )


def _from_behind(path: str, width: int) -> str:
    """A path of which the end is seen where there is no room for all of it."""
    parts = Path(path).parts
    while cell_len(path) > width and len(parts) > 1:
        parts = parts[1:]
        path = "…/" + "/".join(parts)
    return fit(path, width).rstrip()

"""What the screen of a batch says: the bar, costs, filters, and a row for each line."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from ...engines.batches.batch_snapshot import BatchSnapshot, LineState, report_of
from ...engines.batches.run_journal import RunStart
from ...texts import t
from ...texts.amounts import money
from ..title_columns import cause, fit
from ..widgets.long_list import Row
from .library_rows import filter_line

FILTERS = ("all", "failed", "running", "done", "left")
BAR = 10
"""Cells of the narrowest bar."""
STYLES = {
    "failed": "bad",
    "running": "live",
    "done": "good",
    "stopped": "doubtful",
    "waiting": "quiet",
}
MARKS = (
    ("done", "#", "$text-success"),
    ("failed", "!", "$text-error"),
    ("running", ">", "$text-primary"),
    ("left", ".", "$quiet"),
)
COLORS = {"running": "$text-primary", "done": "$text-success"}


def bar(following: BatchSnapshot, width: int, now: float) -> Content:
    """How far the batch is, as a bar and in words; as much of them as there is room
    for.
    """
    counts = following.counts()
    of, ended = sum(counts.values()), counts["done"] + counts["failed"]
    state = following.state
    words = [t("follow.comparing")] if following.comparing else []
    if state == "paused" and not following.rests:
        words.append(t("follow.finishing"))
    left = following.left()
    if following.outside is not None:
        words.append(following.outside.in_words())
    elif left is not None:
        words.append(t("follow.left_about", span=span(left)))
    worked = (
        [t("follow.worked", span=span(following.worked(now)))]
        if following.began is not None
        else []
    )
    share = (
        f"{t('follow.ended', n=f'{ended:,}', total=f'{of:,}')}  "
        f"{ended / of if of else 0:.0%}"
    )
    label = t(f"follow.{state}")
    told = next(
        (
            " · ".join(some)
            for some in ([*worked, *words], words)
            if cell_len(f"{share}{label}{' · '.join(some)}") <= width - BAR - 6
        ),
        "",
    )
    room = max(width - cell_len(share + label + told) - 6, BAR)
    pieces: list[tuple[str, str] | str] = []
    cells = _shares(counts, room)
    pieces += [(mark * cells[name], style) for name, mark, style in MARKS]
    style = COLORS.get(state, "$text-warning")
    return Content.assemble(
        "[",
        *pieces,
        "] ",
        share,
        "  ",
        (label, f"bold {style}"),
        (f" {told}" if told else "", "$quiet"),
    )


def filters(counts: dict[str, int], chosen: str, width: int) -> Content:
    """The filters with their keys, and how many lines each has."""
    styles = {name: style for name, _, style in MARKS}
    of = {**counts, "all": sum(counts.values())}
    named = [
        (
            f"{t(f'follow.filter_{name}')} {of[name]:,}",
            name == chosen,
            styles.get(name, "") if of[name] else "$quiet",
        )
        for name in FILTERS
    ]
    return filter_line(named, width)


def spent(following: BatchSnapshot, width: int) -> Content:
    """What the batch has cost, of which budget; where there is room, roles without a
    price and how much input was cached.
    """
    totals = following.spent()
    costs = [
        totals.cost_in_words(lambda dollars: f"${dollars:,.2f}", roles=roles)
        for roles in (True, False)
    ]
    parts: list[str] = []
    if totals.tokens is None:
        parts.append(t("follow.tokens_unknown"))
    elif following.budget_tokens is None:
        parts.append(t("follow.tokens", n=f"{totals.tokens:,}"))
    else:
        parts.append(
            t(
                "follow.tokens_of",
                n=f"{totals.tokens:,}",
                total=f"{following.budget_tokens:,}",
            )
        )
    if following.alive:
        parts.append(t("follow.at_a_time", n=following.concurrency))
    if following.began is not None and following.began.empty:
        parts.append(t("follow.empty_lines", n=following.began.empty))
    cached = (
        []
        if totals.cached_share is None
        else [t("follow.cached", share=f"{totals.cached_share:.0%}")]
    )
    ways = [
        " · ".join([_cost(each, following.budget_usd), *more])
        for each in costs
        for more in ([*parts, *cached], parts)
    ]
    return Content(
        fit(
            next((way for way in ways if cell_len(way) <= width), ways[-1]),
            max(width, 10),
        )
    )


def _cost(cost: str, limit: float | None) -> str:
    if limit is None:
        return t("follow.cost", cost=cost)
    return t("follow.cost_of", cost=cost, total=money(limit))


def row(line: LineState, width: int, layout: LineLayout) -> Row:
    """A line of the batch as a row."""
    status, name, title, words, tokens = _columns(
        (
            t(f"follow.status_{line.status}") if line.status in STYLES else "",
            line.id,
            line.title,
            said(line),
            _tokens(line),
        ),
        width,
        layout,
    )
    style = STYLES.get(line.status, "quiet")
    return [
        (status, style),
        (name, "quiet"),
        (title, ""),
        (words, "bad" if line.status == "failed" else ""),
        (tokens, "quiet"),
    ]


def span(seconds: float) -> str:
    """A time in its largest unit or two."""
    whole = round(seconds)
    if whole < 60:
        return t("follow.seconds", n=whole)
    if whole < 3600:
        return t("follow.minutes", n=whole // 60)
    return t("follow.hours", hours=whole // 3600, minutes=whole % 3600 // 60)


def _shares(counts: dict[str, int], room: int) -> dict[str, int]:
    """How many of `room` cells each count has: at least one where there is anything,
    and all together fill them.
    """
    of = sum(counts.values()) or 1
    cells = {
        name: max(room * count // of, min(count, 1)) for name, count in counts.items()
    }
    widest = max(cells, key=lambda name: (cells[name], name == "left"))
    cells[widest] += room - sum(cells.values())
    return cells


def filed(line: LineState) -> str:
    if line.status in FILTERS:
        return line.status
    return "left"


def said(line: LineState) -> str:
    """The result of a line; its error where it failed."""
    return (line.error if line.status == "failed" else line.result) or ""


def _tokens(line: LineState) -> str:
    tokens = line.spent.tokens
    if tokens is None:
        return "?"
    if tokens or line.events:
        return f"{tokens:,}"
    return ""


class LineLayout(NamedTuple):
    """What the columns of a batch have to hold, whichever of its lines are shown."""

    name: int = 0
    """Cells of the longest id."""
    title: int = 0
    """Cells of the longest title; 0: no line has one."""

    @classmethod
    def of(cls, lines: Collection[LineState]) -> LineLayout:
        name = max((line.id for line in lines), key=len, default="")
        title = max((line.title or "" for line in lines), key=len, default="")
        return cls(cell_len(name), cell_len(title))


def _columns(
    cells: tuple[str, str, str, str, str], width: int, layout: LineLayout
) -> tuple[str, str, str, str, str]:
    """Each cell as wide as its column, with a gap behind it.

    An id has the room it needs, up to a third; without titles, up to a half. A title
    has what it needs, up to a half of the rest.
    """
    state, tokens = 9, 9 if width >= 92 else 8
    rest = width - state - tokens
    name = max(min(layout.name + 1, rest // (3 if layout.title else 2)), 3)
    rest = max(rest - name, 8)
    title = min(layout.title + 1, rest // 2) if layout.title else 0
    sizes = (state, name, title, rest - title)
    cells = (*cells[:3], cause(cells[3], rest - title - 1), cells[4])
    fitted = [
        fit(cell, size - 1) + " " if size else ""
        for cell, size in zip(cells, sizes, strict=False)
    ]
    number = cells[4]
    return (
        fitted[0],
        fitted[1],
        fitted[2],
        fitted[3],
        " " * max(tokens - cell_len(number), 0)
        + fit(number, min(cell_len(number), tokens)),
    )


def head(width: int, layout: LineLayout) -> Content:
    names = (
        t("follow.head_state"),
        t("follow.head_id"),
        t("follow.head_title"),
        t("follow.head_said"),
        t("follow.head_tokens"),
    )
    return Content("".join(_columns(names, width, layout)))


def figures(folder: Path, began: RunStart | None, width: int = 80) -> str:
    """Returns the totals and figures of a report in words; "" where there is none that
    can be read.
    """
    from ...engines.batches.results import document_of
    from ...engines.judges.labelled import add_judges
    from ...engines.method import method, verdicts_of
    from ...engines.reports.batch import read_report
    from ...engines.reports.text import as_text

    found = report_of(folder)
    if not found or began is None:
        return ""
    try:
        kind = method(began.method).batches[began.kind]
        report = read_report(found)
        add_judges(report, kind, folder, verdicts_of)
        return as_text(document_of(report, kind, ""), width)
    except Exception:  # a report of another version, or one that was edited
        return ""

"""The rounds of a debate as lines on screen: a table where there is room for one, else
some short lines for each round. No widget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from rich.cells import cell_len
from textual.content import Content

from ....engines.debate.rounds import Round, Ruling, SeatAnswer
from ....sessions.events.debate import Disagreement
from ....texts import t
from ... import wording
from ...bars import bar
from ...showing import clean_line
from ...title_columns import fit

Parts = list["str | Content | tuple[str, str]"]

LEAST = 8
"""Cells that a seat's column of the table needs."""
CELL = 10
"""Cells of an answer among others in a line."""
ALL = 1_000_000
"""Lines enough for all rounds."""


class Rounds(msgspec.Struct, frozen=True):
    """The view of the rounds."""

    roles: tuple[str, ...]
    """Who debates."""
    rows: list[Round]
    """The newest rounds, in order."""
    measured: Disagreement
    of: int
    """Rounds that there may be."""


def colour(role: str) -> str:
    """The colour of a speaker's letter."""
    return f"$side-{wording.side_class(role).removeprefix('side-')}"


def letter(role: str) -> tuple[str, str]:
    """A speaker's letter in its colour."""
    return wording.letter(role), f"bold {colour(role)}"


def answered(stated: SeatAnswer | None, role: str, width: int) -> tuple[str, str]:
    """Format a seat's answer in `width` cells.

    `1.5`; `2 → 1.5` if it changed; `?` if it could not be read.
    """
    if stated is None:
        return " " * width, ""
    if stated.answer is None:
        return fit("?", width), "$warning"
    if stated.before is None:
        return fit(stated.answer, width), ""
    whole = f"{stated.before} → {stated.answer}"
    return fit(
        whole if cell_len(whole) <= width else f"→ {stated.answer}", width
    ), f"bold {colour(role)}"


def ruled(ruling: Ruling | None) -> Parts:
    """The judge's reply in a round, and the side it supports."""
    if ruling is None:
        return []
    look = {"goes_on": "$quiet", "unread": "$warning", "undecided": "$warning"}.get(
        ruling.ruled, "bold $side-judge"
    )
    parts: Parts = [(t(f"rounds.{ruling.ruled}"), look)]
    if ruling.ruled == "extracts" and ruling.side not in ("tie", None):
        parts += [" ", letter(ruling.side)]
    elif ruling.side == "tie":
        parts.append((" " + t("rounds.tie"), "$quiet"))
    elif ruling.side is not None:
        parts += [(f" {t('rounds.side')} ", "$quiet"), letter(ruling.side)]
    return parts


def measured(row: Round, mode: str, cells: int) -> Parts:
    """How far the debaters disagreed in a round, as a bar with its figure."""
    if not row.whole:
        return []
    if row.disagreement is None:
        return [
            (t("side.no_answer" if mode == "answer" else "side.no_rating"), "$warning")
        ]
    full, rest = bar(row.disagreement, cells)
    return [(full, "$primary"), (rest, "$quiet"), f" {row.disagreement:.2f}"]


def compact(shown: Rounds, width: int, lines: int) -> list[Content]:
    """A line for each round, and beneath it the answers of the newest ones, as far as
    `lines` reach.
    """
    if not shown.rows:
        return [Content.styled(" " + t("side.none_yet"), "$quiet")]
    across, grid = _grid(len(shown.roles), width)
    rows = shown.rows[-max(lines, 1) :]
    detailed = max(0, (lines - len(rows)) // grid)
    made: list[Content] = []
    for place, row in enumerate(rows):
        parts: Parts = [
            (f"{row.number:>2} ", "$quiet"),
            *measured(row, shown.measured.mode, 6),
        ]
        if row.whole and row.ruling is not None:
            parts.append("  ")
        made.append(Content.assemble(*parts, *ruled(row.ruling)))
        if place >= len(rows) - detailed:
            made += _answers(row, shown.roles, across, (width - 3) // across)
    return made


def _grid(seats: int, width: int) -> tuple[int, int]:
    """How many answers are in a line, and how many lines that makes."""
    most = max((width - 3) // CELL, 1)
    lines = -(-seats // most)
    return -(-seats // lines), lines


def lines_of(seats: int, width: int) -> int:
    """Total number of lines of a round in `compact`."""
    return 1 + _grid(seats, width)[1]


def _answers(row: Round, roles: Sequence[str], across: int, cell: int) -> list[Content]:
    made = []
    for first in range(0, len(roles), across):
        parts: Parts = ["   "]
        for role in roles[first : first + across]:
            parts += [
                letter(role),
                " ",
                answered(row.stated.get(role), role, max(cell - 3, 1)),
                " ",
            ]
        made.append(Content.assemble(*parts))
    return made


def spread(shown: Rounds, width: int) -> tuple[list[Content], dict[str, int]]:
    """All rounds, as a table where the width allows one; and the cells that each seat's
    answers have.
    """
    made = _table(shown, width) if shown.rows else None
    if made is not None:
        return made
    across = _grid(len(shown.roles), width)[0]
    return compact(shown, width, ALL), dict.fromkeys(
        shown.roles, (width - 3) // across - 3
    )


def _table(shown: Rounds, width: int) -> tuple[list[Content], dict[str, int]] | None:
    """A column for each seat; None where that is too much for the width."""
    rulings = [Content.assemble(*ruled(row.ruling)) for row in shown.rows]
    judge = max([1, *(ruling.cell_length for ruling in rulings)])
    bars = [
        Content.assemble(*measured(row, shown.measured.mode, 8)) for row in shown.rows
    ]
    last = max([0, *(one.cell_length for one in bars)])
    room = (width - 4 - judge - 2 - last) // len(shown.roles) - 2
    if room < LEAST:
        return None
    wide = {role: min(_natural(shown.rows, role), room) for role in shown.roles}
    head: Parts = ["    "]
    for role, cells in wide.items():
        head += [letter(role), " " * (cells + 1)]
    made = [Content.assemble(*head, letter("judge"))]
    for row, ruling, measure in zip(shown.rows, rulings, bars, strict=True):
        parts: Parts = [(f"{row.number:>2}  ", "$quiet")]
        for role, cells in wide.items():
            parts += [answered(row.stated.get(role), role, cells), "  "]
        made.append(
            Content.assemble(
                *parts, ruling, " " * (judge - ruling.cell_length + 2), measure
            )
        )
    return made, wide


def _natural(rows: Sequence[Round], role: str) -> int:
    """Cells that the answers of a seat would like."""
    found = [1]
    for row in rows:
        stated = row.stated.get(role)
        if stated is not None and stated.answer is not None:
            before = "" if stated.before is None else f"{stated.before} → "
            found.append(cell_len(clean_line(before + stated.answer)))
    return max(found)


def remarks(shown: Rounds, width: int) -> list[Content]:
    """Return notes on how the figures are measured and what they leave out.

    One or two lines.
    """
    if len(shown.roles) < 2:
        return []
    if shown.measured.mode == "none":
        why = t("side.not_measured", why=t("missing.observer"))
        return [
            Content.styled(f" {why}", "$quiet"),
            Content.styled(" " + t("side.seat_observer"), "$quiet"),
        ]
    if not shown.rows:
        return []
    told = t("rounds.disagreement", mode=t(f"mode.{shown.measured.mode}"))
    left_out = (
        "side.excluded" if shown.measured.mode == "answer" else "side.excluded_ratings"
    )
    lines = [told, t(f"rounds.scale_{shown.measured.mode}")]
    if shown.measured.excluded:
        lines.append(t(left_out, n=shown.measured.excluded))
    if cell_len(" · ".join(lines)) < width:
        lines = [" · ".join(lines)]
    return [Content.styled(" " + line, "$quiet") for line in lines]


def in_full(shown: Rounds, wide: Mapping[str, int]) -> list[Content]:
    """The answers that are cut, each where it was first given, whole.

    `wide`: the cells that each seat's answers have.
    """
    made: list[Content] = []
    for row in shown.rows:
        for role, stated in row.stated.items():
            new = row is shown.rows[0] or stated.before is not None
            mark = 0 if stated.before is None else 2
            if (
                stated.answer is not None
                and new
                and cell_len(clean_line(stated.answer)) + mark > wide.get(role, 0)
            ):
                made.append(
                    Content.assemble(
                        (f"{row.number:>2} ", "$quiet"),
                        letter(role),
                        "  ",
                        clean_line(stated.answer),
                    )
                )
    return made

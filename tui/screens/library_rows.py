"""How the library shows sessions: a table with the columns there is room for, and a few
lines about one session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from ...texts import t
from ...texts.amounts import money
from .. import lineage, wording
from ..showing import clean_line
from ..title_columns import Apart, fit
from ..widgets.long_list import Row

if TYPE_CHECKING:
    from ...sessions.summary import SessionSummary

TITLE, WIDE_TITLE = 26, 44
"""Cells that titles keep: on a narrow screen before a column is left out, on others
before that and before one is drawn wider.
"""

SAMPLE = 300
"""Number of sessions whose cells determine a column's width."""


class LibraryColumn(NamedTuple):
    """One column after the title. Its heading is the text `library.NAME`."""

    name: str
    size: int
    wide: int
    """Cells, where there is room to spare."""
    rank: int
    """The most useful has 0; the last to be left out."""
    cell: Callable[[SessionSummary, int], str]
    """What it says of a session, given its width."""
    needed: Callable[[SessionSummary], object] = lambda entry: True
    """Whether it has anything to say of a session."""


def kind(entry: SessionSummary, _width: int = 0) -> str:
    """Returns the name of an entry's workspace; one of a newer version as the file
    names it.
    """
    try:
        return t(f"library.kind_{entry.workspace}")
    except KeyError:
        return entry.workspace


def date(entry: SessionSummary, width: int) -> str:
    """Returns when a session was made, in the time of this machine."""
    try:
        moment = datetime.fromisoformat(entry.created).astimezone()
    except (ValueError, OverflowError):
        return entry.created
    return moment.strftime("%Y-%m-%d %H:%M" if width >= 16 else "%m-%d %H:%M")


def result(entry: SessionSummary, _width: int = 0) -> str:
    """Returns how a session came out, else how far it is."""
    if entry.result and not entry.broken:
        return entry.result
    return _status(entry)


def _status(entry: SessionSummary) -> str:
    if entry.run == "study":
        return ""
    if entry.broken:
        return t("library.broken")
    return t(
        "library.undecided" if entry.undecided else f"library.status_{entry.status}"
    )


def _side(entry: SessionSummary, _width: int = 0) -> str:
    side = entry.side or ""
    if side == "tie":
        return t("result.tie")
    return wording.role_name(side)


COLUMNS = (
    LibraryColumn("workspace", 7, 9, 3, kind),
    LibraryColumn("date", 11, 16, 1, date),
    LibraryColumn(
        "models",
        12,
        16,
        4,
        lambda entry, _: ", ".join(entry.models),
    ),
    LibraryColumn(
        "changed",
        16,
        22,
        2,
        lambda entry, _: lineage.short(entry.origin) if entry.origin else "",
        lambda entry: entry.origin,
    ),
    LibraryColumn(
        "parts",
        6,
        6,
        5,
        lambda entry, _: str(entry.parts or ""),
        lambda entry: entry.parts,
    ),
    LibraryColumn(
        "disagreement",
        7,
        7,
        6,
        lambda entry, _: (
            "" if entry.disagreement is None else f"{entry.disagreement:.2f}"
        ),
        lambda entry: entry.disagreement is not None,
    ),
    LibraryColumn("side", 8, 11, 7, _side, lambda entry: entry.side),
    LibraryColumn(
        "cost",
        8,
        9,
        8,
        lambda entry, _: "" if entry.broken else money(entry.cost),
        lambda entry: entry.cost,
    ),
    LibraryColumn("result", 12, 20, 0, result),
)


class LibraryTable:
    """The columns of a list of sessions.

    Those that have nothing to say of any session are left out; the others are as wide
    as what they say.
    """

    def __init__(self, entries: Sequence[SessionSummary], *, by_id: bool) -> None:
        """`entries`: all there are, whichever are shown; `by_id`: the file's name is
        before the title.
        """
        self._by_id = by_id
        sample = entries[:SAMPLE]
        self._columns = [
            _fitting(column, sample)
            for column in COLUMNS
            if any(map(column.needed, entries)) or column.needed is COLUMNS[0].needed
        ]
        self._apart = Apart(self._title(entry) for entry in entries)
        self._sizes: dict[int, dict[str, int]] = {}

    def head(self, width: int) -> Content:
        """Returns the line of headings."""
        sizes = self._fitted(width)
        cells = [
            fit(t(f"library.{column.name}"), sizes[column.name])
            for column in self._columns
            if column.name in sizes
        ]
        return Content(" ".join([fit("  " + t("library.name"), sizes[""]), *cells]))

    def line(self, entry: SessionSummary, mark: int, width: int) -> Row:
        """Returns the row of a session or a folder.

        `mark`: as which of two it is marked, from 1; 0: it is not.
        """
        sizes = self._fitted(width)
        before = (f"{mark} " if mark else "  ") + (
            "  " * (entry.depth - 1) + "- " if entry.depth else ""
        )
        name, room = self._title(entry), sizes[""] - len(before)
        if not self._by_id or cell_len(entry.file) > room:  # else told by its file
            name = self._apart.fit(name, room)
        title = fit(before + name, sizes[""])
        cells = {
            column.name: fit(column.cell(entry, sizes[column.name]), sizes[column.name])
            for column in self._columns
            if column.name in sizes
        }
        outcome = cells.pop("result")
        style = (
            "bad"
            if entry.broken or entry.status == "failed"
            else "doubtful"
            if entry.undecided
            else ""
        )
        return [
            (title, "live" if mark else ""),
            (f" {' '.join(cells.values())} ", "quiet"),
            (outcome, style),
        ]

    def _title(self, entry: SessionSummary) -> str:
        return clean_line(
            (
                f"{entry.file.rpartition('.')[0]}: "
                if self._by_id and not entry.run
                else ""
            )
            + entry.title,
        )

    def _fitted(self, width: int) -> dict[str, int]:
        """Returns the cells of each column that there is room for, by name; those of
        the title under an empty name.
        """
        if width not in self._sizes:
            title = WIDE_TITLE if width >= 92 else TITLE
            room = width - title
            sizes: dict[str, int] = {}
            ranked = sorted(self._columns, key=lambda each: each.rank)
            for column in ranked:
                if room < column.size + 1 and sizes:
                    break
                sizes[column.name] = column.size
                room -= column.size + 1
            room -= WIDE_TITLE - title
            for column in ranked:
                more = column.wide - column.size
                if column.name in sizes and 0 < more <= room:
                    sizes[column.name] += more
                    room -= more
            sizes[""] = max(width - sum(sizes.values()) - len(sizes), 10)
            self._sizes[width] = sizes
        return self._sizes[width]


def _fitting(column: LibraryColumn, sample: Sequence[SessionSummary]) -> LibraryColumn:
    """Returns a column no wider than its heading and what it says."""
    said = (cell_len(column.cell(entry, column.wide)) for entry in sample)
    most = max([cell_len(t(f"library.{column.name}")), *said])
    return column._replace(size=min(column.size, most), wide=min(column.wide, most))


def filters(counts: Mapping[str, int], chosen: str, width: int) -> Content:
    """Returns the line of filters, each with its key and how many sessions it holds."""
    named = [
        (f"{t(f'library.{name}')} {count}", name == chosen, "$quiet")
        for name, count in counts.items()
    ]
    return filter_line(named, width)


def filter_line(filters: Sequence[tuple[str, bool, str]], width: int) -> Content:
    """Returns filters with their keys, closer together where there is little room.

    Each is its text, whether it is chosen, and its style where it is not.
    """
    for space in (" ", ""):
        parts: list[tuple[str, str] | str] = []
        for number, (text, chosen, style) in enumerate(filters, 1):
            told = f"[{text}]" if chosen else f"{space}{text}{space}"
            bold = f"bold {style.removeprefix('$quiet')}" if chosen else style
            key = f"{number} ", "bold $footer-key-foreground"
            parts += [key, (told, bold), space * 2 or " "]
        line = Content.assemble(*parts).rstrip()
        if line.cell_length <= width:
            break
    return line.truncate(width, ellipsis=True)


def about(entry: SessionSummary, width: int, news: str = "") -> Content:
    """Returns three lines about a session: its title, or what has just been done about
    it; what is known of it; its file.
    """
    facts = [entry.broken] if entry.broken else _facts(entry)
    title, path = (
        fit(entry.title, width).rstrip(),
        clean_line(str(entry.path)),
    )
    first = (clean_line(news), "$text-warning") if news else (title, "bold $foreground")
    return Content.assemble(
        first, "\n", clean_line("  ".join(filter(None, facts))), "\n", path
    )


def _facts(entry: SessionSummary) -> list[str]:
    """What the columns say, with names where a figure alone says nothing."""
    facts = [kind(entry), lineage.short(entry.origin) if entry.origin else ""]
    if entry.disagreement is not None:
        facts.append(f"{t('setting.disagreement')} {entry.disagreement:.2f}")
    if entry.side:
        facts.append(f"{t('block.side')} {_side(entry)}")
    if entry.cost != 0:
        facts.append(f"{t('library.cost')} {money(entry.cost)}")
    events = [] if entry.run else [t("library.events", n=entry.events)]
    return [*facts, ", ".join(entry.models), *events, result(entry)]

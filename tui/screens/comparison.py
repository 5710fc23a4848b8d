"""Two runs compared, or an audit: each measure or probe with its verdict, and the items
that came out otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from ...sessions.errors import BadInput
from ...texts import t
from ..showing import clean, clean_line
from ..widgets.long_list import LongList, Row
from .compare import side_by_side
from .comparison_rows import ComparedRow, ComparedTable, Flip, ItemRows
from .place import Place, PlaceChoice
from .sheet import LazyLine
from .table_rows import TableRows

DETAILS = ("difference", "beyond", "verdict", "measure")
"""Columns whose details matter most."""


class ComparisonScreen(Place):
    """Where one folder is shown, its sessions are opened from here.

    The first of the two is the reference; differences are second − first.
    """

    DEFAULT_CSS = """
    ComparisonScreen {
        #sheet.tall { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
        #title { margin: 0; }
        #facts { height: auto; max-height: 6; color: $quiet; margin-bottom: 1; }
        #head { height: 1; color: $quiet; }
        #measures { height: auto; max-height: 40%; }
        #what { height: 1; margin-top: 1; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #facts, &.-low #what { margin: 0; }
        &.-low #facts { max-height: 3; }
        &.-low #measures { max-height: 8; }
        &.-setup #facts { max-height: 60%; }
        &.-low #detail { height: 2; margin: 0; }
        &.-low #hints { margin: 0; }
    }
    """
    CSS = "ComparisonScreen.sheet { background: $surface; }"  # it covers everything
    BINDINGS = [
        ("q", "leave"),
        ("1", "all_items(True)"),
        ("2", "all_items(False)"),
        Binding("tab,shift+tab", "other_list", priority=True),
        ("d", "side_by_side"),
        ("T", "setup"),
        ("o", "sessions"),
    ]
    ABOUT = "comparison_about"
    AUTO_FOCUS = "#measures"

    def __init__(
        self,
        title: str,
        reading: Callable[[], ComparedTable],
        measure: str = "",
        about: tuple[Path, ...] = (),
    ) -> None:
        """`reading` reads and compares the two, and raises BadInput where they cannot
        be.

        `measure`: whose items to begin with; `about`: the folders that are shown.
        """
        super().__init__()
        self._title = title
        self._reading = reading
        self._measure = measure
        self._about = about
        self._item = ""
        """The id of the item to be on."""
        self._found: ComparedTable | None = None
        self._rows: TableRows | None = None
        self._flips: list[Flip] = []
        self._items = ItemRows([], None)
        self._all = False
        """Whether all items are listed, not only those that came out otherwise."""

    @property
    def about(self) -> tuple[Path, ...]:
        return self._about

    def crumb(self) -> str:
        return self.heading()

    def again(self) -> ComparisonScreen:
        new = ComparisonScreen(self._title, self._reading, self._measure, self._about)
        new._found, new._all, new._item = self._found, self._all, self._item
        return new

    # Layout

    def heading(self) -> str:
        return clean_line(self._title)

    def body(self) -> ComposeResult:
        yield Static(Content(t("compared.reading")), id="facts", markup=False)
        yield Static(LazyLine(self._head), id="head")
        yield LongList(self._measure_row, id="measures")
        yield Static(id="what", markup=False)
        yield LongList(self._item_row, id="items")
        yield Static(id="detail", markup=False)

    def keys(self) -> dict[str, str]:
        alone = self._folder is not None
        return {
            "j k": t("help.move"),
            "tab": t("compared.other_list"),
            "enter": t("audit.open" if alone else "compared.open"),
            **({"d": t("audit.both")} if alone else {}),
            "1": t("compared.all_items"),
            "2": t("compared.only_flips"),
            "T": t("compared.whole_setup"),
            **({"o": t("follow.sessions")} if alone else {}),
        }

    @property
    def _folder(self) -> Path | None:
        """The only folder that is shown."""
        return None if self._found is None else self._found.folder

    def on_mount(self) -> None:
        # the screen is painted before anything is read
        self.call_after_refresh(self._read)

    @work(group="comparison", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        try:
            if self._found is None:
                self._found = await asyncio.to_thread(self._reading)
        except BadInput as error:
            self.query_one("#facts", Static).update(
                Content.styled(clean(str(error)), "$text-warning")
            )
            return
        self._title = self._found.title
        self._rows = TableRows(self._found.table, DETAILS)
        self.query_one("#head", Static).update(LazyLine(self._head))
        self.query_one("#title", Static).update(self.path_title())
        self.show_keys()
        self.query_one("#facts", Static).update(self._found.facts)
        measures, names = self.query_one("#measures", LongList), self._found.rows
        measures.styles.height = max(len(names), 1)
        begin = [n for n, name in enumerate(names) if name == self._measure]
        measures.show(len(names), begin[0] if begin else 0)
        self.narrow()
        if begin and self._flips:
            self.query_one("#items", LongList).focus()

    # Rows

    def _head(self, width: int) -> Content:
        return Content(self._rows.head(width - 1) if self._rows is not None else "")

    def _measure_row(self, number: int, width: int) -> Row:
        if self._rows is not None:
            return self._rows.row(number, width)
        return ()

    def listing(self) -> list[dict[str, object]]:
        return [flip._asdict() for flip in self._flips]

    def _item_row(self, number: int, width: int) -> Row:
        return self._items.row(number, width)

    def _current(self) -> ComparedRow | None:
        if self._found is None or not self._found.rows:
            return None
        return self._found.row(self.query_one("#measures", LongList).cursor)

    def _flip(self) -> Flip | None:
        number = self.query_one("#items", LongList).cursor
        if number < len(self._flips):
            return self._flips[number]
        return None

    def narrow(self) -> None:
        """Lists the items of the measure under the cursor."""
        one = self._current()
        if one is None:
            return
        self._flips = [
            flip
            for flip in one.flips
            if (self._all or flip.kind in ("gain", "loss"))
            and self.wanted(flip.id, flip.title, flip.first, flip.second)
        ]
        self._items = ItemRows(self._flips, one.measure)
        self.query_one("#what", Static).update(
            Content.assemble((one.words, "bold"), (one.more, "$quiet"))
        )
        on = [n for n, flip in enumerate(self._flips) if flip.id == self._item]
        self.query_one("#items", LongList).show(len(self._flips), on[0] if on else 0)
        self._detail()

    def _detail(self) -> None:
        flip = self._flip()
        detail = self.query_one("#detail", Static)
        if flip is None:
            detail.update(
                Content(
                    t("compared.no_flips")
                    if self._found is not None and self._found.rows
                    else ""
                )
            )
            return
        accepted = (
            (f"  {t('compared.accepted')} ", clean_line(flip.accepted))
            if flip.accepted
            else ("", "")
        )
        answers = [clean_line(answer) for answer in (flip.first, flip.second)]
        detail.update(
            Content.assemble(
                (clean_line(flip.title), "bold $foreground"),
                (accepted[0], "$quiet"),
                (accepted[1], "$foreground"),
                "\n",
                t("compared.answers", first=answers[0], second=answers[1]),
            )
        )

    # Keys

    @on(LongList.Moved, "#measures")
    def _other_measure(self) -> None:
        self.narrow()

    @on(LongList.Moved, "#items")
    def _other_item(self) -> None:
        self._detail()

    @on(LongList.Chosen, "#measures")
    def _to_items(self) -> None:
        if self._flips:
            self.query_one("#items", LongList).focus()

    @on(LongList.Chosen, "#items")
    def _open(self) -> None:
        flip = self._flip()
        if self._found is None or flip is None or self._folder is None:
            self.action_side_by_side()
        else:
            at = self.query_one("#measures", LongList).cursor
            self._measure, self._item = self._found.rows[at], flip.id
            path = self._found.sessions(flip.id)[1]
            self.dismiss(PlaceChoice("open", path) if path is not None else None)

    def action_sessions(self) -> None:
        if self._folder is not None:
            self.dismiss(PlaceChoice("sessions", self._folder))

    def action_side_by_side(self) -> None:
        """Shows the two sessions of an item beside each other."""
        flip = self._flip()
        if self._found is None or flip is None:
            return
        left, right = self._found.sessions(flip.id)
        if left is None or right is None:
            self.query_one("#detail", Static).update(
                Content.styled(t("compared.no_session"), "$text-warning")
            )
            return
        try:
            self.app.push_screen(side_by_side(left, right, self._found.names))
        except BadInput as error:
            self.query_one("#detail", Static).update(
                Content.styled(clean(str(error)), "$text-warning")
            )

    def action_all_items(self, wanted: bool) -> None:
        """Lists all items, or only those that came out otherwise."""
        self._all = wanted
        self.narrow()

    def action_setup(self) -> None:
        """Shows all differences in setup, or as many as fit next to the figures."""
        self.toggle_class("-setup")

    def action_other_list(self) -> None:
        measures, items = (
            self.query_one("#measures", LongList),
            self.query_one("#items", LongList),
        )
        (measures if items.has_focus else items).focus()

    def action_leave(self) -> None:
        """Goes from the items to the measures, then leaves."""
        measures = self.query_one("#measures", LongList)
        if self._found is not None and self.query_one("#items", LongList).has_focus:
            measures.focus()
        else:
            super().action_leave()


def of_folders(first: Path, second: Path) -> ComparisonScreen:
    """Returns the screen of two batches."""

    def reading() -> ComparedTable:
        from .comparison_run import read

        return read(first, second)

    return ComparisonScreen(
        t("compared.title", first=first.name, second=second.name),
        reading,
        about=(first, second),
    )


def of_audit(folder: Path) -> ComparisonScreen:
    """Returns the screen of an audit."""

    def reading() -> ComparedTable:
        from .audit_table import read

        return read(folder)

    return ComparisonScreen(folder.name, reading, about=(folder,))

"""Two runs compared: what they were made with, each measure with its verdict, and the
items that came out otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ...engines.figures.wording import measure_name
from ...sessions.errors import BadInput
from ...texts import t
from ...texts.settings import word
from ..showing import clean
from ..widgets.long_list import LongList, Row
from .compare import side_by_side
from .comparison_rows import Flip, ItemRows
from .sheet import Keys, LazyLine, Sheet
from .table_rows import TableRows

if TYPE_CHECKING:
    from ...engines.figures.difference import Difference
    from .comparison_run import ComparisonRun


class ComparisonScreen(Sheet[None]):
    """Dismissed with None.

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
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", show=False),
        Binding("x", "flips", show=False),
        Binding("tab,shift+tab", "other_list", show=False, priority=True),
        Binding("d", "side_by_side", show=False),
        Binding("s", "setup", show=False),
    ]
    AUTO_FOCUS = "#measures"
    tall = True

    def __init__(
        self,
        first: str,
        second: str,
        reading: Callable[[], ComparisonRun],
        measure: str = "",
    ) -> None:
        """The names of the two; `reading` reads and compares them, and raises BadInput
        where they cannot be.

        `measure`: whose items to begin with.
        """
        super().__init__()
        self._names = first, second
        self._reading = reading
        self._measure = measure
        self._found: ComparisonRun | None = None
        self._rows: TableRows | None = None
        self._flips: list[Flip] = []
        self._items = ItemRows([], None)
        self._all = False
        """Whether all items are listed, not only those that came out otherwise."""

    # Layout

    def heading(self) -> str:
        names = self._found.names if self._found is not None else self._names
        return t(
            "compared.title",
            first=clean(names[0], newlines=False),
            second=clean(names[1], newlines=False),
        )

    def body(self) -> ComposeResult:
        yield Static(Content(t("compared.reading")), id="facts", markup=False)
        yield Static(LazyLine(self._head), id="head")
        yield LongList(self._measure_row, id="measures")
        yield Static(id="what", markup=False)
        yield LongList(self._item_row, id="items")
        yield Static(id="detail", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        flips = t("compared.only_flips" if self._all else "compared.all_items")
        return [
            ("j k", t("help.move")),
            ("tab", t("compared.other_list")),
            ("enter", t("compared.open")),
            ("x", flips),
            ("s", t("compared.whole_setup")),
            ("esc", t("sheet.back")),
        ]

    def on_mount(self) -> None:
        self.call_after_refresh(
            self._read
        )  # the screen is painted before anything is read

    @work(group="comparison", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        try:
            self._found = await asyncio.to_thread(self._reading)
        except BadInput as error:
            self.query_one("#facts", Static).update(
                Content.styled(clean(str(error)), "$text-warning")
            )
            return
        self._rows = TableRows(self._found.table, ("difference", "verdict", "measure"))
        self.query_one("#head", Static).update(LazyLine(self._head))
        self.query_one("#title", Static).update(self.heading())
        self.query_one("#facts", Static).update(self._facts(self._found))
        measures, count = (
            self.query_one("#measures", LongList),
            len(self._found.differences),
        )
        measures.styles.height = max(count, 1)
        begin = [
            number
            for number, one in enumerate(self._found.differences)
            if one.measure.name == self._measure
        ]
        measures.show(count, begin[0] if begin else 0)
        self._fill()
        if begin and self._flips:
            self.query_one("#items", LongList).focus()

    def _facts(self, found: ComparisonRun) -> Content:
        """Returns what is paired, and what differs in the making: before any difference
        in the figures.
        """
        paired = found.versus.paired
        counts = [t("compared.paired", n=f"{len(paired.ids):,}")]
        if found.clusters < len(paired.ids):
            counts.append(t("compared.clusters", n=f"{found.clusters:,}"))
        names = [clean(name, newlines=False) for name in found.names]
        counts += [
            t("compared.alone", run=name, n=len(ids))
            for name, ids in zip(
                names, (paired.only_first, paired.only_second), strict=True
            )
            if ids
        ]
        if paired.unfinished:
            counts.append(t("compared.unfinished", n=len(paired.unfinished)))
        setup = [clean(one, newlines=False) for one in found.setup]
        made = (
            Content.assemble((t("compared.setup") + " ", "bold"), " · ".join(setup))
            if setup
            else Content(t("compared.same_setup"))
        )
        return Content.assemble(" · ".join(counts), "\n", made)

    # Rows

    def _head(self, width: int) -> Content:
        return Content(self._rows.head(width - 1) if self._rows is not None else "")

    def _measure_row(self, number: int, width: int) -> Row:
        if self._rows is not None:
            return self._rows.row(number, width)
        return ()

    def _item_row(self, number: int, width: int) -> Row:
        return self._items.row(number, width)

    def _current(self) -> Difference | None:
        if self._found is None or not self._found.differences:
            return None
        return self._found.differences[self.query_one("#measures", LongList).cursor]

    def _flip(self) -> Flip | None:
        number = self.query_one("#items", LongList).cursor
        if number < len(self._flips):
            return self._flips[number]
        return None

    def _fill(self) -> None:
        """Lists the items of the measure under the cursor."""
        one = self._current()
        if self._found is None or one is None:
            return
        every = self._found.flips(one)
        self._flips = [
            flip for flip in every if self._all or flip.kind in ("gain", "loss")
        ]
        self._items = ItemRows(self._flips, one.measure)
        counts = {
            kind: sum(flip.kind == kind for flip in every)
            for kind in ("loss", "gain", "same", "none")
        }
        words = t(
            "compared.items",
            measure=measure_name(one.measure.name),
            **{kind: f"{n:,}" for kind, n in counts.items()},
        )
        why = " · ".join(
            f"{word(state)} {n:,}" for state, n in one.why_left_out.items()
        )
        more = f" ({why})" if why else ""
        self.query_one("#what", Static).update(
            Content.assemble((words, "bold"), (more, "$quiet"))
        )
        self.query_one("#items", LongList).show(len(self._flips), 0)
        self._detail()

    def _detail(self) -> None:
        flip = self._flip()
        detail = self.query_one("#detail", Static)
        if flip is None:
            detail.update(
                Content(
                    t("compared.no_flips")
                    if self._found is not None and self._found.differences
                    else ""
                )
            )
            return
        accepted = (
            (f"  {t('compared.accepted')} ", clean(flip.accepted, newlines=False))
            if flip.accepted
            else ("", "")
        )
        answers = [
            clean(answer, newlines=False) for answer in (flip.first, flip.second)
        ]
        detail.update(
            Content.assemble(
                (clean(flip.title, newlines=False), "bold $foreground"),
                (accepted[0], "$quiet"),
                (accepted[1], "$foreground"),
                "\n",
                t("compared.answers", first=answers[0], second=answers[1]),
            )
        )

    # Keys

    @on(LongList.Moved, "#measures")
    def _other_measure(self) -> None:
        self._fill()

    @on(LongList.Moved, "#items")
    def _other_item(self) -> None:
        self._detail()

    @on(LongList.Chosen, "#measures")
    def _to_items(self) -> None:
        if self._flips:
            self.query_one("#items", LongList).focus()

    @on(LongList.Chosen, "#items")
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

    def action_flips(self) -> None:
        """Lists all items, or only those that came out otherwise."""
        self._all = not self._all
        self._fill()
        self.query_one("#hints", Static).update(Keys(self.keys()))

    def action_setup(self) -> None:
        """Shows all that was made otherwise, or as much as there is room for beside the
        figures.
        """
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
            self.dismiss(None)


def of_folders(first: Path, second: Path) -> ComparisonScreen:
    """Returns the screen of two batches."""

    def reading() -> ComparisonRun:
        from .comparison_run import read

        return read(first, second)

    return ComparisonScreen(first.name, second.name, reading)

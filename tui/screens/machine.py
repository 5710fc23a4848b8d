"""The runs of this machine: batches and studies that were begun here, whoever works on
them; open them, or lead them from here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ...engines.batches.registry import forget, records
from ...engines.batches.runs import RunNow
from ...sessions.errors import BadInput
from ...texts import t
from ..showing import clean
from ..widgets.long_list import LongList, Row
from . import machine_lines
from .run_controls import Now, RunControls
from .sheet import Keys, LazyLine, Sheet

if TYPE_CHECKING:
    from ...sessions.paths import Paths

SECONDS = 1.0
"""Between two looks at the folders."""


class MachineScreen(Sheet[Path]):
    """Dismissed with the folder of the run to open, or None.

    `like`: a former one, whose list and place are taken up.
    """

    DEFAULT_CSS = """
    MachineScreen {
        #sheet { max-width: 140; }
        #head { height: 1; color: $quiet; padding-right: 1; }
        #news { height: auto; color: $text-warning; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #title, &.-low #hints { margin: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p,f8", "pause", show=False),
        Binding("x,f9", "stop", show=False),
        Binding("plus,equals_sign,minus", "concurrency", show=False),
        Binding("dollar_sign", "budget", show=False),
        Binding("D,delete", "forget", show=False),
    ]
    AUTO_FOCUS = "LongList"
    tall = True

    def __init__(self, places: Paths, like: MachineScreen | None = None) -> None:
        super().__init__()
        self._places = places
        self._runs: dict[Path, RunNow] = {} if like is None else like._runs
        self._stand_on: Path | None = None if like is None else like._stand_on
        """The folder under the cursor; None until the user has moved: then the first
        one.
        """
        self._shown: list[RunNow] = []
        self._known = False
        """The list was read."""
        self._hints: list[tuple[str, str]] = []
        self._answered = {folder: run.head.orders for folder, run in self._runs.items()}
        """How many orders each run had obeyed or refused when that was last looked at.
        """

    # Layout

    def heading(self) -> str:
        return t("machine.title")

    def body(self) -> ComposeResult:
        yield Static(id="news", markup=False)
        yield Static(LazyLine(machine_lines.head), id="head")
        yield LongList(self._row)
        yield Static(Content(t("machine.reading")), id="detail", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        run = self._current()
        if run is None:
            return [("esc", t("sheet.back"))]
        if run.alive:
            names = [
                ("p", "go_on" if run.state == "paused" else "pause"),
                ("x", "stop"),
                ("$", "budget_key"),
                ("+ -", "concurrency"),
            ]
            led = [(key, t(f"follow.{name}")) for key, name in names]
        else:
            led = [("D", t("machine.forget"))]
        return [
            *([("enter", t("follow.open"))] if run.kind is not None else []),
            *led,
            ("esc", t("sheet.back")),
        ]

    def on_mount(self) -> None:
        self.query_one("#news").display = False
        self._follow()

    @work(group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Looks again and again, as long as the screen is there."""
        while True:
            runs = await asyncio.to_thread(_looked, self._places, self._runs)
            self._runs = {run.folder: run for run in runs}
            self._shown = runs
            self._known = True
            self._draw()
            await asyncio.sleep(SECONDS)

    # Drawing

    def _draw(self) -> None:
        cursor = next(
            (
                number
                for number, run in enumerate(self._shown)
                if run.folder == self._stand_on
            ),
            0,
        )
        self.query_one(LongList).show(len(self._shown), cursor)
        self._hear_answer()
        self._draw_detail()

    def _hear_answer(self) -> None:
        """What was told to the runner has been obeyed, or the reason why not is said."""
        run = self._current()
        if run is not None:
            before = self._answered.get(run.folder)
            self._answered[run.folder] = run.head.orders
            if before is not None and before != run.head.orders:
                self.tell(run.head.ignored)

    def _draw_detail(self) -> None:
        run = self._current()
        detail, hints = (
            self.query_one("#detail", Static),
            self.query_one("#hints", Static),
        )
        words = Content(t("machine.none") if self._known else t("machine.reading"))
        if run is not None:
            words = machine_lines.detail(
                run, detail.size.width or self.app.size.width, time.time()
            )
        if detail.content != words:
            detail.update(words, layout=False)
        keys = self.keys()
        if keys != self._hints:
            self._hints = keys
            hints.update(Keys(keys))

    def _row(self, number: int, width: int) -> Row:
        if number < len(self._shown):
            return machine_lines.row(self._shown[number], width)
        return ()

    def _current(self) -> RunNow | None:
        number = self.query_one(LongList).cursor if self.is_mounted else 0
        if number < len(self._shown):
            return self._shown[number]
        return None

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def tell(self, sentence: str) -> None:
        """Shows a sentence above the list."""
        news, words = (
            self.query_one("#news", Static),
            Content(clean(sentence, newlines=False)),
        )
        if news.content != words:
            news.update(words)
            news.display = bool(sentence)

    # Keys

    @on(LongList.Moved)
    def _moved(self) -> None:
        run = self._current()
        self._stand_on = run.folder if run is not None else None
        self.tell("")
        self._draw_detail()

    @on(LongList.Chosen)
    def _open(self) -> None:
        run = self._current()
        if run is None:
            return
        if run.kind is None:
            self.tell(t("machine.gone"))
            return
        self._stand_on = run.folder
        self.dismiss(run.folder)

    def _lead(self, order: Callable[[RunControls, Now], None]) -> None:
        """Gives an order to the run under the cursor."""
        run = self._current()
        if run is not None:
            order(
                RunControls(self.app, self.tell),
                lambda: self._runs.get(run.folder, run),
            )

    def action_pause(self) -> None:
        self._lead(RunControls.pause)

    def action_stop(self) -> None:
        self._lead(RunControls.stop)

    def action_concurrency(self) -> None:
        self._lead(RunControls.concurrency)

    def action_budget(self) -> None:
        self._lead(RunControls.budget)

    def action_forget(self) -> None:
        """Takes a run off the list; its folder stays."""
        run = self._current()
        if run is None:
            return
        if run.alive:
            self.tell(t("machine.at_work"))
            return
        try:
            forget(run.folder, self._places)
        except BadInput as error:
            self.tell(str(error))
            return
        self._shown.remove(run)
        self.tell(t("machine.forgotten", name=run.folder.name))
        self._draw()


def _looked(places: Paths, before: Mapping[Path, RunNow]) -> list[RunNow]:
    """The listed runs as they stand, those at work first."""
    folders = dict.fromkeys(record.path for record in records(places))
    runs = [(before.get(folder) or RunNow(folder)).look() for folder in folders]
    return sorted(runs, key=lambda run: not run.alive)

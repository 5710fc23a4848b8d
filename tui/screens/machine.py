"""The runs of this machine: batches and studies started here, whichever process runs
them; opens and controls them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ...engines.batches.registry import forget, records
from ...engines.batches.runs import RunNow
from ...sessions.errors import BadInput
from ...texts import t
from ..showing import clean_line
from ..widgets.long_list import LongList, Row
from . import machine_lines
from .place import PlaceChoice
from .preview import of_run
from .run_controls import ControlPlace, Now, control_keys
from .sheet import LazyLine

if TYPE_CHECKING:
    from ...sessions.paths import Paths

SECONDS = 1.0
"""Between two looks at the folders."""


class MachineScreen(ControlPlace):
    """A line for each run; an order is given to the one under the cursor."""

    DEFAULT_CSS = """
    MachineScreen {
        #head { height: 1; color: $quiet; padding-right: 1; }
        #news { height: auto; color: $text-warning; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #title, &.-low #hints { margin: 0; }
    }
    """
    CRUMB = "place.runs"
    HEADING = "machine.title"
    BINDINGS = [
        ("D,delete", "forget"),
    ]
    ABOUT = "machine_about"
    previews = True
    AUTO_FOCUS = "LongList"

    def __init__(self, places: Paths) -> None:
        super().__init__()
        self._places = places
        self._runs: dict[Path, RunNow] = {}
        self._stand_on: Path | None = None
        """The folder under the cursor; None until the user has moved: then the first
        one.
        """
        self._shown: list[RunNow] = []
        self._known = False
        """The list was read."""
        self._answered: dict[Path, int] = {}
        """How many orders each run had obeyed or refused when that was last looked at.
        """

    def again(self) -> MachineScreen:
        new = MachineScreen(self._places)
        new._runs, new._stand_on = self._runs, self._stand_on
        new._answered = self._answered
        return new

    # Layout

    def body(self) -> ComposeResult:
        yield Static(id="news", markup=False)
        yield Static(LazyLine(machine_lines.head), id="head")
        yield LongList(self._row)
        yield Static(Content(t("machine.reading")), id="detail", markup=False)

    def keys(self) -> dict[str, str]:
        run = self._current()
        if run is None:
            return {}
        opened = {"enter": t("follow.open")} if run.kind is not None else {}
        if run.alive:
            return opened | control_keys(paused=run.state == "paused")
        return {**opened, "D": t("machine.forget")}

    def on_mount(self) -> None:
        self.query_one("#news").display = False
        self._follow()

    @work(group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Looks again and again, as long as the screen is there."""
        while True:
            runs = await asyncio.to_thread(looked, self._places, self._runs)
            self._runs = {run.folder: run for run in runs}
            self._known = True
            self.narrow()
            await asyncio.sleep(SECONDS)

    # Drawing

    def narrow(self) -> None:
        self._shown = [
            run for run in self._runs.values() if self.wanted(str(run.folder))
        ]
        self._draw()

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
        """Reports that the runner has executed a command, or why not."""
        run = self._current()
        if run is not None:
            before = self._answered.get(run.folder)
            self._answered[run.folder] = run.head.orders
            if before is not None and before != run.head.orders:
                self.tell(run.head.ignored)

    def _draw_detail(self) -> None:
        run = self._current()
        detail = self.query_one("#detail", Static)
        words = Content(t("machine.none") if self._known else t("machine.reading"))
        if run is not None:
            words = machine_lines.detail(
                run, detail.size.width or self.app.size.width, time.time()
            )
            counts = *run.counts().values(), run.state
            self.preview((run.folder, counts), partial(of_run, run))
        else:
            self.preview()
        if detail.content != words:
            detail.update(words, layout=False)
        self.show_keys()

    def listing(self) -> list[dict[str, object]]:
        return [run.as_json(time.time()) for run in self._shown]

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
            Content(clean_line(sentence)),
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
        self.dismiss(PlaceChoice("open", run.folder))

    def led(self) -> Now | None:
        run = self._current()
        if run is None:
            return None
        return lambda: self._runs.get(run.folder, run)

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


def looked(places: Paths, before: Mapping[Path, RunNow]) -> list[RunNow]:
    """Returns the listed runs as they stand, those at work first."""
    folders = dict.fromkeys(record.path for record in records(places))
    runs = [(before.get(folder) or RunNow(folder)).look() for folder in folders]
    return sorted(runs, key=lambda run: not run.alive)

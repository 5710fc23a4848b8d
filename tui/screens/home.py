"""Home: what runs, what waits, what was done last, and what can be begun."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ...engines.batches.registry import records
from ...engines.threads import in_thread
from ...sessions.methods import WORKSPACES
from ...texts import t
from .. import wording
from ..host import Host
from ..runner import SessionRunner
from ..showing import clean_line
from ..title_columns import fit
from ..widgets.long_list import LongList, Row
from .library_rows import kind, result
from .pick import PickScreen
from .place import PlaceChoice
from .preview import of_path, of_run
from .run_controls import ControlPlace, Now, control_keys

if TYPE_CHECKING:
    from ...engines.batches.runs import RunNow
    from ...engines.models.catalogue import ModelRow
    from ...sessions.paths import Paths
    from ...sessions.summary import SessionSummary

SECONDS = 1.0
"""Between two looks at what runs."""
MOST = 5
"""Sessions and runs of a section, at most."""


class HomeRow(NamedTuple):
    """Something to open or to begin."""

    section: str
    """running, waiting, recent or new."""
    title: str
    tail: str
    """Text after the title."""
    choice: PlaceChoice
    runner: SessionRunner | None = None
    """Of a session that is open in this app."""
    run: RunNow | None = None


Seat = Callable[[str], Awaitable[str]]
"""Puts the model of a name on every seat, and returns a sentence about it."""


class HomeScreen(ControlPlace):
    """A row for each thing that can be opened or begun, the most urgent first."""

    DEFAULT_CSS = """
    HomeScreen {
        #found, #note { height: auto; }
        #found { margin-bottom: 1; }
        &.-low #title, &.-low #hints, &.-low #found { margin: 0; }
    }
    """
    CRUMB = "place.home"
    HEADING = "place.home"
    BINDINGS = [("m", "seat"), ("q,ctrl+q,ctrl+c", "app.quit")]
    ABOUT = "home_about"
    AUTO_FOCUS = "LongList"
    previews = True

    def __init__(self, host: Host, seat: Seat) -> None:
        super().__init__()
        self._host = host
        self._seat = seat
        self._stand_on: PlaceChoice | None = None
        """What is under the cursor; None until the user has moved: then the first."""
        self._rows: list[HomeRow] = []
        self._runs: dict[Path, RunNow] = {}
        self._saved: list[SessionSummary] = []
        self._found: dict[str, list[ModelRow]] = {}

    @property
    def listed(self) -> set[Path]:
        return {one.path for one in self._saved}

    def narrow(self) -> None:
        self._draw()

    def listing(self) -> list[dict[str, object]]:
        return [
            {"section": row.section, "title": row.title, "state": row.tail}
            for row in self._rows
        ]

    def again(self) -> HomeScreen:
        new = HomeScreen(self._host, self._seat)
        new._stand_on, new._runs, new._saved = self._stand_on, self._runs, self._saved
        return new

    def middle(self) -> ComposeResult:
        yield Static(id="found", markup=False)
        yield from super().middle()

    def body(self) -> ComposeResult:
        yield LongList(self._row)
        yield Static(id="note", markup=False)

    def keys(self) -> dict[str, str]:
        row = self._current()
        keys = {"enter": t("library.open")}
        if self._found:
            keys["m"] = t("home.seat")
        if row is not None and row.runner is not None:
            keys["x"] = t("runs.stop")
        elif row is not None and row.run is not None and row.run.alive:
            keys |= control_keys(paused=row.run.state == "paused")
        return {**keys, "q": t("action.quit")}

    def on_mount(self) -> None:
        self._draw()
        self._read()
        self._follow()
        self._look_for_models()

    @work(group="saved", exit_on_error=False)
    async def _read(self) -> None:
        """Reads what is saved: once, for there may be much."""
        entries = await in_thread(self._host.library.entries)
        self._saved = entries[: 2 * MOST]
        self._draw()

    @work(group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Looks again and again at what runs."""
        places = self._host.library.paths
        while True:
            runs = await in_thread(partial(_looked, places, self._runs))
            self._runs = {run.folder: run for run in runs}
            self._draw()
            await asyncio.sleep(SECONDS)

    @work(group="models", exit_on_error=False)
    async def _look_for_models(self) -> None:
        """Says which models are there before one is chosen for all seats."""
        from ...engines.models.catalogue import (
            add_known_commands,
            choices,
            local_choices,
            sources,
        )
        from ...engines.models.providers import base_of

        config = self._host.config
        if config.model is None and not config.lineup:
            add_known_commands(config, os.environ)
            rows = choices(config, os.environ)
            # what a server of the user's own has is known when it has answered
            sure = [row for row in rows if not base_of(row.provider, os.environ)]
            self._tell_found(sources(sure))
            rows += await local_choices(os.environ)
            self._tell_found(sources(rows))

    def _tell_found(self, found: dict[str, list[ModelRow]]) -> None:
        self._found = found
        line = self.query_one("#found", Static)
        line.display = bool(found)
        names = t("asked.comma").join(map(clean_line, found))
        line.update(
            Content.assemble(
                t("home.found", names=names),
                ("  m", "bold $footer-key-foreground"),
                f" {t('home.seat')}",
            )
        )
        self.show_keys()

    # Drawing

    def _draw(self) -> None:
        rows = [
            *map(_of_runner, self._host.runs.working),
            *_of_runs(self._runs.values()),
            *_of_saved(self._saved),
            *(
                HomeRow(
                    "new",
                    t(f"home.new_{name}"),
                    t(f"welcome.{name}"),
                    PlaceChoice(f"new.{name}"),
                )
                for name in WORKSPACES
            ),
        ]
        listed = {row.choice: row for row in reversed(rows)}
        order = [
            row for row in reversed(listed.values()) if self.wanted(row.title, row.tail)
        ]
        self._rows = sorted(order, key=lambda row: SECTIONS.index(row.section))
        at = [row.choice for row in self._rows]
        cursor = at.index(self._stand_on) if self._stand_on in at else 0
        self.query_one(LongList).show(len(at), cursor)
        self._show_current()

    def _row(self, number: int, width: int) -> Row:
        row = self._rows[number]
        first = not number or self._rows[number - 1].section != row.section
        label = t(f"home.{row.section}") if first else ""
        new = row.section == "new"
        alike = [one for one in self._rows if (one.section == "new") is new]
        longest = max(cell_len(one.title if new else one.tail) for one in alike)
        room = width - LABEL
        title = min(longest, room) if new else room - min(longest + 2, width // 2)
        live = row.section == "running"
        return [
            (fit(label, LABEL), "quiet"),
            (fit(clean_line(row.title), title), "live" if live else ""),
            (fit(f"  {row.tail}", room - title), "quiet"),
        ]

    def _current(self) -> HomeRow | None:
        at = self.query_one(LongList).cursor if self.is_mounted else len(self._rows)
        return self._rows[at] if at < len(self._rows) else None

    @on(LongList.Moved)
    def _moved(self) -> None:
        row = self._current()
        self._stand_on = row.choice if row is not None else None
        self.say("")
        self._show_current()

    def _show_current(self) -> None:
        row = self._current()
        if row is not None and row.section == "new":
            tab = row.choice.action.partition(".")[2]
            self.preview(tab, lambda: Content(t(f"welcome.{tab}")))
        elif row is not None:
            path, run = row.choice.path, row.run
            read = partial(of_path, path) if run is None else partial(of_run, run)
            self.preview((path, row.tail), read)
        else:
            self.preview()
        self.show_keys()

    def tell(self, sentence: str) -> None:
        self.say(sentence)

    # Keys

    @on(LongList.Chosen)
    def _open(self) -> None:
        row = self._current()
        if row is not None:
            self._stand_on = row.choice
            self.dismiss(row.choice)

    def led(self) -> Now | None:
        row = self._current()
        if row is None or row.run is None:
            return None
        run = row.run
        return lambda: self._runs.get(run.folder, run)

    def action_stop(self) -> None:
        """Stops a session of this app, or whatever works on a run."""
        row = self._current()
        if row is not None and row.runner is not None:
            self._host.dialog(self._host.runs.stop(row.runner))
        else:
            super().action_stop()

    def action_seat(self) -> None:
        """Seats a model that was found everywhere: of several, one is asked for. A key
        or a command counts as one, its first.
        """
        found = [
            (row, f"{row.name}  {at}")
            for at, rows in self._found.items()
            for row in (rows if rows[0].server else rows[:1])
        ]
        if len(found) == 1:
            self._take(found[0][0])
        elif found:

            def chosen(at: int | None) -> None:
                if at is not None:
                    self._take(found[at][0])

            names = [name for _, name in found]
            self.app.push_screen(PickScreen(t("home.seat_which"), names), chosen)

    @work(group="models", exclusive=True, exit_on_error=False)
    async def _take(self, model: ModelRow) -> None:
        said = await self._seat(model.name)
        self._tell_found({})
        self.say(said, warning=False)


SECTIONS = ("running", "waiting", "recent", "new")
LABEL = 10
"""Cells of a section's name."""


def _of_runner(runner: SessionRunner) -> HomeRow:
    """How far a session of this app is, and who is asked."""
    play, method = runner.play, runner.method
    assert play is not None
    asks = runner.question is not None or not runner.running
    at = method.progress(play.session) if method is not None else None
    workspace = play.session.workspace
    parts = [
        t(f"app.{workspace}"),
        t(f"attention.part_{workspace}", n=at[0], total=at[1])
        if at is not None
        else t("runs.events", n=len(play.session.events)),
        t("runs.waits") if asks else _asked(runner),
    ]
    tail = wording.joined(parts)
    choice = PlaceChoice("open", play.journal.path or Path(play.session.header.id))
    section = "waiting" if asks else "running"
    return HomeRow(section, play.session.title, tail, choice, runner)


def _asked(runner: SessionRunner) -> str:
    """Who is asked now."""
    reply = runner.reply
    if reply is not None:
        return f"{wording.role_name(reply.role)} {wording.model_name(reply.seat)}"
    return t("runs.computes")


def _looked(places: Paths, before: Mapping[Path, RunNow]) -> list[RunNow]:
    """The runs of this machine; where there are any, what reads them takes a while to
    load.
    """
    if not records(places):
        return []
    from .machine import looked

    return looked(places, before)


def _of_runs(runs: Iterable[RunNow]) -> Iterator[HomeRow]:
    """Batches and studies that run, and those that can be resumed."""
    for run in islice(runs, MOST):
        if run.kind is not None and run.state not in ("done", "failed"):
            counts = run.counts()
            of, ended = sum(counts.values()), counts["done"] + counts["failed"]
            section = "running" if run.alive else "waiting"
            tail = f"{t(f'follow.{run.state}')} {ended}/{of}"
            choice = PlaceChoice("open", run.folder)
            yield HomeRow(section, run.folder.name, tail, choice, run=run)


def waits(entry: SessionSummary) -> bool:
    """Whether a session can be continued, after a failed call too."""
    known = entry.workspace in WORKSPACES and not entry.broken
    return known and entry.status != "finished" and entry.events > 0


def _of_saved(entries: list[SessionSummary]) -> Iterator[HomeRow]:
    """Sessions that are not finished, and the others."""
    for one in entries:
        section = "waiting" if waits(one) else "recent"
        tail = f"{kind(one)}  {fit(clean_line(result(one)), 24)}"
        yield HomeRow(section, one.title, tail.rstrip(), PlaceChoice("open", one.path))

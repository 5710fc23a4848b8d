"""A batch while it runs, and after: how far it is, what it costs, its lines; pause and
stop it from here.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ...engines.batches.batch_snapshot import (
    BatchSnapshot,
    LineState,
    going_on,
    report_of,
)
from ...engines.batches.run_journal import RunStart
from ...sessions.folders import runs_in
from ...texts import t
from ..showing import clean
from ..terminal import clipboard
from ..widgets.long_list import LongList, Row
from . import batch_lines
from .comparison import of_folders
from .pick import PickScreen
from .run_controls import RunControls
from .sheet import Keys, Pages, Sheet

SECONDS = 1.0
"""Between two looks at the folder."""
FIRST = {"failed": 0, "running": 1}
"""What stands on top; the rest as in the file."""


class BatchChoice(NamedTuple):
    """What to do.

    `path`: the session to open; None: show the sessions of the folder as a library.
    """

    path: Path | None


class BatchScreen(Sheet[BatchChoice]):
    """Dismissed with a `BatchChoice`, or None.

    `like`: a former one, whose place is taken up.
    """

    DEFAULT_CSS = """
    BatchScreen {
        #sheet { max-width: 140; }
        #bar, #spent { height: 1; }
        #news { height: auto; color: $text-warning; }
        #report { height: auto; max-height: 8; margin-top: 1; color: $foreground; }
        #filters { height: 1; margin-top: 1; }
        #head { height: 1; color: $quiet; padding-right: 1; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #title, &.-low #hints, &.-low #filters, &.-low #report { margin: 0; }
        &.-low #report { max-height: 5; }
        &.-low #detail { height: 2; margin-top: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"filter('{name}')", show=False)
            for number, name in enumerate(batch_lines.FILTERS, 1)
        ),
        Binding("p,f8", "pause", show=False),
        Binding("x,f9", "stop", show=False),
        Binding("plus,equals_sign,minus", "concurrency", show=False),
        Binding("dollar_sign", "budget", show=False),
        Binding("y", "copy", show=False),
        Binding("o", "sessions", show=False),
        Binding("d", "compare", show=False),
    ]
    AUTO_FOCUS = "LongList"
    tall = True

    def __init__(self, folder: Path, like: BatchScreen | None = None) -> None:
        super().__init__()
        self.folder = folder
        self._following: BatchSnapshot = (
            BatchSnapshot(folder) if like is None else like._following
        )
        self._filter: str = "all" if like is None else like._filter
        self._stand_on: str | None = None if like is None else like._stand_on
        """The id of the line under the cursor; None until the user has moved: then the
        first one.
        """
        self._shown: list[LineState] = []
        self._state = ""
        self._said = ""
        self._orders = self._following.orders

    @property
    def _leading(self) -> RunControls:
        return RunControls(self.app, self.tell)

    def _now(self) -> BatchSnapshot:
        return self._following

    # Layout

    def heading(self) -> str:
        return t("follow.title", folder=clean(str(self.folder), newlines=False))

    def body(self) -> ComposeResult:
        yield Static(Content(t("follow.reading")), id="bar")
        yield Static(id="spent")
        yield Static(id="news")
        with Pages(id="report"):
            yield Static(id="figures", markup=False)
        yield Static(id="filters")
        yield Static(id="head")
        yield LongList(self._row)
        yield Static(id="detail")

    def keys(self) -> list[tuple[str, str]]:
        names: list[tuple[str, str]] = []
        if self._following.alive:
            names = [
                ("p", "go_on" if self._state == "paused" else "pause"),
                ("x", "stop"),
                ("$", "budget_key"),
                ("+ -", "concurrency"),
            ]
        elif self._command():
            names = [("y", "copy")]
        named = [("enter", "open"), *names, ("d", "compare"), ("o", "sessions")]
        return [
            *((key, t(f"follow.{name}")) for key, name in named),
            ("esc", t("sheet.back")),
        ]

    def on_mount(self) -> None:
        self.query_one("#report").display = self.query_one("#news").display = False
        self._follow()

    @work(group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Looks again and again, as long as the screen is there."""
        first = True
        while True:
            before = self._following
            self._following = await asyncio.to_thread(before.look)
            await self._draw(first or self._following is not before)
            first = False
            await asyncio.sleep(SECONDS)

    # Drawing

    async def _draw(self, changed: bool) -> None:
        following = self._following
        if changed:
            self._draw_lines()
            self._draw_filters()
        self._set("#bar", batch_lines.bar(self._following, self._width(), time.time()))
        self._set("#spent", batch_lines.spent(self._following, self._width()))
        if following.orders != self._orders:
            self._orders = following.orders
            self._said = following.ignored
        state = following.state
        if state != self._state:
            self._state = state
            self._said = self._said if following.alive else ""
            self.query_one("#hints", Static).update(Keys(self.keys()))
            await self._draw_figures()
        self._draw_news()

    def _set(self, name: str, text: Content) -> None:
        """Another text on a line of its own, if it is another one."""
        line = self.query_one(name, Static)
        if line.content != text:
            line.update(text, layout=False)

    def _draw_filters(self) -> None:
        self._set(
            "#filters",
            batch_lines.filters(self._following.counts(), self._filter, self._width()),
        )

    def _draw_news(self) -> None:
        """What was told to the runner, or how the batch goes on where nobody works on
        it.
        """
        lines = [clean(self._said, newlines=False)] if self._said else []
        if self._following.state == "elsewhere" and self._following.began is not None:
            ago = batch_lines.span(max(time.time() - self._following.last, 0.0))
            lines.append(
                t(
                    "follow.elsewhere_why",
                    host=clean(self._following.began.host, newlines=False),
                    ago=ago,
                )
            )
        if self._following.state in (
            "none",
            "budget",
            "stopped",
            "waiting",
            "interrupted",
        ):
            command = self._command()
            lines += (
                [t("follow.no_runner"), command]
                if command
                else [t("follow.no_runner_command")]
            )
        news, text = self.query_one("#news", Static), Content("\n".join(lines))
        if news.content != text:
            news.update(text)
            news.display = bool(lines)

    async def _draw_figures(self) -> None:
        """The figures of the report, where the batch is over."""
        report = self.query_one("#report")
        words = (
            ""
            if self._following.alive
            else await asyncio.to_thread(_figures, self.folder, self._following.began)
        )
        report.display = bool(words)
        if words:
            self.query_one("#figures", Static).update(Content(clean(words)))

    def _draw_lines(self) -> None:
        """Failures first, then what runs, then the rest; the cursor stays on its line."""
        lines = [
            line
            for line in self._following.lines.values()
            if self._filter == "all" or batch_lines.filed(line) == self._filter
        ]
        lines.sort(key=lambda line: FIRST.get(line.status, 2))
        self._shown = lines
        cursor = next(
            (number for number, line in enumerate(lines) if line.id == self._stand_on),
            0,
        )
        self.query_one(LongList).show(len(lines), cursor)
        self._set("#head", batch_lines.head(self._width() - 1))
        self._draw_detail()

    def _row(self, number: int, width: int) -> Row:
        return batch_lines.row(self._shown[number], width)

    def _draw_detail(self) -> None:
        line = self._current()
        if line is None:
            self._set(
                "#detail", Content(t("follow.nothing") if self._following.lines else "")
            )
            return
        cost = line.spent.cost_in_words(lambda dollars: f"${dollars:.4f}")
        facts = "  ".join(
            (line.file, t("follow.events", n=line.events), t("follow.cost", cost=cost))
        )
        said = clean(batch_lines.said(line), newlines=False)
        self._set(
            "#detail",
            Content.assemble(
                (clean(line.title or line.id, newlines=False), "bold $foreground"),
                *(
                    (
                        "\n",
                        (
                            said,
                            "$text-error" if line.status == "failed" else "$foreground",
                        ),
                    )
                    if said
                    else ()
                ),
                *("\n", clean(facts, newlines=False)),
            ),
        )

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw, True)

    @property
    def listed(self) -> set[Path]:
        """The files of the sessions whose results were shown."""
        return {
            self._following.folder / line.file
            for line in self._following.lines.values()
            if line.result
        }

    def _width(self) -> int:
        return self.query_one("#bar", Static).size.width

    def _current(self) -> LineState | None:
        number = self.query_one(LongList).cursor
        if number < len(self._shown):
            return self._shown[number]
        return None

    def _command(self) -> str:
        """What a user types to go on; "" where nobody has written it down."""
        return clean(going_on(self._following.began), newlines=False)

    def tell(self, sentence: str) -> None:
        """Shows a sentence above the lines."""
        self._said = sentence
        self._draw_news()

    # Keys

    @on(LongList.Moved)
    def _moved(self) -> None:
        line = self._current()
        self._stand_on = line.id if line is not None else None
        self._draw_detail()

    @on(LongList.Chosen)
    def _open(self) -> None:
        line = self._current()
        if line is None:
            return
        path = self.folder / line.file
        if not path.exists():
            self.tell(t("follow.not_begun"))
            return
        self._stand_on = line.id
        self.dismiss(BatchChoice(path))

    def action_filter(self, name: str) -> None:
        self._filter = name
        self._draw_filters()
        self._draw_lines()

    def action_sessions(self) -> None:
        self.dismiss(BatchChoice(None))

    def action_compare(self) -> None:
        """Compares this batch with one beside it, which is the reference."""
        here = self.folder.resolve()
        others = [
            one.path
            for one in runs_in([here.parent])
            if one.run == "batch" and one.path.resolve() != here
        ]
        if not others:
            self.tell(
                t(
                    "follow.nothing_beside",
                    folder=clean(str(here.parent), newlines=False),
                )
            )
            return

        def chosen(number: int | None) -> None:
            if number is not None:
                self.app.push_screen(of_folders(others[number], self.folder))

        self.app.push_screen(
            PickScreen(t("follow.compare_question"), [one.name for one in others]),
            chosen,
        )

    def action_copy(self) -> None:
        command = self._command()
        if command and not self._following.alive:
            clipboard.copy(self.app, command)
            self.tell(t("follow.copied"))

    def action_pause(self) -> None:
        self._leading.pause(self._now)

    def action_stop(self) -> None:
        self._leading.stop(self._now)

    def action_concurrency(self) -> None:
        self._leading.concurrency(self._now)

    def action_budget(self) -> None:
        self._leading.budget(self._now)


def _figures(folder: Path, began: RunStart | None) -> str:
    """The totals and figures of a report in words; "" where there is none that can be
    read.
    """
    from ...engines.batches.results import document_of
    from ...engines.method import method
    from ...engines.reports.batch import read_report
    from ...engines.reports.text import as_text

    found = report_of(folder)
    if not found or began is None:
        return ""
    try:
        kind = method(began.method).batches[began.kind]
        return as_text(document_of(read_report(found), kind, ""))
    except Exception:  # a report of another version, or one that was edited
        return ""

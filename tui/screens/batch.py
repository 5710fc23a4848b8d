"""A batch while it runs, and after: how far it is, what it costs, its lines; pause and
stop it from here.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from msgspec.structs import asdict
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ...engines.batches.batch_snapshot import (
    BatchSnapshot,
    LineState,
    going_on,
)
from ...engines.figures.certificates import certified_at
from ...sessions.folders import runs_in
from ...texts import t
from ..showing import clean, clean_line
from ..terminal import clipboard
from ..widgets.long_list import LongList, Row
from . import batch_lines
from .comparison import of_folders
from .pick import PickScreen
from .place import PlaceChoice
from .run_controls import ControlPlace, Now, control_keys
from .sheet import Pages

SECONDS = 1.0
"""Between two looks at the folder."""
FIRST = {"failed": 0, "running": 1}
"""What is on top; the rest as in the file."""


class BatchScreen(ControlPlace):
    """A line for each session of a batch, those that failed on top."""

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
    BINDINGS = [
        *(
            (str(number), f"filter('{name}')")
            for number, name in enumerate(batch_lines.FILTERS, 1)
        ),
        ("y", "copy"),
        ("o", "sessions"),
        ("d", "compare"),
    ]
    ABOUT = "batch_about"
    AUTO_FOCUS = "LongList"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._following = BatchSnapshot(folder)
        self._filter = "all"
        self._stand_on: str | None = None
        """The id of the line under the cursor; None until the user has moved: then the
        first one.
        """
        self._shown: list[LineState] = []
        self._layout = batch_lines.LineLayout()
        self._state = ""
        self._certified = certified_at()
        self._said = ""
        self._orders = self._following.orders

    @property
    def about(self) -> tuple[Path, ...]:
        return (self.folder,)

    def crumb(self) -> str:
        return self.folder.name

    def again(self) -> BatchScreen:
        new = BatchScreen(self.folder)
        new._following, new._filter = self._following, self._filter
        new._stand_on, new._orders = self._stand_on, self._orders
        return new

    def led(self) -> Now:
        return lambda: self._following

    # Layout

    def heading(self) -> str:
        return t("follow.title", folder=clean_line(str(self.folder)))

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

    def keys(self) -> dict[str, str]:
        keys = {"enter": t("follow.open")}
        if self._following.alive:
            keys |= control_keys(paused=self._state == "paused")
        elif self._command():
            keys["y"] = t("follow.copy")
        return {**keys, "d": t("follow.compare"), "o": t("follow.sessions")}

    def on_mount(self) -> None:
        self.query_one("#report").display = self.query_one("#news").display = False
        self._follow()

    @work(group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Looks again and again, as long as the screen is there."""
        first = True
        while True:
            before = self._following
            self._following = await asyncio.to_thread(_look, before)
            await self._draw(first or self._following is not before)
            first = False
            await asyncio.sleep(SECONDS)

    # Drawing

    async def _draw(self, changed: bool) -> None:
        following = self._following
        if changed:
            self.narrow()
            self._draw_filters()
        self._set(
            "#bar",
            batch_lines.bar(
                self._following,
                self._width(),
                time.time(),
            ),
        )
        self._set("#spent", batch_lines.spent(self._following, self._width()))
        if following.orders != self._orders:
            self._orders = following.orders
            self._said = following.ignored
        state, certified = following.state, certified_at()
        if (state, certified) != (self._state, self._certified):
            self._state, self._certified = state, certified
            self._said = self._said if following.alive else ""
            self.show_keys()
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
        """Shows what was sent to the runner, or, if nobody runs the batch, the command
        to continue it.
        """
        lines = [clean_line(self._said)] if self._said else []
        if self._following.state == "elsewhere" and self._following.began is not None:
            ago = batch_lines.span(max(time.time() - self._following.last, 0.0))
            lines.append(
                t(
                    "follow.elsewhere_why",
                    host=clean_line(self._following.began.host),
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
            else await asyncio.to_thread(
                batch_lines.figures, self.folder, self._following.began
            )
        )
        report.display = bool(words)
        if words:
            self.query_one("#figures", Static).update(Content(clean(words)))

    def narrow(self) -> None:
        """Failures first, then what runs, then the rest; the cursor keeps its line."""
        every = self._following.lines.values()
        self._layout = batch_lines.LineLayout.of(every)
        lines = [
            line
            for line in every
            if self._filter in ("all", batch_lines.filed(line))
            and self.wanted(line.id, line.title or "", batch_lines.said(line))
        ]
        lines.sort(key=lambda line: FIRST.get(line.status, 2))
        self._shown = lines
        cursor = next(
            (number for number, line in enumerate(lines) if line.id == self._stand_on),
            0,
        )
        self.query_one(LongList).show(len(lines), cursor)
        self._set("#head", batch_lines.head(self._width() - 1, self._layout))
        self._draw_detail()

    def listing(self) -> list[dict[str, object]]:
        return [
            {**asdict(line), "tokens": line.spent.tokens, "cost": line.spent.cost}
            for line in self._shown
        ]

    def _row(self, number: int, width: int) -> Row:
        return batch_lines.row(self._shown[number], width, self._layout)

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
        said = clean_line(batch_lines.said(line))
        self._set(
            "#detail",
            Content.assemble(
                (clean_line(line.title or line.id), "bold $foreground"),
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
                *("\n", clean_line(facts)),
            ),
        )

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw, True)

    @property
    def listed(self) -> set[Path]:
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
        """What a user types to continue; "" where nobody has written it down."""
        return clean_line(going_on(self._following.began))

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
        self.dismiss(PlaceChoice("open", path))

    def action_filter(self, name: str) -> None:
        self._filter = name
        self._draw_filters()
        self.narrow()

    def action_sessions(self) -> None:
        self.dismiss(PlaceChoice("sessions", self.folder))

    def action_compare(self) -> None:
        """Compares this batch with another one in the same folder, which is the
        reference.
        """
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
                    folder=clean_line(str(here.parent)),
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


def _look(before: BatchSnapshot) -> BatchSnapshot:
    """Returns the batch as it is now, with its lines decoded."""
    now = before.look()
    _ = now.lines
    return now

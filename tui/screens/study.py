"""A study while it runs, and after: conditions and measures with their intervals, what
it costs, plots, and comparisons.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from ...engines.batches.runs import RunNow
from ...sessions.errors import BadInput, SessionError
from ...texts import t
from ..showing import clean, clean_line
from ..widgets.long_list import LongList, Row
from .comparison import ComparisonScreen
from .place import PlaceChoice
from .run_controls import ControlPlace, Now, control_keys
from .sheet import LazyLine, Pages, Sheet

if TYPE_CHECKING:
    from ...engines.figures.aggregate import Aggregate
    from ...engines.models.config import Config
    from ...engines.studies.study_snapshot import ConditionProgress, StudySnapshot
    from .comparison_rows import ComparedTable

SECONDS = 1.0
"""Between two looks at the folder."""
SOON = 0.05
"""The same as long as there are sessions that were not read yet."""


class StudyScreen(ControlPlace):
    """A row for each condition, a column for each measure."""

    DEFAULT_CSS = """
    StudyScreen {
        #sheet.tall { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
        #title { margin: 0; }
        #state { height: 1; }
        #said { height: auto; max-height: 3; color: $text-warning; }
        #head { height: 1; margin-top: 1; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #hints { margin: 0; }
    }
    """
    CSS = "StudyScreen.sheet { background: $surface; }"  # it covers everything
    BINDINGS = [
        ("q", "leave"),
        ("i", "mark"),
        Binding("left", "measure(-1)", priority=True),
        Binding("right", "measure(1)", priority=True),
        ("d", "compare"),
        ("K", "plot"),
    ]
    KEYS = {
        "enter": "study.key_items",
        "d": "study.key_compare",
        "i": "study.key_mark",
        "left right": "study.key_measure",
        "K": "study.key_plot",
    }
    ABOUT = "study_about"
    AUTO_FOCUS = "LongList"

    def __init__(self, folder: Path, config: Config) -> None:
        super().__init__()
        self.folder = folder
        self._config = config
        self._following: StudySnapshot | None = None
        self._status = ""
        self._run = RunNow(folder)
        """The runner's side of the study: what is told to it, and what it answers."""
        self._note = ""
        self._at = 0
        """The measure under the cursor."""
        self._stand_on = 0
        """The condition under the cursor."""
        self._marked: list[str] = []

    @property
    def about(self) -> tuple[Path, ...]:
        return (self.folder,)

    def crumb(self) -> str:
        return self.folder.name

    def again(self) -> StudyScreen:
        new = StudyScreen(self.folder, self._config)
        new._following, new._at = self._following, self._at
        new._stand_on, new._marked = self._stand_on, self._marked
        return new

    # Layout

    def heading(self) -> str:
        title = (
            self._following.plan.study.title
            if self._following is not None
            else self.folder.name
        )
        return t("study.title", title=clean_line(title))

    def body(self) -> ComposeResult:
        yield Static(Content(t("study.reading")), id="state", markup=False)
        yield Static(id="said", markup=False)
        yield Static(LazyLine(self._head), id="head")
        yield LongList(self._row)
        yield Static(id="detail", markup=False)

    def on_mount(self) -> None:
        self.query_one("#said").display = False
        # the screen is painted before anything is read
        self.call_after_refresh(self._follow)

    @work(group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Looks again and again, as long as the screen is there."""
        try:
            if self._following is None:
                self._following = await asyncio.to_thread(
                    _following, self.folder, self._config
                )
        except (BadInput, SessionError) as error:
            self.query_one("#state", Static).update(Content(""))
            self._say(str(error))
            return
        self.query_one("#title", Static).update(self.path_title())
        first, now = True, self._following
        while True:
            before, run = now, self._run
            now, self._status = await asyncio.to_thread(_looked, now)
            self._run = await asyncio.to_thread(run.look)
            self._following = now
            self._hear_answer(run)
            if first or now is not before or now.alive:
                self._draw()
            first = False
            await asyncio.sleep(SOON if now.behind else SECONDS)

    def keys(self) -> dict[str, str]:
        keys = super().keys()
        if self._run.alive:
            keys |= control_keys(paused=self._run.state == "paused")
        return keys

    def led(self) -> Now:
        return lambda: self._run

    def tell(self, sentence: str) -> None:
        """Shows a sentence above the conditions."""
        self._note = sentence
        if self._following is not None:
            self._draw_state()

    def _hear_answer(self, before: RunNow) -> None:
        """Says why the runner has refused an order; an order obeyed says nothing."""
        run = self._run
        if (run.alive, run.state) != (before.alive, before.state):
            self.show_keys()
        if run.head.orders != before.head.orders and before.kind is not None:
            self.tell(run.head.ignored)

    # Drawing

    @property
    def _shown(self) -> list[ConditionProgress]:
        every = self._following.standings if self._following is not None else []
        return [one for one in every if self.wanted(one.condition.name)]

    def narrow(self) -> None:
        self._draw()

    def _draw(self) -> None:
        following = self._following
        if following is None:
            return
        self.query_one("#head", Static).refresh()
        self.query_one(LongList).show(len(self._shown), self._stand_on)
        self._draw_state()
        self._draw_detail()

    def _draw_state(self) -> None:
        from .study_rows import state_line

        state, following = self.query_one("#state", Static), self._following
        assert following is not None
        line = state_line(
            following, self._status, state.size.width or self.app.size.width
        )
        if state.content != line:
            state.update(line, layout=False)
        self._say(self._note or following.problem)

    def _say(self, sentence: str) -> None:
        said = self.query_one("#said", Static)
        said.display = bool(sentence)
        said.update(Content(clean(sentence)))

    def _draw_detail(self) -> None:
        from .study_rows import detail

        following, standing = self._following, self._current()
        if following is None or standing is None:
            return
        name = following.plan.measures[self._at]
        line, words = (
            self.query_one("#detail", Static),
            detail(
                following, standing, name, self._figure(standing.condition.name, name)
            ),
        )
        if line.content != words:
            line.update(words, layout=False)

    def _head(self, width: int) -> Content:
        from .study_rows import StudyGrid

        if self._following is not None:
            return StudyGrid(self._following, width - 1, self._at, self._figure).head()
        return Content("")

    def listing(self) -> list[dict[str, object]]:
        names = self._following.plan.measures if self._following is not None else ()
        return [
            {"condition": name}
            | {
                measure: figure.value
                if (figure := self._figure(name, measure))
                else None
                for measure in names
            }
            for name in (one.condition.name for one in self._shown)
        ]

    def _row(self, number: int, width: int) -> Row:
        from .study_rows import StudyGrid

        if self._following is None:
            return ()
        standing = self._shown[number]
        name = standing.condition.name
        mark = self._marked.index(name) + 1 if name in self._marked else 0
        return StudyGrid(self._following, width, self._at, self._figure).row(
            standing, mark
        )

    def _figure(self, condition: str, measure: str) -> Aggregate | None:
        if self._following is not None:
            return self._following.figures.get((condition, measure))
        return None

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _current(self) -> ConditionProgress | None:
        number = self.query_one(LongList).cursor
        return self._shown[number] if number < len(self._shown) else None

    # Keys

    @on(LongList.Moved)
    def _moved(self) -> None:
        self._stand_on = self.query_one(LongList).cursor
        self._draw_detail()

    def action_measure(self, by: int) -> None:
        """Goes to the measure on the right or on the left."""
        if self._following is not None:
            self._at = min(
                max(self._at + by, 0), len(self._following.plan.measures) - 1
            )
            self._draw()

    def action_mark(self) -> None:
        """Marks a condition to be compared, or takes its mark away.

        Of three, the one marked first loses its mark.
        """
        standing = self._current()
        if standing is None:
            return
        name = standing.condition.name
        if name in self._marked:
            self._marked.remove(name)
        else:
            self._marked = [*self._marked[-1:], name]
        self._draw()

    def _pair(self) -> tuple[str, str] | None:
        """Returns the two conditions to be compared, the reference first: those marked,
        or the study's own and the current one.
        """
        standing = self._current()
        if self._following is None or standing is None:
            return None
        here = standing.condition.name
        first, second = (
            (self._marked or [self._following.plan.reference.name])[0],
            (self._marked[1:] or [here])[0],
        )
        if first != second:
            return first, second
        self._note = t("study.compare_how")
        self._draw_state()
        return None

    def action_compare(self) -> None:
        """Compares two conditions, the items of the measure under the cursor first."""
        pair, following = self._pair(), self._following
        if pair is None or following is None:
            return
        self._note = ""

        def reading() -> ComparedTable:
            from .comparison_run import read_conditions

            return read_conditions(*pair, following)

        measure = following.plan.measures[self._at]
        title = t("compared.title", first=pair[0], second=pair[1])
        self.app.push_screen(ComparisonScreen(title, reading, measure))

    def action_plot(self) -> None:
        if self._following is not None:
            self.app.push_screen(
                PlotScreen(self._following, self._following.plan.measures[self._at])
            )

    @on(LongList.Chosen)
    def _items(self) -> None:
        """Shows the items of a condition, as those of a batch."""
        standing = self._current()
        if standing is None:
            return
        folder = self.folder / standing.condition.folder
        if not (folder / "batch.json").is_file():
            self._note = t(
                "study.recorded_how"
                if standing.condition.name in _recorded(self._following)
                else "study.not_begun"
            )
            self._draw_state()
            return
        self.dismiss(PlaceChoice("open", folder))


def _recorded(following: StudySnapshot | None) -> list[str]:
    """The names of the conditions that are recorded runs."""
    if following is None:
        return []
    return [one.name for one in following.plan.recorded]


class PlotScreen(Sheet[None]):
    """A plot of one measure over the conditions, or over the key or the rounds that the
    study names.
    """

    DEFAULT_CSS = """
    PlotScreen {
        #sheet.tall { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
        #plot { height: auto; width: auto; }
    }
    """
    BINDINGS = [("q,K", "leave")]
    AUTO_FOCUS = "Pages"
    tall = True

    def __init__(self, following: StudySnapshot, measure: str) -> None:
        super().__init__()
        self._following = following
        self._measure = measure

    def heading(self) -> str:
        from ...engines.figures.wording import measure_name

        return (
            f"{clean_line(self._following.plan.study.title)}: "
            f"{measure_name(self._measure)}"
        )

    def body(self) -> ComposeResult:
        with Pages():
            yield Static(id="plot", markup=False)

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        from ...engines.studies.plots.text import lines

        width, height = self.query_one(Pages).scrollable_content_region.size
        plot = self._following.plot(self._measure)
        words = (
            lines(plot, max(width, 20), max(height - 6, 6))
            if plot is not None
            else [t("study.unmeasured")]
        )
        self.query_one("#plot", Static).update(Content(clean("\n".join(words))))


def _following(folder: Path, config: Config) -> StudySnapshot:
    """Reads what a study is, beside the screen. Raises: BadInput, SessionError."""
    from ...engines.method import method
    from ...engines.studies.study_snapshot import follow

    return follow(folder, method, config)


def _looked(following: StudySnapshot) -> tuple[StudySnapshot, str]:
    """The study as it is now, and how it ended last."""
    return following.look(), _status(following.folder)


def _status(folder: Path) -> str:
    """How the study ended last, as its runner has written it down; "" where that cannot
    be read.
    """
    from ...engines.studies.manifest import read_manifest

    try:
        return str(read_manifest(folder).get("status", ""))
    except BadInput:
        return ""

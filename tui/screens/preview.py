"""What a place shows beside its list: the session, run or corpus at the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ...engines.threads import in_thread
from ...sessions.folders import kind_of
from ...texts import t
from ..showing import clean, clean_line

if TYPE_CHECKING:
    from ...engines.batches.runs import RunNow

DELAY = 0.12
"""Seconds that the cursor rests before anything is read."""
EVENTS = 4
"""The last ones of a session that are shown."""
WIDTH = 40
"""Cells of a line of figures."""
LINES = 12
"""Lines of a run that are shown: those that failed or are at work."""


class Preview(VerticalScroll, can_focus=False):
    """Reads beside the keys and only while it is seen; a move of the cursor cancels."""

    def __init__(self) -> None:
        super().__init__()
        self._of: Hashable = None
        self._read: Callable[[], Content] = Content

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, of: Hashable, read: Callable[[], Content]) -> None:
        """Shows the result of `read`, called in a thread.

        `of` identifies a state of a thing: the same one is not read again.
        """
        if of != self._of:
            self._of, self._read = of, read
            self._load()

    def on_show(self) -> None:
        self._load()

    @work(group="preview", exclusive=True, exit_on_error=False)
    async def _load(self) -> None:
        if not self.display:
            return
        await asyncio.sleep(DELAY)
        try:
            words = await in_thread(self._read)
        except Exception as error:  # whatever is in a file, the list stays usable
            words = Content.styled(clean(str(error)), "$text-warning")
        self.query_one(Static).update(words)
        self.scroll_home(animate=False)


def shorter(text: str, most: int = 400) -> str:
    """Returns a text cut to `most` characters."""
    return text[:most] + "…" * (len(text) > most)


def of_path(path: Path) -> Content:
    """Returns the result of a session and what was said last, or how far a batch or
    study is.

    Raises: BadInput, OSError: it cannot be read.
    """
    if kind_of(path) is not None:
        from ...engines.batches.runs import RunNow

        return of_run(RunNow(path).look())
    from ...engines import blocks
    from ...sessions.summary import ending
    from ..widgets.event_view import whole

    session = ending(path, EVENTS)
    told = [blocks.block(event, session) for event in session.events[-EVENTS:]]
    told.sort(key=lambda block: block.kind != "result")
    lines = [Content.styled(clean(session.title), "bold")]
    for block in told:
        block.text = shorter(block.text, 1200)
        if session.events[0].number != 1:  # figures of a part are none of the whole
            block.notes, block.facts, block.remark = [], [], ""
    lines += map(whole, told)
    return Content("\n\n").join(lines)


def of_run(run: RunNow) -> Content:
    """Returns how far a run is, what failed or runs in it, and its figures."""
    from . import batch_lines

    counts = run.counts()
    lines = [
        f"{t(f'follow.{run.state}')}  {run.cost_in_words()}",
        *(f"{t(f'follow.filter_{name}')}  {count:,}" for name, count in counts.items()),
        "",
    ]
    lines += [
        clean_line(f"{line.title or line.id}: {batch_lines.said(line)}")
        for line in run.lines()
        if line.status in ("failed", "running")
    ][:LINES]
    if run.kind == "batch" and not run.alive:
        lines += ["", batch_lines.figures(run.folder, run.head.began, WIDTH)]
    return Content(clean("\n".join(lines)))

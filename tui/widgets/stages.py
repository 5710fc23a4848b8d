"""The stages of a candidate: what streams in now, above what has been made of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ...sessions.clean import clean
from .. import words
from ..texts import t

LONGEST_PAUSE = 0.5
"""Seconds between two drawings of a reply that streams in, at most."""


class Stages(VerticalScroll):
    """Implements `Stage`. While `hidden` holds, a reply is counted and not shown."""

    def __init__(self, interval: float, hidden: Callable[[], bool]) -> None:
        super().__init__(id="stages")
        self._interval = interval
        self._hidden = hidden
        self._who: tuple[str, str, Callable[[], str]] | None = None
        self._said: list[str] = []
        self._thought = 0
        self._began = 0.0
        self._flusher: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="stage-live", markup=False)
        yield Static("", id="stage-settled", markup=False)

    def on_mount(self) -> None:
        self.query_one("#stage-live").display = False
        self.set_interval(1.0, self._draw)

    async def begin(self, role: str, model: str, state: Callable[[], str]) -> None:
        self._who = role, model, state
        self._said, self._thought, self._began = [], 0, time.monotonic()
        self.query_one("#stage-live").display = True
        self._draw()

    def feed(self, text: str, reasoning: bool = False) -> None:
        if self._who is None:
            return
        if reasoning:
            self._thought += len(text)
            return
        self._said.append(text)
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush())

    async def end_live(self) -> None:
        self._who = None
        self.query_one("#stage-live").display = False

    def settle(self, content: Content) -> None:
        """What has been made."""
        self.query_one("#stage-settled", Static).update(content)

    async def _flush(self) -> None:
        """Draws what has gathered; the pause grows with what a drawing costs."""
        began = time.process_time()
        self._draw()
        await asyncio.sleep(min(max(self._interval, 20 * (time.process_time() - began)), LONGEST_PAUSE))
        self._draw()

    def _draw(self) -> None:
        if self._who is None or not self.is_attached:
            return
        role, model, state = self._who
        text = clean("".join(self._said))
        doing = t("entry.thinking", n=self._thought) if self._thought and not text else state()
        seconds = int(time.monotonic() - self._began)
        head = (f"  {model} · {doing}" + (f" {seconds} s" if seconds else ""), "$quiet")
        body = Content.styled(t("relevance.characters", n=len(text)) if text else "", "$quiet") if self._hidden() else Content(text)
        self.query_one("#stage-live", Static).update(Content.assemble((words.role_name(role), "bold"), head, "\n", body, "\n"))

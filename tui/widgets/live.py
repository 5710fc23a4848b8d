"""A reply while it streams in, above what is settled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from ...texts import t
from .. import wording
from ..showing import clean
from .hits import HitText

LONGEST_PAUSE = 0.5
"""Seconds between two drawings of a reply that streams in, at most."""


class LiveReply(VerticalScroll):
    """Implements `Stage`."""

    def __init__(self, id_: str, prefix: str, interval: float) -> None:
        """`prefix` begins the ids of both parts; `interval`: seconds between two
        drawings, at least.
        """
        super().__init__(id=id_)
        self._live = HitText("", id=f"{prefix}live", markup=False)
        self._settled = HitText("", id=f"{prefix}settled", markup=False)
        self._interval = interval
        self._who: tuple[str, str, Callable[[], str]] | None = None
        self._said: list[str] = []
        self._thought = 0
        self._began = 0.0
        self._flusher: asyncio.Task[None] | None = None

    def body(self, role: str, text: str) -> Content:
        """Returns what is shown of a reply so far; `text` is not clean yet."""
        return Content(clean(text))

    def drawn(self) -> None:
        """Called after each drawing."""

    def compose(self) -> ComposeResult:
        yield self._live
        yield self._settled

    def on_mount(self) -> None:
        self._live.display = False
        self.set_interval(1.0, self._draw)

    async def begin(
        self,
        role: str,
        model: str,
        state: Callable[[], str],
        since: float | None = None,
    ) -> None:
        self._who = role, model, state
        self._said, self._thought, self._began = [], 0, since or time.monotonic()
        self._live.display = True
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
        self._live.display = False
        flusher, self._flusher = self._flusher, None
        if flusher is not None:
            flusher.cancel()

    def settle(self, content: Content) -> None:
        """Shows settled content below the reply, or alone when nothing streams."""
        self._settled.update(content)

    async def _flush(self) -> None:
        """Draws what has gathered; the pause grows with what a drawing costs."""
        began = time.process_time()
        self._draw()
        await asyncio.sleep(
            min(max(self._interval, 20 * (time.process_time() - began)), LONGEST_PAUSE)
        )
        self._draw()

    def _draw(self) -> None:
        if self._who is None or not self.is_attached:
            return
        role, model, state = self._who
        doing = (
            t("entry.thinking", n=self._thought)
            if self._thought and not self._said
            else state()
        )
        seconds = int(time.monotonic() - self._began)
        head = (
            f"  {model} · {doing}" + (f" · {seconds} s" if seconds else ""),
            "$quiet",
        )
        body = self.body(role, "".join(self._said))
        self._live.update(
            Content.assemble((wording.role_name(role), "bold"), head, "\n", body, "\n")
        )
        self.drawn()

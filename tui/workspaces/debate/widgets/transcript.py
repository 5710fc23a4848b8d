"""The debate so far, as a window over its events, with the reply of the moment
streaming at its end.

Only a window of events is mounted, so a session of ten thousand opens and steps as
quickly as one of ten.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.layout import DockArrangeResult
from textual.scrollbar import ScrollBar
from textual.widget import Widget
from textual.widgets import Static

from .....engines import blocks
from .....sessions.events import Event
from .....sessions.export.block import part_of
from .....sessions.session import Session
from ....showing import clean, clean_line
from ....terminal.compat import Fixed
from ....widgets.event_view import EventLines, EventView, LiveEntry, speaker_line
from ....widgets.hits import HitText, show_hit

LONGEST_PAUSE = 0.5
"""Seconds between two drawings of a reply that streams in, at most."""


class Transcript(Fixed, VerticalScroll):
    """Shows events `start` to `end` (0-based, end excluded) of a session."""

    def __init__(self, interval: float = 0.1, unfold: bool = False) -> None:
        super().__init__(id="transcript")
        self.start = self.end = 0
        self.unfold = unfold
        self._session: Session | None = None
        self._groups: list[list[Widget]] = []
        self._ahead: list[list[Widget]] = []
        self._lock = asyncio.Lock()
        self._live: LiveEntry | None = None
        self._interval = interval
        self._buffer = ""
        self._flusher: asyncio.Task[None] | None = None
        self._drawn_at = 0.0
        self._lead: Widget | None = None
        """What is to be on the first line, where it reaches below the last one."""

    def compose(self) -> ComposeResult:
        yield EventLines("", id="speaker", markup=False)
        yield EventLines("", id="filler", markup=False)

    def on_mount(self) -> None:
        self.anchor()
        self.watch(self, "scroll_y", self._reached_top, init=False)
        self.watch(self, "scroll_y", self._name_speaker, init=False)

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        made = super().arrange(size, optimal)
        for placed in made.placements if self._lead is not None else ():
            top = placed.region.y - placed.margin.top
            if placed.widget is self._lead:
                below = made.spatial_map.total_region.bottom - top
                if below > size.height and not optimal:
                    self.set_reactive(Widget.scroll_y, top)
                    self.vertical_scrollbar.set_reactive(ScrollBar.position, top)
                    self.release_anchor()
        return made

    def _stand(self) -> None:
        """Goes to the last event: to its end, or to its first line where it is longer
        than the screen.
        """
        self.anchor()
        self.query_one("#speaker", EventLines).display = False  # where a speech begins
        self._lead = self._groups[-1][0] if self._groups else None
        self.call_after_refresh(self._stood)

    def _stood(self) -> None:
        self._lead = None
        self.vertical_scrollbar.position = self.scroll_y
        self._name_speaker()

    def _name_speaker(self, *_: float) -> None:
        """Keep the speaker of the first visible line in view."""
        line, top = self.query_one("#speaker", EventLines), self.scroll_offset.y
        entry = next(
            (
                entry
                for group in self._groups
                if isinstance(entry := group[-1], EventView)
                and entry.virtual_region.y < top < entry.virtual_region.bottom - 1
            ),
            None,
        )
        if line.display != (entry is not None):
            line.display = entry is not None
            self.refresh()  # asking for regions has hidden from Textual what moved
        if entry is not None:
            line.update(speaker_line(entry.block), layout=False)

    def light(self, wanted: re.Pattern[str] | None, number: int) -> None:
        """Marks hits, and brings one of the last event into sight."""
        last = self._groups[-1][-1] if self._groups else None
        hidden = (isinstance(last, EventView) and last.block.reasoning) or ""
        if wanted is not None and wanted.search(hidden):
            self.set_unfold(True)
        for lines in self.query(HitText):
            lines.light(wanted)
        if wanted is not None and last is not None:
            texts = last.query(HitText)
            self.call_after_refresh(show_hit, self, texts, wanted, number)

    @property
    def _window(self) -> int:
        """How many events are mounted at a new place, enough to fill the screen; while
        one steps on, at most twice as many.
        """
        return max(6, self.app.size.height // 4)

    @property
    def _filler(self) -> Static:
        """The widget that takes the room below few entries: an anchored scroll would
        push them to the bottom.
        """
        return self.query_one("#filler", Static)

    async def show(self, session: Session, upto: int) -> None:
        """Brings the view to the session as it is after event `upto`, with as
        little change as possible.
        """
        async with self._lock:
            same = session is self._session
            self._session = session
            if same and self.end < upto <= self.end + self._window:
                # streaming does not scroll while the user reads above
                live = self._live is not None
                follow = live and self.scroll_y >= self.max_scroll_y
                await self._drop_live()
                for event in session.events[self.end : upto]:
                    await self._grow(event, follow)
                if not live:
                    self._stand()
            elif same and upto == self.end - 1 and len(self._groups) > 1:
                await self._drop_live()
                self._ahead.append(self._groups.pop())
                self._display(self._ahead[-1], False)
                self.end = upto
                self._stand()
            elif not same or upto != self.end:
                await self._drop_live()
                await self._rebuild(session, upto)

    async def _grow(self, event: Event, follow: bool) -> None:
        """Show one more event. Reuses the widget of an event that was stepped back
        from.
        """
        with self.app.batch_update():
            if self._ahead:
                group = self._ahead.pop()
                self._display(group, True)
            else:
                group = self._group(event, self.end)
                await self.mount(*group, before=self._filler)
            self._groups.append(group)
            self.end += 1
        if follow:
            self.anchor()
        if len(self._groups) > 2 * self._window:
            self.call_after_refresh(self._trim)  # the key is answered first

    async def _trim(self) -> None:
        """Removes older events, but not while the user reads there."""
        async with self._lock:
            surplus = len(self._groups) - self._window
            if surplus > self._window and self.max_scroll_y == self.scroll_y:
                gone, self._groups = self._groups[:surplus], self._groups[surplus:]
                self.start += surplus
                with self.app.batch_update():
                    await self.remove_children(
                        [widget for group in gone for widget in group]
                    )

    @staticmethod
    def _display(group: list[Widget], shown: bool) -> None:
        for widget in group:
            widget.display = shown

    async def _rebuild(self, session: Session, upto: int) -> None:
        self.start, self.end = max(0, upto - self._window), upto
        self._groups, self._ahead = (
            [self._group(session.events[n], n) for n in range(self.start, upto)],
            [],
        )
        with self.app.batch_update():
            await self.remove_children(
                [
                    child
                    for child in self.children
                    if child.id not in ("filler", "speaker")
                ]
            )
            await self.mount(
                *(widget for group in self._groups for widget in group),
                before=self._filler,
            )
        self._stand()

    def _group(self, event: Event, index: int) -> list[Widget]:
        """An entry, under a line with its round (or iteration) where a new one
        begins.
        """
        assert self._session is not None
        block = blocks.block(event, self._session)
        if block.part is None or self._part_before(index) == block.part:
            return [EventView(block, self.unfold)]
        return [
            EventLines(clean_line(block.part), classes="round", markup=False),
            EventView(block, self.unfold),
        ]

    def _part_before(self, index: int) -> str | None:
        assert self._session is not None
        return next(
            (
                part
                for event in reversed(self._session.events[:index])
                if (part := part_of(event)) is not None
            ),
            None,
        )

    def _reached_top(self, old: float, new: float) -> None:
        if new <= 0 < old and self.start > 0 and not self._lock.locked():
            self.call_after_refresh(self.earlier)  # the key is answered first

    async def earlier(self) -> None:
        """Mounts older events above the window and keeps what is being read in its
        place.
        """
        async with self._lock:
            if self._session is None or self.start == 0 or not self._groups:
                return
            first = max(0, self.start - self._window // 2)
            older = [
                self._group(self._session.events[n], n)
                for n in range(first, self.start)
            ]
            keep = self._groups[0][0]
            with self.app.batch_update():
                await self.mount(
                    *(widget for group in older for widget in group), before=keep
                )
                self._groups[:0] = older
                self.start = first
            self.call_after_refresh(
                self.scroll_to_widget, keep, animate=False, top=True
            )

    def set_unfold(self, unfold: bool) -> None:
        """Shows or hides the reasoning of all entries."""
        self.unfold = unfold
        for entry in self.query(EventView):
            entry.fold(unfold)

    # Streaming: from empty, coalesced, replaced by the settled entry.

    async def begin(
        self,
        role: str,
        model: str,
        state: Callable[[], str],
        since: float | None = None,
    ) -> None:
        """Start a reply, or restart it and discard what an earlier attempt streamed."""
        async with self._lock:
            await self._drop_live()
            self._live = LiveEntry(role, model, state, since)
            await self.mount(self._live, before=self._filler)
            self._drawn_at = time.process_time()

    def feed(self, text: str, reasoning: bool = False) -> None:
        """Adds a piece of the reply."""
        if self._live is None:
            return
        if reasoning:
            self._live.thought(text)
            return
        self._buffer += clean(text)
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush())

    async def _flush(self) -> None:
        """Draws what has gathered.

        The pause grows with what that cost and its painting: streaming takes about a
        twelfth of a core.
        """
        while self._buffer:
            await asyncio.sleep(self._interval)
            spent = time.process_time() - self._drawn_at
            await asyncio.sleep(max(min(12 * spent, LONGEST_PAUSE) - self._interval, 0))
            self._drawn_at = time.process_time()
            text, self._buffer = self._buffer, ""
            if text and self._live is not None and self._live.is_attached:
                self._live.said.append(text)

    async def end_live(self) -> None:
        """Remove a reply that will not become an event."""
        async with self._lock:
            await self._drop_live()

    async def _drop_live(self) -> None:
        live, self._live, self._buffer = self._live, None, ""
        flusher, self._flusher = self._flusher, None
        if flusher is not None:
            flusher.cancel()
        if live is not None and live.is_attached:
            await live.remove()

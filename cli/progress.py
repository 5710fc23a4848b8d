"""The progress of a batch, on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import asyncio
import sys
import time

from ..engines.batches.state import BatchState
from ..texts import t
from . import bar
from .console import note, say


class BatchProgress:
    """The `Reporter` of a batch: shows its state every so often, from a task of its
    own.
    """

    TERMINAL_SECONDS = 0.25
    LOG_SECONDS = 20.0

    def __init__(self) -> None:
        self._bar = sys.stderr.isatty()

    def begin(self, state: BatchState) -> None:
        self.state = state
        self._began, self._paused = time.monotonic(), 0.0
        self._task = asyncio.create_task(self._show())

    async def _show(self) -> None:
        """Until it is cancelled."""
        while True:
            if self._bar:
                self._draw()
            before = time.monotonic()
            await asyncio.sleep(
                self.TERMINAL_SECONDS if self._bar else self.LOG_SECONDS
            )
            self._paused += (time.monotonic() - before) * self.state.paused
            if not self._bar:
                note(self.text())

    def end(self) -> None:
        """The last state, on a line of its own."""
        self._task.cancel()
        if self._bar:
            self._draw()
            bar.leave()
            self._bar = False
        else:
            note(self.text())

    def text(self, *, roles: bool = True) -> str:
        """The state in a line, as `text_of`."""
        return text_of(self.state, self.left(), roles=roles)

    def left(self) -> float | None:
        """Estimated seconds until the run ends."""
        made = self.state.done + self.state.failed - self.state.already
        rest = self.state.lines - self.state.done - self.state.failed
        if made == 0 or rest == 0:
            return None
        return (time.monotonic() - self._began - self._paused) / made * rest

    def say(self, message: str) -> None:
        """A message above the bar."""
        if self._bar:
            bar.clear()
        say(message)

    def _draw(self) -> None:
        text = self.text()
        if bar.room(text) < bar.NARROWEST:
            text = self.text(roles=False)
        bar.draw(self.state.done + self.state.failed, self.state.lines, text)


def text_of(state: BatchState, left: float | None = None, *, roles: bool = True) -> str:
    """The state in a line.

    `left`: seconds that the rest will take. `roles`: those without a known price are
    named, and the share of input that came from providers' caches.
    """
    cost = state.spent.cost_in_words(lambda dollars: f"${dollars:.2f}", roles=roles)
    cached = state.spent.cached_share if roles else None
    parts = [
        f"{state.done + state.failed}/{state.lines}",
        t("batch.progress_done", n=state.done),
        t("batch.progress_failed", n=state.failed),
        t("batch.progress_tokens", n=f"{state.tokens:,}"),
        *(
            []
            if cached is None
            else [t("batch.progress_cached", share=f"{cached:.0%}")]
        ),
        cost,
    ]
    if state.paused:
        parts.append(t("batch.is_paused"))
    elif state.waits_for:
        parts.append(state.waits_for)
    elif left is not None:
        parts.append(t("batch.progress_left", span=span(left)))
    return t("batch.progress_comma").join(parts)


def span(seconds: float) -> str:
    """A time in words."""
    whole = round(seconds)
    if whole < 60:
        return t("batch.seconds", n=whole)
    if whole < 3600:
        return t("batch.minutes", minutes=whole // 60, seconds=whole % 60)
    return t("follow.hours", hours=whole // 3600, minutes=whole % 3600 // 60)

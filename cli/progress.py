"""How a batch goes on, on stderr: a bar on a terminal, a line now and then otherwise."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from .console import say


@dataclass
class State:
    """What there is to tell."""

    lines: int
    done: int = 0
    failed: int = 0
    already: int = 0
    """Of `done`: finished before this run."""
    tokens: int = 0
    cost: float | None = 0.0


class Progress:
    """Shows a batch's state every so often, from a task of its own."""

    TERMINAL_SECONDS = 0.25
    LOG_SECONDS = 20.0

    def __init__(self, state: State, clock: Callable[[], float] = time.monotonic) -> None:
        self.state = state
        self._clock = clock
        self._began = clock()
        self._bar = sys.stderr.isatty()

    async def show(self) -> None:
        """Until it is cancelled."""
        while True:
            if self._bar:
                self._draw()
            await asyncio.sleep(self.TERMINAL_SECONDS if self._bar else self.LOG_SECONDS)
            if not self._bar:
                say(self.text())

    def end(self) -> None:
        """The last state, on a line of its own."""
        if self._bar:
            self._draw()
            self._write("\n")
        else:
            say(self.text())

    def text(self) -> str:
        state = self.state
        cost = "unknown" if state.cost is None else f"${state.cost:.2f}"
        parts = [
            f"{state.done + state.failed}/{state.lines}",
            f"{state.done} done",
            f"{state.failed} failed",
            f"{state.tokens:,} tokens",
            cost,
        ]
        left = self.left()
        return ", ".join([*parts, f"{_span(left)} left"] if left is not None else parts)

    def left(self) -> float | None:
        """Seconds that the rest will take if it goes on as so far."""
        made = self.state.done + self.state.failed - self.state.already
        rest = self.state.lines - self.state.done - self.state.failed
        return None if made == 0 or rest == 0 else (self._clock() - self._began) / made * rest

    def say(self, message: str) -> None:
        """A message above the bar."""
        if self._bar:
            self._write("\r\x1b[K")
        say(message)

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns
        text = self.text()
        room = min(40, width - len(text) - 4)
        bar = ""
        if room >= 8:
            full = room * (self.state.done + self.state.failed) // self.state.lines
            bar = f"[{'#' * full}{'.' * (room - full)}] "
        self._write("\r" + (bar + text)[: width - 1] + "\x1b[K")

    @staticmethod
    def _write(text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            return


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"

"""An app that writes to its terminal slimly, and draws everything anew where the terminal may show something else than it is thought to."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from rich.console import RenderableType
from textual import on
from textual.app import App
from textual.binding import Binding
from textual.events import Resize
from textual.screen import Screen

from .slim import Slim

REPAINT = Binding("ctrl+l", "repaint", show=False, priority=True)
"""What a hand does in a terminal that something else has written on; in dialogs too."""


@cache
def fills_in_color() -> bool:
    """Whether the terminal gives lines that come in the colour in use, as far as terminfo knows it."""
    if "STY" in os.environ:  # GNU screen does not, whatever name it goes by
        return False
    try:
        import curses

        curses.setupterm(fd=1)
        return curses.tigetflag("bce") > 0
    except Exception:  # no curses on this system, no such terminal, no terminal
        return False


class SlimApp(App[None]):
    """Sends what has changed on the screen, and no more."""

    def __init__(self) -> None:
        super().__init__()
        self._slim = Slim(fills_in_color)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, self._slim.of(renderable))

    def action_repaint(self) -> None:
        """Draws the whole screen anew, whatever the terminal shows."""
        self._slim.forget()
        if self.screen_stack:
            self.screen.refresh()

    @on(Resize)
    def _resized(self, event: Resize) -> None:
        """What a terminal of another size makes of its lines is its own affair; so is what stands there after another program had it."""
        if self._slim.size == event.size:  # back from another program, or from another size before anything was drawn
            self.action_repaint()
        self._slim.forget()

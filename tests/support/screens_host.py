"""A tiny app to put one modal screen on, and what tests need to look at it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from verifytui.tui.themes import DARK, LIGHT

NOT_YET = object()

HOSTILE = (
    "[/x] [a=b]y 见[1]、[/] [@click=app.quit]go[/] \x1b[31mred\x1b]52;c;aGk=\x07 "
    "\x9b2J \u202egnp.exe"
)
"""Text that is markup, escape sequences and a bidirectional trick at once."""


class Host(App[None]):
    """Keeps what the screen was dismissed with and the messages that reached the app."""

    CSS_PATH = ["../../tui/app.tcss", "../../tui/workspaces/debate/debate.tcss"]

    def __init__(self, theme: str = "verifytui-dark") -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = theme
        self.result: Any = NOT_YET
        self.heard: list[Any] = []

    def keep(self, result: Any) -> None:
        self.result = result

    def on_lineup_screen_swapped(self, event: Any) -> None:
        self.heard.append(event)


@asynccontextmanager
async def shown(
    screen: Screen[Any], size: tuple[int, int] = (80, 24), theme: str = "verifytui-dark"
) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """The screen on a host app, laid out and with its background work done."""
    host = Host(theme)
    async with host.run_test(size=size, notifications=True) as pilot:
        host.push_screen(screen, host.keep)
        await pilot.pause()
        await host.workers.wait_for_complete()
        await pilot.pause()
        yield host, pilot


def picture(app: App[Any]) -> list[str]:
    """What stands on the screen, line by line."""
    return [
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    ]


def text_of(app: App[Any]) -> str:
    return "\n".join(picture(app))

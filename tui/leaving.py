"""How the app ends: what runs is stopped first, so that what it cost is on disk."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from textual.app import App

from .texts import t

if TYPE_CHECKING:
    from .workspaces.base import Workspace


class LeavingApp(App[None]):
    """Asks before it leaves what runs; ends by a signal as by a key."""

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, Workspace] = {}

    async def do_quit(self) -> None:
        self.run_worker(self._quit(), group="quit", exit_on_error=False)

    async def action_quit(self) -> None:
        await self.do_quit()

    async def _quit(self) -> None:
        if any(workspace.running for workspace in self._made.values()):
            from .screens.confirm import ConfirmScreen

            sure = await self.push_screen_wait(ConfirmScreen(t("app.quit_running"), t("app.quit_yes"), t("app.quit_no")))
            if not sure:
                return
        await self._leave(0)

    async def _leave(self, code: int) -> None:
        """Stops what runs, so that what it cost is on disk, and ends the app."""
        for workspace in self._made.values():
            await workspace.close()
        self.exit(return_code=code)

    def end_on_signals(self) -> None:
        """A lost link or a `kill` ends the app as cleanly as a key: in the event loop, not in the middle of whatever runs."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, lambda: self.run_worker(self._leave(130), group="quit", exit_on_error=False))

"""Who sits where in the whole app, and whether there is anything to begin with."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..engines.models.providers import (
    KNOWN_COMMANDS,
    OLLAMA,
    PROVIDERS,
    base_of,
    key_of,
    on_this_machine,
)
from ..sessions.errors import BadInput
from ..sessions.methods import WORKSPACES
from ..sessions.paths import paths
from ..texts import t
from .remembered import Lineups
from .showing import clean

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from .action_app import Tabbed
    from .screens.lineup import LineupScreen
    from .workspaces.base import Workspace

SECONDS = 0.3
"""That a server on this machine has to answer."""


async def home_is_of_use(config: Config) -> bool:
    """Whether there is a model, a key, a known command, a saved session, a run, or a
    server of Ollama: else an example says more than Home.
    """
    here = paths()
    for folder in (here.sessions, here.state / "runs"):
        with suppress(OSError), os.scandir(folder) as entries:
            if next(entries, None) is not None:
                return True
    if config.model or config.models or config.commands or config.lineup:
        return True
    if any(key_of(name, os.environ) for name in PROVIDERS):
        return True
    if any(map(shutil.which, KNOWN_COMMANDS)):
        return True
    parts = urlsplit(base_of("ollama", os.environ) or OLLAMA)
    if not on_this_machine(parts.hostname or ""):
        return False
    with suppress(OSError, ValueError):
        async with asyncio.timeout(SECONDS):
            address = parts.hostname, parts.port or 80
            _, writer = await asyncio.open_connection(*address)
            writer.close()
            return True
    return False


class Seating:
    """Puts models on seats: of the session in front, or everywhere."""

    def __init__(self, app: Tabbed) -> None:
        self._app = app
        self._everywhere = ""

    async def everywhere(self, name: str) -> str:
        """Puts a model on all seats of the session in front, if that can go on, and of
        all that begin from now on, and remembers it. Returns a sentence about it.
        """
        from ..engines.models.seating import seat_for

        try:
            seat_for(name, self._app.config)
            self._everywhere = self._app.config.model = name
            lineups = Lineups()
            for tab in WORKSPACES:
                lineups.keep(tab, [name])
            for workspace in self._app.workspaces.values():
                play = workspace.play
                front = workspace is self._app.workspace
                if play is not None and (front or play.draft):
                    await self.greet(workspace)
            words = {"model": name, "path": paths().config_file}
            return clean(t("models.everywhere", **words))
        except BadInput as error:
            return clean(str(error))

    async def swap(self, event: LineupScreen.Swapped) -> None:
        """Puts a model on a seat, or everywhere where no role is named."""
        if event.role:
            await self._app.workspace.on_lineup_screen_swapped(event)
        else:
            event.screen.say(await self.everywhere(event.text), warning=False)
            event.screen.show_roles()

    async def greet(self, workspace: Workspace) -> None:
        """Gives the model that takes all roles to a session that can continue."""
        lineup, play = workspace.lineup, workspace.play
        if not self._everywhere or lineup is None or play is None:
            return
        for row in lineup.rows():
            if row.needed and workspace.play is not None and play.can_go_on():
                await lineup.seat(workspace.play, row.role, self._everywhere)

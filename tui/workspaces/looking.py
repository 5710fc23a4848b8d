"""Where a user looks in a session: back and forward, to a part, at what another process appends; and how fast a recording plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...sessions.clean import clean
from ...sessions.errors import SessionError
from ..play import Play
from ..texts import t

if TYPE_CHECKING:
    from ..app import VerifyTui

SPEEDS = {"1": 1.0, "2": 2.0, "4": 4.0, "max": 0.0}


class Looking:
    """The part of a workspace that moves its cursor."""

    speed = "1"

    if TYPE_CHECKING:
        play: Play | None
        _speaking: str | None

        @property
        def running(self) -> bool: ...
        @property
        def tui(self) -> VerifyTui: ...
        async def refresh_view(self) -> None: ...
        async def halt(self) -> None: ...
        def told(self, key: str, **values: object) -> str: ...

    async def look(self, cursor: int) -> None:
        """Shows the session as it stood after event `cursor`. A recording that plays stops there; a live run is not disturbed."""
        if self.play is None:
            return
        if self.running:
            if self._speaking is not None or self.play.at_end:
                self.tui.say(self.told("running"), "warning")
                return
            await self.halt()
        self.play.cursor = min(max(cursor, 0), len(self.play.session.events))
        await self.refresh_view()

    async def do_back(self) -> None:
        if self.play is not None:
            await self.look(self.play.cursor - 1)

    async def do_forward(self) -> None:
        if self.play is not None:
            await self.look(self.play.cursor + 1)

    async def do_first(self) -> None:
        await self.look(0)

    async def do_last(self) -> None:
        if self.play is not None:
            await self.look(len(self.play.session.events))

    async def do_jump(self, number: int) -> None:
        place = self.play.part_at(number) if self.play is not None else None
        if place is None:
            self.tui.say(self.told("no_part", n=number), "warning")
        else:
            await self.look(place)

    def do_slower(self) -> None:
        self._change_speed(-1)

    def do_faster(self) -> None:
        self._change_speed(1)

    def _change_speed(self, by: int) -> None:
        names = list(SPEEDS)
        self.speed = names[min(max(names.index(self.speed) + by, 0), len(names) - 1)]
        self.tui.say(t("play.speed", speed=t("play.at_once") if self.speed == "max" else f"{self.speed}×"), "information")

    async def follow(self) -> None:
        """Takes in what another process has appended to a session that is open there."""
        if self.play is None or self.play.journal.writable or self.play.draft:
            return
        at_end = self.play.at_end
        try:
            fresh = self.play.journal.follow()
            taken = not self.play.replaying and self.play.journal.take_over()
        except SessionError as error:
            self.tui.say(clean(str(error)), "error")
            self.play.close()  # what it showed stays, and it is not asked again every second
            return
        if taken:
            self.tui.say(t("play.taken_over"), "information")
        if (fresh or taken) and at_end:
            await self.look(len(self.play.session.events))

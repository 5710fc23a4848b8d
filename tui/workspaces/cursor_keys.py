"""Where a user looks in a session: back and forward, to a part, to a word; and how fast
a recording plays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...texts import t
from ..runner import SPEEDS

if TYPE_CHECKING:
    from .session_context import SessionContext


class CursorKeys:
    """The keys that move the cursor."""

    def __init__(self, bench: SessionContext) -> None:
        self._bench = bench

    def _can(self, ahead: int) -> bool:
        """Whether there is something that way."""
        play = self._bench.play
        return play is not None and 0 <= play.cursor + ahead <= len(play.session.events)

    def can_back(self) -> bool:
        return self._can(-1)

    def can_forward(self) -> bool:
        return self._can(1)

    can_first, can_last = can_back, can_forward

    def can_faster(self) -> bool:
        play = self._bench.play
        return play is not None and (play.replaying or not play.at_end)

    can_slower = can_faster

    async def do_back(self) -> None:
        if self._bench.play is not None:
            await self._bench.look(self._bench.play.cursor - 1)

    async def do_forward(self) -> None:
        if self._bench.play is not None:
            await self._bench.look(self._bench.play.cursor + 1)

    async def do_first(self) -> None:
        if not self._bench.view.scroll_text(to_end=False):
            await self._bench.look(0)

    async def do_last(self) -> None:
        if not self._bench.view.scroll_text(to_end=True):
            await self._bench.look_at_end()
            self._bench.view.scroll_to_end()

    async def do_jump(self, number: int) -> None:
        place = (
            self._bench.play.part_at(number) if self._bench.play is not None else None
        )
        if place is None:
            self._bench.say("no_part", n=number)
        else:
            await self._bench.look(place)

    def do_slower(self) -> None:
        self._change_speed(-1)

    def do_faster(self) -> None:
        self._change_speed(1)

    def _change_speed(self, by: int) -> None:
        names, runner = list(SPEEDS), self._bench.runner
        runner.speed = names[
            min(max(names.index(runner.speed) + by, 0), len(names) - 1)
        ]
        self._bench.host.say(
            t(
                "play.speed",
                speed=t("play.at_once")
                if runner.speed == "max"
                else f"{runner.speed}×",
            ),
            "information",
        )


class EventSearch:
    """Goes through the events that hold a text."""

    def __init__(self, bench: SessionContext) -> None:
        self._bench = bench

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None:
        """Goes to the next event that holds the text; returns which of how many places
        that is, None where nothing can be searched now.
        """
        play = self._bench.play
        if play is None:
            return None
        places = play.find(text)
        if not places:
            return 0, 0
        ahead = (
            [at for at in places if at > play.cursor]
            if forward
            else [at for at in reversed(places) if at < play.cursor]
        )
        place = ahead[0] if ahead else places[0 if forward else -1]
        await self._bench.look(place)
        return places.index(place) + 1, len(places)

    async def end(self) -> None:
        """The user has left the search."""

"""Where a user looks in a session: back and forward, to a part, to a word; and how fast
a recording plays.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from ...texts import t
from ..runner import SPEEDS
from ..widgets.hits import wanted

if TYPE_CHECKING:
    from ...sessions.session import Session
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


class EventHit(NamedTuple):
    """A place of a session that has the text that is searched for."""

    place: int
    """The cursor position after the event."""
    number: int
    """Which hit of the event, from 0."""


class EventSearch:
    """Goes through the places that hold a text, in all that the events say."""

    def __init__(self, bench: SessionContext) -> None:
        self._bench = bench
        self._session: Session | None = None
        self._texts: list[str] = []
        self._at = ("", EventHit(0, 0))

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None:
        """Goes to the next place that holds the text; returns which of how many that
        is, None where nothing can be searched now.
        """
        play, pattern = self._bench.play, wanted(text)
        if play is None or pattern is None:
            return None
        hits = [
            EventHit(place, number)
            for place, said in enumerate(self._said(play.session), 1)
            for number, _ in enumerate(pattern.finditer(said))
        ]
        if not hits:
            self._bench.view.show_hit(None)
            return 0, 0
        before, last = self._at
        if before != text or last.place != play.cursor:
            last = EventHit(play.cursor, sys.maxsize if forward else 0)
        at = bisect_right(hits, last) if forward else bisect_left(hits, last) - 1
        hit = hits[at % len(hits)]
        self._at = text, hit
        await self._bench.look(hit.place)
        self._bench.view.show_hit(pattern, hit.number)
        return at % len(hits) + 1, len(hits)

    def _said(self, session: Session) -> list[str]:
        """Returns all that each event says to a reader."""
        from ...engines.blocks import block
        from ..widgets.event_view import searched

        if session is not self._session:
            self._session, self._texts = session, []
        self._texts += [
            searched(block(event, session))
            for event in session.events[len(self._texts) :]
        ]
        return self._texts

    async def end(self) -> None:
        """The user has left the search."""
        self._at = "", EventHit(0, 0)
        self._bench.view.show_hit(None)

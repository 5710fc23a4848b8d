"""A closer look at one event: what was sent and came back, and a copy of its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import ReplyEvent, UnknownEvent
from ...sessions.export.votes import replies_of
from ...texts import t
from .. import wording
from .copying import SourceText, sources
from .lineup import seat_of

if TYPE_CHECKING:
    from .session_context import SessionContext


class CloserLook:
    """The keys that show an event raw and that copy it."""

    def __init__(
        self,
        bench: SessionContext,
        number: Callable[[], int] | None = None,
        hidden: Callable[[], bool] = bool,
    ) -> None:
        """`number` returns the event to show raw, 0 for none; without it that is the
        one at the cursor. `hidden`: nothing may be shown.
        """
        self._bench = bench
        self._number = number
        self._hidden = hidden

    def can_raw(self) -> bool:
        """Whether there is a reply to show."""
        play = self._bench.play
        return (
            play is not None
            and not self._hidden()
            and isinstance(play.current, ReplyEvent | UnknownEvent)
        )

    can_copy = can_raw

    def do_raw(self) -> None:
        """Shows the exact messages, the parameters and the raw reply of an event."""
        from ..screens.raw import RawScreen

        play = self._bench.play
        if play is None or self._hidden():
            return
        number = play.cursor if self._number is None else self._number()
        event = play.session.events[number - 1] if number else None
        if isinstance(event, UnknownEvent):
            self._bench.host.push_screen(
                RawScreen(
                    title=f"{event.kind} · {event.number}",
                    messages=[],
                    params={},
                    reply="",
                    meta=event.fields,
                )
            )
            return
        if not isinstance(event, ReplyEvent):
            self._bench.say("raw_what")
            return
        seat = seat_of(play.session.prefix(number - 1), event.role)
        params = (
            {one.called: one.params for one in seat.panel}
            if seat.panel
            else {**seat.params}
            if event.model != "human"
            else {}
        )
        # votes are in the replies
        aside = ("text", "reasoning") if event.votes is msgspec.UNSET else ("votes",)
        meta = {
            name: value
            for name, value in msgspec.to_builtins(event).items()
            if name not in aside
        }
        title = (
            f"{wording.letter(event.role)} {wording.role_name(event.role)} · "
            f"{event.number}"
        )
        self._bench.host.push_screen(
            RawScreen(
                title=title,
                messages=self._asked(number),
                params=params,
                reply=replies_of(event),
                reasoning=event.reasoning,
                meta=meta,
            )
        )

    def _asked(self, number: int) -> list[dict[str, str]]:
        play, method = self._bench.play, self._bench.method
        try:
            return (
                method.asked(play.session, number)
                if play is not None and method is not None
                else None
            ) or []
        except BadInput as error:
            self._bench.host.say(str(error), "warning")
            return []

    def do_copy(self) -> None:
        """Copies the source of the event at the cursor; where it has several pieces,
        the one that is chosen.
        """
        play = self._bench.play
        if self._hidden() or play is None:
            return
        found = sources(play.current, play.session.events[: play.cursor])
        if not found:
            self._bench.say("copy_what")
        elif len(found) == 1:
            self._copy(found[0].text)
        else:
            self._bench.host.dialog(self._choose(found))

    async def _choose(self, found: list[SourceText]) -> None:
        from ..screens.pick import PickScreen

        names = [one.name for one in found]
        chosen = await self._bench.host.ask(PickScreen(t("play.copy_which"), names))
        if chosen is not None:
            self._copy(found[chosen].text)

    def _copy(self, text: str) -> None:
        self._bench.host.copy(text)
        self._bench.host.say(t("play.copied", n=len(text)), "information")

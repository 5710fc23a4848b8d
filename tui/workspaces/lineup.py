"""Who sits on which seat, and another model in its place."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from ...sessions.errors import BadInput
from .. import wording

if TYPE_CHECKING:
    from ...engines.models.catalogue import ModelRow
    from ...sessions.session import Seat, Session
    from ..screens.lineup import LineupScreen
    from .changes import Changes
    from .session_context import SessionContext


class Lineup:
    """The key that opens the line-up."""

    def __init__(self, bench: SessionContext, changes: Changes) -> None:
        self._bench = bench
        self._changes = changes

    def can_lineup(self) -> bool:
        return self._bench.changeable

    def do_lineup(self, role: str | None = None, message: str | None = None) -> None:
        """Opens the line-up: at a role, and with a sentence where something went wrong
        there.
        """
        if not self._bench.fixed():
            self._bench.host.dialog(self._show(role, message))

    async def _show(self, role: str | None, message: str | None) -> None:
        from ...engines.models.catalogue import choices
        from ..screens.lineup import LineupScreen, RoleRow

        host, play, method = self._bench.host, self._bench.play, self._bench.method
        assert play is not None
        if isinstance(host.screen, LineupScreen):  # a call failed while it was open
            host.screen.offer(role, message or "")
            return
        view = play.view
        needed = self._bench.roles(view)
        empty = method.empty_seats(view) if method is not None else []
        extra = [
            name
            for name in dict.fromkeys((*view.header.lineup, *empty))
            if name not in needed
        ]
        rows = [
            RoleRow(
                name,
                wording.letter(name),
                play.wished(f"lineup.{name}", seat_of(view, name)),
                name in needed,
            )
            for name in [*needed, *extra]
        ]
        failed = play.failed.role if play.at_end and play.failed is not None else None
        screen = LineupScreen(
            rows,
            choices(host.config, os.environ),
            self._more_choices,
            role or failed,
            message,
            failed,
        )
        await host.ask(screen)
        if screen.again:
            await self._changes.do_retry()

    async def _more_choices(self) -> AsyncGenerator[list[ModelRow], None]:
        """Yields the models of each server on this machine as soon as it answers,
        before all others; then LiteLLM's prices too, which take seconds to load.
        """
        from ...engines.models.catalogue import choices, local_servers
        from ...engines.models.litellm_loading import ready, warm

        warm()  # whoever opens the line-up is about to choose a model
        local: list[ModelRow] = []
        async for found in local_servers(os.environ):
            local = sorted([*local, *found], key=lambda choice: not choice.usable)
            yield [*local, *choices(self._bench.host.config, os.environ)]
        await ready()
        yield [*local, *choices(self._bench.host.config, os.environ)]

    async def swap(self, event: LineupScreen.Swapped) -> None:
        """Puts a model on a seat; the seat keeps its parameters."""
        from ...engines.models.seating import check_panel, seat_for, with_params

        play, role = self._bench.play, event.role
        if play is None:
            return
        old = play.wished(f"lineup.{role}", seat_of(play.view, role))
        try:
            new = seat_for(event.text, self._bench.host.config)
            if self._bench.method is not None:
                check_panel(self._bench.method.settings, role, new)
        except BadInput as error:
            event.screen.refused(role, old, str(error))
            return
        if new.model not in wording.BUILT_IN:
            new = with_params(new, old.params)
        event.screen.seated(role, new)
        await self._changes.set(f"lineup.{role}", old if old.model else None, new)


def seat_of(session: Session, role: str) -> Seat:
    """Returns who answers for a role; a seat without a model where a file from
    elsewhere names nobody.
    """
    from ...sessions.session import Seat

    return dict(session.seated([role])).get(role) or Seat(model="")

"""Shows the line-up of a session, and changes the model of a role."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ...engines.threads import in_thread
from ...sessions.errors import BadInput
from .. import wording

if TYPE_CHECKING:
    from ...engines.models.catalogue import ModelRow
    from ...engines.models.config import Config
    from ...sessions.session import Seat, Session
    from ..host import Host
    from ..play import Play
    from ..screens.lineup import LineupScreen, RoleRow
    from ..screens.place import Place
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
        from ..screens.lineup import LineupScreen

        host = self._bench.host
        if isinstance(host.screen, LineupScreen):  # a call failed while it was open
            host.screen.offer(role, message or "")
            return
        chosen = await host.ask(self.screen(role, message))
        if chosen is not None and chosen.action == "retry":
            await self._changes.do_retry()
        elif chosen is not None:
            await host.go(chosen.action)

    def screen(self, role: str | None = None, message: str | None = None) -> Place:
        """Returns the line-up of the open session, at a role."""
        play = self._bench.play
        assert play is not None
        failed = play.failed.role if play.at_end and play.failed is not None else None
        return models_place(
            self._bench.host,
            self.rows,
            focus_role=role or failed,
            message=message,
            failed=failed,
            certified=certified_models(play.view, self._bench.host.config),
        )

    def rows(self) -> list[RoleRow]:
        """Return the roles of the open session with their next models, in asking
        order.
        """
        from ..screens.lineup import RoleRow

        play = self._bench.play
        assert play is not None
        view, method = play.view, self._bench.method
        needed = self._bench.roles(view)
        empty = method.empty_seats(view) if method is not None else []
        return [
            RoleRow(
                name,
                wording.letter(name),
                play.wished(f"lineup.{name}", seat_of(view, name)),
                name in needed,
            )
            for name in dict.fromkeys((*needed, *view.header.lineup, *empty))
        ]

    async def swap(self, event: LineupScreen.Swapped) -> None:
        """Put a model on a seat, as `seat` does, and confirm it on the screen."""
        play, role = self._bench.play, event.role
        if play is None:
            return
        old = play.wished(f"lineup.{role}", seat_of(play.view, role))
        try:
            event.screen.seated(role, await self.seat(play, role, event.text))
        except BadInput as error:
            event.screen.refused(role, old, str(error))

    async def seat(self, play: Play, role: str, text: str) -> Seat:
        """Put a model on a seat, keeping its parameters. Returns the seat. Raises:
        BadInput.
        """
        from ...engines.models.seating import check_panel, seat_for, with_params

        old = play.wished(f"lineup.{role}", seat_of(play.view, role))
        new = seat_for(text, self._bench.host.config)
        if self._bench.method is not None:
            check_panel(self._bench.method.settings, role, new)
        if new.model not in wording.BUILT_IN:
            new = with_params(new, old.params)
        await self._changes.set(f"lineup.{role}", old if old.model else None, new)
        return new


def models_place(
    host: Host, rows: Callable[[], Sequence[RoleRow]] = tuple, **more: Any
) -> Place:
    """Returns the place of the models; `rows`: who has which role. `more` is as for
    `LineupScreen`.
    """
    from ...engines.models.catalogue import add_known_commands, choices
    from ...sessions.session import Seat
    from ..screens.library_rows import date, result
    from ..screens.lineup import LineupScreen, RoleRow

    def seats() -> list[RoleRow]:
        everybody = Seat(model=host.config.model or "")
        return [*rows(), RoleRow("", "*", everybody, needed=False)]

    listed = cache(host.library.entries)

    def last(model: str) -> str:
        one = next((one for one in listed() if model in one.models), None)
        return f"{date(one, 16)}  {result(one)}  {one.title}" if one else ""

    add_known_commands(host.config, os.environ)
    models = choices(host.config, os.environ)
    refresh = partial(more_choices, host.config)
    return LineupScreen(seats, models, refresh, last=last, **more)


async def more_choices(config: Config) -> AsyncGenerator[list[ModelRow], None]:
    """Yields what is known at once; then prices too, and the models of each server on
    this machine as soon as it answers, before all others.
    """
    from ...engines.models.catalogue import choices, local_servers
    from ...engines.models.litellm_loading import warm
    from ...engines.models.prices import read_table

    yield choices(config, os.environ)
    await in_thread(read_table)
    yield choices(config, os.environ)
    warm()  # whoever opens the line-up is about to choose a model
    local: list[ModelRow] = []
    async for found in local_servers(os.environ):
        local = sorted([*local, *found], key=lambda choice: not choice.usable)
        yield [*local, *choices(config, os.environ)]


def certified_models(view: Session, config: Config) -> Callable[[str], str]:
    """Return the certificates of a model, by name, for a session's prompts."""
    from ...engines.figures.certificates import (
        JudgeFacts,
        endpoints_of,
        judge_in_words,
        read_certificates,
        status_of,
    )
    from ...engines.figures.provenance import name_of
    from ...engines.models.seating import seat

    prompts = view.header.prompts
    made_with = f"{prompts.set} {prompts.hash.removeprefix('sha256:')[:12]}"
    every = [one for one in read_certificates() if one.method == view.method]

    def told(name: str) -> str:
        try:
            taken = seat(name, config)
        except BadInput:
            return ""
        model = name_of(taken) if taken.panel else taken.model
        own = [one for one in every if one.model == model]
        where = endpoints_of(taken, config, os.environ) if own else frozenset()
        found = {}
        for one in own:
            kind = (one.method, one.role)
            judge = JudgeFacts(model, made_with, one.measure, kind, where)
            key = f"{one.role}.{one.measure}"
            found[key] = judge_in_words(key, status_of(judge, own))
        return "  ".join(found.values())

    return told


def seat_of(session: Session, role: str) -> Seat:
    """Return the seat of a role, without a model if an imported file names none."""
    from ...sessions.session import Seat

    return dict(session.seated([role])).get(role) or Seat(model="")

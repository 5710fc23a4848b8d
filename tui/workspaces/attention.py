"""Notifies the user when a session needs input, and sets the window title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...texts import t
from ..showing import clean_line
from ..title_columns import fit

if TYPE_CHECKING:
    from ...sessions.session import Seat
    from .session_context import SessionContext

LONGEST = 60
"""Cells of a title in a notification, at most."""


class SessionNotifier:
    """Sends one session's notifications."""

    def __init__(self, bench: SessionContext) -> None:
        self._bench = bench

    def at_work(self, role: str, seat: Seat) -> None:
        """Somebody is asked now: says so in the window's title, and calls the user if
        it is them.
        """
        self._name_window(running=True)
        if seat.model == "human":
            self._call("waits")

    def over(self) -> None:
        """A run is over: calls the user."""
        play = self._bench.play
        if play is None:
            return
        self._name_window(running=False)
        failed = play.failed if play.at_end else None
        waits = self._bench.runner.waits_for_person()
        self._call(
            "failed"
            if failed is not None
            else "waits"
            if waits
            else "finished"
            if play.finished
            else "paused"
        )

    def _call(self, what: str) -> None:
        play = self._bench.play
        if play is not None:
            title = fit(clean_line(play.session.title), LONGEST).rstrip()
            self._bench.host.call_user(
                t(f"attention.{what}", tab=t(f"app.{self._bench.tab}"), title=title)
            )

    def _name_window(self, running: bool) -> None:
        bench = self._bench
        if bench.play is None or bench.method is None:
            return
        at = bench.method.progress(bench.play.session)
        where = (
            t(f"attention.part_{bench.tab}", n=at[0], total=at[1])
            if at is not None
            else ""
        )
        bench.host.name_window(
            f"{'● ' if running else ''}{t(f'app.{bench.tab}')} {where}".rstrip()
        )

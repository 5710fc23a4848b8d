"""Figures of a session at each of its events, kept as the session grows: looking back
through thousands stays quick.
"""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from ..engines.debate.rounds import (
    RoundDisagreement,
    disagreement_by_round,
    mode_of,
    summed,
)
from ..sessions.events import Event
from ..sessions.events.debate import Disagreement
from ..sessions.session import Session, Totals


def part_of(event: Event) -> int | None:
    """Returns the round of a debate or the iteration of a question that an event
    belongs to; None where it belongs to none.
    """
    return getattr(event, "round", None) or getattr(event, "iteration", None)


class Timeline:
    """Figures of a session after each event; index 0 is before the first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._debate = session.method == "debate"
        self._totals = [Totals()]
        self._rounds = [0]
        self._ends: list[int] = []
        self._measured: list[RoundDisagreement] = []
        self._mode = mode_of(session) if self._debate else "none"

    def totals(self, cursor: int) -> Totals:
        self._grow()
        return self._totals[cursor]

    def round(self, cursor: int) -> int:
        """Returns the last round or iteration in which something happened; 0 before the
        first.
        """
        self._grow()
        return self._rounds[cursor]

    def disagreement(self, cursor: int) -> Disagreement:
        self._grow()
        return summed(self._mode, self._measured[: bisect_right(self._ends, cursor)])

    def _grow(self) -> None:
        events = self._session.events
        if len(self._rounds) > len(events):
            return
        for event in events[len(self._rounds) - 1 :]:
            total = self._totals[-1]
            spent = Totals.of(event)
            if spent is not None:
                total = msgspec.structs.replace(total)
                total.add(spent)
            self._totals.append(total)
            self._rounds.append(part_of(event) or self._rounds[-1])
        if not self._debate:
            return
        self._mode = mode_of(self._session)
        self._measured = disagreement_by_round(self._session)
        last = {
            number: index
            for index, number in enumerate(self._rounds[1:], 1)
            if self._speaks(index)
        }
        self._ends = [last[measured.round] for measured in self._measured]

    def _speaks(self, index: int) -> bool:
        """Whether the figure of a round may depend on this event."""
        return type(self._session.events[index - 1]).__name__ in ("Speech", "Stance")

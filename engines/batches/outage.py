"""Notices that a seat cannot be asked at all, so that no further line is tried."""

from __future__ import annotations

import msgspec

from ...sessions.events import Event, Failure, ReplyEvent
from ...sessions.session import Session

PERMANENT = frozenset(
    {"auth", "not-found", "missing-key", "unknown-model", "not-local", "address"}
)
"""Kinds of failures that another attempt does not change."""
IN_A_ROW = 3
"""Calls of a seat that fail alike before no more lines start."""


class Outage:
    """Counts the failures of each seat, over all lines of a run."""

    def __init__(self) -> None:
        self._alike: dict[tuple[str, bytes], tuple[str, int]] = {}
        """Role and seat to the kind of the last failures, and how many there were."""
        self.failure: Failure | None = None
        """The failure that ended the run; None: it continues."""

    def hear(self, event: Event, session: Session) -> bool:
        """Takes in an event of a line. True where it ends the run."""
        if self.failure is not None or not isinstance(event, Failure | ReplyEvent):
            return False
        try:
            seat = (event.role, msgspec.json.encode(session.seat(event.role)))
        except KeyError:
            return False
        if isinstance(event, ReplyEvent):
            if not event.cached:
                self._alike.pop(seat, None)
            return False
        if event.kind not in PERMANENT:
            return False
        kind, count = self._alike.get(seat, (event.kind, 0))
        count = count + 1 if kind == event.kind else 1
        self._alike[seat] = (event.kind, count)
        if count >= IN_A_ROW:
            self.failure = event
        return self.failure is not None

"""Where a session comes from, and what is different in it from there on."""

from __future__ import annotations

from typing import Any

import msgspec

from .events import Change
from .session import Session


class Origin(msgspec.Struct, kw_only=True):
    """A session's parent, and what was done in its place.

    Text is as it is in the file: clean it before a terminal shows it.
    """

    id: str
    """Of the parent."""
    number: int
    """The last event that both share."""
    why: str
    """fork, edit, retry, handover or swap."""
    role: str = ""
    """The role that speaks first in the fork: the one whose reply was edited or
    requested again.

    Empty: none yet.
    """
    changed: dict[str, Any] = {}
    """Seats and settings that were changed in its own part, with what they are now."""
    before: dict[str, Any] = {}
    """What each field was when its own part began.

    A field that is so again has not changed.
    """

    def note(self, field: object, old: object, new: object) -> None:
        """Takes in a change in the session's own part.

        Another title changes nothing in what happens.
        """
        if not isinstance(field, str) or field == "title":
            return
        self.changed[field] = new
        if self.before.setdefault(field, old) == new:
            del self.changed[field]


def origin_of(session: Session) -> Origin | None:
    """Where a session comes from; None for one that has no parent."""
    parent = session.header.parent
    if parent is None:
        return None
    found = Origin(id=parent.id, number=parent.number, why=parent.why)
    for event in session.events[max(parent.number, 0) :]:
        if isinstance(event, Change):
            found.note(event.field, event.old, event.new)
        found.role = found.role or getattr(event, "role", "")
    return found

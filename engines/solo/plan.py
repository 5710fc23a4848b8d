"""What comes next when one model answers alone: a pure function of the session's events."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ...sessions.events.solo import Attempt, SoloResult
from ...sessions.session import Session
from .settings import SETTINGS

SOLVER = "solver"
ROLES = (SOLVER,)


class Step(msgspec.Struct, frozen=True):
    """The next thing to happen. `role` is who is asked; "" for the result, which is computed."""

    what: Literal["attempt", "result"]
    role: str
    iteration: int


def setting(session: Session, name: str) -> Any:
    """A setting in force now, as `Settings.in_force`."""
    return SETTINGS.in_force(session, name)


def attempts(session: Session) -> list[Attempt]:
    """All attempts so far, in order."""
    return [event for event in session.events if isinstance(event, Attempt)]


def upcoming(session: Session) -> Step | None:
    """The next step: an attempt, then the result; None when the session is finished. Failures, notes and changes count for nothing."""
    if any(isinstance(event, SoloResult) for event in session.events):
        return None
    return Step("result", "", 1) if attempts(session) else Step("attempt", SOLVER, 1)

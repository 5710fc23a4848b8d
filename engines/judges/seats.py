"""How a judging seat is called, as its method declares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ...sessions.events import Event, Usage
from ...sessions.session import Session
from ..figures.judge.tasks import About
from .flips import Verdict
from .items import AuditItem
from .probes import ProbedItem

GIVEN = "given"
"""The model recorded for supplied texts, which are part of the item."""
E = TypeVar("E")


class JudgingSeat(NamedTuple):
    """A seat whose judge can be audited."""

    role: str
    """As a session calls it."""
    method: str
    many: str
    """What the lines of its batches are."""
    line: Callable[[AuditItem], dict[str, Any]]
    """The item as a line of these batches."""
    verdict: Callable[[AuditItem, Session], Verdict] | None
    """What the judge said in a session; None: it has no turn in one, and says of its
    answer what `about` names."""
    planted: Callable[[AuditItem, bool], dict[str, Any]]
    """A verdict in the judge's own form, for the text or against it."""
    settings: Mapping[str, Any] = {}
    others: Sequence[str] = ()
    """The model of all other seats, which have spoken."""
    recorded: Callable[[AuditItem], Sequence[Event]] = lambda item: ()
    """What is in the session before the judge's turn."""
    options: Callable[[AuditItem, ProbedItem], dict[str, Any]] = lambda item, shown: {}
    """Further settings of the session in which an item is shown so."""
    chose: Callable[[Session], bool | None] | None = None
    """Whether it chose the answer that an ordinary session ended with, or None: there
    was no choice. None for a judge that chooses no answer.
    """
    certifies: str = "judgement"
    """What a certificate on its items is about, as `Measure.judge` has it."""
    about: About = "same"
    accepts: Callable[[AuditItem, float], bool | None] = lambda item, value: value == 1
    """Whether a value of that accepts the text; None: it is a tie."""


def last(session: Session, kind: type[E]) -> E | None:
    """The last event of a kind."""
    found = (event for event in reversed(session.events) if isinstance(event, kind))
    return next(found, None)


def called(right: bool) -> Verdict:
    """The verdict that accepts a text, or refuses it."""
    return "right" if right else "wrong"


def given() -> dict[str, Any]:
    """What an event has that no model made."""
    usage = Usage(input=0, output=0)
    return {"model": GIVEN, "usage": usage, "cost": 0.0, "attempts": 0}

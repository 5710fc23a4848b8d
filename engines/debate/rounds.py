"""The rounds of a debate as a table, each round × seat: what was answered, who moved,
what the judge ruled, how far they disagreed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ...sessions.events import Event
from ...sessions.events.debate import Speech, Verdict
from ...sessions.session import Session
from .answers import same
from .disagreement import by_round
from .plan import breaks, debaters, setting

Ruled = Literal["goes_on", "ends", "would_end", "extracts", "undecided", "unread"]
"""What the judge said of a round.

`would_end`: the adaptive rule would have ended a forced debate there; `undecided`: no
answer was extracted.
"""


class SeatAnswer(msgspec.Struct, frozen=True):
    """What one seat answered in one round."""

    answer: str | None
    """None: none could be read in its speech."""
    before: str | None = None
    """The answer that it stated last before, if this one says something else: the seat
    has moved.
    """


class Ruling(msgspec.Struct, frozen=True):
    """The judge's word on one round."""

    ruled: Ruled
    side: str | None = None
    """A role, `tie`, or None."""
    answer: str | None = None


class Round(msgspec.Struct, frozen=True):
    """One row of the table."""

    number: int
    stated: dict[str, SeatAnswer]
    """By role; a seat that has not spoken yet is not there."""
    ruling: Ruling | None = None
    whole: bool = False
    """Whether everybody has spoken and it was measured."""
    disagreement: float | None = None


def rounds(session: Session, last: int | None = None) -> list[Round]:
    """The rounds so far, in order; `last`: only so many, the newest.

    A session of thousands of rounds is read from its end.
    """
    start = _start(session, last)
    events = session.events[start:]
    measured = {one.round: one.value for one in by_round(session, start)}
    earlier = _stated_before(session, start) if start else {}
    rows: dict[int, dict[str, SeatAnswer]] = {}
    for event in events:
        if isinstance(event, Speech):
            known = earlier.get(event.role)
            moved = (
                known is not None
                and event.answer is not None
                and not same(known, event.answer)
            )
            rows.setdefault(event.round, {})[event.role] = SeatAnswer(
                event.answer, known if moved else None
            )
            earlier[event.role] = event.answer if event.answer is not None else known
    rulings = _rulings(session, events)
    return [
        Round(
            number,
            stated,
            rulings.get(number),
            number in measured,
            measured.get(number),
        )
        for number, stated in sorted(rows.items())
    ]


def _start(session: Session, last: int | None) -> int:
    """The index of the first event of the newest `last` rounds."""
    seen: set[int] = set()
    at = 0
    if last is not None:
        for index in range(len(session.events) - 1, -1, -1):
            event = session.events[index]
            if isinstance(event, Speech):
                seen.add(event.round)
                if len(seen) > last:
                    break
                at = index
    return at


def _stated_before(session: Session, start: int) -> dict[str, str | None]:
    """What each seat stated last before an event; it looks back only as far as it must."""
    found: dict[str, str | None] = {}
    missing = set(debaters(session))
    for event in reversed(session.events[:start]):
        if (
            isinstance(event, Speech)
            and event.role in missing
            and event.answer is not None
        ):
            found[event.role] = event.answer
            missing.discard(event.role)
            if not missing:
                break
    return found


def _rulings(session: Session, events: Sequence[Event]) -> dict[int, Ruling]:
    forced = setting(session, "stop") == "forced"
    found: dict[int, Ruling] = {}
    for event in events:
        if isinstance(event, Verdict):
            found[event.round] = _ruling(event, forced, found.get(event.round))
    return found


def _ruling(verdict: Verdict, forced: bool, before: Ruling | None) -> Ruling:
    """What a verdict rules; an extraction has the last word on the answer, and leaves
    standing that the debate ends there.
    """
    side, answer = verdict.supported_side, verdict.answer or None
    if verdict.mode == "extractive":
        if before is not None and before.ruled in ("ends", "would_end"):
            return Ruling(before.ruled, side or before.side, answer or before.answer)
        return Ruling(
            "unread"
            if verdict.read == "unread"
            else "extracts"
            if answer
            else "undecided",
            side,
            answer,
        )
    if verdict.preference is None:
        return Ruling("unread", side, answer)
    if not breaks(verdict):
        return Ruling("goes_on", side, answer)
    return Ruling("would_end" if forced else "ends", side, answer)

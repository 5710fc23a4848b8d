"""The rounds of a debate as a table: each seat's answer, who moved, and the judge's
ruling.

How far the debaters disagree, round by round (MAD paper, section 1 and Figure 4, "share
of opposition between the debaters").

The paper does not say who decides whether two speeches oppose each other. There are two
measures, and every figure names its mode: `answer`, the share of pairs of debaters
whose stated answers differ, and `stance`, the observer's rating of the round. If there
is no figure, `Disagreement.missing` says what was missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import msgspec

from ...sessions.events import Event, Usage
from ...sessions.events.debate import Disagreement, Speech, Stance, Verdict
from ...sessions.session import Session
from .plan import breaks, debaters, observed, setting


def same(one: str, other: str) -> bool:
    """Return True if two answers say the same (`metrics/equivalence.py`)."""
    if one == other:
        return True
    from ..metrics import equivalence

    return equivalence.same(one, other)


def closing(text: str) -> str | None:
    """Return the answer that a speech states; None if it states none
    (`metrics/stated.py`).
    """
    from ..metrics import stated_answer

    return stated_answer.closing(text)


def edited_speech(speech: Speech, text: str) -> Speech:
    """Return the speech with edited text. An edit costs nothing."""
    return Speech(
        role=speech.role,
        round=speech.round,
        model="human",
        text=text,
        answer=closing(text),
        usage=Usage(input=0, output=0),
        cost=0.0,
    )


def single_line(text: str) -> str | None:
    """Return the text if it is a single line."""
    from ..metrics import stated_answer

    return stated_answer.single_line(text)


class RoundDisagreement(NamedTuple):
    """A complete round: its figure (None if nothing can be compared), and how many
    pairs or ratings are left out.
    """

    round: int
    value: float | None
    excluded: int


def mode_of(session: Session) -> Literal["answer", "stance", "none"]:
    """Return how disagreement is measured.

    Without ratings, the stance is not measured. With fewer than two debaters, nothing
    is.
    """
    if len(debaters(session)) < 2:
        return "none"
    if setting(session, "disagreement") != "stance":
        return "answer"
    rated = observed(session) or any(
        isinstance(event, Stance) for event in session.events
    )
    if rated:
        return "stance"
    return "none"


def disagreement_by_round(session: Session, start: int = 0) -> list[RoundDisagreement]:
    """Return the complete rounds in order. `start`: the index of the event to begin
    with.
    """
    mode, order = mode_of(session), debaters(session)
    if mode == "none":
        return []
    stated: dict[int, dict[str, str | None]] = {}
    ratings: dict[int, float | None] = {}
    for event in session.events[start:]:
        if isinstance(event, Speech):
            stated.setdefault(event.round, {})[event.role] = event.answer
        elif isinstance(event, Stance):
            ratings[event.round] = event.value
    whole = [
        (number, said)
        for number, said in sorted(stated.items())
        if len(said) == len(order)
    ]
    if mode == "stance":
        return [
            RoundDisagreement(
                number, ratings.get(number), int(ratings.get(number) is None)
            )
            for number, _ in whole
        ]
    return [_compared(number, [said[role] for role in order]) for number, said in whole]


def _compared(number: int, answers: list[str | None]) -> RoundDisagreement:
    pairs = list(combinations(answers, 2))
    known = [
        (one, other) for one, other in pairs if one is not None and other is not None
    ]
    return RoundDisagreement(
        number,
        _mean([0.0 if same(one, other) else 1.0 for one, other in known]),
        len(pairs) - len(known),
    )


def summed(
    mode: Literal["answer", "stance", "none"], rounds: Sequence[RoundDisagreement]
) -> Disagreement:
    """Combine the figures of several rounds. The mean is over the rounds with a
    figure.
    """
    values = [measured.value for measured in rounds]
    return Disagreement(
        mode=mode,
        per_round=values,
        mean=_mean(values),
        excluded=sum(measured.excluded for measured in rounds),
    )


def disagreement(session: Session) -> Disagreement:
    """Return the disagreement in all complete rounds."""
    return summed(mode_of(session), disagreement_by_round(session))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if known:
        return sum(known) / len(known)
    return None


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
    """The judge's decision on one round."""

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
    """Return the rounds so far, in order. `last`: only this many, the newest.

    A session of thousands of rounds is read from its end.
    """
    start = _start(session, last)
    events = session.events[start:]
    measured = {one.round: one.value for one in disagreement_by_round(session, start)}
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
    """Return the last answer that each seat stated before an event, reading back only
    as far as necessary.
    """
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
    rulings: dict[int, Ruling] = {}
    for event in events:
        if isinstance(event, Verdict):
            rulings[event.round] = _ruling(event, forced, rulings.get(event.round))
    return rulings


def _ruling(verdict: Verdict, forced: bool, before: Ruling | None) -> Ruling:
    """Return the ruling of a verdict. An extraction determines the answer, but not
    whether the debate ends.
    """
    side, answer = verdict.supported_side, verdict.answer or None
    if verdict.mode == "extractive":
        if before is not None and before.ruled in ("ends", "would_end"):
            return Ruling(before.ruled, side or before.side, answer or before.answer)
        return Ruling(
            "unread" if verdict.unreadable else "extracts" if answer else "undecided",
            side,
            answer,
        )
    if verdict.preference is None:
        tied = "preference" in verdict.ties
        return Ruling("undecided" if tied else "unread", side, answer)
    if not breaks(verdict):
        return Ruling("goes_on", side, answer)
    return Ruling("would_end" if forced else "ends", side, answer)

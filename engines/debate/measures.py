"""What is counted of one debate: disagreement and answers round by round, the side that won, and how many rounds it took.

By round, a debate that ended keeps its answer up to the limit of rounds: else the later figures would be those of the hard topics alone.
Without `--stop forced` nobody extracts an answer before the end, so until then it is undecided, which counts as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...sessions.events.debate import DebateResult, Resample, Speech, Verdict
from ...sessions.session import Session
from ..measures import by_round
from ..measures.by_round import Stands, stands
from ..measures.common import rightness
from ..measures.measure import Item, Measure, Measured
from . import disagreement
from .plan import DEBATERS, breaks, debaters, setting, verdict_of

SIDES = (*DEBATERS, "tie", "none")


def measures() -> dict[str, Measure]:
    """All measures of a debate, by name."""
    by_rounds = (
        Measure("disagreement", "neither", _disagreement, low=0, high=1, by_round=True),
        *by_round.measures(answers),
    )
    others = (
        Measure("rounds", "neither", _rounds, low=1),
        *(
            Measure(f"wins_{side}", "neither", _wins(side), share=True, low=0, high=1)
            for side in SIDES
        ),
        Measure(
            "wins_judge_model", "neither", _wins_of_judge, share=True, low=0, high=1
        ),
        Measure("judge_agreement", "higher", _judge_agreement, low=0, high=1),
        Measure("accuracy_resampled", "higher", _accuracy_resampled, low=0, high=1),
    )
    return {measure.name: measure for measure in (*by_rounds, *others)}


def answers(session: Session) -> list[Stands]:
    """The answer after each round, up to the limit of rounds."""
    made = max(
        (event.round for event in session.events if isinstance(event, Speech)),
        default=0,
    )
    result = session.result
    ended = result.rounds if isinstance(result, DebateResult) else None
    found = []
    for number in range(1, max(made, setting(session, "rounds")) + 1):
        if ended is not None and isinstance(result, DebateResult) and number >= ended:
            found.append(stands(number, result.answer))
        elif number <= made:
            found.append(stands(number, _answer_after(session, number)))
        else:
            found.append(Stands(number, None, "failed"))
    return found


def _answer_after(session: Session, number: int) -> str | None:
    """What was extracted after a round, or what the judge would have ended the debate with."""
    ends = _ending(session, number)
    chosen = verdict_of(session, number, "extractive")
    return (
        chosen.answer
        if chosen is not None and chosen.answer
        else ends.answer
        if ends is not None
        else None
    )


def _ending(session: Session, number: int) -> Verdict | None:
    verdict = verdict_of(session, number, "discriminative")
    return verdict if setting(session, "stop") != "forced" and breaks(verdict) else None


def _disagreement(session: Session, item: Item) -> Iterator[Measured]:
    """The mean over the rounds, then each round. Nothing where nobody rates it."""
    if disagreement.mode_of(session) == "none":
        return
    rounds = disagreement.by_round(session)
    known = [one.value for one in rounds if one.value is not None]
    if session.result is None:
        yield Measured(None, "failed")
    else:
        yield (
            Measured(sum(known) / len(known), "measured")
            if known
            else Measured(None, "unread")
        )
    for one in rounds:
        yield Measured(
            one.value, "unread" if one.value is None else "measured", one.round
        )


def _rounds(session: Session, item: Item) -> Iterator[Measured]:
    if isinstance(session.result, DebateResult):
        yield Measured(float(session.result.rounds), "measured")


def _wins(side: str) -> Callable[[Session, Item], Iterator[Measured]]:
    """Whether the result supports this side. Only of finished debates, and of the sides that they have."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        result = session.result
        sides = debaters(session)
        if (
            isinstance(result, DebateResult)
            and sides
            and side in (*sides, "tie", "none")
        ):
            yield _right((result.supported_side or "none") == side)

    return of


def _wins_of_judge(session: Session, item: Item) -> Iterator[Measured]:
    """Whether the side with the judge's own model wins, or with that of a member of its panel. Nothing where all debaters have it, or none,
    or no side is supported."""
    result = session.result
    seats = dict(session.seated((*debaters(session), "judge")))
    judge = seats.pop("judge", None)
    own = (
        {(one.name, one.model) for one in judge.members} if judge is not None else set()
    )
    same = {role for role, seat in seats.items() if (seat.name, seat.model) in own}
    if (
        same
        and len(same) < len(seats)
        and isinstance(result, DebateResult)
        and result.supported_side in seats
    ):
        yield _right(result.supported_side in same)


def _judge_agreement(session: Session, item: Item) -> Iterator[Measured]:
    """The share of the judge's further decisions that have the answer of the first."""
    again = (
        session.result.resampled if isinstance(session.result, DebateResult) else None
    )
    if again is not None:
        yield Measured((again.same_answer - 1) / (again.asked - 1), "measured")


def _accuracy_resampled(session: Session, item: Item) -> Iterator[Measured]:
    """The share of all decisions of the judge that are right; one without an answer is not."""
    right = rightness(item)
    further = [event.answer for event in session.events if isinstance(event, Resample)]
    if right is not None and further and isinstance(session.result, DebateResult):
        told = [
            answer is not None and right(answer)
            for answer in (session.result.answer, *further)
        ]
        yield Measured(sum(told) / len(told), "measured")


def _right(right: bool) -> Measured:
    return Measured(float(right), "right" if right else "wrong")

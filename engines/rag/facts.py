"""What counts of a finished session, for reports and measures."""

from __future__ import annotations

from dataclasses import dataclass

from ...sessions.events.rag import Check, Clause, RagResult, Verification
from ...sessions.session import Session
from .claims_figures import Claimed, claimed
from .iterations import Iteration, iterations
from .plan import SCORES, turns


@dataclass(frozen=True)
class Facts:
    """What counts of a finished session."""

    answer: str | None
    first: str | None
    last: str | None
    """The first and the last answer that was given."""
    undecided: bool
    """There is no answer, or the verification could not be read, so that nobody decided whether to go on."""
    turns: tuple[Iteration, ...]
    verification: Verification | None
    """The last one that was to give scores."""
    check: Check | None
    """The last one."""
    judgements: tuple[str, ...]
    clauses: tuple[Clause, ...]
    iterations: int
    stopped_by: str
    claimed: Claimed | None = None
    """What its claims come to; None where none were to be checked."""


def facts(session: Session) -> Facts:
    """The facts of a finished session."""
    made = turns(session)
    result = next(
        event for event in reversed(session.events) if isinstance(event, RagResult)
    )
    answers = [turn.answer.answer for turn in made if turn.answer is not None]
    verified = [
        turn.verification
        for turn in made
        if turn.verification is not None and turn.iteration > 0
    ]
    checks = [turn.check for turn in made if turn.check is not None]
    return Facts(
        answer=result.answer,
        first=answers[0] if answers else None,
        last=answers[-1] if answers else None,
        undecided=result.answer is None or result.stopped_by == "unread",
        turns=iterations(session),
        verification=next(
            (one for one in reversed(verified) if scores_wanted(one)), None
        ),
        check=checks[-1] if checks else None,
        judgements=tuple(one.judgement or "unread" for one in verified),
        clauses=tuple(
            clause
            for turn in made
            if turn.decision is not None
            for clause in turn.decision.clauses
        ),
        iterations=result.iterations,
        stopped_by=result.stopped_by,
        claimed=claimed(session),
    )


def scores_wanted(verification: Verification) -> bool:
    """False for a reviser's reply, which is a query alone."""
    return verification.role != "reviser" or any(
        getattr(verification, name) is not None for name in SCORES
    )

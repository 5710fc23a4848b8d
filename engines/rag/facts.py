"""What counts of a finished session, for its measures."""

from __future__ import annotations

from dataclasses import dataclass

from ...sessions.events.rag import Check, Clause, RagResult, Verification
from ...sessions.session import Session
from ..figures.remembered import per_session
from .claims_figures import ClaimFigures, claimed
from .iterations import Iteration, iterations
from .plan import SCORES, turns


@dataclass(frozen=True)
class SessionFigures:
    """What counts of a finished session."""

    iterations: tuple[Iteration, ...]
    verifications: tuple[Verification, ...]
    """Those of answers."""
    check: Check | None
    """The last one."""
    clauses: tuple[Clause, ...]
    claimed: ClaimFigures | None
    """What its claims come to; None where none were to be checked."""

    @property
    def scored(self) -> tuple[Verification, ...]:
        """The verifications that were to give scores and a judgement."""
        return tuple(each for each in self.verifications if scores_wanted(each))

    @property
    def judgements(self) -> tuple[str, ...]:
        return tuple(each.judgement or "unread" for each in self.scored)


@per_session
def facts(session: Session) -> SessionFigures | None:
    """The facts of a session; None where it has no result of this method."""
    if not isinstance(session.result, RagResult):
        return None
    made = turns(session)
    checks = [turn.check for turn in made if turn.check is not None]
    verifications = tuple(
        turn.verification
        for turn in made
        if turn.verification is not None and turn.iteration > 0
    )
    clauses = tuple(
        clause
        for turn in made
        if turn.decision is not None
        for clause in turn.decision.clauses
    )
    return SessionFigures(
        iterations=iterations(session),
        verifications=verifications,
        check=checks[-1] if checks else None,
        clauses=clauses,
        claimed=claimed(session),
    )


def scores_wanted(verification: Verification) -> bool:
    """False for a reviser's reply, which is a query alone."""
    return verification.role != "reviser" or any(
        getattr(verification, name) is not None for name in SCORES
    )

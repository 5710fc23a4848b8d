"""The facts of each iteration of a session, and of a finished session, for its
measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from ...sessions.events import Reference, ReplyEvent
from ...sessions.events.rag import Check, Clause, RagResult, Retrieval, Verification
from ...sessions.session import Session
from ..figures.common import answer_of
from ..figures.measure import MeasuredValue, State
from ..figures.remembered import per_session
from .abstention import abstains
from .claims_figures import ClaimFigures, claimed
from .plan import ACCEPTED_ID, SCORES, given_answer, in_force, setting, turns

Said = Literal["true", "false", "unclear", "undecided", "unread"]


@dataclass(frozen=True)
class Iteration:
    """One iteration."""

    answer: str | None
    references: tuple[str, ...] | None
    """Title and text of each; None where the accepted answers themselves stood for
    references.
    """
    said: Said | None = None
    """Whether the answer is true according to its verification; None without one.

    Without a chain the query decides: none means `true`.
    """
    asks_again: bool | None = None
    """Whether the verification leaves a query for another retrieval.

    One beside the judgement `true` is not used, unless claims decide. None: unread.
    """
    shown: tuple[Reference, ...] = ()
    """Its references in the order in which the generator saw them."""
    asked_for: int = 0
    """How many references a search was asked for; 0 where they were given."""


@per_session
def iterations(session: Session) -> tuple[Iteration, ...]:
    """Return the iterations of a session in order, also one without references or
    answer.

    A line of a batch without text to verify has one, with the references it lists.
    """
    made = []
    for turn in turns(session):
        if turn.iteration == 0:
            continue
        answer = turn.answer.answer if turn.answer is not None else None
        said, asks = None, None
        if turn.verification is not None and turn.answer is not None:
            said, asks = _verified(turn.verification, answer)
            if turn.decision is not None and turn.decision.rule == "claims":
                asks = turn.decision.revise
        shown = tuple(in_force(turn.retrieval))
        wanted = _asked_for(session, turn.retrieval)
        made.append(Iteration(answer, texts(shown), said, asks, shown, wanted))
    listed = session.header.task.get("references")
    if not made and session.result is not None and isinstance(listed, list):
        shown = tuple(msgspec.convert(listed, list[Reference]))
        made.append(Iteration(None, texts(shown), shown=shown))
    return tuple(made)


def _asked_for(session: Session, retrieval: Retrieval | None) -> int:
    """Return how many references a search requested; 0 if they were given."""
    if retrieval is None or retrieval.retriever == "given":
        return 0
    return int(setting(session, "k"))


def texts(listed: Sequence[Reference]) -> tuple[str, ...] | None:
    """Return title and text of each reference; None if they are the accepted
    answers.
    """
    if any(one.id.startswith(ACCEPTED_ID) for one in listed):
        return None
    return tuple(f"{one.title}\n{one.text}" for one in listed)


def _verified(
    verification: Verification, answer: str | None
) -> tuple[Said, bool | None]:
    query = verification.revised_query
    wanted = None if query is None else bool(query.strip())
    if verification.role == "reviser":
        if wanted is None:
            return "undecided" if verification.ties else "unread", wanted
        return "false" if wanted else "true", wanted
    used = verification.judgement != "true" or verification.edited or abstains(answer)
    return said_by(verification), wanted and used


def said_by(verification: Verification) -> Said:
    """The judgement; without one, whether a panel was undecided or it is unread."""
    tied = "judgement" in verification.ties
    return verification.judgement or ("undecided" if tied else "unread")


def share(count: int, of: int) -> MeasuredValue:
    """A share pooled over sessions; with a denominator of 0 it is 0 and adds
    nothing.
    """
    return MeasuredValue(count / of if of else 0.0, "measured", counts=(count, of))


def carried(
    session: Session, values: Sequence[MeasuredValue]
) -> Iterator[MeasuredValue]:
    """Yield one value per iteration, up to the limit in the settings. The last value
    counts for iterations that were not needed.
    """
    asked_once = (
        not session.header.lineup
        or given_answer(session) is not None
        or setting(session, "revise") != "end"
    )
    limit = 1 if asked_once else setting(session, "iterations") + 1
    for place in range(max(limit, len(values)) if values else 0):
        yield values[min(place, len(values) - 1)]._replace(round=place + 1)


def unexamined(session: Session) -> State | None:
    """Return why the answer of a session could not be verified; None if it could."""
    result = session.result
    if isinstance(result, RagResult) and result.stopped_by == "no-references":
        return "no-references"
    return answer_of(session).missing


@dataclass(frozen=True)
class SessionFigures:
    """The figures of a finished session."""

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
        """Return the verifications that were asked for scores and a judgement."""
        return tuple(each for each in self.verifications if scores_wanted(each))

    @property
    def judgements(self) -> tuple[str, ...]:
        return tuple(map(said_by, self.scored))


@per_session
def facts(session: Session) -> SessionFigures | None:
    """Return the facts of a session; None if it has no result of this method."""
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
    """Return False for a reviser's reply, which is a query alone."""
    return verification.role != "reviser" or any(
        getattr(verification, name) is not None for name in SCORES
    )


STAGES = ("retrieval", "answer", "verification", "claims")
"""Events that take time, as their tags are."""


def stage_seconds(session: Session) -> dict[str, float]:
    """Return the seconds of each stage over all iterations, without stages that did not
    happen.
    """
    seconds: dict[str, float] = {}
    for event in session.events:
        if isinstance(event, ReplyEvent | Retrieval):
            stage = str(event.__struct_config__.tag)
            seconds[stage] = seconds.get(stage, 0.0) + event.seconds
    return seconds

"""What each iteration of a session brought: its answer, its references, and what the verifier said of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...sessions.events import Reference
from ...sessions.events.rag import Retrieval, Verification
from ...sessions.session import Session
from .abstention import abstains
from .plan import in_force, turns
from .questions import ACCEPTED_ID

Said = Literal["true", "false", "unclear", "unread"]


@dataclass(frozen=True)
class Iteration:
    """One iteration."""

    answer: str | None
    references: tuple[str, ...] | None
    """Title and text of each; None where the accepted answers themselves stood for references."""
    said: Said | None = None
    """Whether the answer is true, by its verification; None where it has none. Without a chain the query tells: none is `true`."""
    asks_again: bool | None = None
    """Whether the verification leaves a query for another retrieval. One beside the judgement `true` is not used. None: unread."""


def iterations(session: Session) -> tuple[Iteration, ...]:
    """The iterations of a session, in order. One that found nothing and gave no answer is there, too."""
    made = []
    for turn in turns(session):
        if turn.iteration == 0:
            continue
        answer = turn.answer.answer if turn.answer is not None else None
        said, asks = (None, None) if turn.verification is None or turn.answer is None else _verified(turn.verification, answer)
        made.append(Iteration(answer, _texts_of(turn.retrieval), said, asks))
    return tuple(made)


def texts(listed: Sequence[Reference]) -> tuple[str, ...] | None:
    """Title and text of each reference; None where they are the accepted answers."""
    if any(one.id.startswith(ACCEPTED_ID) for one in listed):
        return None
    return tuple(f"{one.title}\n{one.text}" for one in listed)


def _texts_of(retrieval: Retrieval | None) -> tuple[str, ...] | None:
    return () if retrieval is None else texts(in_force(retrieval))


def _verified(verification: Verification, answer: str | None) -> tuple[Said, bool | None]:
    query = verification.revised_query
    wanted = None if query is None else bool(query.strip())
    if verification.role == "reviser":
        return ("unread" if wanted is None else "false" if wanted else "true"), wanted
    used = verification.judgement != "true" or verification.edited or abstains(answer)
    return verification.judgement or "unread", wanted and used

"""What each iteration of a session brought: its answer, its references, and what the
verifier said of the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from ...sessions.events import Reference
from ...sessions.events.rag import Retrieval, Verification
from ...sessions.session import Session
from ..figures.remembered import per_session
from .abstention import abstains
from .plan import ACCEPTED_ID, in_force, setting, turns

Said = Literal["true", "false", "unclear", "unread"]


@dataclass(frozen=True)
class Iteration:
    """One iteration."""

    answer: str | None
    references: tuple[str, ...] | None
    """Title and text of each; None where the accepted answers themselves stood for
    references.
    """
    said: Said | None = None
    """Whether the answer is true, by its verification; None where it has none.

    Without a chain the query tells: none is `true`.
    """
    asks_again: bool | None = None
    """Whether the verification leaves a query for another retrieval.

    One beside the judgement `true` is not used. None: unread.
    """
    shown: tuple[Reference, ...] = ()
    """Its references in the order in which the generator saw them."""
    asked_for: int = 0
    """How many references a search was asked for; 0 where they were given."""


@per_session
def iterations(session: Session) -> tuple[Iteration, ...]:
    """The iterations of a session, in order, also one without references or answer.

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
        shown = tuple(in_force(turn.retrieval))
        wanted = _asked_for(session, turn.retrieval)
        made.append(Iteration(answer, texts(shown), said, asks, shown, wanted))
    listed = session.header.task.get("references")
    if not made and session.result is not None and isinstance(listed, list):
        shown = tuple(msgspec.convert(listed, list[Reference]))
        made.append(Iteration(None, texts(shown), shown=shown))
    return tuple(made)


def _asked_for(session: Session, retrieval: Retrieval | None) -> int:
    """How many references a search was asked for; 0 where they were given."""
    if retrieval is None or retrieval.retriever == "given":
        return 0
    return int(setting(session, "k"))


def texts(listed: Sequence[Reference]) -> tuple[str, ...] | None:
    """Title and text of each reference; None where they are the accepted answers."""
    if any(one.id.startswith(ACCEPTED_ID) for one in listed):
        return None
    return tuple(f"{one.title}\n{one.text}" for one in listed)


def _verified(
    verification: Verification, answer: str | None
) -> tuple[Said, bool | None]:
    query = verification.revised_query
    wanted = None if query is None else bool(query.strip())
    if verification.role == "reviser":
        return ("unread" if wanted is None else "false" if wanted else "true"), wanted
    used = verification.judgement != "true" or verification.edited or abstains(answer)
    return verification.judgement or "unread", wanted and used

"""The source of training data: answers with their references, and the verifier's
judgements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....engines.metrics import containment
from ....engines.metrics.equivalence import same
from ....engines.rag.abstention import abstains as says_nothing
from ....engines.rag.check import check
from ....engines.rag.engine import answer_given, retrieval_given
from ....engines.rag.facts import said_by
from ....engines.rag.plan import SCORES, RagStep, in_force, kept_turn, question, turns
from ....sessions.events import Event
from ....sessions.events.rag import RagResult
from ....sessions.session import Header, Session
from .port import SampledAnswer
from .samples import SampleVerdict


def answered(session: Session) -> SampledAnswer | None:
    """The final answer and its references; None if the session has no answer or no
    references.
    """
    turn = kept_turn(session) if session.result is not None else None
    if (
        turn is None
        or turn.answer is None
        or turn.retrieval is None
        or not (turn.answer.answer or "").strip()
    ):
        return None
    references = in_force(turn.retrieval)
    if not references:
        return None
    listed = session.header.task.get("answers")
    return SampledAnswer(
        question=question(session),
        accepted=[str(one) for one in listed] if isinstance(listed, list) else [],
        query=turn.retrieval.query,
        references=references,
        answer=turn.answer.answer or "",
        models=[turn.answer.model] if turn.answer.model else [],
    )


MOST_WORDS = 200
"""Maximum number of words of an answer that is searched for an accepted one."""


def verified(session: Session, sample: str) -> SampleVerdict:
    """The verifier's last verification; unread if there is none."""
    found = next(
        (
            turn.verification
            for turn in reversed(turns(session))
            if turn.verification is not None
        ),
        None,
    )
    if found is None or found.role != "verifier":
        return SampleVerdict(sample=sample)
    return SampleVerdict(
        sample=sample,
        reason=found.reason,
        scores={name: getattr(found, name) for name in SCORES},
        judgement=None if (word := said_by(found)) == "unread" else word,
        revised_query=found.revised_query,
        read=found.read,
        models=[found.model] if found.model else [],
    )


def right(answer: str, accepted: Sequence[str], question: str) -> bool:
    """Like `accuracy`: the same text or value, or a sentence that gives a name."""
    step = containment.accepted_step(answer, accepted, question=question)
    return step is not None


def mentions(answer: str, accepted: Sequence[str]) -> bool:
    """Whether a short answer is an accepted one, possibly in another form."""
    words = re.sub(r"\[\d+\]", " ", answer).split()[:MOST_WORDS]
    parts = {
        " ".join(words[start : start + count]).strip(".,;:!?")
        for start in range(len(words))
        for count in range(1, 6)
    }
    return any(same(part, one) for part in parts for one in accepted)


def holds(text: str, accepted: Sequence[str]) -> bool:
    """Whether a text contains an accepted answer, by whole words."""
    return containment.contains(text, accepted)


def abstains(answer: str) -> bool:
    """Whether an answer only states that the references do not contain one."""
    return says_nothing(answer)


def unverified(header: Header) -> list[Event]:
    """Records given references and a given answer, its verification, and a result.

    Raises: ModelError if the references cannot be read.
    """
    session = Session(header, [])
    retrieval, answer = (
        retrieval_given(session),
        answer_given(session, RagStep("answer", "", 1)),
    )
    checked = check(answer.answer or "", in_force(retrieval))
    return [
        retrieval,
        answer,
        checked,
        RagResult(answer=answer.answer, iterations=1, stopped_by="single", kept=1),
    ]

"""What training data are made of: answers with their references, and what the verifier
said of them.
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
    """The answer that stands, with the references it was given from; None where the
    session has none, or had no references.
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
"""Words of an answer in which an accepted one is looked for."""


def verified(session: Session, sample: str) -> SampleVerdict:
    """The last verification by the verifier; unread where there is none."""
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
    """As `accuracy`: the same text or value, or a sentence that gives a name."""
    step = containment.accepted_step(answer, accepted, question=question)
    return step is not None


def mentions(answer: str, accepted: Sequence[str]) -> bool:
    """Whether a few words of an answer are an accepted one, also in another form."""
    words = re.sub(r"\[\d+\]", " ", answer).split()[:MOST_WORDS]
    parts = {
        " ".join(words[start : start + count]).strip(".,;:!?")
        for start in range(len(words))
        for count in range(1, 6)
    }
    return any(same(part, one) for part in parts for one in accepted)


def holds(text: str, accepted: Sequence[str]) -> bool:
    """Whether an accepted answer is in a text, by whole words."""
    return containment.contains(text, accepted)


def abstains(answer: str) -> bool:
    """Whether an answer only says that the references do not hold it."""
    return says_nothing(answer)


def unverified(header: Header) -> list[Event]:
    """The references and the answer as they are given, its check, and a result.

    Raises: ModelError for references that cannot be read.
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

"""An answer, or a revised query, that a person has edited."""

from __future__ import annotations

import msgspec

from ...sessions.events import Usage
from ...sessions.events.rag import RagAnswer, Verification
from ..retrieval.citations import citations
from .check import answer_of


def edited_answer(answer: RagAnswer, text: str) -> RagAnswer:
    """Return the answer with the edited text. An edit costs nothing."""
    answer_text = answer_of(text)
    return RagAnswer(
        role=answer.role,
        iteration=answer.iteration,
        model="human",
        text=text,
        answer=answer_text,
        citations=citations(answer_text or ""),
        usage=Usage(input=0, output=0),
        cost=0.0,
    )


def edited_query(verification: Verification, text: str) -> Verification:
    """Return the verification with the edited query."""
    return msgspec.structs.replace(
        verification, revised_query=" ".join(text.split()), edited=True
    )

"""An answer, or a revised query, in a person's words."""

from __future__ import annotations

import msgspec

from ...sessions.events import Usage
from ...sessions.events.rag import RagAnswer, Verification
from ..retrieval.citations import citations
from .check import answer_of


def edited_answer(answer: RagAnswer, text: str) -> RagAnswer:
    """The answer with other words, which cost nothing."""
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
    """The verification with another query."""
    return msgspec.structs.replace(
        verification, revised_query=" ".join(text.split()), edited=True
    )

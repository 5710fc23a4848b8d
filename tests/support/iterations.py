"""Events of one iteration of a question, each with values that a test names."""

from __future__ import annotations

from typing import Any

from verifytui.sessions.events import Event
from verifytui.sessions.events.rag import (
    Check,
    Decision,
    RagAnswer,
    Retrieval,
    Verification,
)
from verifytui.tests.support.questions import passages


def retrieval(
    iteration: int = 1, query: str = "Who?", *texts: str, **given: Any
) -> Retrieval:
    return Retrieval(
        iteration=iteration,
        query=query,
        references=passages(*(texts or ("Beorn.",))),
        **given,
    )


def answer(iteration: int = 1, text: str = "Beorn [1].") -> RagAnswer:
    return RagAnswer(role="generator", iteration=iteration, text=text, answer=text)


def verification(
    iteration: int = 1, query: str | None = "", **given: Any
) -> Verification:
    return Verification(
        role="verifier", iteration=iteration, revised_query=query, read="json", **given
    )


def decision(
    iteration: int = 1, revise: bool | None = False, rule: str = "nonempty"
) -> Decision:
    return Decision(iteration=iteration, rule=rule, revise=revise)


def whole(
    iteration: int = 1,
    query: str = "Who?",
    revised: str | None = "",
    revise: bool | None = False,
    **scores: Any,
) -> list[Event]:
    """All events of one iteration."""
    return [
        retrieval(iteration, query),
        answer(iteration, f"Answer {iteration} [1]."),
        Check(iteration=iteration),
        verification(iteration, revised, **scores),
        decision(iteration, revise),
    ]

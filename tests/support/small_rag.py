"""A question that was answered, verified and answered again, as header and events."""

from __future__ import annotations

from typing import Any

from verifytui.sessions.events import Event, Reference, Usage
from verifytui.sessions.events.rag import (
    Check,
    Claim,
    Claims,
    Clause,
    Decision,
    RagAnswer,
    RagResult,
    Retrieval,
    Sentence,
    Verification,
)
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Header, Prompts, Seat


def make_rag(
    text: str = "Alice walked up the hill.", *, stopped_by: str = "indicator"
) -> tuple[Header, list[Event]]:
    """Every text of it is `text`, wherever text may stand."""
    header = new_header(
        workspace="rag",
        title=text,
        task={"question": f"{text} Why?", "corpus": "example"},
        lineup={"generator": Seat(model="gpt-4"), "verifier": Seat(model="lexical")},
        settings={"k": 5, "iterations": 1},
        prompts=Prompts(set="en", hash="sha256:00", templates={}),
    )
    scores: dict[str, Any] = {
        "reference_correctness": 0.2,
        "correctness": 0.25,
        "citation_accuracy": 1.0,
        "truthfulness": 0.5,
        "conciseness": 0.9,
    }
    clauses = [
        Clause(name="bias", value=0.75, bound=0.7, holds=True),
        Clause(name="correctness", value=None, bound=0.26, holds=None),
        Clause(name=text, value=text, bound=text, holds=False),
    ]
    events: list[Event] = [
        Retrieval(
            iteration=1,
            query=text,
            references=[
                Reference(
                    n=1,
                    id=text,
                    title=text,
                    file=text,
                    score=1.5,
                    embed_score=0.25,
                    rerank_score=0.5,
                    text=text,
                    flags=["marks"],
                ),
                Reference(n=2, id="b", text=text, pinned=True, flags=[text]),
            ],
            dropped=[text],
            unknown=[text],
            message=text,
            retriever="corpus",
            usage=Usage(input=1, output=0),
            cost=0.01,
            seconds=1.0,
        ),
        RagAnswer(
            role="generator",
            model=text,
            text=text,
            iteration=1,
            answer=text,
            citations=[1, 99],
            reasoning=text,
        ),
        Check(
            iteration=1,
            sentences=[Sentence(text=text, citations=[1], support=0.5)],
            unknown=[99],
            empty=1,
            uncited=1,
            measure=text,
        ),
        Verification(
            role="verifier",
            text=text,
            iteration=1,
            bias=0.75,
            judgement="false",
            revised_query=text,
            read="json",
            problems=[text],
            edited=True,
            **scores,
        ),
        Decision(iteration=1, rule=text, clauses=clauses, revise=True),
        Retrieval(iteration=2, query=text, message=text),
        RagAnswer(role="generator", text=text, iteration=2, answer="x"),
        Verification(role="verifier", text=text, iteration=2),
        Decision(iteration=2, rule="nonempty", revise=None),
        Claims(
            role="verifier",
            text=text,
            iteration=2,
            items=[
                Claim(text=text, verdict="contradicted", n=1, words=text, sentence=1),
                Claim(
                    text=text,
                    verdict="supported",
                    n=1,
                    words=text,
                    also=[2],
                    sentence=1,
                ),
                Claim(text=text),
            ],
            read="json",
            problems=[text],
            measure=text,
        ),
        RagResult(answer=text, iterations=2, stopped_by=stopped_by, kept=2),  # type: ignore[arg-type]
    ]
    for number, event in enumerate(events, 1):
        event.number, event.time = number, "2026-11-21T04:44:00.123Z"
    return header, events

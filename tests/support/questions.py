"""Questions played to their end, with a retriever and replies that functions give."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verifytui.engines.models.port import Message
from verifytui.engines.rag.engine import rag_engine
from verifytui.engines.rag.messages import AnswerTask, RagTask, Revise
from verifytui.engines.rag.settings import check_settings
from verifytui.engines.rag.starting import new_question
from verifytui.engines.retrieval.port import (
    ANY,
    Lexicon,
    PassageFilter,
    RetrievalResult,
)
from verifytui.prompts import load, with_templates
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import (
    Check,
    Claims,
    Decision,
    RagAnswer,
    Retrieval,
    Verification,
)
from verifytui.sessions.session import Seat, Session
from verifytui.tests.support.telling import Answering, Told, play_out

QUESTION = "Who turns into a bear?"

Finding = Callable[[str, int], RetrievalResult | Sequence[str]]


class Shelf:
    """A retriever that finds what a function says: texts, or a whole `RetrievalResult`.
    Keeps the queries.
    """

    def __init__(self, find: Finding | Sequence[str], name: str = "corpus") -> None:
        self.find: Finding = find if callable(find) else lambda _query, _k: find
        self.name = name
        self.asked: list[tuple[str, int]] = []

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        self.asked.append((query, k))
        found = self.find(query, k)
        if isinstance(found, RetrievalResult):
            return found
        return RetrievalResult(references=passages(*found))

    def lexicon(self) -> Lexicon | None:
        return None


def passages(*texts: str) -> list[Reference]:
    return [
        Reference(n=number, id=f"id-{text}", text=text, score=1.0)
        for number, text in enumerate(texts, 1)
    ]


def begin(
    settings: Mapping[str, Any] | None = None,
    *,
    question: str = QUESTION,
    prompts: str = "en",
    **given: Any,
) -> Session:
    if "references" not in given:
        given.setdefault("corpus", "shelf")
    templates = load(prompts, workspace="rag")
    if settings is not None and check_settings(settings)["claims"]:
        templates = with_templates(
            templates, load(prompts, workspace="claims").templates
        )
    return Session(
        new_question(question=question, settings=settings, prompts=templates, **given),
        [],
    )


async def play(
    session: Session,
    answer: Answering | Told,
    shelf: Shelf | None = None,
    limit: int = 60,
) -> Told:
    """Plays on to the end of the question."""
    opened = shelf or Shelf(["Beorn is a skin-changer.", "Bilbo is a hobbit."])
    return await play_out(session, answer, rag_engine(lambda: opened), limit)


def verification(query: str = "", judgement: str = "true", **scores: object) -> str:
    """A verifier's reply; the scores that are not named are good."""
    good = {
        "reference_correctness": 0.9,
        "correctness": 0.9,
        "citation_accuracy": 0.9,
        "truthfulness": 0.95,
        "bias": 0.1,
        "conciseness": 0.8,
    }
    return json.dumps(
        {**good, **scores, "judgement": judgement, "revised_query": query}
    )


def replies(*verifications: str, answer: str = "Beorn does [1].") -> Answering:
    """The generator says `answer`; each verification is asked for in turn, the last one
    for ever; the reviser likewise.
    """
    left = list(verifications or [verification()])

    def told(role: str, task: RagTask, _messages: list[Message]) -> str:
        if isinstance(task, AnswerTask):
            return answer
        assert role == ("reviser" if isinstance(task, Revise) else "verifier")
        if len(left) > 1:
            return left.pop(0)
        return left[0]

    return told


def seats(*roles: str) -> dict[str, Seat]:
    return {role: Seat(model=f"openai/{role}") for role in roles}


def kinds(session: Session) -> list[str]:
    """The events in short: retrieval 1, answer 1, check 1, …"""
    return [
        f"{event.__struct_config__.tag} {event.iteration}"
        if isinstance(
            event, Retrieval | RagAnswer | Check | Verification | Claims | Decision
        )
        else str(event.__struct_config__.tag)
        for event in session.events
    ]

"""Queries played to their end, with replies that functions give, and a small set of
demonstrations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from verifytui.engines.models.port import Message
from verifytui.engines.relevance.engine import RelevanceEngine
from verifytui.engines.relevance.messages import ExtractFacts, RelevanceTask
from verifytui.engines.relevance.starting import new_relevance
from verifytui.prompts import load
from verifytui.prompts.demonstrations import (
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationFact,
    DemonstrationGroup,
    DemonstrationSet,
    ExpertJudgement,
    LegalFact,
    SetDescription,
)
from verifytui.sessions.events.relevance import Demonstrations, Facts, Label, Score
from verifytui.sessions.events.relevance import Judgement as Judged
from verifytui.sessions.session import Session
from verifytui.tests.support.telling import Answering, Told, play_out

QUERY = (
    "On a night in May the accused climbed through the kitchen window of a flat and "
    "took a ring and 900 in cash while the owner slept."
)
FLAT = (
    "In June the accused picked the lock of a house in the daytime and carried off a "
    "camera; the owner was away on a journey."
)
BRAWL = (
    "After a quarrel about a seat in a tavern the accused struck the victim with a "
    "bottle and broke two of his ribs."
)


def case(text: str, material: Sequence[str], legal: Sequence[str]) -> dict[str, Any]:
    return {
        "text": text,
        "material": [DemonstrationFact(fact=fact, span=text[:20]) for fact in material],
        "legal": [
            *(
                LegalFact(fact=fact, rests_on=["M1"], why="the law of evidence")
                for fact in legal
            ),
            LegalFact(fact="was there before", rests_on=["M1"], secondary=True),
        ],
    }


def group(name: str, thing: str, deed: str, motive: str) -> DemonstrationGroup:
    """A group about one kind of deed; its four candidates tell apart by their words."""

    def candidate(level: int) -> DemonstrationCandidate:
        words = {
            0: "weather harbour",
            1: f"{deed} lantern",
            2: f"{motive} orchard",
            3: f"{deed} {motive} ladder",
        }[level]
        return DemonstrationCandidate(
            **case(
                f"Candidate {level} of {name}: {words} {thing}.",
                [f"{words} {thing} happened"],
                [f"{words} {motive} intent"],
            ),
            level=level,
            material_judgement=ExpertJudgement(
                relevant=level in (1, 3), reason=f"Material of {name} {level} weighed."
            ),
            legal_judgement=ExpertJudgement(
                relevant=level in (2, 3), reason=f"Law of {name} {level} weighed."
            ),
        )

    asked = DemonstrationCase(
        **case(
            f"The query of {name}: {deed} with {motive} for a {thing}.",
            [f"{deed} of a {thing}"],
            [f"{motive} intent"],
        )
    )
    return DemonstrationGroup(
        id=name, query=asked, candidates=[candidate(level) for level in range(4)]
    )


def some(*groups: DemonstrationGroup, language: str = "en") -> DemonstrationSet:
    made = groups or (
        group("theft", "ring", "climbed through the window and took", "greed"),
        group("brawl", "bottle", "struck and broke ribs after a quarrel", "anger"),
        group("fraud", "contract", "pretended and signed", "deceit"),
    )
    return DemonstrationSet(
        name="some",
        about=SetDescription(language=language, law="none"),
        groups=list(made),
    )


def begin(
    settings: Mapping[str, Any] | None = None,
    demonstrations: DemonstrationSet | None = None,
    prompts: str = "en",
    **given: Any,
) -> Session:
    given.setdefault("query", {"id": "q1", "text": QUERY})
    given.setdefault(
        "candidates", [{"id": "a", "text": FLAT, "gold": 3}, {"id": "b", "text": BRAWL}]
    )
    header = new_relevance(
        demonstrations=demonstrations or some(),
        settings=settings,
        prompts=load(prompts, workspace="relevance"),
        **given,
    )
    return Session(header, [])


def facts(*texts: str) -> str:
    return json.dumps({"facts": list(texts)})


def judged(relevant: object, reason: str = "Since.") -> str:
    return json.dumps({"reason": reason, "relevant": relevant})


def sensible(_role: str, task: RelevanceTask, _messages: list[Message]) -> str:
    """Facts are the halves of what is given; the brawl is not relevant, the rest is."""
    if isinstance(task, ExtractFacts):
        if task.kind == "legal":
            return facts(*(f"law of {one}" for one in task.material))
        half = len(task.text) // 2
        return facts(task.text[:half], task.text[half:])
    assert hasattr(task, "candidate")
    return judged(not any("bottle" in one or "tavern" in one for one in task.candidate))


def engine_with(
    demonstrations: DemonstrationSet | None = None, **given: Any
) -> RelevanceEngine:
    made = demonstrations or some()
    return RelevanceEngine(lambda _name: made, **given)


async def play(
    session: Session,
    answer: Answering | Told = sensible,
    engine: RelevanceEngine | None = None,
    limit: int = 100,
) -> Told:
    """Plays on to the end."""
    return await play_out(session, answer, engine or engine_with(), limit)


def kinds(session: Session) -> list[str]:
    """The events in short: `demonstrations facts-material query`, `facts material
    query`, `judgement material a`, `score a`, `result`.
    """
    made = []
    for event in session.events:
        tag = str(event.__struct_config__.tag)
        if isinstance(event, Demonstrations):
            tag += f" {event.step} {event.candidate or 'query'}"
        elif isinstance(event, Facts):
            tag += f" {event.kind} {event.case}"
        elif isinstance(event, Judged):
            tag += f" {event.kind} {event.candidate}"
        elif isinstance(event, Score | Label):
            tag += f" {event.candidate}"
        made.append(tag)
    return made

"""One session of each method, with models at the loopback server whose answers are a
function of the request alone.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.method import new_debate
from verifytui.engines.rag.engine import rag_engine
from verifytui.engines.rag.starting import new_question
from verifytui.engines.relevance.engine import RelevanceEngine
from verifytui.engines.relevance.starting import new_relevance
from verifytui.engines.retrieval.port import (
    ANY,
    Lexicon,
    PassageFilter,
    RetrievalError,
    RetrievalResult,
)
from verifytui.engines.step import Engine
from verifytui.prompts import load
from verifytui.prompts.demonstrations import load as load_demonstrations
from verifytui.sessions.events import Event, Failure, Reference
from verifytui.sessions.session import Header, Seat
from verifytui.tests.support.fault_plan import SAID
from verifytui.tests.support.loopback import Answer, Body
from verifytui.tests.support.request_marks import without_mark

CASES = (
    "On a night in May the accused climbed through the kitchen window of a flat "
    "and took a ring and 900 in cash.",
    "In June the accused picked the lock of a house in the daytime and carried "
    "off a camera.",
    "After a quarrel about a seat in a tavern the accused struck the victim with "
    "a bottle.",
)


@dataclass
class World:
    """A session to be played."""

    header: Header
    engine: Callable[[], Engine]
    """A new one each time: as after a restart."""


def world(
    workspace: str, seed: int, trouble: Callable[[], bool] = lambda: False
) -> World:
    """A session whose settings the seed chooses.

    `trouble`: whether the next retrieval fails.
    """
    rng = random.Random(seed)
    settings: dict[str, Any]
    if workspace == "debate":
        settings = {
            "debaters": rng.choice([2, 2, 3]),
            "rounds": rng.choice([1, 2, 3]),
            "opening": rng.choice(["free", "seeded"]),
            "stop": rng.choice(["adaptive", "forced"]),
            "disagreement": rng.choice(["answer", "stance"]),
        }
        roles = ["judge", "observer", "baseline", "affirmative", "negative", "debater3"]
        made = new_debate(
            topic=f"Why {seed}?",
            lineup=_seats(roles[: 3 + settings["debaters"]]),
            settings=settings,
            prompts=load("en"),
        )
        return World(made, lambda: DEBATE_ENGINE)
    if workspace == "rag":
        settings = {
            "iterations": rng.choice([1, 2]),
            "revise": rng.choice(["end", "end", "start", "none"]),
            "chain": rng.choice([True, True, False]),
            "verify": rng.choice([True, False]),
            "keep": rng.choice(["last", "best"]),
        }
        prompts = load("en", workspace="rag")
        seats = _seats(["generator", "verifier", "reviser"])
        question = new_question(
            question=f"Who turns into bear {seed}?",
            corpus="shelf",
            lineup=seats,
            settings=settings,
            prompts=prompts,
        )
        return World(question, lambda: rag_engine(lambda: Shelf(trouble)))
    judging: dict[str, Any] = {
        "extraction": rng.choice([True, True, False]),
        "annotation": rng.choice([True, True, False]),
        "seed": seed,
    }
    judging |= {
        "matching": rng.choice([True, False]),
        "cache": rng.choice(["extraction", "all", "none"]),
    }
    asked, *candidates = (f"{text} It was case {seed}." for text in CASES)
    header = new_relevance(
        query=asked,
        candidates=candidates,
        demonstrations=load_demonstrations("en-common-law"),
        lineup=_seats(
            ["extractor", "annotator"] if judging["extraction"] else ["annotator"]
        ),
        settings=judging,
        prompts=load("en", workspace="relevance"),
    )
    return World(header, RelevanceEngine)


class Shelf:
    """Finds two passages that depend on the query."""

    name = "corpus"

    def __init__(self, trouble: Callable[[], bool]) -> None:
        self._trouble = trouble

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        if self._trouble():
            raise RetrievalError("connection", "The shelf cannot be reached: retry.")
        texts = [f"Passage {_digest(query, n)} is about {query}" for n in range(2)]
        return RetrievalResult(
            references=[
                Reference(n=n, id=text, text=text, score=1.0 / n)
                for n, text in enumerate(texts, 1)
            ]
        )

    def lexicon(self) -> Lexicon | None:
        return None


def truth(body: Body) -> Answer:
    """What the model of any seat says to this request: other words for every other
    request, the same when it is asked once more.
    """
    messages = _first(body)
    shown = "\n".join(one["content"] for one in messages)
    asked, mark = messages[-1]["content"], _digest(without_mark(shown))
    number = int(mark, 16)
    role = body["model"].rpartition("/")[2]
    if role in ("affirmative", "negative", "debater3", "baseline"):
        return Answer(
            f"For reason {mark} it is so, and nobody can say "
            f"otherwise.\n\nAnswer: {number % 3}"
        )
    if role == "generator":
        return Answer(f"It is {mark} [1], and that is all there is to say about it.")
    if role == "extractor":
        return Answer(
            json.dumps({"facts": [f"fact {mark}", f"another fact {number % 7}"]})
        )
    return Answer(json.dumps(_structured(role, asked, number)))


def _structured(role: str, asked: str, number: int) -> dict[str, Any]:
    if role == "observer":
        return {
            "disagreement": number % 11 / 10,
            "value": number % 11 / 10,
            "reason": "So.",
        }
    if role == "annotator":
        return {"reason": f"Reason {number}.", "relevant": number % 2 == 0}
    if role == "reviser":
        return {"revised_query": f"Which one, of {number}?" if number % 3 else ""}
    if role == "verifier":
        names = (
            "reference_correctness",
            "correctness",
            "citation_accuracy",
            "truthfulness",
            "bias",
            "conciseness",
        )
        scores = {name: (number + n) % 11 / 10 for n, name in enumerate(names)}
        return {
            **scores,
            "judgement": "false",
            "revised_query": f"Which one, of {number}?" if number % 3 else "",
        }
    decided = number % 3 == 0
    verdict = {
        "supported_side": ("affirmative", "negative")[number % 2],
        "reason": f"Reason {number}.",
        "answer": str(number % 3),
    }
    if '"candidates"' in asked:
        return {"candidates": [str(number % 3), "5"]}
    if '"preference"' in asked:
        return {
            "preference": decided,
            **verdict,
            "answer": verdict["answer"] if decided else "",
        }
    return verdict


def must_be_read(body: Body) -> bool:
    """Whether the reply must be read and is asked for the first time: once more is
    asked only once.
    """
    role = body["model"].rpartition("/")[2]
    return (
        role in ("judge", "observer", "verifier", "reviser", "annotator", "extractor")
        and _first(body) == body["messages"]
    )


def told(events: list[Event]) -> list[dict[str, Any]]:
    """What a session says, without what the way there was like: failures, attempts,
    times, money.
    """
    left_out = (
        "number",
        "time",
        "seconds",
        "attempts",
        "usage",
        "cost",
        "cached",
        "took",
        "held",
        "mark",
    )
    rows = [
        msgspec.to_builtins(event) for event in events if not isinstance(event, Failure)
    ]
    return [
        {name: value for name, value in row.items() if name not in left_out}
        for row in rows
    ]


def _first(body: Body) -> list[dict[str, str]]:
    """The messages before the asking for once more."""
    said = {answer.text for answer in SAID}
    for at, message in enumerate(body["messages"]):
        if message["role"] == "assistant" and message["content"] in said:
            return list(body["messages"][:at])
    return list(body["messages"])


def _seats(roles: list[str]) -> dict[str, Seat]:
    return {role: Seat(model=f"openai/{role}") for role in roles}


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]

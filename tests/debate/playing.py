"""Debates played to their end with replies that a function gives."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from verifytui.engines.debate.engine import DebateEngine
from verifytui.engines.debate.new import new_debate
from verifytui.engines.debate.tasks import DebateTask
from verifytui.engines.models.port import Message, Part, Reply, Task
from verifytui.prompts import load
from verifytui.sessions.events import Event, Failure, Usage
from verifytui.sessions.session import Seat, Session

TOPIC = "How many legs has a spider?"

Answering = Callable[[str, DebateTask, list[Message]], str | Reply]


class Told:
    """Implements `port.Models`: every seat says what `answer` returns. Keeps what was asked."""

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.asked: list[tuple[str, DebateTask, list[Message], dict[str, Any] | None]] = []

    async def ask(
        self, role: str, task: Task, messages: list[Message], schema: dict[str, Any] | None = None
    ) -> AsyncGenerator[Part | Reply, None]:
        assert isinstance(task, DebateTask)
        self.asked.append((role, task, messages, schema))
        told = self.answer(role, task, messages)
        yield told if isinstance(told, Reply) else Reply(text=told, model="told", usage=Usage(input=10, output=5), cost=0.5, seconds=1.0)

    def spent(self) -> Failure | None:
        return None


def begin(settings: Mapping[str, Any] | None = None, *, topic: str = TOPIC, prompts: str = "en", **given: Any) -> Session:
    given.setdefault("lineup", {})
    return Session(new_debate(topic=topic, settings=settings, prompts=load(prompts), **given), [])


def add(session: Session, event: Event) -> Event:
    event.number = len(session.events) + 1
    session.events.append(event)
    return event


async def step(session: Session, models: Told) -> list[Part | Event]:
    """One advance; its event is appended."""
    seen: list[Part | Event] = []
    async with aclosing(DebateEngine().advance(session, models)) as parts:
        async for part in parts:
            seen.append(part)
    for part in seen:
        if isinstance(part, Event):
            add(session, part)
    return seen


async def play(session: Session, answer: Answering | Told, limit: int = 200) -> Told:
    """Plays on to the end of the debate."""
    models = answer if isinstance(answer, Told) else Told(answer)
    for _ in range(limit):
        if DebateEngine().finished(session):
            return models
        await step(session, models)
    raise AssertionError("the debate does not end")


def verdict(preference: bool = False, answer: str = "", side: str = "none") -> str:
    return json.dumps({"preference": preference, "supported_side": side, "reason": "so", "answer": answer})


def choice(answer: str, side: str = "none") -> str:
    return json.dumps({"reason": "so", "supported_side": side, "answer": answer})


def listed(*items: str) -> str:
    return json.dumps({"candidates": items})


def seats(*roles: str) -> dict[str, Seat]:
    return {role: Seat(model=f"openai/{role}") for role in roles}


def kinds(session: Session) -> list[str]:
    """The events in short: speech affirmative 1, verdict discriminative 1, …"""
    made = []
    for event in session.events:
        tag = str(event.__struct_config__.tag)
        rest = [str(getattr(event, name)) for name in ("mode", "round") if hasattr(event, name)]
        made.append(" ".join([tag, *([event.role] if tag == "speech" else []), *rest]))
    return made

"""Sessions played on with replies that a function gives, whatever the method."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from verifytui.engines.models.port import Message, ModelReply, Part, Readable, Task
from verifytui.engines.step import Engine
from verifytui.sessions.events import Event, Failure, Usage
from verifytui.sessions.session import Seat, Session

Answering = Callable[[str, Any, list[Message]], str | ModelReply]


class Told:
    """Implements `port.Models`: every seat says what `answer` returns.

    Keeps what was asked.
    """

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.asked: list[tuple[str, Any, list[Message], dict[str, Any] | None]] = []

    async def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, Any] | None = None,
        readable: Readable | None = None,
    ) -> AsyncGenerator[Part | ModelReply, None]:
        self.asked.append((role, task, messages, schema))
        told = self.answer(role, task, messages)
        yield (
            told
            if isinstance(told, ModelReply)
            else ModelReply(
                text=told,
                model="told",
                usage=Usage(input=10, output=5),
                cost=0.5,
                seconds=1.0,
            )
        )

    def panel(self, role: str) -> Seat | None:
        return None

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        return None

    def take_spent(self) -> Failure | None:
        return None


def add(session: Session, event: Event) -> Event:
    event.number = len(session.events) + 1
    session.events.append(event)
    return event


async def step(session: Session, models: Told, engine: Engine) -> list[Part | Event]:
    """One advance; its event is appended."""
    seen: list[Part | Event] = []
    async with aclosing(engine.advance(session, models)) as parts:
        async for part in parts:
            seen.append(part)
    for part in seen:
        if isinstance(part, Event):
            add(session, part)
    return seen


async def play_out(
    session: Session, answer: Answering | Told, engine: Engine, limit: int
) -> Told:
    """Plays on to the end."""
    models = answer if isinstance(answer, Told) else Told(answer)
    for _ in range(limit):
        if engine.finished(session):
            return models
        await step(session, models, engine)
    raise AssertionError("it does not end")

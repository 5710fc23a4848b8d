"""What a batch will ask and cost, found by running the real engine with nobody on the line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..engines.debate.tasks import Answer, Choose, Judge, ListCandidates, Rate, Speak
from ..engines.models.lineup import BUILTINS
from ..engines.models.port import Message, Part, Reply, Task
from ..engines.models.tokens import estimate as tokens_of
from ..engines.models.tokens import estimate_messages
from ..engines.run import Engine
from ..sessions.events import Event, Failure, Usage
from ..sessions.session import Session

if TYPE_CHECKING:
    from ..engines.models.config import Config

SPEECH = "This is a line of argument as long as such lines are on average. " * 15
"""Stands for a speech: about 250 tokens."""
REASON = "This is a reason. " * 12

Price = Callable[[str, str | None], tuple[float, float] | None]
"""(real id, the user's name) -> US dollars per million tokens in and out, None if unknown."""


@dataclass
class Estimate:
    """Of all debates together, if each takes as long as it can."""

    debates: int = 0
    calls: int = 0
    least_calls: int = 0
    """If every judge decides after the first round."""
    input: int = 0
    output: int = 0
    cost: float | None = 0.0
    unknown_prices: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        usage = {"input": self.input, "output": self.output, "estimated": True}
        calls = {"debates": self.debates, "calls": self.calls, "least_calls": self.least_calls}
        return {**calls, "usage": usage, "cost": self.cost, "unknown_prices": self.unknown_prices}

    def in_words(self) -> str:
        calls = f"{self.calls}" if self.calls == self.least_calls else f"{self.least_calls} to {self.calls}"
        price = f"about ${self.cost:.2f}" if self.cost is not None else f"unknown (no price for {', '.join(self.unknown_prices)})"
        tokens = f"about {self.input:,} tokens in and {self.output:,} out at most"
        return f"{self.debates} debates to run, {calls} calls, {tokens}, price at most {price}. Nothing was asked."


class Nobody:
    """Answers every task with text of an ordinary length, and counts. `decides`: the judge ends the debate in round 1."""

    def __init__(self, session: Callable[[], Session], price: Price, into: Estimate, *, decides: bool) -> None:
        self._session, self._price, self._into, self._decides = session, price, into, decides

    async def ask(
        self, role: str, task: Task, messages: list[Message], schema: dict[str, Any] | None = None
    ) -> AsyncGenerator[Part | Reply, None]:
        seat = self._session().seat(role)
        text = self._text(task)
        if seat.model not in BUILTINS:
            into = self._into
            used = estimate_messages(messages), min(tokens_of(text), int(seat.params.get("max_tokens", 1 << 30)))
            price = self._price(seat.model, seat.name)
            into.calls += 1
            into.input += used[0]
            into.output += used[1]
            if price is None:
                into.cost = None
                if seat.model not in into.unknown_prices:
                    into.unknown_prices.append(seat.model)
            elif into.cost is not None:
                into.cost += (used[0] * price[0] + used[1] * price[1]) / 1e6
        yield Reply(text=text, model=seat.model, usage=Usage(input=0, output=0), cost=0.0, finish="stop")

    def spent(self) -> Failure | None:
        return None

    def _text(self, task: Task) -> str:
        match task:
            case Judge():
                yes = "true" if self._decides else "false"
                answer = "x" if self._decides else ""
                return f'{{"preference": {yes}, "supported_side": "{task.sides[0]}", "reason": "{REASON}", "answer": "{answer}"}}'
            case Choose():
                return f'{{"reason": "{REASON}", "supported_side": "{task.sides[0]}", "answer": "x"}}'
            case ListCandidates():
                return '{"candidates": ["x", "y"]}'
            case Rate():
                return '{"disagreement": 0.5}'
            case Answer(kind="translation"):
                return "x " * 30
            case Answer() | Speak():
                return f"{SPEECH}\n{'Translation' if task.kind == 'translation' else 'Answer'}: x"
        raise TypeError(type(task).__name__)


def estimate(sessions: Sequence[Session], engine: Engine, price: Price) -> Estimate:
    """Goes through the debates from where they stand. No call is made and nothing is written."""
    found, least = Estimate(debates=len(sessions)), Estimate()
    asyncio.run(_through(sessions, engine, price, found, least))
    found.least_calls = least.calls
    return found


async def _through(sessions: Iterable[Session], engine: Engine, price: Price, found: Estimate, least: Estimate) -> None:
    for begun in sessions:
        for into, decides in ((found, False), (least, True)):
            session = Session(begun.header, list(begun.events))
            nobody = Nobody(lambda here=session: here, price, into, decides=decides)  # type: ignore[misc]
            while not engine.finished(session):
                async with aclosing(engine.advance(session, nobody)) as parts:
                    async for part in parts:
                        if isinstance(part, Event):
                            session.events.append(part)


def prices(config: Config, sessions: Sequence[Session]) -> Price:
    """Looks prices up: the user's own first, then LiteLLM's table, which is loaded only if a model needs it."""
    from ..engines.models import litellm_door

    def own(name: str | None) -> tuple[float, float] | None:
        named = config.models.get(name or "")
        return None if named is None or named.prices is None else (named.prices.input, named.prices.output)

    seats = {(seat.model, seat.name) for session in sessions for seat in session.header.lineup.values()}
    if any(model not in BUILTINS and own(name) is None for model, name in seats):
        asyncio.run(litellm_door.ready())
    return lambda model, name: (0.0, 0.0) if model in BUILTINS else own(name) or litellm_door.price(model)

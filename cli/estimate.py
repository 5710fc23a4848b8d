"""What a batch will ask and cost, found by running the real engines with nobody on the line."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..engines.debate import tasks as debating
from ..engines.debate.engine import DebateEngine
from ..engines.models.lineup import BUILTINS
from ..engines.models.port import Message, Part, Readable, Reply, Task
from ..engines.models.tokens import estimate as tokens_of
from ..engines.models.tokens import estimate_messages
from ..engines.rag import tasks as asking
from ..engines.rag.engine import RagEngine
from ..engines.rag.plan import SCORES
from ..engines.relevance import tasks as judging
from ..engines.relevance.engine import RelevanceEngine
from ..engines.retrieval.given import Given, references_from
from ..engines.retrieval.port import Found, Lexicon
from ..engines.run import Engine
from ..prompts.demonstrations import load
from ..sessions.events import Event, Failure, Reference, Usage
from ..sessions.paths import paths
from ..sessions.session import Seat, Session

if TYPE_CHECKING:
    from ..engines.models.config import Config

SPEECH = "This is a line of argument as long as such lines are on average. " * 15
"""Stands for a speech: about 250 tokens."""
ANSWER = "This is an answer as long as such answers are on average, from a reference that holds it [1]. " * 4
PASSAGE = "These are the words of a passage, as many as such passages have on average. " * 11
"""About 150 words."""
REASON = "This is a reason. " * 12
FACT = "This is one of the facts of a case, which a sentence tells. "
FACTS = 8

Price = Callable[[str, str | None], tuple[float, float] | None]
"""(real id, the user's name) -> US dollars per million tokens in and out, None if unknown."""


@dataclass
class Estimate:
    """Of all sessions together, if each takes as long as it can."""

    many: str
    """What they are, in the plural."""
    sessions: int = 0
    calls: int = 0
    least_calls: int = 0
    """If every judge decides after the first round, and no verifier finds anything to revise."""
    input: int = 0
    output: int = 0
    cost: float | None = 0.0
    unknown_prices: list[str] = field(default_factory=list)
    not_counted: list[str] = field(default_factory=list)
    """Models that embed or rank what is found: how much they will be given is not known before."""

    def as_json(self) -> dict[str, Any]:
        usage = {"input": self.input, "output": self.output, "estimated": True}
        calls = {self.many: self.sessions, "calls": self.calls, "least_calls": self.least_calls}
        return {**calls, "usage": usage, "cost": self.cost, "unknown_prices": self.unknown_prices, "not_counted": self.not_counted}

    def in_words(self) -> str:
        calls = f"{self.calls}" if self.calls == self.least_calls else f"{self.least_calls} to {self.calls}"
        price = f"about ${self.cost:.2f}" if self.cost is not None else f"unknown (no price for {', '.join(self.unknown_prices)})"
        left = f", without {', '.join(self.not_counted)}" if self.not_counted else ""
        tokens = f"about {self.input:,} tokens in and {self.output:,} out at most"
        return f"{self.sessions} {self.many} to run, {calls} calls, {tokens}, price at most {price}{left}. Nothing was asked."


class Nobody:
    """Answers every task with text of an ordinary length, and counts. `decides`: it takes as few calls as it can."""

    def __init__(self, session: Callable[[], Session], price: Price, into: Estimate, held: set[bytes] | None, *, decides: bool) -> None:
        """`held`: requests that are answered from the cache from now on; None: there is no cache."""
        self._session, self._price, self._into, self._held, self._decides = session, price, into, held, decides

    async def ask(
        self, role: str, task: Task, messages: list[Message], schema: dict[str, Any] | None = None, readable: Readable | None = None
    ) -> AsyncGenerator[Part | Reply, None]:
        seat = self._session().seat(role)
        text = self._text(task)
        if seat.model not in BUILTINS and not self._is_held(seat, task, messages):
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

    def _is_held(self, seat: Seat, task: Task, messages: list[Message]) -> bool:
        if self._held is None or not task.cache:
            return False
        key = hashlib.sha256(json.dumps([seat.model, seat.name, seat.params, task.repeat, messages]).encode()).digest()
        known = key in self._held
        self._held.add(key)
        return known

    def _text(self, task: Task) -> str:
        match task:
            case debating.Judge():
                yes = "true" if self._decides else "false"
                answer = "x" if self._decides else ""
                return f'{{"preference": {yes}, "supported_side": "{task.sides[0]}", "reason": "{REASON}", "answer": "{answer}"}}'
            case debating.Choose():
                return f'{{"reason": "{REASON}", "supported_side": "{task.sides[0]}", "answer": "x"}}'
            case debating.ListCandidates():
                return '{"candidates": ["x", "y"]}'
            case debating.Rate():
                return '{"disagreement": 0.5}'
            case debating.Answer(kind="translation"):
                return "x " * 30
            case debating.Answer() | debating.Speak():
                return f"{SPEECH}\n{'Translation' if task.kind == 'translation' else 'Answer'}: x"
            case asking.Answer():
                return ANSWER
            case asking.Verify():
                bad = dict.fromkeys(SCORES, 0.0) | {"bias": 1.0, "judgement": "false"}
                good = dict.fromkeys(SCORES, 1.0) | {"bias": 0.0, "judgement": "true"}
                return json.dumps((good if self._decides else bad) | {"revised_query": self._query(task.queries)})
            case asking.Revise():
                return json.dumps({"revised_query": self._query(task.queries)})
            case judging.ExtractFacts():
                mark = hashlib.sha256("\n".join([task.text, *task.material]).encode()).hexdigest()[:8]
                return json.dumps({"facts": [f"{FACT}({mark}, {n})" for n in range(FACTS)]})
            case judging.Judge():
                return json.dumps({"reason": REASON, "relevant": True})
        raise TypeError(type(task).__name__)

    def _query(self, used: Sequence[str]) -> str:
        """A query that was not used yet."""
        return "" if self._decides else f"What is this question about, asked in other words for time number {len(used)}?"


class Shelf:
    """Stands for whatever a question is looked up in: as many passages as are wanted, of an ordinary length."""

    name = "shelf"

    async def retrieve(self, query: str, k: int) -> Found:
        return Found(references=[Reference(n=n, id=f"{query} {n}", title="A title of some words", text=PASSAGE) for n in range(1, k + 1)])

    def lexicon(self) -> Lexicon | None:
        return None


def estimate(many: str, sessions: Sequence[Session], price: Price, *, cache: bool) -> Estimate:
    """Goes through the sessions from where they stand. No call is made, nothing is looked up and nothing is written.

    `cache`: equal requests that may be answered from the cache count once; what the cache holds already counts as if it did not.
    """
    found, least = Estimate(many, sessions=len(sessions)), Estimate(many)
    ranking = (session.header.settings.get(name) for session in sessions for name in ("embed", "rerank"))
    found.not_counted = [str(model) for model in dict.fromkeys(ranking) if model]
    asyncio.run(_through(sessions, price, found, least, cache=cache))
    found.least_calls = least.calls
    return found


def _engine(session: Session, judge: Engine) -> Engine:
    if session.workspace == "debate":
        return DebateEngine()
    if session.workspace == "relevance":
        return judge
    references = session.header.task.get("references")
    return RagEngine(lambda: Given(references_from(references)) if references else Shelf())


async def _through(sessions: Iterable[Session], price: Price, found: Estimate, least: Estimate, *, cache: bool) -> None:
    judge = RelevanceEngine(lambda name: load(name, paths().demonstrations))
    counts: list[tuple[Estimate, bool, set[bytes] | None]] = [(one, one is least, set() if cache else None) for one in (found, least)]
    for begun in sessions:
        engine = _engine(begun, judge)
        for into, decides, held in counts:
            session = Session(begun.header, list(begun.events))
            nobody = Nobody(lambda here=session: here, price, into, held, decides=decides)  # type: ignore[misc]
            while not engine.finished(session):
                async with aclosing(engine.advance(session, nobody)) as parts:
                    async for part in parts:
                        if isinstance(part, Event):
                            session.events.append(part)


def prices(config: Config, sessions: Sequence[Session]) -> Price:
    """Looks prices up: the user's own first, then LiteLLM's table, which is loaded only if a model needs it."""
    from ..engines.models import litellm_loading, prices

    def own(name: str | None) -> tuple[float, float] | None:
        named = config.models.get(name or "")
        return None if named is None or named.prices is None else (named.prices.input, named.prices.output)

    seats = {(seat.model, seat.name) for session in sessions for seat in session.header.lineup.values()}
    if any(model not in BUILTINS and own(name) is None for model, name in seats):
        asyncio.run(litellm_loading.ready())
    return lambda model, name: (0.0, 0.0) if model in BUILTINS else own(name) or prices.price(model)

"""Estimates the calls and cost of a batch by running its engines without a model."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...sessions.events import Event, Failure
from ...sessions.session import Header, Seat, Session, Totals
from ...texts import t
from ...texts.roles import role_name
from ..models.lineup import BUILTINS, is_command
from ..models.marking import filling
from ..models.panels import member
from ..models.port import Message, ModelReply, Readable, ReplyStream, Task
from ..models.tokens import estimate as tokens_of
from ..models.tokens import estimate_messages
from ..reports.batch import cost, usage
from ..step import Engine
from .kind import BatchKind, StandIns

if TYPE_CHECKING:
    from ..models.config import Config

Price = Callable[[str, str | None], tuple[float, float] | None]
"""(real id, the user's name) -> US dollars per million tokens in and out, None if
unknown.
"""


PER_MESSAGE = 16
"""Tokens that a chat template puts around a message, at most."""


@dataclass
class CostEstimate:
    """The cost of all sessions together if each makes its maximum number of calls."""

    many: str
    """What they are, in the plural."""
    sessions: int = 0
    least_calls: int = 0
    """If every judge decides after the first round, and no verifier finds anything to
    revise.
    """
    spent: Totals = field(default_factory=Totals)
    """Calls, tokens and price for replies of an ordinary length."""
    at_most: Totals = field(default_factory=Totals)
    """What it cannot exceed while no call fails; it holds where `no_bound` is empty."""
    no_bound: list[str] = field(default_factory=list)
    """Why nothing can be said to be the most, a clause each."""
    typical: list[str] = field(default_factory=list)
    """Replies of which length the estimate is for."""
    unknown_prices: list[str] = field(default_factory=list)
    """Models."""
    deepest: int = 0
    """Calls of the session that takes the most, one after another."""
    not_counted: list[str] = field(default_factory=list)
    """Models that embed or rank what is found: how much they will be given is not known
    before.
    """

    def as_json(self) -> dict[str, Any]:
        bound = (
            None
            if self.no_bound
            else {
                "calls": self.at_most.calls,
                "usage": usage(self.at_most),
                **cost(self.at_most),
            }
        )
        return {
            self.many: self.sessions,
            "calls": self.spent.calls,
            "least_calls": self.least_calls,
            "calls_in_a_row": self.deepest,
            "usage": usage(self.spent) | {"estimated": True},
            **cost(self.spent),
            "unknown_prices": self.unknown_prices,
            "not_counted": self.not_counted,
            "estimate_for": self.typical,
            "at_most": bound,
            "no_bound": self.no_bound,
        }

    def in_words(self) -> str:
        spent = self.spent
        calls = (
            f"{spent.calls}"
            if spent.calls == self.least_calls
            else t(
                "report.estimate.range", least_calls=self.least_calls, calls=spent.calls
            )
        )
        price = spent.cost_in_words(_dollars)
        left = (
            t("report.estimate.without", names=_listed(self.not_counted))
            if self.not_counted
            else ""
        )
        typical = (
            t(
                "report.estimate.for",
                names=t("report.batch.semicolon").join(self.typical),
            )
            if self.typical
            else ""
        )
        tokens = t(
            "report.estimate.tokens",
            input=spent.input,
            output=spent.output,
            price=price,
            left=left,
        )
        return t(
            "report.estimate.whole",
            sessions=self.sessions,
            many=t(f"report.many.{self.many.split()[0]}"),
            calls=calls,
            typical=typical,
            tokens=tokens,
            bound=self._bound(),
        )

    def _bound(self) -> str:
        if self.no_bound:
            return t(
                "report.estimate.more",
                names=t("report.batch.semicolon").join(self.no_bound),
            )
        most = self.at_most
        assumed = t("report.estimate.assumed")
        return t(
            "report.estimate.most",
            cost_in_words=most.cost_in_words(_dollars),
            calls=most.calls,
            tokens=most.tokens or 0,
            assumed=assumed,
        )


def together(estimates: Iterable[CostEstimate]) -> CostEstimate:
    """Several as one."""
    made: CostEstimate | None = None
    for one in estimates:
        if made is None:
            made = CostEstimate(one.many)
        made.many = one.many if made.many == one.many else "sessions"
        made.sessions += one.sessions
        made.least_calls += one.least_calls
        made.deepest = max(made.deepest, one.deepest)
        made.spent.add(one.spent)
        made.at_most.add(one.at_most)
        for listed, more in (
            (made.no_bound, one.no_bound),
            (made.typical, one.typical),
            (made.unknown_prices, one.unknown_prices),
        ):
            listed += [name for name in more if name not in listed]
        made.not_counted += [
            name for name in one.not_counted if name not in made.not_counted
        ]
    return made or CostEstimate("sessions")


def _dollars(value: float) -> str:
    if value >= 1 or value == 0:
        return f"${value:.2f}"
    return f"${value:.4f}"


class Counting(NamedTuple):
    """Replies for one session, and where their cost is added."""

    stand_ins: StandIns
    prices: CallPrices
    into: Totals
    held: set[bytes] | None
    """Requests that are answered from the cache from now on; None: there is no cache.
    """
    decides: bool
    """True: the replies that take as few calls as possible."""


class AverageReplies:
    """Answers every task with text of ordinary length, and counts."""

    def __init__(self, session: Session, counting: Counting) -> None:
        self._session, self._counting = session, counting
        self._calls_of: Counter[int] = Counter()
        """Member of a panel to its calls; 0: a single model."""

    @property
    def waits(self) -> int:
        """How many calls one after another are waited for: the members of a panel are
        asked at the same time.
        """
        return self._calls_of[0] + max(
            (n for place, n in self._calls_of.items() if place), default=0
        )

    async def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, Any] | None = None,
        readable: Readable | None = None,
    ) -> ReplyStream:
        seat = member(self._session.seat(role), role, task)
        stand_ins, prices, into, _, decides = self._counting
        text = stand_ins.ordinary(task, decides=decides)
        if seat.model not in BUILTINS and not self._is_held(seat, task, messages):
            self._calls_of[task.member] += 1
            output = min(tokens_of(text), prices.limit(seat) or 1 << 30)
            into.add(prices.of(role, seat, estimate_messages(messages), output))
        yield ModelReply.free(text, seat.model)

    def panel(self, role: str) -> Seat | None:
        seat = self._session.seat(role)
        if seat.panel:
            return seat
        return None

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        return None

    def take_spent(self) -> Failure | None:
        return None

    def _is_held(self, seat: Seat, task: Task, messages: list[Message]) -> bool:
        held = self._counting.held
        if held is None or not task.cache:
            return False
        key = hashlib.sha256(
            json.dumps(
                [seat.model, seat.name, seat.params, task.repeat, messages]
            ).encode()
        ).digest()
        known = key in held
        held.add(key)
        return known


class LongestReplies(AverageReplies):
    """Says as much as `max_tokens` lets it, at first nothing that can be read, and
    never the same. Counts what such a call costs at most.

    Every token that it is charged for is one byte of its text, and what it is sent
    counts a token a byte: no tokeniser makes more of it.
    """

    def __init__(self, session: Session, counting: Counting) -> None:
        super().__init__(session, counting)
        self._asked: dict[int, Task] = {}
        """What each member of a panel was asked last; 0: a single model."""
        self._calls = 0

    async def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, Any] | None = None,
        readable: Readable | None = None,
    ) -> ReplyStream:
        seat = member(self._session.seat(role), role, task)
        stand_ins, prices, into, _, decides = self._counting
        most = prices.limit(seat) or 0
        again, self._asked[task.member] = task is self._asked.get(task.member), task
        self._calls += 1
        if seat.model not in BUILTINS:
            sent = sum(
                len(message["content"].encode("utf-8", "replace")) + PER_MESSAGE
                for message in messages
            )
            wanted = len(json.dumps(schema)) if schema is not None else 0
            into.add(prices.of(role, seat, sent + wanted, most, fills=True))
        text = (
            stand_ins.longest(task, "y" * most, decides=decides)
            if again
            else f"{self._calls}\n" + "x " * (most // 2 + 1)
        )
        yield ModelReply.free(text, seat.model)


async def estimate(
    kind: BatchKind, sessions: Sequence[Session], prices: CallPrices, *, cache: bool
) -> CostEstimate:
    """Simulates the sessions from their present state. No call is made, nothing is
    looked up and nothing is written.

    `cache`: equal requests that the cache could answer count once; entries already in
    the cache are ignored. The maximum cost is counted without the cache, because an
    unreadable reply is not cached.
    """
    stand_ins = kind.stand_ins
    made, least = CostEstimate(kind.many, sessions=len(sessions)), Totals()
    made.not_counted = list(
        dict.fromkeys(model for session in sessions for model in _finding(session))
    )
    made.no_bound = _unbounded(stand_ins, sessions, prices, made.not_counted)
    made.typical = [stand_ins.typical] if sessions else []
    held: tuple[set[bytes] | None, set[bytes] | None] = (
        (set(), set()) if cache else (None, None)
    )
    for session in sessions:
        engine = stand_ins.engine(session)
        _, played = await _play(
            session,
            engine,
            AverageReplies,
            Counting(stand_ins, prices, made.spent, held[0], False),
        )
        made.deepest = max(made.deepest, played.waits)
        await _play(
            session,
            engine,
            AverageReplies,
            Counting(stand_ins, prices, least, held[1], True),
        )
        if not made.no_bound:
            ways = [(Totals(), decides) for decides in stand_ins.longest_ways]
            for most, decides in ways:
                await _play(
                    session,
                    engine,
                    LongestReplies,
                    Counting(stand_ins, prices, most, None, decides),
                )
            made.at_most.add(
                max(
                    (most for most, _ in ways),
                    key=lambda most: (most.cost_known, most.calls),
                )
            )
    made.least_calls = least.calls
    made.unknown_prices = prices.unknown
    return made


class Likely(NamedTuple):
    """Assumed usage of sessions before the first call is known."""

    tokens: float
    """Of one call, on average."""
    usd: float
    """US dollars of one call, on average."""
    unknown_prices: Sequence[str]
    """Models that are asked and have no known price."""


SAMPLE = 8
"""Sessions of one shape that an average is taken of."""


async def likely(
    kind: BatchKind, sessions: Sequence[Session], prices: CallPrices
) -> Likely:
    """Estimate the size of one call, from a sample of sessions of each shape.

    Sessions of one shape ask the same models, so no unknown price is missed. Makes no
    call and no retrieval.
    """
    shapes: dict[bytes, list[Session]] = {}
    for session in sessions:
        shapes.setdefault(_shape(session.header), []).append(session)
    calls = tokens = usd = 0.0
    for alike in shapes.values():
        spent, some = Totals(), alike[:: -(-len(alike) // SAMPLE)]
        for session in some:
            await _play(
                session,
                kind.stand_ins.engine(session),
                AverageReplies,
                Counting(kind.stand_ins, prices, spent, None, False),
            )
            await asyncio.sleep(0)  # others run meanwhile
        times = len(alike) / len(some)
        calls, tokens, usd = (
            calls + spent.calls * times,
            tokens + (spent.tokens or 0) * times,
            usd + spent.cost_known * times,
        )
    return Likely(tokens / max(calls, 1), usd / max(calls, 1), prices.unknown)


def _shape(header: Header) -> bytes:
    """Return what decides which models a session asks.

    The line-up, the settings, and which fields the task has, but not their texts.
    """
    seats = [
        (role, one.model, one.name)
        for role, seat in header.lineup.items()
        for one in seat.members
    ]
    fields = [
        (name, type(value).__name__, bool(value)) for name, value in header.task.items()
    ]
    return msgspec.json.encode(
        [header.method, seats, header.settings, fields, header.task.get("kind")]
    )


def _finding(session: Session) -> list[str]:
    """Models that a search calls, in addition to those of roles."""
    settings = session.header.settings
    named = [str(settings[name]) for name in ("embed", "rerank") if settings.get(name)]
    if settings.get("search") in ("dense", "hybrid"):
        named.append(
            t("report.estimate.of_corpus", corpus=session.header.task.get("corpus"))
        )
    return named


def _unbounded(
    stand_ins: StandIns,
    sessions: Sequence[Session],
    prices: CallPrices,
    not_counted: Sequence[str],
) -> list[str]:
    """Why the cost has no bound that is known before, a clause each; empty where it has
    one.
    """
    without: dict[str, None] = {}
    free: dict[str, None] = {}
    looks_up = open_ended = False
    for session in sessions:
        seats = [
            (role, one)
            for role, seat in stand_ins.asked(session)
            for one in seat.members
        ]
        paid = [(role, seat) for role, seat in seats if seat.model not in BUILTINS]
        without |= dict.fromkeys(
            role for role, seat in paid if prices.limit(seat) is None
        )
        if paid:
            free |= dict.fromkeys(
                role for role, seat in seats if seat.model in BUILTINS
            )
            looks_up = looks_up or stand_ins.looks_up(session)
            open_ended = open_ended or stand_ins.open_ended(session)
    why = (
        [t("report.estimate.no_limit", roles=_listed(map(role_name, without)))]
        if without
        else []
    )
    why += (
        [t("report.estimate.built_in", roles=_listed(map(role_name, free)))]
        if free
        else []
    )
    why += [t("report.estimate.passages")] if looks_up else []
    why += [t("report.estimate.open_ended")] if open_ended else []
    return why + (
        [t("report.estimate.ranking", models=_listed(not_counted))]
        if not_counted
        else []
    )


def _listed(names: Iterable[str]) -> str:
    return t("asked.comma").join(names)


async def imagined(kind: BatchKind, begun: Session) -> Session:
    """A session as it may end: continued from where it stands, with replies of an
    ordinary length. No model is called.
    """
    free = CallPrices(lambda model, name: (0.0, 0.0))
    session, _ = await _play(
        begun,
        kind.stand_ins.engine(begun),
        AverageReplies,
        Counting(kind.stand_ins, free, Totals(), None, False),
    )
    return session


async def _play(
    begun: Session, engine: Engine, kind: type[AverageReplies], counting: Counting
) -> tuple[Session, AverageReplies]:
    """Run one session from its current state to its end without a model.

    Returns which roles were asked.
    """
    session = Session(begun.header, list(begun.events))
    models = kind(session, counting)
    while not engine.finished(session):
        async with aclosing(engine.advance(session, models)) as parts:
            async for part in parts:
                if isinstance(part, Event):
                    session.events.append(part)
    return session, models


@dataclass
class CallPrices:
    """The prices of calls and the maximum length of replies."""

    price: Price
    parameters: Callable[[Seat], dict[str, Any]] = lambda seat: seat.params
    """A seat's parameters, those of its named model among them."""
    unknown: list[str] = field(default_factory=list)
    """Models that were asked for and have no known price."""

    def limit(self, seat: Seat) -> int | None:
        """The most tokens of one reply; None: nothing is set."""
        most = self.parameters(seat).get("max_tokens")
        if isinstance(most, int) and most > 0:
            return most
        return None

    def of(
        self, role: str, seat: Seat, given: int, made: int, *, fills: bool = False
    ) -> Totals:
        """Return the price of one call.

        `fills`: include the fee for writing the whole input to the provider's cache.
        """
        known = self.price(seat.model, seat.name)
        if known is None and seat.model not in self.unknown:
            self.unknown.append(seat.model)
        more = filling(seat.model) if fills else 1.0
        dollars = (
            0.0 if known is None else (given * more * known[0] + made * known[1]) / 1e6
        )
        return Totals(
            input=given,
            output=made,
            estimated=True,
            cost_known=dollars,
            unpriced=(role,) if known is None else (),
            calls=1,
        )


async def prices_of(config: Config, sessions: Sequence[Session]) -> CallPrices:
    """The prices of the models of these sessions: the user's own first, then LiteLLM's
    table, which is loaded only if a model needs it.
    """
    from ..models import litellm_loading, prices
    from ..models.targets import parameters

    def own(name: str | None) -> tuple[float, float] | None:
        named = config.models.get(name or "")
        if named is None or named.prices is None:
            return None
        return (named.prices.input, named.prices.output)

    seats = {
        (one.model, one.name)
        for session in sessions
        for seat in session.header.lineup.values()
        for one in seat.members
    }
    if any(
        model not in BUILTINS and not is_command(model) and own(name) is None
        for model, name in seats
    ):
        await litellm_loading.ready()
    return CallPrices(
        lambda model, name: (
            (0.0, 0.0) if model in BUILTINS else own(name) or prices.price(model)
        ),
        lambda seat: parameters(seat, config)[0],
    )

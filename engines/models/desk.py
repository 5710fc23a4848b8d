"""Where engines ask: finds who sits on a role, retries what may pass, keeps the time and the books."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import msgspec

from ...sessions.clean import scrub
from ...sessions.events import Failure, Usage
from ...sessions.paths import paths
from ...sessions.session import Seat, Session
from . import litellm_door, prices
from .cache import cache_in
from .calls import Meter, Target
from .config import Config
from .faults import LONGEST_WAIT
from .lineup import BUILTINS
from .port import TRANSIENT, Call, Kind, Message, Model, ModelError, Part, Readable, Remark, Reply, Task, Waiting
from .providers import on_this_machine
from .sharing import key_of, shared
from .targets import find
from .tokens import estimate, estimate_messages

if TYPE_CHECKING:
    from tenacity import RetryCallState

LONGEST_BACKOFF = 30.0

_BILLED: frozenset[str] = frozenset({"timeout", "stall", "cut", "cancelled", "empty", "internal"})
"""Failures after which a provider has probably worked, and bills."""

_SURROGATES = re.compile("[\ud800-\udfff]")


class _Spent(msgspec.Struct, kw_only=True):
    """One ask, for the books."""

    role: str
    model: str
    attempts: int = 0
    usage: Usage = msgspec.field(default_factory=lambda: Usage(input=0, output=0))
    cost: float | None = 0.0
    kind: Kind = "cancelled"
    message: str = ""
    began: float = msgspec.field(default_factory=time.monotonic)
    seconds: float = 0.0

    def add(self, usage: Usage | None, cost: float | None) -> None:
        """Adds one attempt; an unknown part makes the sum unknown."""
        self.usage = _plus(self.usage, usage or Usage())
        self.cost = None if self.cost is None or cost is None else self.cost + cost


class Desk:
    """The models of one session. Implements `port.Models`.

    `session` gives the line-up in force (a function where the journal may be replaced); `builtins` holds those of `human`, `script` and
    `lexical` that may be asked here; `stream=False` asks for whole replies (where nobody watches); `retries` overrides the config's.
    """

    def __init__(
        self,
        session: Callable[[], Session] | Session,
        config: Config,
        *,
        env: Mapping[str, str] = os.environ,
        builtins: Mapping[str, Model] | None = None,
        stream: bool = True,
        retries: int | None = None,
    ) -> None:
        self._session = session
        self._config = config
        self._env = env
        self._builtins = dict(builtins or {})
        self._stream = stream
        self._retries = config.retries if retries is None else retries
        self._books: list[_Spent] = []
        self._told: set[str] = set()
        self._targets: dict[bytes, Target] = {}
        """Ready calls by seat: a debate asks the same few seats again and again."""

    async def ask(
        self, role: str, task: Task, messages: list[Message], schema: dict[str, Any] | None = None, readable: Readable | None = None
    ) -> AsyncGenerator[Part | Reply, None]:
        """Asks whoever sits on `role`; see `port.Models`. ModelError after the last attempt."""
        seat = self._seat(role)
        book = _Spent(role=role, model=seat.model, message="Stopped before the reply was whole.")
        self._books.append(book)
        call = Call(role=role, seat=seat, task=task, messages=messages, schema=schema, stream=self._stream)
        try:
            async with aclosing(self._asking(call, book, readable)) as parts:
                async for part in parts:
                    if not isinstance(part, Remark) or self._first_time(part):
                        yield part
        except ModelError as error:
            book.kind, book.message = error.kind, str(error)
            raise
        finally:
            book.seconds = time.monotonic() - book.began

    def spent(self) -> Failure | None:
        """See `port.Models`."""
        books, self._books = self._books, []
        if not books:
            return None
        last = books[-1]
        total = Failure(
            role=last.role, kind=last.kind, message=last.message, model=last.model, usage=Usage(input=0, output=0), cost=0.0, attempts=0
        )
        for book in books:
            total.usage = _plus(total.usage or Usage(), book.usage)
            total.cost = None if total.cost is None or book.cost is None else total.cost + book.cost
            total.seconds += book.seconds or time.monotonic() - book.began
            total.attempts += book.attempts
        return total

    def _seat(self, role: str) -> Seat:
        session = self._session() if callable(self._session) else self._session
        try:
            return session.seat(role)
        except KeyError:
            raise ModelError("unknown-model", f"Nobody sits on {role}: choose a model for it in the line-up.") from None

    def _asking(self, call: Call, book: _Spent, readable: Readable | None) -> AsyncGenerator[Part | Reply, None]:
        """From the cache where it may be, else by asking. Built-ins cost nothing, and a person is asked again."""
        asking = self._tries(call, book)
        if not self._config.cache or not call.task.cache or readable is None or call.seat.model in (*BUILTINS, *self._builtins):
            return asking
        key = key_of(call, self._config, self._env)
        return asking if key is None else shared(cache_in(paths(self._env).cache), key, call, readable, asking)

    def _first_time(self, remark: Remark) -> bool:
        new = remark.message not in self._told
        self._told.add(remark.message)
        return new

    async def _tries(self, call: Call, book: _Spent) -> AsyncGenerator[Part | Reply, None]:
        """Attempts until one brings a reply, or fails for good; the waiting is visible."""
        target: Target | None = None
        failures: RetryCallState | None = None
        while True:
            try:
                if target is None and call.seat.model not in (*BUILTINS, *self._builtins):
                    target = await self._target(call.seat)
                    if not on_this_machine(target.host, self._config.private_hosts):
                        said = f"What is said in this session goes to {target.host}."
                        yield Remark(call.role, "remote-host", said, target.model, target.host)
                async with aclosing(self._attempt(call, target, book)) as parts:
                    async for part in parts:
                        yield part
                return
            except ModelError as error:
                failures = failures or self._failures()
                failures.set_exception((type(error), error, error.__traceback__))
                retrying = failures.retry_object
                if not retrying.retry(failures) or retrying.stop(failures):
                    raise
                seconds = retrying.wait(failures)
                waiting = Waiting(call.role, seconds, failures.attempt_number, error.kind, str(error), call.seat.model)
            yield waiting
            await asyncio.sleep(waiting.seconds)
            failures.prepare_for_next_attempt()

    def _failures(self) -> RetryCallState:
        """Counts the failures of one call; tenacity's rules then say whether and when to try again. Made only after a first failure."""
        from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

        backoff = wait_exponential(self._config.retry_wait, max=LONGEST_BACKOFF) + wait_random(0, self._config.retry_wait / 2)

        def pause(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome is not None else None
            asked = error.retry_after if isinstance(error, ModelError) else None
            return backoff(state) if asked is None else asked

        retrying = Retrying(stop=stop_after_attempt(self._retries + 1), wait=pause, retry=retry_if_exception(_passing))
        return RetryCallState(retrying, None, (), {})

    async def _attempt(self, call: Call, target: Target | None, book: _Spent) -> AsyncGenerator[Part | Reply, None]:
        """One attempt, entered in the books however it ends."""
        meter = Meter()
        if target is None:
            asked = self._builtin(call).ask(call)
        else:
            asked = litellm_door.complete(target, call.role, call.messages, call.schema, call.stream, meter, self._env)
        entered = False
        book.attempts += 1
        kind: Kind = "cancelled"
        try:
            async with aclosing(asked) as parts:
                async for part in parts:
                    if not isinstance(part, Reply):
                        yield part
                        continue
                    _finish(part, call.seat.model)
                    if target is None:
                        part.usage, part.cost = part.usage or Usage(input=0, output=0), part.cost or 0.0
                    book.add(part.usage, part.cost)
                    entered = True
                    _refuse_empty(part)
                    yield _summed(part, book)
        except ModelError as error:
            kind = error.kind
            raise
        finally:
            if not entered and target is not None:
                book.add(*_lost(call, target, meter, kind))

    def _builtin(self, call: Call) -> Model:
        name = call.seat.model
        if name in self._builtins:
            return self._builtins[name]
        if name == "human":
            raise ModelError(
                "needs-person", f"The {call.role} is a person and nobody can be asked here: open the session in the app, or choose a model."
            )
        raise ModelError("unknown-model", f"The built-in {name} cannot answer for the {call.role} here: choose another model.")

    async def _target(self, seat: Seat) -> Target:
        known = msgspec.json.encode(seat)
        if known not in self._targets:
            self._targets[known] = await find(seat, self._config, self._env)
        return self._targets[known]


def _passing(error: BaseException) -> bool:
    """Whether trying again may help."""
    return isinstance(error, ModelError) and error.kind in TRANSIENT and (error.retry_after or 0) <= LONGEST_WAIT


def _finish(reply: Reply, model: str) -> None:
    """Makes the text storable: surrogate pairs joined, lone ones replaced and said so."""
    reply.model = reply.model or model
    for name in ("text", "reasoning"):
        text = getattr(reply, name)
        if text is not None and _SURROGATES.search(text):
            whole, altered = scrub(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"))
            setattr(reply, name, whole)
            reply.altered = reply.altered or altered


def _refuse_empty(reply: Reply) -> None:
    if reply.text.strip():
        return
    if reply.finish == "content_filter":
        raise ModelError(
            "content-filter", f"The provider of {reply.model} refused to answer because of its content rules: change the text or the model."
        )
    if reply.finish == "length":
        raise ModelError(
            "empty", f"{reply.model} used up its limit of tokens before it answered: raise max_tokens, or choose another model."
        )
    raise ModelError("empty", f"{reply.model} answered nothing: retry, or choose another model.")


def _summed(reply: Reply, book: _Spent) -> Reply:
    """The reply with the usage, cost and count of all its attempts."""
    reply.usage, reply.cost, reply.attempts = book.usage, book.cost, book.attempts
    return reply


def _lost(call: Call, target: Target, meter: Meter, kind: Kind) -> tuple[Usage, float | None]:
    """What a failed attempt cost: the provider's own figures, else an estimate where it has probably worked, else nothing."""
    if meter.usage is not None:
        return meter.usage, meter.cost
    if not meter.sent or (kind not in _BILLED and not meter.received):
        return Usage(input=0, output=0), 0.0
    usage = Usage(input=estimate_messages(call.messages), output=estimate("".join(meter.received)), estimated=True)
    return usage, prices.money(target, usage)


def _plus(one: Usage, other: Usage) -> Usage:
    return Usage(
        input=None if one.input is None or other.input is None else one.input + other.input,
        output=None if one.output is None or other.output is None else one.output + other.output,
        estimated=one.estimated or other.estimated,
    )

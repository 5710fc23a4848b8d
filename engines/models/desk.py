"""Calls the model of a role for an engine: chooses the target, retries, limits the
time, and counts what it costs.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from itertools import count

import msgspec
from msgspec import UNSET, UnsetType

from ...sessions.clean import scrub
from ...sessions.events import (
    Failure,
    LimitWait,
    Usage,
    all_held,
    known_sum,
    total_usage,
)
from ...sessions.paths import paths
from ...sessions.session import Seat, Session
from . import commands, litellm_door, prices
from .attempt_permits import AttemptPermit
from .cache import cache_in
from .calls import CallUsage, Target
from .config import Config
from .keys import KeyRedactor, hide, sent, sent_from
from .lineup import BUILTINS
from .litellm_door import Sending
from .pacing import Pacing, here
from .panels import member
from .port import (
    Delta,
    Kind,
    Message,
    Model,
    ModelCall,
    ModelError,
    ModelRemark,
    ModelReply,
    Part,
    Readable,
    ReplyStream,
    Task,
    Waiting,
)
from .providers import on_this_machine
from .reply_marks import installation_secret, reply_mark
from .request_cache import DiskReplies, Replies, key_of, shared
from .retries import passing, pause
from .targets import find
from .tokens import LIKELY_OUTPUT, estimate, estimate_messages

_BILLED: frozenset[str] = frozenset(
    {"timeout", "stall", "cut", "cancelled", "empty", "internal"}
)
"""Failures after which the provider has probably worked, and charges for it."""

_LONG = 1 << 18
"""Characters. A longer text is searched for keys in a thread."""

_SURROGATES = re.compile("[\ud800-\udfff]")


class _Account(msgspec.Struct, kw_only=True):
    """The cost of one `ask`, over all its attempts."""

    role: str
    model: str
    attempts: int = 0
    usage: Usage = msgspec.field(default_factory=lambda: Usage(input=0, output=0))
    cost: float | None = 0.0
    kind: Kind = "cancelled"
    message: str = ""
    began: float = msgspec.field(default_factory=time.monotonic)
    seconds: float = 0.0
    held: LimitWait = msgspec.field(default_factory=LimitWait)
    last: Usage | None = None
    """Of the last attempt."""
    done: bool = False
    """Whether the reply came."""

    @property
    def held_up(self) -> LimitWait | UnsetType:
        """Unset where no limit held a call up."""
        if self.held.waited or self.held.slowed:
            return self.held
        return UNSET

    def add(self, usage: Usage | None, cost: float | None) -> None:
        """Adds one attempt. An unknown part makes the sum unknown."""
        self.last = usage
        self.usage = total_usage((self.usage, usage))
        self.cost = known_sum((self.cost, cost))


class Desk:
    """The models of one session. Implements `port.Models`.

    `session` has the current line-up (a function if the journal can be replaced).
    `builtins`: which of `human`, `script` and `lexical` can answer. `stream=False`
    requests whole replies (for unattended runs). `retries` overrides the config.
    `sending`: alternative transport for calls of language models, to which rate limits
    do not apply. `replies` holds the replies for equal requests; None: the cache of
    this machine. `pacing` holds the models' rate limits; None: those of this process.
    `secret` generates the marks of replies; None: that of this installation.
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
        sending: Callable[[ModelCall], Sending] | None = None,
        replies: Replies | None = None,
        pacing: Pacing | None = None,
        secret: bytes | None = None,
    ) -> None:
        self._session = session
        self._config = config
        self._env = env
        sent_from(env, config.key_variables)
        self._builtins = dict(builtins or {})
        self._stream = stream
        self._retries = config.retries if retries is None else retries
        self._sending = sending
        self._held = replies
        self._pacing = here() if pacing is None else pacing
        self._secret = secret
        self._accounts: list[_Account] = []
        self._remarks: set[str] = set()
        self._targets: dict[bytes, Target] = {}
        """Targets by seat: a debate asks the same few seats many times."""

    async def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, object] | None = None,
        readable: Readable | None = None,
    ) -> ReplyStream:
        """See `port.Models`.

        Raises: ModelError after the last attempt.
        """
        seat = member(self._seat(role), role, task)
        account = _Account(
            role=role,
            model=seat.model,
            message="Stopped before the reply was complete.",
        )
        self._accounts.append(account)
        call = ModelCall(
            role=role,
            seat=seat,
            task=task,
            messages=messages,
            schema=schema,
            stream=self._stream,
        )
        try:
            async with aclosing(self._asking(call, account, readable)) as parts:
                async for part in parts:
                    if not isinstance(part, ModelRemark) or self._first_time(part):
                        yield part
            account.done = True
        except ModelError as error:
            account.kind, account.message = error.kind, str(error)
            error.spent = _spent([account])
            raise
        finally:
            account.seconds = time.monotonic() - account.began - account.held.waited

    def panel(self, role: str) -> Seat | None:
        """See `port.Models`. Raises: ModelError if no model takes the role."""
        seat = self._seat(role)
        if seat.panel:
            return seat
        return None

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        """See `port.Models`. Raises: ModelError if no model takes the role."""
        seat = member(self._seat(role), role, task)
        if seat.model in (*BUILTINS, *self._builtins):
            return None
        if self._secret is None:
            self._secret = installation_secret(self._env)
        return reply_mark(self._secret, messages)

    def take_spent(self) -> Failure | None:
        """See `port.Models`."""
        accounts, self._accounts = self._accounts, []
        if accounts:
            return _spent(accounts)
        return None

    def _seat(self, role: str) -> Seat:
        session = self._session() if callable(self._session) else self._session
        try:
            return session.seat(role)
        except KeyError:
            raise ModelError(
                "unknown-model",
                f"{role} has no model: choose one in the line-up.",
            ) from None

    def _asking(
        self, call: ModelCall, account: _Account, readable: Readable | None
    ) -> ReplyStream:
        """The reply from the cache where that is allowed, else from the model.

        Built-ins are never cached.
        """
        asking = self._tries(call, account)
        if (
            not self._config.cache
            or not call.task.cache
            or readable is None
            or call.seat.model in (*BUILTINS, *self._builtins)
        ):
            return asking
        call.key = key_of(call, self._config, self._env)
        if call.key is None:
            return asking
        return shared(self._replies(), call.key, call, readable, asking)

    def _replies(self) -> Replies:
        if self._held is None:
            return DiskReplies(cache_in(paths(self._env).cache))
        return self._held

    def _first_time(self, remark: ModelRemark) -> bool:
        new = remark.message not in self._remarks
        self._remarks.add(remark.message)
        return new

    async def _tries(self, call: ModelCall, account: _Account) -> ReplyStream:
        """Tries until there is a reply or a failure that will not pass.

        Yields `Waiting` before each pause.
        """
        target: Target | None = None
        for attempt in count(1):
            turn: AttemptPermit | None = None
            try:
                if target is None and not self._is_builtin(call.seat):
                    target = await self._reachable(call)
                    if not on_this_machine(target.host, self._config.private_hosts):
                        said = f"This session sends its texts to {target.host}."
                        yield ModelRemark(
                            call.role, "remote-host", said, target.model, target.host
                        )
                if target is not None and self._sending is None:
                    tokens = _likely_tokens(call, target)
                    turn = AttemptPermit(self._pacing, target, tokens)
                    async with aclosing(_waits(turn, call, attempt, account)) as waits:
                        async for waiting in waits:
                            yield waiting
                attempted = self._attempt(call, target, account, turn)
                async with aclosing(attempted) as parts:
                    async for part in parts:
                        # Whoever gets the reply may ask the model again before this
                        # is over.
                        if turn is not None and isinstance(part, ModelReply):
                            turn.end(account.last)
                        yield part
                return
            except ModelError as error:
                if turn is not None and error.kind == "rate-limit":
                    account.held.slowed += await turn.refused(error)
                if attempt > self._retries or not passing(error):
                    raise
                seconds = pause(error, attempt, self._config.retry_wait)
                waiting = Waiting(
                    call.role, seconds, attempt, error.kind, str(error), call.seat.model
                )
            finally:
                if turn is not None:
                    turn.end(account.last)
            yield waiting
            await asyncio.sleep(waiting.seconds)

    def _is_builtin(self, seat: Seat) -> bool:
        return seat.model in BUILTINS or seat.model in self._builtins

    async def _reachable(self, call: ModelCall) -> Target:
        """Return the target of a call. Raises: ModelError if there is none.

        For a panel, checks every member first, so no member is paid for in vain.
        """
        for each in self._seat(call.role).members:
            if not self._is_builtin(each):
                await self._target(each)
        return await self._target(call.seat)

    def _asked(
        self, call: ModelCall, target: Target | None, meter: CallUsage
    ) -> ReplyStream:
        if target is None:
            return self._builtin(call).ask(call)
        sent(target.api_key)
        if target.command:
            return commands.answer(target, call, meter)
        return litellm_door.complete(
            target,
            call.role,
            call.messages,
            call.schema,
            call.stream,
            meter,
            self._env,
            None if self._sending is None else self._sending(call),
        )

    async def _attempt(
        self,
        call: ModelCall,
        target: Target | None,
        account: _Account,
        turn: AttemptPermit | None,
    ) -> ReplyStream:
        """Makes one attempt, and adds it to the account however it ends."""
        meter = CallUsage(again=None if turn is None else turn.again)
        asked = self._asked(call, target, meter)
        entered = False
        answer, thought = KeyRedactor(), KeyRedactor()
        account.attempts += 1
        kind: Kind = "cancelled"
        try:
            async with aclosing(asked) as parts:
                async for part in parts:
                    if isinstance(part, Delta) and target is not None:
                        redactor = thought if part.reasoning else answer
                        part.text = redactor.feed(part.text)
                        if part.text:
                            yield part
                        continue
                    if not isinstance(part, ModelReply):
                        yield part
                        continue
                    for rest in _held_back(call.role, thought, answer):
                        yield rest
                    _finish(part, call.seat.model)
                    if target is not None:
                        await _hide_keys(part)
                    else:
                        part.usage = part.usage or Usage(input=0, output=0)
                        part.cost = part.cost or 0.0
                    account.add(part.usage, part.cost)
                    entered = True
                    _refuse_empty(part)
                    yield _summed(part, account)
        except ModelError as error:
            kind = error.kind
            for rest in _held_back(call.role, thought, answer):
                yield rest
            raise
        finally:
            if not entered and target is not None:
                account.add(*_lost(call, target, meter, kind))

    def _builtin(self, call: ModelCall) -> Model:
        name = call.seat.model
        if name in self._builtins:
            return self._builtins[name]
        if name == "human":
            raise ModelError(
                "needs-person",
                f"The {call.role} is a person, who cannot be asked here: open "
                f"the session in the app, or choose a model.",
            )
        raise ModelError(
            "unknown-model",
            f"The built-in {name} cannot answer for the {call.role} here: choose "
            f"another model.",
        )

    async def _target(self, seat: Seat) -> Target:
        known = msgspec.json.encode(seat)
        if known not in self._targets:
            try:
                self._targets[known] = await find(seat, self._config, self._env)
            except ModelError as error:
                error.unready = True
                raise
        return self._targets[known]


async def _waits(
    turn: AttemptPermit, call: ModelCall, attempt: int, account: _Account
) -> AsyncGenerator[Part, None]:
    """Yields what is waited for until the call may begin."""
    if turn.waits:
        async with aclosing(turn.come(call.role, attempt)) as waits:
            async for waiting in waits:
                yield waiting
        account.held.waited += turn.waited


def _spent(accounts: Sequence[_Account]) -> Failure:
    """What these calls cost together, as a failure of the last one that was stopped; of
    the last that failed; or of the last.
    """
    open_ = [account for account in accounts if not account.done] or accounts
    last = next(
        (account for account in reversed(open_) if account.kind == "cancelled"),
        open_[-1],
    )
    return Failure(
        role=last.role,
        kind=last.kind,
        message=last.message,
        model=last.model,
        usage=total_usage(account.usage for account in accounts),
        cost=known_sum(account.cost for account in accounts),
        seconds=sum(
            account.seconds or time.monotonic() - account.began for account in accounts
        ),
        attempts=sum(account.attempts for account in accounts),
        held=all_held(account.held_up for account in accounts),
    )


def _finish(reply: ModelReply, model: str) -> None:
    """Makes the text storable: joins surrogate pairs, replaces lone surrogates, and
    marks the reply as altered.
    """
    reply.model = reply.model or model
    for name in ("text", "reasoning", "fingerprint"):
        text = getattr(reply, name)
        if isinstance(text, str) and _SURROGATES.search(text):
            whole, altered = scrub(
                text.encode("utf-16-le", "surrogatepass").decode(
                    "utf-16-le", "surrogatepass"
                )
            )
            setattr(reply, name, whole)
            reply.altered = reply.altered or altered


def _held_back(role: str, thought: KeyRedactor, answer: KeyRedactor) -> list[Delta]:
    """The rest that the two hold back."""
    return [
        Delta(role, rest, hiding is thought)
        for hiding in (thought, answer)
        if (rest := hiding.finish())
    ]


async def _hide_keys(reply: ModelReply) -> None:
    """Removes the keys that were sent from the reply."""
    for name in ("text", "reasoning", "finish", "endpoint", "fingerprint"):
        text = getattr(reply, name)
        if isinstance(text, str) and text:
            whole, altered = (
                await asyncio.to_thread(hide, text) if len(text) > _LONG else hide(text)
            )
            setattr(reply, name, whole)
            reply.altered = reply.altered or altered


def _refuse_empty(reply: ModelReply) -> None:
    if reply.text.strip():
        return
    if reply.finish == "content_filter":
        raise ModelError(
            "content-filter",
            f"The provider of {reply.model} refused to answer because of its "
            f"content rules: change the text or the model.",
        )
    if reply.finish == "length":
        raise ModelError(
            "empty",
            f"{reply.model} reached its token limit before it answered: raise "
            f"max_tokens, or choose another model.",
        )
    raise ModelError(
        "empty", f"{reply.model} sent an empty reply: retry, or choose another model."
    )


def _summed(reply: ModelReply, account: _Account) -> ModelReply:
    """The reply with usage, cost and number of all its attempts, and what held them
    up.
    """
    reply.usage, reply.cost, reply.attempts, reply.held = (
        account.usage,
        account.cost,
        account.attempts,
        account.held_up,
    )
    return reply


def _likely_tokens(call: ModelCall, target: Target) -> int:
    """Estimate the tokens of the call, input and output; 0 if there is no rate
    limit.
    """
    if target.pace.max_tpm is None:
        return 0
    most = target.params.get("max_tokens")
    return estimate_messages(call.messages) + (
        most if isinstance(most, int) else LIKELY_OUTPUT
    )


def _lost(
    call: ModelCall, target: Target, meter: CallUsage, kind: Kind
) -> tuple[Usage, float | None]:
    """Return the cost of a failed attempt.

    The provider's figures, otherwise an estimate if the provider probably did the work,
    otherwise nothing.
    """
    if meter.usage is not None:
        return meter.usage, meter.cost
    worked = kind in _BILLED or meter.received or target.command
    if not meter.sent or not worked:
        return Usage(input=0, output=0), 0.0
    usage = Usage(
        input=estimate_messages(call.messages),
        output=estimate("".join(meter.received)),
        estimated=True,
    )
    return usage, prices.money(target, usage)

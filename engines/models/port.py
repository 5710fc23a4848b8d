"""What an engine may say to a model and hear from one.

`Models.ask` yields short-lived parts (`Delta`, `Waiting`, `Remark`) and, last, exactly one `Reply`; or raises `ModelError`.
Cancelling the task that iterates, or closing the iterator, closes the connection at once. `spent` holds what was paid.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any, Literal, Protocol

import msgspec

from ...sessions.events import Failure, Usage
from ...sessions.session import Seat

Message = dict[str, str]
"""{"role": "system" | "user" | "assistant", "content": text}"""

Kind = Literal[
    "auth",  # 401, 403
    "missing-key",  # no key in the environment
    "not-found",  # 404: the provider does not serve this model (any longer)
    "rate-limit",  # 429
    "server",  # 5xx
    "connection",  # refused, reset, DNS
    "timeout",  # the total limit passed
    "stall",  # no token for N seconds
    "cut",  # the stream ended before its finish chunk
    "context",  # longer than the model's context
    "content-filter",  # the provider refused
    "empty",  # a reply of nothing but white space
    "bad-request",  # 400, and parameters the model does not take
    "not-local",  # refused by local_only
    "unknown-model",  # neither a model, a named model nor a built-in
    "no-line",  # `script` has nothing written for this
    "needs-person",  # `human` where nobody can be asked
    "budget",  # the batch's limit is reached
    "corpus",  # the references cannot be read
    "cancelled",  # by the user
    "internal",  # a defect of ours or of a library
]

TRANSIENT: frozenset[str] = frozenset({"rate-limit", "server", "connection", "timeout", "stall", "cut"})
"""Kinds that trying again may cure."""


class Task(msgspec.Struct, kw_only=True):
    """What is wanted, from what, as data: language models get the rendered messages, built-ins answer from this."""

    cache: bool = False
    """True if an equal request that was answered before may answer this one, and this one later ones."""
    fresh: bool = False
    """With `cache`: what is held is not looked at, since the answer is wanted anew; the new one is held."""
    repeat: int = 0
    """Equal requests with different numbers are different requests: repeated annotations stay apart."""


class Delta(msgspec.Struct):
    """A piece of a reply as it arrives: shown and forgotten."""

    role: str
    text: str
    reasoning: bool = False


class Waiting(msgspec.Struct):
    """A failed attempt; the next one starts after `seconds`. What was streamed of the failed one is void."""

    role: str
    seconds: float
    attempt: int
    """Number of the attempt that failed, from 1."""
    kind: Kind
    message: str
    """One English sentence."""
    model: str = ""


class Remark(msgspec.Struct):
    """Something the user should know and that does not stop anything: first remote host, dropped parameter, asked again, a
    cache that could not be used, demonstrations that have changed."""

    role: str
    kind: Literal["remote-host", "dropped", "again", "cache", "demonstrations"]
    message: str
    """One English sentence."""
    model: str = ""
    about: str = ""
    """What the sentence names: the host, or the parameters that were left out."""


class Reply(msgspec.Struct, kw_only=True):
    """A whole answer. Fields as in sessions.events.Made."""

    text: str
    model: str
    reasoning: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    finish: str | None = None
    attempts: int = 1
    cached: bool = False
    altered: bool = False
    dropped: list[str] = []
    structured: bool = False
    """True if the provider's own schema mode made this text."""


class ModelError(Exception):
    """A call that brought no reply. `str()` is one sentence for people: what happened and what to do."""

    def __init__(self, kind: Kind, message: str, *, retry_after: float | None = None, role: str = "", asked: bool = False) -> None:
        """`role` is for who failed without being a model: `retriever`. `asked`: a model that sits on no seat was asked, and what it took
        is unknown.
        """
        super().__init__(message)
        self.kind: Kind = kind
        self.retry_after = retry_after
        self.role = role
        self.asked = asked


Part = Delta | Waiting | Remark


class Call(msgspec.Struct, kw_only=True):
    """One question to one model, as the desk hands it on."""

    role: str
    seat: Seat
    task: Task
    messages: list[Message]
    schema: dict[str, Any] | None = None
    stream: bool = True


class Model(Protocol):
    """Something that answers: LiteLLM, a person, a script. Retries, time limits and totals are the desk's."""

    def ask(self, call: Call) -> AsyncGenerator[Part | Reply, None]: ...


Readable = Callable[[Reply], bool]


class Models(Protocol):
    """Whoever can be asked."""

    def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, Any] | None = None,
        readable: Readable | None = None,
    ) -> AsyncGenerator[Part | Reply, None]:
        """Asks whoever sits on `role`. `schema` is a JSON Schema of the wanted object, used where the provider has a mode for it.

        `readable` tells whether a reply can be read. Without it nothing is held for later, whatever `task.cache` says, and nothing held
        is taken: what nobody could read must not come back.
        """
        ...

    def spent(self) -> Failure | None:
        """What all calls since the last `spent()` cost, as the failure that ended them; None if nothing was asked. Reading forgets it."""
        ...

"""The interface between engines and models: requests and replies.

`Models.ask` yields short-lived parts (`Delta`, `Waiting`, `ModelRemark`) and finally
exactly one `ModelReply`, or raises `ModelError`. Cancelling the iterating task, or
closing the iterator, closes the connection at once. `take_spent` returns the cost.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any, Literal, Protocol

import msgspec

from ...sessions.events import CachedTime, Failure, LimitWait, Usage, Vote
from ...sessions.session import Seat, Session

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
    "stall",  # no token for some seconds
    "cut",  # the stream ended before its last chunk
    "context",  # longer than the model's context
    "content-filter",  # the provider refused
    "too-large",  # a reply larger than 64 MB, or packed so that it would be
    "empty",  # a reply of nothing but white space
    "bad-request",  # 400, and parameters the model does not take
    "not-local",  # refused by local_only
    "address",  # what names the server is no address
    "unknown-model",  # neither a model, a named model nor a built-in
    "no-line",  # `script` has nothing written for this
    "needs-person",  # `human` where nobody can be asked
    "budget",  # the batch's limit is reached
    "corpus",  # the references cannot be read
    "cancelled",  # by the user
    "internal",  # a defect of ours or of a library
]

TRANSIENT: frozenset[str] = frozenset(
    {"rate-limit", "server", "connection", "timeout", "stall", "cut"}
)
"""Kinds of failures that may be temporary."""


class Task(msgspec.Struct, kw_only=True):
    """A request as data. Language models receive the rendered messages; built-ins use
    this.
    """

    cache: bool = False
    """Whether a cached reply to an equal request may be used, and this reply may be
    cached.
    """
    fresh: bool = False
    """With `cache`: send the request again and store the new reply, even if one is
    cached.
    """
    repeat: int = 0
    """Equal requests with different numbers are different: repeated annotations stay
    separate.
    """
    member: int = 0
    """The member of a panel, from 1; 0 without a panel."""


class Delta(msgspec.Struct):
    """A part of a reply as it streams, for display only."""

    role: str
    text: str
    reasoning: bool = False


class Waiting(msgspec.Struct):
    """An attempt failed, and the next one starts after `seconds`: discard what the
    failed attempt streamed. With the kind `limit`, an attempt waits for the rate limits
    of its model.
    """

    role: str
    seconds: float
    """0 with the kind `limit`: the time is unknown."""
    attempt: int
    """Number of the failed or waiting attempt, from 1."""
    kind: Kind | Literal["limit"]
    message: str
    """One English sentence."""
    model: str = ""


class ModelRemark(msgspec.Struct):
    """A remark for the user that stops nothing: the first call to a remote host, a
    dropped parameter, a repeated question, a cache that fails, changed demonstrations.
    """

    role: str
    kind: Literal["remote-host", "dropped", "again", "cache", "demonstrations"]
    message: str
    """One English sentence."""
    model: str = ""
    about: str = ""
    """The names in the sentence: the host, the dropped parameters, the set of
    demonstrations.
    """


class ModelReply(msgspec.Struct, kw_only=True):
    """A complete reply. The fields are those of sessions.events.Made."""

    text: str
    model: str
    endpoint: str | msgspec.UnsetType = msgspec.UNSET
    fingerprint: str | msgspec.UnsetType = msgspec.UNSET
    reasoning: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    finish: str | None = None
    attempts: int = 1
    cached: bool = False
    took: CachedTime | msgspec.UnsetType = msgspec.UNSET
    held: LimitWait | msgspec.UnsetType = msgspec.UNSET
    altered: bool = False
    dropped: list[str] = []
    structured: bool = False
    """Whether the provider's schema mode was used."""
    votes: list[Vote] | msgspec.UnsetType = msgspec.UNSET
    """For a panel: the reply of each member."""
    mark: str | msgspec.UnsetType = msgspec.UNSET
    enforced: bool | msgspec.UnsetType = msgspec.UNSET
    """Both are set by the caller, as in `Made`."""

    @classmethod
    def free(cls, text: str, model: str) -> ModelReply:
        """A complete reply that called no provider."""
        usage = Usage(input=0, output=0)
        return cls(text=text, model=model, usage=usage, cost=0.0, finish="stop")


class ModelError(Exception):
    """A call without a reply. `str()` says what happened and what to do."""

    session: Session | None = None
    """The events so far, if a whole session was run."""
    spent: Failure | None = None
    """The cost of the call, if a desk made it."""
    unready: bool = False
    """Whether no call could be made: a model is missing from the configuration, or a
    key from the environment.
    """
    said: str = ""
    """The sentence in the user's language, if it differs; empty: as `str()`."""

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        retry_after: float | None = None,
        role: str = "",
        asked: bool = False,
    ) -> None:
        """`role` is set if no seat failed: `retriever`. `asked`: a model without a seat
        was called, and its cost is unknown.
        """
        super().__init__(message)
        self.kind: Kind = kind
        self.retry_after = retry_after
        self.role = role
        self.asked = asked


class Later(Exception):
    """The reply is not available yet, and the step must be repeated later. Nothing was
    spent.
    """


Part = Delta | Waiting | ModelRemark


class ModelCall(msgspec.Struct, kw_only=True):
    """A request to one model, as the desk passes it on."""

    role: str
    seat: Seat
    task: Task
    messages: list[Message]
    schema: dict[str, Any] | None = None
    stream: bool = True
    key: bytes | None = None
    """The cache key of the request, if equal requests share a reply."""


ReplyStream = AsyncGenerator[Part | ModelReply, None]
"""Yields parts, then one reply."""


class Model(Protocol):
    """Something that replies: LiteLLM, a person, a script. The desk adds retries, time
    limits and totals.
    """

    def ask(self, call: ModelCall) -> ReplyStream: ...


Readable = Callable[[ModelReply], bool]


class Models(Protocol):
    """The interface that an engine calls: roles, independent of their models."""

    def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, Any] | None = None,
        readable: Readable | None = None,
    ) -> ReplyStream:
        """Calls the model of a role: yields parts, then one reply.

        `schema`: a JSON Schema of the requested object, for providers that support one.
        `readable`: whether a reply can be read; without it the cache is not used,
        whatever `task.cache` is, because an unreadable reply must not return. Raises:
        ModelError.
        """
        ...

    def panel(self, role: str) -> Seat | None:
        """The seat of a role with a panel, whose members are called one by one, by
        `task.member`. None: a single model.
        """
        ...

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        """Return the mark that the reply to a request must carry.

        None for a built-in or a person. Raises: ModelError.
        """
        ...

    def take_spent(self) -> Failure | None:
        """Returns the cost of the calls since the last `take_spent()`, and resets it.

        None if there was no call. The `Failure` event can be stored if the step has
        failed; the event of a successful step contains its cost.
        """
        ...

"""The interface between engines and models: what is asked, and what comes back.

`Models.ask` yields short-lived parts (`Delta`, `Waiting`, `ModelRemark`) and, last,
exactly one `ModelReply`; or raises `ModelError`. Cancelling the task that iterates, or
closing the iterator, closes the connection at once. `take_spent` says what was paid.
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
"""Kinds that trying again may cure."""


class Task(msgspec.Struct, kw_only=True):
    """A request as data.

    Language models get the rendered messages; built-ins answer from this.
    """

    cache: bool = False
    """Whether the reply to an earlier equal request may be used, and this reply for
    later ones.
    """
    fresh: bool = False
    """With `cache`: request again and store the new reply, even if the cache has one.
    """
    repeat: int = 0
    """Equal requests with different numbers are different requests: repeated
    annotations stay apart.
    """
    member: int = 0
    """Which member of the panel on the role is asked, from 1; 0 where no panel sits
    there.
    """


class Delta(msgspec.Struct):
    """A piece of a reply as it arrives: shown and forgotten."""

    role: str
    text: str
    reasoning: bool = False


class Waiting(msgspec.Struct):
    """An attempt failed, and the next one starts after `seconds`: ignore what the
    failed attempt streamed. Or, with the kind `limit`, an attempt waits until the
    limits of its model let it begin.
    """

    role: str
    seconds: float
    """0 with the kind `limit`: nobody knows how long."""
    attempt: int
    """Number of the attempt that failed, or that waits, from 1."""
    kind: Kind | Literal["limit"]
    message: str
    """One English sentence."""
    model: str = ""


class ModelRemark(msgspec.Struct):
    """Something that the user should know and that stops nothing: the first call to a
    remote host, a dropped parameter, a question asked again, a cache that fails,
    demonstrations that have changed.
    """

    role: str
    kind: Literal["remote-host", "dropped", "again", "cache", "demonstrations"]
    message: str
    """One English sentence."""
    model: str = ""
    about: str = ""
    """What the sentence names: the host, the parameters that were left out, the set of
    demonstrations.
    """


class ModelReply(msgspec.Struct, kw_only=True):
    """A whole reply. The fields are those of sessions.events.Made."""

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
    """Whether the text was made in the provider's schema mode."""
    votes: list[Vote] | msgspec.UnsetType = msgspec.UNSET
    """Set where a panel's rule made the text: what each member said."""
    mark: str | msgspec.UnsetType = msgspec.UNSET
    enforced: bool | msgspec.UnsetType = msgspec.UNSET
    """Both set by whoever asked, as in `Made`."""

    @classmethod
    def free(cls, text: str, model: str) -> ModelReply:
        """A whole reply that no provider was asked for."""
        usage = Usage(input=0, output=0)
        return cls(text=text, model=model, usage=usage, cost=0.0, finish="stop")


class ModelError(Exception):
    """A call brought no reply.

    `str()` is one sentence for people: what happened and what to do.
    """

    session: Session | None = None
    """The events until then, where a whole session was to be run."""
    spent: Failure | None = None
    """What the call cost, where a desk made it."""
    unready: bool = False
    """Whether nobody could be asked at all: a name is gone from the configuration, or a
    key from the environment.
    """
    said: str = ""
    """The sentence in the user's language, where it has another one; empty: as `str()`.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        retry_after: float | None = None,
        role: str = "",
        asked: bool = False,
    ) -> None:
        """`role` is set where no seat failed: `retriever`.

        `asked`: a model without a seat was called, and what it cost is unknown.
        """
        super().__init__(message)
        self.kind: Kind = kind
        self.retry_after = retry_after
        self.role = role
        self.asked = asked


class Later(Exception):
    """The reply is not there yet, and nobody waits for it: the same is to be asked
    again. Nothing was spent.
    """


Part = Delta | Waiting | ModelRemark


class ModelCall(msgspec.Struct, kw_only=True):
    """One question to one model, as the desk passes it on."""

    role: str
    seat: Seat
    task: Task
    messages: list[Message]
    schema: dict[str, Any] | None = None
    stream: bool = True
    key: bytes | None = None
    """The cache's key of the request, where equal requests share a reply."""


ReplyStream = AsyncGenerator[Part | ModelReply, None]
"""Parts as they come, then one reply."""


class Model(Protocol):
    """Something that answers: LiteLLM, a person, a script.

    The desk adds retries, time limits and totals.
    """

    def ask(self, call: ModelCall) -> ReplyStream: ...


Readable = Callable[[ModelReply], bool]


class Models(Protocol):
    """The interface that an engine calls: roles, whichever models answer."""

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
        """The seat of a role taken by a panel, whose members are called one by one, by
        `task.member`. None: one model answers.
        """
        ...

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        """The mark that the reply to a request is asked to carry; None for a built-in
        or a person, who quote nobody. Raises: ModelError.
        """
        ...

    def take_spent(self) -> Failure | None:
        """Returns what the calls since the last `take_spent()` cost, and forgets it.

        None if there was no call.

        It is a `Failure` event, ready for the journal if the step has failed. A step
        that succeeds has the costs in its own event.
        """
        ...

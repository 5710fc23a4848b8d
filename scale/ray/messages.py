"""What driver and workers say to each other, as data.

Many messages travel at once, so that Ray's cost for a call is paid once for all.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...engines.models.limits import RateLimits
from ...engines.models.port import ModelRemark, ModelReply, Waiting
from ...sessions.clean import scrubbed
from ...sessions.events import Event, event_types, plain
from ...sessions.session import Header


class ModelFault(msgspec.Struct, kw_only=True):
    """A `ModelError` as data."""

    kind: str
    message: str
    retry_after: float | None = None
    role: str = ""


class Message(msgspec.Struct, kw_only=True, tag=True, tag_field="is"):
    """One thing that is reported."""


# ---------------------------------------------------------------- to a worker


class Sets(Message):
    """A set of demonstrations that sessions name, pickled: a node need not have it."""

    name: str
    data: bytes


class Begin(Message):
    """A session that the worker is to hold, from its header on."""

    session: int
    method: str
    header: Header
    repeat: int | None
    """As in `Batch.repeats`; None: calls are made for this session alone."""
    secret: bytes = b""
    """What the marks of replies are made with: the same on every node, so that equal
    requests stay equal.
    """


class Make(Message):
    """Asks for the next event."""

    call: int
    session: int
    after: int
    """How many events the session has."""
    events: list[bytes]
    """The last of them, which the worker has not had: they are on disk."""


class Cancel(Message):
    """The event is no longer wanted. What its call has cost is."""

    call: int


class Forget(Message):
    """Nothing more comes of a session."""

    session: int


class DriverReply(Message):
    """The answer to `CacheLookup`, `Enter` or a refused `Leave` of this number."""

    number: int
    reply: ModelReply | None = None
    fault: ModelFault | None = None
    waited: float = 0.0
    slowed: bool = False
    """Whether the refusal slows the model down."""


class Slow(Message):
    """A provider has refused calls of this model: from now on each one asks the driver
    before it begins.
    """

    model: str


# ---------------------------------------------------------------- to the driver


class PartialReply(Message):
    """A part, as it came."""

    call: int
    waiting: Waiting | None = None
    remark: ModelRemark | None = None


class EventMade(Message):
    """The event, not yet numbered.

    A failed call has its `failure`, a cancelled one what it has cost; None: it has cost
    nothing.
    """

    call: int
    event: bytes | None


class SessionUnknown(Message):
    """The worker does not hold the session up to there."""

    call: int


class StepFailed(Message):
    """The step ended with an error that is none of a model."""

    call: int
    bad_input: str | None
    """The sentence; None: a defect."""
    kind: str = ""
    """The name of the error's class."""


class CacheLookup(Message):
    """Asks for the reply to an equal request."""

    number: int
    key: bytes


class Keep(Message):
    """A reply for equal requests to come."""

    key: bytes
    reply: ModelReply


class RequestDone(Message):
    """A request that `CacheLookup` had no reply for is over."""

    key: bytes
    reply: ModelReply | None = None
    fault: ModelFault | None = None


class Enter(Message):
    """Asks whether a call of a model may begin, or (`begun`) says that it has begun."""

    number: int
    model: str
    pace: RateLimits
    tokens: int
    begun: bool


class Leave(Message):
    """The call is over, or no longer waits.

    `refused`: seconds that the provider asks to wait where it refused it.
    """

    number: int
    tokens: int | None = None
    refused: float | None = None


ToWorker = Sets | Begin | Make | Cancel | Forget | DriverReply | Slow
ToDriver = (
    PartialReply
    | EventMade
    | SessionUnknown
    | StepFailed
    | CacheLookup
    | Keep
    | RequestDone
    | Enter
    | Leave
)

_encoder = msgspec.msgpack.Encoder()
_worker = msgspec.msgpack.Decoder(list[ToWorker])
_driver = msgspec.msgpack.Decoder(list[ToDriver])


def packed(messages: Sequence[Message]) -> bytes:
    """The messages as bytes."""
    return _encoder.encode(messages)


def for_worker(data: bytes) -> list[ToWorker]:
    """What the driver says."""
    return _worker.decode(data)


def for_driver(data: bytes) -> list[ToDriver]:
    """What a worker says."""
    return _driver.decode(data)


def event_bytes(event: Event) -> bytes:
    """An event as bytes. Lone surrogates become U+FFFD, as on disk."""
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:
        mapping: dict[str, object] = scrubbed(plain(event))
        return _encoder.encode(
            mapping | ({"altered": True} if "altered" in mapping else {})
        )


def event_of(data: bytes, method: str) -> Event:
    """The event of these bytes."""
    event: Event = msgspec.msgpack.decode(data, type=event_types(method))
    return event

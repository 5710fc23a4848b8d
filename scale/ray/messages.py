"""The messages between driver and workers. Many messages are sent together, so that the
cost of a Ray call is shared.
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
    """A report from a worker."""


# ---------------------------------------------------------------- to a worker


class Sets(Message):
    """A set of demonstrations, pickled, because the node may not have it."""

    name: str
    data: bytes


class Begin(Message):
    """A session for the worker, starting with its header."""

    session: int
    method: str
    header: Header
    repeat: int | None
    """As in `Batch.repeats`; None: calls are not shared with other sessions."""
    secret: bytes = b""
    """The secret for reply marks, the same on every node so that equal requests stay
    equal.
    """


class Make(Message):
    """Requests the next event."""

    call: int
    session: int
    after: int
    """Number of events in the session."""
    events: list[bytes]
    """The last events, already on disk, that the worker does not have yet."""


class Cancel(Message):
    """Cancels an event. The worker reports the cost of its call."""

    call: int


class Forget(Message):
    """The session has ended."""

    session: int


class DriverReply(Message):
    """The reply to the `CacheLookup`, `Enter` or refused `Leave` with this number."""

    number: int
    reply: ModelReply | None = None
    fault: ModelFault | None = None
    waited: float = 0.0
    slowed: bool = False
    """Whether the refusal slows down the model."""


class Slow(Message):
    """A provider has refused calls of this model, so each call must now ask the driver
    first.
    """

    model: str


# ---------------------------------------------------------------- to the driver


class PartialReply(Message):
    """A streamed part of a reply."""

    call: int
    waiting: Waiting | None = None
    remark: ModelRemark | None = None


class EventMade(Message):
    """The event, without a number. A failed call has its `failure`, a cancelled one its
    cost; None: it cost nothing.
    """

    call: int
    event: bytes | None


class SessionUnknown(Message):
    """The worker does not have the session's events up to there."""

    call: int


class StepFailed(Message):
    """The step failed with an error that is not a model error."""

    call: int
    bad_input: str | None
    """The message; None: a defect."""
    kind: str = ""
    """The class name of the error."""


class CacheLookup(Message):
    """Requests the reply to an equal request."""

    number: int
    key: bytes


class Keep(Message):
    """A reply for later equal requests."""

    key: bytes
    reply: ModelReply


class RequestDone(Message):
    """A request without a cached reply has ended."""

    key: bytes
    reply: ModelReply | None = None
    fault: ModelFault | None = None


class Enter(Message):
    """Asks whether a call of a model can start, or (`begun`) reports that it has
    started.
    """

    number: int
    model: str
    pace: RateLimits
    tokens: int
    begun: bool


class Leave(Message):
    """The call has ended, or no longer waits. `refused`: seconds to wait, if the
    provider refused it.
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
    """Encodes the messages as bytes."""
    return _encoder.encode(messages)


def for_worker(data: bytes) -> list[ToWorker]:
    """Decodes the driver's messages."""
    return _worker.decode(data)


def for_driver(data: bytes) -> list[ToDriver]:
    """Decodes a worker's messages."""
    return _driver.decode(data)


def event_bytes(event: Event) -> bytes:
    """Encodes an event. Lone surrogates become U+FFFD, as on disk."""
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:
        mapping: dict[str, object] = scrubbed(plain(event))
        return _encoder.encode(
            mapping | ({"altered": True} if "altered" in mapping else {})
        )


def event_of(data: bytes, method: str) -> Event:
    """Decodes an event."""
    event: Event = msgspec.msgpack.decode(data, type=event_types(method))
    return event

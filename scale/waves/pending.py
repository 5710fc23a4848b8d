"""Holds the calls of a session until their wave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, get_args

from msgspec import UNSET

from ...engines.models import litellm_door
from ...engines.models.calls import CallUsage, Target
from ...engines.models.litellm_door import Sending
from ...engines.models.port import (
    Kind,
    Later,
    ModelCall,
    ModelError,
    ModelReply,
    ReplyStream,
)
from ...engines.models.prices import batch_price, money, saved
from ...engines.models.request_cache import held
from ...engines.models.tokens import LIKELY_OUTPUT, estimate_messages
from ...sessions.events import Event, Failure, Usage
from ...sessions.session import Seat, Session
from . import litellm_batches
from .outbox import WaveOutbox
from .replies import Fault, InternalServerError, body

_KINDS: dict[str, Kind] = {
    "batch_expired": "timeout",
    "batch_cancelled": "server",
    "batch_failed": "server",  # most often a limit of what may be queued
    "no_reply": "server",
    **{f"call_{kind}": kind for kind in get_args(Kind)},
}
"""Error kinds for failure codes without a status."""


class WaveRequest(NamedTuple):
    """A call that waits for a wave."""

    name: str
    target: Target
    seat: Seat
    line: bytes
    """In the format of a request file."""
    arguments: Mapping[str, Any]
    """The arguments of the call."""
    paid: int
    """Replies of its step that no event contains yet."""
    session: str
    """Id of the session."""
    role: str

    @property
    def likely(self) -> Usage:
        """Estimated usage, with an average reply if nothing limits its length."""
        most = self.arguments.get("max_tokens")
        return Usage(
            input=estimate_messages(self.arguments["messages"]),
            output=most if isinstance(most, int) else LIKELY_OUTPUT,
        )

    @property
    def tokens(self) -> int:
        """Estimated tokens, input and output."""
        return (self.likely.input or 0) + (self.likely.output or 0)

    @property
    def price(self) -> float | None:
        """Estimated US dollars as a call; None: unknown."""
        return money(self.target, self.likely)

    def lost(self, attempts: int, seconds: float) -> Failure:
        """The record of an interrupted call: the provider has probably started it."""
        used = Usage(
            input=self.likely.input,
            output=0,
            estimated=True,
            live_calls=1,
        )
        cost = money(self.target, used)
        used.live_cost = UNSET if cost is None else cost
        return Failure(
            role=self.role,
            kind="cancelled",
            message="",
            model=self.seat.model,
            usage=used,
            cost=cost,
            seconds=seconds,
            attempts=attempts,
        )


class WaveControl(Protocol):
    """The part of `waves.Waves` that pending calls use."""

    outbox: WaveOutbox

    def queue(self, request: WaveRequest) -> None: ...


class NotInWave(Later):
    """The last attempt of this step failed, and no wave has been requested for another
    one.
    """


class Door:
    """The calls of a session, in the order of its steps. Each is answered from disk, or
    waits.

    `live_rest`: failed calls are not sent in another wave; `NotInWave` is raised.
    """

    def __init__(
        self, session: Session, waves: WaveControl, *, live_rest: bool = False
    ) -> None:
        self._session, self._waves, self._live_rest = session, waves, live_rest
        self._asked: dict[str, int] = {}
        """Number of requests with each body in this step."""
        self._served = self._paid = 0
        """Replies of this step, and those that its session pays for."""

    def begin(self) -> None:
        """Starts a new step."""
        self._asked.clear()
        self._served = self._paid = 0

    @property
    def failed(self) -> bool:
        """Whether the last attempt failed, and the next one must be a call."""
        last = self._ended()[-1:]
        return self._live_rest and any(isinstance(event, Failure) for event in last)

    def _ended(self) -> list[Event]:
        """The events without interrupted calls, whose requests are sent again under the
        same names.
        """
        return [
            event
            for event in self._session.events
            if not (isinstance(event, Failure) and event.kind == "cancelled")
        ]

    def sending(self, call: ModelCall) -> Sending:
        """How to get the reply to this call."""

        async def send(
            target: Target, arguments: dict[str, Any], meter: CallUsage
        ) -> ReplyStream:
            wanted = litellm_batches.body_of(target, arguments)
            name = self._name(call, wanted)
            line = self._waves.outbox.reply(name)
            if line is None:
                if not self._waves.outbox.waits(name):
                    if self.failed and not self._served:
                        raise NotInWave
                    self._waves.queue(
                        WaveRequest(
                            name,
                            target,
                            call.seat,
                            _line(name, wanted),
                            arguments,
                            self._paid,
                            self._session.header.id,
                            call.role,
                        )
                    )
                raise Later
            live = self._waves.outbox.is_live(name)
            reply = self._reply(line, target, arguments, live=live)
            self._served += 1
            if call.key is not None and not self._waves.outbox.take(
                name, self._session.header.id
            ):
                reply = held(reply)
            else:
                self._paid += 1
            meter.usage, meter.cost = reply.usage, reply.cost
            yield reply

        return send

    def _name(self, call: ModelCall, wanted: Mapping[str, object]) -> str:
        """The name of a request, the same in every run while the session is at the same
        event. Equal requests of sessions that may share a reply have the same name.
        """
        said = json.dumps(
            wanted, sort_keys=True, ensure_ascii=False, default=str
        ).encode("utf-8", "surrogatepass")
        if call.key is not None:
            failures = sum(isinstance(event, Failure) for event in self._ended())
            return f"vt-{hashlib.sha256(call.key + said).hexdigest()[:32]}-{failures}"
        asked = (
            f"{call.role} {call.task.member}" if call.task.member else call.role
        )  # members of a panel can be asked the same
        digest = hashlib.sha256(asked.encode() + said).hexdigest()[:24]
        count = self._asked[digest] = self._asked.get(digest, 0) + 1
        code = hashlib.sha256(
            self._session.header.id.encode("utf-8", "surrogatepass")
        ).hexdigest()[:12]
        return f"vt-{code}-{len(self._ended())}-{digest}.{count}"

    def _reply(
        self,
        line: bytes,
        target: Target,
        arguments: Mapping[str, Any],
        *,
        live: bool,
    ) -> ModelReply:
        """Raises: ModelError, or the equivalent of LiteLLM's errors."""
        try:
            response = litellm_batches.response_of(body(line))
        except Fault as fault:
            kind = _KINDS.get(fault.code)
            if fault.status_code is None and kind is not None:
                raise ModelError(kind, str(fault)) from None
            raise (
                fault
                if fault.status_code is not None
                else InternalServerError(500, str(fault))
            ) from None
        except (ValueError, KeyError) as error:
            raise ModelError(
                "server",
                f"{target.host} answered for {target.model} with something that "
                f"cannot be read ({error}).",
            ) from None
        reply = litellm_door.reply_of(target, response)
        used = reply.usage = reply.usage or litellm_door.usage_of(
            reply, arguments["messages"]
        )
        if live:
            used.saved = saved(target, used, response.usage)
            reply.cost = money(target, used, response.usage)
            used.live_calls = 1
            used.live_cost = UNSET if reply.cost is None else reply.cost
            return reply
        price = batch_price(target.model, target.prices)
        if price is not None and used.input is not None and used.output is not None:
            reply.cost = (used.input * price.input + used.output * price.output) / 1e6
        return reply


def _line(name: str, wanted: Mapping[str, object]) -> bytes:
    request = {
        "custom_id": name,
        "method": "POST",
        "url": litellm_batches.URL,
        "body": wanted,
    }
    return json.dumps(request, ensure_ascii=True).encode() + b"\n"

"""The one loop that makes the events of every method.

A method says what comes next (`upcoming`) and what each kind of step becomes: a request
to a role, an event that is computed, or something that takes time and yields its event
last. The loop keeps nothing of a session: everything is read from its events.
"""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from typing import Any, Generic, NamedTuple, TypeVar

from ..sessions.errors import BadInput
from ..sessions.events import Event
from ..sessions.session import Session
from ..texts import english
from .model_request import ModelRequest, RequestOutcome, as_asked, ask
from .models.port import Kind, Message, ModelError, Models
from .reading import Unread
from .step import NextStep, Parts

S = TypeVar("S", bound=NextStep)


class StepFault(BadInput):
    """Why a step cannot be made, other than a template error."""

    kind: Kind
    role: str
    """As in `ModelError`."""


class JointRequest(NamedTuple):
    """Several requests, sent in order, that result in one event."""

    requests: Sequence[ModelRequest[Any]]
    join: Callable[[Sequence[RequestOutcome[Any]]], Event]
    """Builds the event from all outcomes. After an `Unread` value, no more requests are
    sent.
    """


Made = ModelRequest[Any] | JointRequest | Event | Parts
"""What a step turns into."""


class MethodEngine(Generic[S]):
    """Makes the events of a session one by one."""

    def __init__(
        self,
        upcoming: Callable[[Session], S | None],
        steps: Mapping[str, Callable[[Session, S], Made]],
        *,
        step_of: Callable[[Session, Event], S | None] | None = None,
        prepare: Callable[[Session, S], Awaitable[None]] | None = None,
        external: Collection[str] = (),
    ) -> None:
        """`steps`: builds each kind of step, by its `what`; BadInput means a template
        error. `step_of`: the step of an event, given the session before it; by default
        the upcoming step, if its role is the event's. `prepare`: loads what a step
        needs in a thread before it is built. `external`: kinds of steps without a role
        that wait for something outside.
        """
        self.upcoming = upcoming
        self._steps = steps
        self._step_of = step_of or self._due
        self._prepare = prepare
        self._external = external

    def finished(self, session: Session) -> bool:
        """Whether no step is left."""
        return self.upcoming(session) is None

    def asks(self, session: Session) -> bool:
        """Whether the next event needs a model, or something else outside."""
        step = self.upcoming(session)
        return step is not None and (step.role != "" or step.what in self._external)

    async def advance(self, session: Session, models: Models) -> Parts:
        """Yields streamed parts, then the next event; nothing if none is left.

        Raises: ModelError, also for a template error in a session from elsewhere.
        """
        step = self.upcoming(session)
        if step is None:
            return
        if self._prepare is not None:
            await self._prepare(session, step)
        try:
            made = self._steps[step.what](session, step)
        except StepFault as fault:
            raise ModelError(fault.kind, english(fault), role=fault.role) from None
        except BadInput as error:
            raise ModelError("internal", english(error), role=step.role) from None
        if isinstance(made, Event):
            yield made
            return
        if isinstance(made, ModelRequest):
            parts = _asked_once(models, made)
        elif isinstance(made, JointRequest):
            parts = _asked_jointly(models, made)
        else:
            parts = made
        async with aclosing(parts):
            async for part in parts:
                yield part

    def asked(self, session: Session, number: int) -> list[Message] | None:
        """The exact messages that event `number` replied to; None if there are none.

        Raises: BadInput.
        """
        before, event = session.prefix(number - 1), session.events[number - 1]
        step = self._step_of(before, event)
        if step is None:
            return None
        made = self._steps[step.what](before, step)
        if isinstance(made, ModelRequest):
            return as_asked([made.thread], session, event)
        if isinstance(made, JointRequest):
            threads = [request.thread for request in made.requests]
            return as_asked(threads, session, event)
        return None

    def _due(self, before: Session, event: Event) -> S | None:
        step = self.upcoming(before)
        if step is not None and step.role and step.role == getattr(event, "role", None):
            return step
        return None


async def _asked_once(models: Models, request: ModelRequest[Any]) -> Parts:
    async with aclosing(ask(models, request)) as parts:
        async for part in parts:
            yield part.value if isinstance(part, RequestOutcome) else part


async def _asked_jointly(models: Models, joint: JointRequest) -> Parts:
    outcomes: list[RequestOutcome[Any]] = []
    for request in joint.requests:
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                if isinstance(part, RequestOutcome):
                    outcomes.append(part)
                else:
                    yield part
        if isinstance(outcomes[-1].value, Unread):
            break
    yield joint.join(outcomes)

"""Ranks answers, one event at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from ...sessions.errors import BadInput
from ...sessions.events import Event
from ...sessions.events.rank import Ranking
from ...sessions.session import Session
from ...texts import english
from ..model_request import ModelRequest, RequestOutcome, as_asked, ask
from ..models.panels import Ballot
from ..models.port import Message, ModelError, ModelReply, Models, Part
from ..models.replies import made_by
from ..reading import Unread
from ..reading.ownership import texts_in
from .messages import again, schema, wish
from .placing import ScoreOrder
from .plan import RANKER, RankStep, result, upcoming
from .reading import RankingReading, read_scores


class RankEngine:
    """Keeps nothing between two calls: everything is read from the session."""

    def finished(self, session: Session) -> bool:
        return upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = upcoming(session)
        return step is not None and step.role != ""

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in, then the next event; nothing if the session is
        finished.

        Raises: ModelError, also for a faulty template.
        """
        step = upcoming(session)
        if step is None:
            return
        if step.what == "result":
            yield result(session)
            return
        try:
            request = _request(session, step)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=step.role) from None
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part.value if isinstance(part, RequestOutcome) else part


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none.

    Raises: BadInput.
    """
    event = session.events[number - 1]
    if not isinstance(event, Ranking):
        return None
    step = RankStep("ranking", RANKER, event.criterion, event.turn)
    thread = wish(session.prefix(number - 1), step).messages
    return as_asked([thread], session, event)


def _request(session: Session, step: RankStep) -> ModelRequest[Ranking]:
    wanted = wish(session, step)
    sent, count = texts_in(wanted.task), len(wanted.shown)

    def read(replies: list[ModelReply]) -> tuple[Ranking, str | None]:
        value = _read(replies[-1])
        made = Ranking(
            **made_by(RANKER, replies),
            criterion=step.criterion,
            turn=step.turn,
            shown=wanted.shown,
        )
        if isinstance(value, Unread):
            return made, value.reason
        made.scores = dict(zip(wanted.shown, value.scores, strict=True))
        made.order = ScoreOrder(made.scores, inverted=step.criterion == "bias").listed
        made.reason, made.read = value.reason, value.read
        return made, None

    def once_more(thread: list[Message], reply: str, why: str) -> list[Message]:
        return again(session, thread, reply, why)

    def _read(reply: ModelReply) -> RankingReading | Unread:
        return read_scores(reply.text, count, reply.structured, sent)

    def holds(reply: ModelReply) -> bool:
        return isinstance(_read(reply), RankingReading)

    def values(made: Ranking) -> dict[str, Any]:
        scores = {
            f"answer{n}": made.scores[name]
            for n, name in enumerate(wanted.shown, 1)
            if name in made.scores
        }
        if scores:
            return {"reason": made.reason, **scores}
        return {}

    ballot = Ballot(
        {"reason": "text", **{f"answer{n}": "number" for n in range(1, count + 1)}},
        values,
    )
    return ModelRequest(
        RANKER,
        wanted.task,
        wanted.messages,
        schema(wanted.task),
        read,
        once_more,
        holds,
        ballot,
        session.header.prompts.templates,
        sent,
    )

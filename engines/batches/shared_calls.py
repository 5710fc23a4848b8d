"""Calls that several conditions of a study have in common are made once: the same
request at the same place of a session.
"""

from __future__ import annotations

import hashlib
import json

import msgspec

from ...sessions.events import Failure, ReplyEvent
from ...sessions.session import Seat, Session
from ..models.port import Message, ModelReply, Models, Readable, ReplyStream, Task


class SharedModels:
    """The models of one session, whose replies others may use.

    Implements `port.Models`.

    Requests are the same where messages, model and parameters are, at the same number
    of replies, in the same repeat. So samples that a method takes of one request stay
    apart, and so do the repeats of a study.
    """

    def __init__(self, models: Models, session: Session, repeat: int) -> None:
        self._models, self._session, self._repeat = models, session, repeat
        self._asked: dict[str, int] = {}

    def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, object] | None = None,
        readable: Readable | None = None,
    ) -> ReplyStream:
        """See `port.Models`."""
        if task.cache:
            wanted = (
                task
                if not self._repeat
                else msgspec.structs.replace(
                    task, repeat=_number(self._repeat, task.repeat)
                )
            )
        else:
            wanted = msgspec.structs.replace(
                task,
                cache=True,
                repeat=_number(
                    self._repeat, task.repeat, *self._place(role, messages, task.member)
                ),
            )
        return self._models.ask(
            role, wanted, messages, schema, readable or _says_something
        )

    def panel(self, role: str) -> Seat | None:
        """See `port.Models`."""
        return self._models.panel(role)

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        """See `port.Models`."""
        return self._models.reply_mark(role, task, messages)

    def take_spent(self) -> Failure | None:
        """See `port.Models`."""
        return self._models.take_spent()

    def _place(
        self, role: str, messages: list[Message], member: int
    ) -> tuple[int, ...]:
        """How many replies the session has, and how often this was asked since then."""
        made = sum(
            isinstance(event, ReplyEvent) and not isinstance(event, Failure)
            for event in self._session.events
        )
        asked = json.dumps([made, role, messages, member])
        again = self._asked.get(asked, 0)
        self._asked[asked] = again + 1
        return made, again


def _number(*parts: int) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])


def _says_something(reply: ModelReply) -> bool:
    return bool(reply.text.strip())

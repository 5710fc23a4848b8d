"""The built-in `human`: a person answers."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from ...sessions.events import Usage
from .port import ModelCall, ModelError, ModelReply, ReplyStream

AskPerson = Callable[[ModelCall], Awaitable[str]]
"""Shows the call to a person and returns the text that the person writes."""


class Human:
    """The built-in `human`.

    `ask_person` is the screen's editor or the terminal's prompt; without one every call
    fails.
    """

    def __init__(self, ask_person: AskPerson | None = None) -> None:
        self._ask_person = ask_person

    async def ask(self, call: ModelCall) -> ReplyStream:
        if self._ask_person is None:
            raise ModelError(
                "needs-person",
                f"The {call.role} is a person, who cannot be asked here: open "
                f"the session in the app, or choose a model.",
            )
        began = time.monotonic()
        text = await self._ask_person(call)
        yield ModelReply(
            text=text,
            model="human",
            usage=Usage(input=0, output=0),
            cost=0.0,
            seconds=time.monotonic() - began,
            finish="stop",
        )

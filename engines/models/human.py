"""A person in a seat."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable

from ...sessions.events import Usage
from .port import Call, ModelError, Part, Reply

Asking = Callable[[Call], Awaitable[str]]
"""Shows a person what is wanted and waits for the text."""


class Human:
    """The built-in `human`. `asking` is the screen's editor or the terminal's prompt; without one nobody can be asked."""

    def __init__(self, asking: Asking | None = None) -> None:
        self._asking = asking

    async def ask(self, call: Call) -> AsyncGenerator[Part | Reply, None]:
        if self._asking is None:
            raise ModelError(
                "needs-person", f"The {call.role} is a person and nobody can be asked here: open the session in the app, or choose a model."
            )
        began = time.monotonic()
        text = await self._asking(call)
        yield Reply(
            text=text,
            model="human",
            usage=Usage(input=0, output=0),
            cost=0.0,
            seconds=time.monotonic() - began,
            finish="stop",
        )

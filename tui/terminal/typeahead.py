"""Handles bursts of keys: each key sees the screen that the key before it produced."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from textual.events import Event, InputEvent, Key, Paste
from textual.message_pump import MessagePump

from .compat import OpenApp

PASSES = 3
"""How often a key's consequences may go up from the widget in focus: the key, the
message of the widget, and the answer to that message.
"""

LONGEST = 0.3
"""Seconds that a key waits at most for the one before it."""


class TypeAhead:
    """Keeps keys back until the one before is done.

    Textual gives a key to the widget in focus at once, though the key before, still in
    its queue, may be about to move the focus.
    """

    def __init__(self, app: OpenApp, give: Callable[[Event], Awaitable[None]]) -> None:
        """`give` deals with an event as Textual does."""
        self._app = app
        self._give = give
        self._keys: deque[Event] = deque()
        self._giving: asyncio.Task[None] | None = None
        self.closed = False
        """Whether keys do nothing any more, because the app is about to end."""
        self.last_input = time.monotonic()

    @property
    def busy(self) -> bool:
        """Whether a key is being dealt with."""
        return self._giving is not None and not self._giving.done()

    @property
    def waiting(self) -> int:
        """How many keys wait for their turn."""
        return len(self._keys)

    def takes(self, event: Event) -> bool:
        """Returns True for an event that is dealt with here, now or later, or not at
        all; False for one that goes its usual way.
        """
        if isinstance(event, InputEvent | Paste):
            self.last_input = time.monotonic()
            if self.closed:
                return True
        if (
            self._app.is_headless
            or not isinstance(event, Key | Paste)
            or event.is_forwarded
        ):
            return False
        self._keys.append(event)
        if not self.busy:
            self._giving = asyncio.create_task(self._give_all())
        return True

    async def _give_all(self) -> None:
        try:
            while self._keys and self._app.is_running and not self.closed:
                await self._give(self._keys.popleft())
                await self._settled()
        except Exception as error:
            self._app.fail(error)

    async def last_key_given(self) -> None:
        """Waits until the key that is being dealt with is done; those behind it are
        dropped.
        """
        if self._giving is not None:
            await asyncio.wait({self._giving})

    async def _settled(self) -> None:
        """Waits until what the last key has set going is done, as far as it is done at
        once.
        """
        if not self._app.screen_stack:
            return
        nodes: list[MessagePump] = [
            *(self._app.focused or self._app.screen).ancestors_with_self
        ]
        try:
            async with asyncio.timeout(LONGEST):
                for _ in range(PASSES):
                    for node in nodes:
                        await passed(node)
        except TimeoutError:
            return


async def passed(node: MessagePump) -> None:
    """Waits until a widget has dealt with all that is in its queue."""
    reached = asyncio.Event()
    if node.is_running and node.call_later(reached.set):
        await reached.wait()

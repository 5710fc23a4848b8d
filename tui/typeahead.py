"""Keys that come many at once, as they do on a slow link or from a quick hand, each find what the key before has made of the screen."""

from __future__ import annotations

import asyncio
from collections import deque

from textual.app import App
from textual.events import Event, Key, Paste
from textual.message_pump import MessagePump

PASSES = 3
"""How often a key's consequences may go up from the widget in focus: the key, what the widget says of it, what is said of that."""

LONGEST = 0.3
"""Seconds that a key waits at most for the one before it."""


class TypeAheadApp(App[None]):
    """Textual gives a key to the widget in focus at once, though the key before, still in its queue, may be about to move the focus."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting_keys: deque[Event] = deque()
        self._giving: asyncio.Task[None] | None = None

    async def on_event(self, event: Event) -> None:
        if self.is_headless or not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._waiting_keys.append(event)
        if self._giving is None or self._giving.done():
            self._giving = asyncio.create_task(self._give())

    async def _give(self) -> None:
        try:
            while self._waiting_keys and self.is_running:
                await super().on_event(self._waiting_keys.popleft())
                await self._settled()
        except Exception as error:
            self._handle_exception(error)

    async def _settled(self) -> None:
        """Until what the last key has set going is done, as far as it is done at once."""
        if not self.screen_stack:
            return
        nodes: list[MessagePump] = [*(self.focused or self.screen).ancestors_with_self]
        try:
            async with asyncio.timeout(LONGEST):
                for _ in range(PASSES):
                    for node in nodes:
                        await _passed(node)
        except TimeoutError:
            return


async def _passed(node: MessagePump) -> None:
    """Until a widget has dealt with all that stands in its queue."""
    reached = asyncio.Event()
    if node.is_running and node.call_later(reached.set):
        await reached.wait()

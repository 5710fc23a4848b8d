"""Keeps long sessions out of the garbage collector's way, so that no key waits for it.

What is set aside ("frozen") is still freed when nothing refers to it, but not when it
refers to itself, as widgets do. So nothing may be set aside each time a session is
opened: the widgets of the one before would stay in memory.
"""

from __future__ import annotations

import gc

LONG = 1000
"""Number of events from which a session slows down full collections noticeably."""


def make_room(events: int) -> None:
    """Collects what former sessions left behind, and sets the open session aside, if it
    has many events.

    That takes 0.1 to 0.3 seconds, most of it for LiteLLM's objects where it is loaded;
    for a short session nothing is done.
    """
    if events >= LONG:
        gc.unfreeze()
        gc.collect()
        gc.freeze()

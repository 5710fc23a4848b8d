"""What Python's garbage collector need not look through again and again while a key waits.

What is set aside ("frozen") is still freed when nothing refers to it, but not when it refers to itself, as widgets do. So nothing may be
set aside each time a session is opened: the widgets of the one before would stay for good.
"""

from __future__ import annotations

import gc

LONG = 1000
"""Events from which a session slows down full collections so that one feels it."""


def make_room(events: int) -> None:
    """Sets a session of so many events aside, if it is a long one, after all that former sessions left behind is collected.

    That takes 0.1 to 0.3 seconds, most of it for LiteLLM's objects where it is loaded; for a short session nothing is done.
    """
    if events >= LONG:
        gc.unfreeze()
        gc.collect()
        gc.freeze()

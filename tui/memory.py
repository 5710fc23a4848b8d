"""Keeps the garbage collector out of the way, so that no key waits for it: long
sessions are set aside, and full collections wait for a quiet second.

What is set aside ("frozen") is still freed when nothing refers to it, but not when it
refers to itself, as widgets do. So nothing may be set aside each time a session is
opened: the widgets of the one before would stay in memory.
"""

from __future__ import annotations

import gc

LONG = 1000
"""Number of events from which a session slows down full collections noticeably."""

QUIET_SECONDS = 1.0
"""How long no key has come when a full collection may begin."""
DUE = 10
"""Collections of the middle generation after which Python begins a full one."""
AT_MOST = 200
"""The same while keys keep coming: it bounds the memory that cycles take."""


def collect_in_quiet_seconds() -> None:
    """Makes Python leave full collections to `collect_if_due`.

    Each line that Textual draws holds a dozen objects, so in a long session a full
    collection takes 40 to 90 ms, and came every few seconds.
    """
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, AT_MOST)


def collect_if_due(quiet_for: float) -> None:
    """`quiet_for`: seconds since the last key."""
    if quiet_for >= QUIET_SECONDS and gc.get_count()[2] >= DUE:
        gc.collect()


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

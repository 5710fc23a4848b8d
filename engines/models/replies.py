"""Makes the fields of an event from a model's replies: the text of the last one, the
costs of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...sessions.events import CachedTime, all_held, known_sum, total_usage
from .port import ModelReply


def made_by(
    role: str, replies: Sequence[ModelReply], *, kept: ModelReply | None = None
) -> dict[str, Any]:
    """The fields of sessions.events.Made.

    `kept` is the reply whose text counts (default: the last).
    """
    last = kept or replies[-1]
    usages = [reply.usage for reply in replies]
    return {
        "role": role,
        "model": last.model,
        "endpoint": last.endpoint,
        "fingerprint": last.fingerprint,
        "text": last.text,
        "reasoning": last.reasoning,
        "usage": total_usage(usages) if any(usages) else None,
        "cost": known_sum(reply.cost for reply in replies),
        "seconds": sum(reply.seconds for reply in replies),
        "finish": last.finish,
        "attempts": sum(reply.attempts for reply in replies),
        "cached": all(reply.cached for reply in replies),
        "took": took_by(replies),
        "held": all_held(reply.held for reply in replies),
        "altered": last.altered,
        "votes": last.votes,
        "mark": marks_of(replies),
        "enforced": last.enforced,
        "dropped": list(
            dict.fromkeys(name for reply in replies for name in reply.dropped)
        ),
    }


def marks_of(replies: Sequence[ModelReply]) -> str | msgspec.UnsetType:
    """The marks that the replies were asked to carry, each once; unset for none."""
    marks = [reply.mark for reply in replies if reply.mark is not msgspec.UNSET]
    return " ".join(dict.fromkeys(marks)) or msgspec.UNSET


def took_by(replies: Sequence[ModelReply]) -> CachedTime | msgspec.UnsetType:
    """Sum the recorded durations of replies from the cache; unset if there are none."""
    parts = [reply.took for reply in replies if reply.took is not msgspec.UNSET]
    if not parts:
        return msgspec.UNSET
    return CachedTime(
        input=known_sum(part.input for part in parts),
        output=known_sum(part.output for part in parts),
        estimated=any(part.estimated for part in parts),
        cost=known_sum(part.cost for part in parts),
        seconds=sum(part.seconds for part in parts),
        calls=sum(part.calls for part in parts),
    )

"""Makes the fields of an event from a model's replies: the text of the last one, the costs of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...sessions.events import known_sum, total_usage
from .port import Reply


def made_by(role: str, replies: Sequence[Reply], *, kept: Reply | None = None) -> dict[str, Any]:
    """The fields of sessions.events.Made. `kept` is the reply whose text counts (default: the last)."""
    last = kept or replies[-1]
    usages = [reply.usage for reply in replies]
    return {
        "role": role,
        "model": last.model,
        "text": last.text,
        "reasoning": last.reasoning,
        "usage": total_usage(usages) if any(usages) else None,
        "cost": known_sum(reply.cost for reply in replies),
        "seconds": sum(reply.seconds for reply in replies),
        "finish": last.finish,
        "attempts": sum(reply.attempts for reply in replies),
        "cached": all(reply.cached for reply in replies),
        "altered": last.altered,
        "dropped": list(dict.fromkeys(name for reply in replies for name in reply.dropped)),
    }

"""What a model's replies become in an event: the last one's text, the costs of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...sessions.events import Usage
from .port import Reply


def made_by(role: str, replies: Sequence[Reply], *, kept: Reply | None = None) -> dict[str, Any]:
    """The fields of sessions.events.Made. `kept` is the reply whose text counts; the last one if it is not given."""
    last = kept or replies[-1]
    return {
        "role": role,
        "model": last.model,
        "text": last.text,
        "reasoning": last.reasoning,
        "usage": usage_of([reply.usage for reply in replies]),
        "cost": cost_of([reply.cost for reply in replies]),
        "seconds": sum(reply.seconds for reply in replies),
        "finish": last.finish,
        "attempts": sum(reply.attempts for reply in replies),
        "cached": all(reply.cached for reply in replies),
        "altered": last.altered,
        "dropped": list(dict.fromkeys(name for reply in replies for name in reply.dropped)),
    }


def usage_of(parts: Sequence[Usage | None]) -> Usage | None:
    """The sum; unknown where a part is unknown, None where all are."""
    known = [part for part in parts if part is not None]
    if not known:
        return None

    def total(of: Callable[[Usage], int | None]) -> int | None:
        values = [of(part) if part is not None else None for part in parts]
        return None if None in values else sum(value or 0 for value in values)

    return Usage(
        input=total(lambda usage: usage.input), output=total(lambda usage: usage.output), estimated=any(part.estimated for part in known)
    )


def cost_of(values: Sequence[float | None]) -> float | None:
    """The sum; None where a part is unknown."""
    return None if None in values else sum(value or 0.0 for value in values)

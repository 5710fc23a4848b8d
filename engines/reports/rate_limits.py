"""How long the rate limits of models delayed the calls of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from ...sessions.events import Event, Failure, LimitWait, ReplyEvent
from ...texts import t


class RateLimitWaits(msgspec.Struct):
    """The waits for one model."""

    events: int = 0
    """Events that had to wait, or whose calls were refused."""
    waited: float = 0.0
    """Seconds."""
    slowed: int = 0
    """How often the model was slowed down."""

    def add(self, other: RateLimitWaits) -> None:
        self.events += other.events
        self.waited += other.waited
        self.slowed += other.slowed


def held_up(events: Iterable[Event]) -> dict[str, RateLimitWaits]:
    """Return the waits that rate limits caused in these events, by model; models
    without any are left out.
    """
    waits_by_model: dict[str, RateLimitWaits] = {}
    for event in events:
        if isinstance(event, ReplyEvent | Failure) and isinstance(
            event.held, LimitWait
        ):
            waits_by_model.setdefault(event.model or event.role, RateLimitWaits()).add(
                RateLimitWaits(1, event.held.waited, event.held.slowed)
            )
    return waits_by_model


def limits(
    all_held: Iterable[Mapping[str, RateLimitWaits]],
) -> dict[str, RateLimitWaits]:
    """Return `limits` of a report: by model, how its limits delayed its calls."""
    waits_by_model: dict[str, RateLimitWaits] = {}
    for held in all_held:
        for model, one in held.items():
            waits_by_model.setdefault(model, RateLimitWaits()).add(one)
    for total in waits_by_model.values():
        total.waited = round(total.waited, 3)
    return waits_by_model


def together(reports: Iterable[Mapping[str, object]]) -> dict[str, RateLimitWaits]:
    """Combine `limits` of several reports."""
    return limits(
        msgspec.convert(report.get("limits") or {}, dict[str, RateLimitWaits])
        for report in reports
    )


def limits_in_words(waits_by_model: Mapping[str, RateLimitWaits]) -> list[str]:
    """`limits of gpt-4: 12 calls waited, 30.0 s together; slowed down 2 times`, a line
    a model.
    """
    return [
        t("report.batch.limits", model=model, **msgspec.structs.asdict(waits))
        for model, waits in waits_by_model.items()
    ]

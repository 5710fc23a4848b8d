"""Aligns the events of two sessions, and finds where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import msgspec

from .events import Event, UnknownEvent, plain
from .session import Session

_PLACE = ("role", "round", "iteration", "candidate", "kind", "mode", "field")
"""Fields that say which step of a session an event is."""
_ELSEWHEN = ("number", "time", "seconds")
"""Fields in which two events may differ and yet say the same."""


class StepPair(NamedTuple):
    """One step of both sessions; None where one of them has no such step."""

    left: Event | None
    right: Event | None
    same: bool


def pairs(left: Session, right: Session) -> list[StepPair]:
    """Aligns two event lists, step by step.

    A step in only one list has an empty partner, so that later steps stay aligned.
    """
    one, other = left.events, right.events
    same = _alike(one, other)
    found = [
        StepPair(each, beside, True)
        for each, beside in zip(one[:same], other[:same], strict=True)
    ]
    one, other = one[same:], other[same:]
    for kind, i, j, k, m in SequenceMatcher(
        None, _steps(one), _steps(other), autojunk=False
    ).get_opcodes():
        if kind == "equal":
            found += [
                StepPair(each, beside, _matter(each) == _matter(beside))
                for each, beside in zip(one[i:j], other[k:m], strict=True)
            ]
        else:
            found += [StepPair(each, None, False) for each in one[i:j]] + [
                StepPair(None, each, False) for each in other[k:m]
            ]
    return found


def _alike(one: Sequence[Event], other: Sequence[Event]) -> int:
    """How many events at the beginning say the same."""
    for index, (each, beside) in enumerate(zip(one, other, strict=False)):
        if _matter(each) != _matter(beside):
            return index
    return min(len(one), len(other))


def _steps(events: Sequence[Event]) -> list[Hashable]:
    """A key for each event: the same for the same step of both sessions.

    Steps that are made again are counted.
    """
    seen: Counter[Hashable] = Counter()
    keys: list[Hashable] = []
    for event in events:
        said = plain(event)
        values = [said.get(name) for name in _PLACE]
        key = (
            said["event"],
            *(value if isinstance(value, Hashable) else None for value in values),
        )
        seen[key] += 1
        keys.append((key, seen[key]))
    return keys


def _matter(event: Event) -> Event:
    """Return an event's content without its time and duration."""
    alike: dict[str, object] = {
        name: type(getattr(event, name))() for name in _ELSEWHEN if hasattr(event, name)
    }
    if isinstance(event, UnknownEvent):
        alike["fields"] = {
            name: value for name, value in event.fields.items() if name not in _ELSEWHEN
        }
    return msgspec.structs.replace(event, **alike)

"""Caches values computed from a session for as long as the session does not change.

Reports, comparisons and studies compute many measures of each session, in any order.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from ...sessions.events import Event
from ...sessions.session import Header, Session

_Further = ParamSpec("_Further")
_Value = TypeVar("_Value")


class _State(NamedTuple):
    """Identifies a state of a session: events are only ever appended."""

    session: weakref.ref[Session]
    header: Header
    events: int
    last: Event | None
    values: dict[Hashable, object]


def per_session(
    function: Callable[Concatenate[Session, _Further], _Value],
) -> Callable[Concatenate[Session, _Further], _Value]:
    """Wrap a function of a session so that it is computed once for each state of the
    session.

    Further arguments must be hashable. The session is not kept alive.
    """
    states: dict[int, _State] = {}

    @wraps(function)
    def remembered(
        session: Session, /, *further: _Further.args, **named: _Further.kwargs
    ) -> _Value:
        values = _values(states, session)
        key = (further, tuple(named.items()))
        if key not in values:
            values[key] = function(session, *further, **named)
        return cast(_Value, values[key])

    return remembered


def _values(states: dict[int, _State], session: Session) -> dict[Hashable, object]:
    """Return the cached values of a session in its current state."""
    key = id(session)
    count = len(session.events)
    last = session.events[-1] if count else None
    state = states.get(key)
    if state is None or (
        state.header is not session.header
        or state.events != count
        or state.last is not last
    ):
        gone = weakref.ref(session, lambda _: states.pop(key, None))
        state = _State(gone, session.header, count, last, {})
        states[key] = state
    return state.values

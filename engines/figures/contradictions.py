"""Results that contradict the events of their own session, as after an edit by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ... import __version__
from ...sessions.errors import bad_input
from ...sessions.events import Result
from ...sessions.session import Session
from ...texts import t
from .runs import RunItem

Recomputed = Callable[[Session], Result | None]
"""The result that follows from a session without its result; None: nobody can say."""

FIELDS = (
    "answer",
    "decided_by",
    "supported_side",
    "stopped_by",
    "chosen",
    "kept",
    "rounds",
    "iterations",
    "attempts",
    "ranking",
    "scores",
    "ranks",
)
"""Fields of results that are compared."""


def check_results(
    cases: Iterable[RunItem], recomputed: Recomputed, *, allowed: bool = False
) -> list[str]:
    """A sentence for each session whose result contradicts its events.

    Raises: BadInput with the first one, unless they are `allowed`.
    """
    sentences = []
    for case in cases:
        field = _kept_contradiction(case, recomputed)
        if field:
            path = case.path or case.item.id
            sentences.append(t("wrong.runs.contradiction", path=path, field=field))
            if not allowed:
                raise bad_input("wrong.runs.contradicts", what=sentences[0])
    return sentences


def _kept_contradiction(case: RunItem, recomputed: Recomputed) -> str:
    """The field of `contradiction`, "" for none; looked up where it is kept."""
    known = None if case.stored is None else case.stored.contradiction
    if known is not None:
        return known
    field = contradiction(case.session, recomputed) or ""
    if case.store is not None:
        case.store.put_contradiction(case.item.id, field)
    return field


def contradiction(session: Session, recomputed: Recomputed) -> str | None:
    """The first field of the result that the events contradict; None if none does."""
    result = session.result
    if result is None or not session.header.lineup:
        return None
    place = max(n for n, event in enumerate(session.events) if event is result)
    before = session.prefix(place)
    older = session.header.versions.get("verifytui") != __version__
    try:
        expected = recomputed(before)
    except (LookupError, ValueError, TypeError, AttributeError):
        if _stated(before, result):
            return None
        return "answer"
    if expected is None:
        return None
    for name in FIELDS:
        value = getattr(result, name, None)
        known = value in ([], {}) or value == getattr(expected, name, value)
        if not known and not (older and _old_rule(name, before, result)):
            return name
    return None


def _old_rule(name: str, before: Session, result: Result) -> bool:
    """Whether a field may come from the rule of an older version.

    Levels and their order have never changed, and an answer was always stated by an
    event.
    """
    if name == "answer":
        return _stated(before, result)
    return not isinstance(getattr(result, name), list)


def _stated(before: Session, result: Result) -> bool:
    answer = getattr(result, "answer", None)
    return answer is None or any(
        getattr(event, "answer", None) == answer for event in before.events
    )

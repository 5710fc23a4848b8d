"""The query and the candidates of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...sessions.session import Session

QUERY = "query"
"""What `facts` events call the query; no candidate may have this id."""


def query(session: Session) -> Mapping[str, Any]:
    """Return the query from the task: id, text, optionally a title."""
    found = session.header.task.get("query")
    if isinstance(found, Mapping):
        return found
    return {}


def candidates(session: Session) -> dict[str, Mapping[str, Any]]:
    """Return the candidates of the task by id, in the given order."""
    return {
        str(one["id"]): one for one in _listed(session.header.task.get("candidates"))
    }


def text_of(session: Session, candidate: str | None) -> str:
    """Return the text of a candidate, or of the query for None.

    Raises: KeyError if there is no such candidate.
    """
    if candidate is None:
        return str(query(session).get("text", ""))
    for one in _listed(session.header.task.get("candidates")):
        if str(one["id"]) == candidate:
            return str(one.get("text", ""))
    raise KeyError(candidate)


def gold(session: Session) -> dict[str, int]:
    """Return the level 0 to 3 in the data by candidate, for candidates that
    have one.
    """
    return {
        id_: one["gold"]
        for id_, one in candidates(session).items()
        if is_level(one.get("gold"))
    }


def is_level(value: object) -> bool:
    """True for 0, 1, 2 and 3."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3


def _listed(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (one for one in value if isinstance(one, Mapping) and "id" in one)

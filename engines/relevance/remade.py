"""What a person edited or had made again in a session: facts, and stages."""

from __future__ import annotations

import json

from ...sessions.events.relevance import Facts, Judgement
from ...sessions.session import Session


def replaced(session: Session) -> list[tuple[int, int]]:
    """The last reply of a model and what stands in its place, for each stage of a case
    that was made more than once.
    """
    made: dict[tuple[str, str, str], list[Facts | Judgement]] = {}
    for event in session.events:
        if isinstance(event, Facts):
            made.setdefault(("facts", event.kind, event.case), []).append(event)
        elif isinstance(event, Judgement):
            made.setdefault(("judgement", event.kind, event.candidate), []).append(
                event
            )
    found = []
    for *before, last in made.values():
        by_model = next(
            (one for one in reversed(before) if not getattr(one, "edited", False)), None
        )
        if by_model is not None:
            found.append((by_model.number, last.number))
    return found


def reply(facts: Facts) -> str | None:
    """The object that the extractor is asked for, with these facts; None where they are
    unread.
    """
    if facts.read == "unread" and not facts.edited:
        return None
    listed = {"facts": [item.text for item in facts.items if not item.secondary]}
    if facts.kind == "legal":
        listed["secondary"] = [item.text for item in facts.items if item.secondary]
    return json.dumps(listed, ensure_ascii=False)

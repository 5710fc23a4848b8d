"""Facts that a person has edited, one per line."""

from __future__ import annotations

from ...sessions.clean import editable
from ...sessions.events import Usage
from ...sessions.events.relevance import FactItem, Facts
from ...sessions.session import Session
from ..cases.task import QUERY, text_of
from .spans import find

SECONDARY = "* "
"""What a circumstance of sentencing begins with, where legal facts are edited."""


def written_facts(facts: Facts) -> str:
    """Return the facts as editable text."""
    return "\n".join(
        f"{SECONDARY if item.secondary else ''}{editable(item.text, newlines=False)}"
        for item in facts.items
    )


def edited_facts(session: Session, facts: Facts, text: str) -> Facts:
    """Return edited facts of the same case and kind. They have no usage and no cost."""
    lines = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    if facts.kind == "material":
        case = None if facts.case == QUERY else facts.case
        items = find(text_of(session, case), list(lines))
    else:
        items = [
            FactItem(
                text=line.removeprefix(SECONDARY), secondary=line.startswith(SECONDARY)
            )
            for line in lines
        ]
    return Facts(
        role="extractor",
        model="human",
        kind=facts.kind,
        case=facts.case,
        items=items,
        edited=True,
        usage=Usage(input=0, output=0),
        cost=0.0,
    )

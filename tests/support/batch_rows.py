"""Rows of a batch of debates, without running one: each session has the events given."""

from __future__ import annotations

from typing import Any

from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.batches.report import SummaryRow
from verifytui.engines.debate.batch import DebateBatch
from verifytui.sessions.events import Event
from verifytui.sessions.session import Header, Prompts, Seat, Session

ROLES = ("affirmative", "negative", "judge")


def debated(line: BatchLine, *events: Event, **task: Any) -> SummaryRow:
    """The row of a line whose debate has these events. `task`: beside that of the line."""
    wanted = line.wanted
    given = {} if wanted is None else dict(wanted.task)
    header = Header(
        id=line.id,
        workspace="debate",
        created="2026-01-01T00:00:00Z",
        title=line.id,
        task={"kind": "question", **given, **task},
        lineup={role: Seat(model="openai/x") for role in ROLES},
        settings={"rounds": 3, "level": 2, "stop": "adaptive", "debaters": 2},
        prompts=Prompts(set="", hash="", templates={}),
    )
    numbered = list(events)
    for number, event in enumerate(numbered, 1):
        event.number = number
    row = SummaryRow(line)
    row.take(Session(header, numbered), DebateBatch())
    return row

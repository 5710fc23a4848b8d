"""What the events of one model alone say to a reader."""

from __future__ import annotations

from ...sessions.events import Event
from ...sessions.events.solo import Attempt, SoloResult
from ...sessions.export.block import Block, Tone, mark_closing, shared
from ...sessions.session import Session
from ...texts import t

TONES: dict[str, Tone] = {"solver": "blue"}


def task(session: Session) -> list[Block]:
    """What the session is about."""
    return [Block(kind="task", heading="", text=str(session.header.task.get("topic", "")))]


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    match event:
        case Attempt():
            block.prose, block.part = True, None
            mark_closing(block, event.answer)
        case SoloResult():
            block.answer = event.answer or t("solo.no_answer")
            block.notes = [t(f"solo.{event.decided_by}", n=event.attempts)]
    return block

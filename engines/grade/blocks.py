"""What the events of a grading say to a reader."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.events import Event
from ...sessions.events.grade import Grade
from ...sessions.events.labels import Label
from ...sessions.events.relevance import RelevanceResult, Score
from ...sessions.export.block import Block, Tone, read_as, shared
from ...sessions.session import Session
from ...texts import t
from ..cases.blocks import bits_of, case_blocks, say_label, say_result
from ..cases.task import candidates
from .plan import ROLES

TONES: dict[str, Tone] = {"grader": "green"}

READ_OUT = frozenset(ROLES)
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def task(session: Session) -> list[Block]:
    """What is graded, then the query and every candidate."""
    notes = [t("judged.graded", n=len(candidates(session)))]
    notes += (
        [t("judged.lexical_grades")]
        if any(seat.model == "lexical" for _, seat in session.seated(ROLES))
        else []
    )
    return [Block(kind="task", heading="", notes=notes), *case_blocks(session)]


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    match event:
        case Grade():
            block.remark = t(
                "judged.grade",
                value=t("judged.unread") if event.value is None else event.value,
            )
            block.unread = event.value is None
            read_as(block, event.reason)
            block.notes = (
                [t("judged.left_out", n=f"{event.left_out:,}")]
                if event.left_out
                else []
            )
        case Score():
            value = t("judged.unread") if event.value is None else str(event.value)
            block.notes = [t("judged.score", value=value, **bits_of(event.value))]
        case Label():
            say_label(block, event)
        case RelevanceResult():
            say_result(block, event, session)
    return block


def closing(session: Session, raters: Sequence[str] = ()) -> list[Block]:
    """Nothing: the result has the agreement."""
    return []

"""How the events of a query and its candidates appear to a reader: facts, judgements
with reasons, scores, labels, the ranking.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.events import Event
from ...sessions.events.relevance import (
    DemonstrationItem,
    Demonstrations,
    Facts,
    Judgement,
    Score,
)
from ...sessions.export.block import Block, Tone, read_as, shared
from ...sessions.session import Session
from ...texts import t
from ..cases.blocks import (
    bits_of,
    case_blocks,
    left_out_note,
    say_case_event,
)
from ..cases.task import QUERY, candidates, is_level
from .plan import KINDS, ROLES, RelevanceState
from .rendered_demonstrations import numbered

TONES: dict[str, Tone] = {"extractor": "blue", "annotator": "green"}

READ_OUT = frozenset(ROLES)
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def task(session: Session) -> list[Block]:
    """Return the demonstrations used, then the query and every candidate."""
    shown = str(session.header.settings.get("demonstrations", ""))
    notes = [t("judged.candidates", n=len(candidates(session)), set=shown)]
    seated = {seat.model for _, seat in session.seated(ROLES)}
    notes += [t(f"judged.{name}") for name in ("script", "lexical") if name in seated]
    return [Block(kind="task", heading="", notes=notes), *case_blocks(session)]


def block(event: Event, session: Session) -> Block:
    """Return the block of one event."""
    block = shared(event)
    match event:
        case Demonstrations():
            block.part = block.part or t("relevance.query")
            block.heading = t(
                "judged.demonstrations",
                step=t(f"judged.step_{event.step.replace('-', '_')}"),
            )
            block.notes = [", ".join(map(_chosen, event.items)) or t("judged.none")]
            block.notes += (
                [t("judged.passed_over", names=", ".join(event.passed_over))]
                if event.passed_over
                else []
            )
        case Facts():
            _facts(block, event)
        case Judgement():
            _judgement(block, event)
        case Score():
            say_case_event(block, event, session, _bits_of(event, session))
        case _:
            say_case_event(block, event, session)
    return block


def _chosen(item: DemonstrationItem) -> str:
    remarks = [t("judged.at_random")] if item.score is None else []
    remarks += [t("judged.shared", words=" ".join(item.words))] if item.words else []
    remarks += (
        []
        if item.relevant is None
        else [t("judged.relevant" if item.relevant else "judged.irrelevant")]
    )
    if remarks:
        return f"{item.id} ({', '.join(remarks)})"
    return item.id


def _facts(block: Block, event: Facts) -> None:
    block.part = (
        t("relevance.query")
        if event.case == QUERY
        else t("block.candidate", n=event.case)
    )
    block.remark = t(f"judged.facts_{event.kind}")
    block.unread = block.unread and not event.edited
    lines = [
        f"- {fact.line}" + (f" ({t('judged.secondary')})" if item.secondary else "")
        for fact, item in zip(
            numbered(event.items, event.kind), event.items, strict=True
        )
    ]
    read_as(block, "\n".join(lines) or t("judged.none"))
    block.notes = (
        [t("judged.query_unread")] if block.unread and event.case == QUERY else []
    )
    block.notes += left_out_note(event.left_out)
    block.notes += [t("judged.pieces", n=event.pieces)] if event.pieces > 1 else []
    block.notes += [t("judged.edited")] if event.edited else []


def _judgement(block: Block, event: Judgement) -> None:
    words = {True: "judged.relevant", False: "judged.irrelevant"}
    missing = "judged.no_level" if event.ties else "judged.unread"
    judged = t(missing if event.relevant is None else words[event.relevant])
    block.remark = t(f"judged.judgement_{event.kind}", value=judged)
    read_as(block, event.reason)
    block.notes = left_out_note(event.left_out)


def _bits_of(event: Score, session: Session) -> dict[str, str]:
    """Return both bits of a score.

    A score without a value may have one bit: that of the judgement then in force.
    """
    if is_level(event.value):
        return bits_of(event.value)
    standing = (
        RelevanceState(session.prefix(event.number)).candidates.get(event.candidate)
        if event.value is None
        else None
    )
    judged = {
        kind: standing.judgement(kind) if standing is not None else None
        for kind in KINDS
    }
    return {
        kind: "-" if made is None or made.relevant is None else str(int(made.relevant))
        for kind, made in judged.items()
    }


def closing(session: Session, raters: Sequence[str] = ()) -> list[Block]:
    """Return how far the raters of the session agree, with tables and every kappa.

    Raises: BadInput for an unknown rater.
    """
    from .agreed import agreement_blocks

    return agreement_blocks(session, raters)

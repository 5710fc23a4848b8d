"""What the events of one model alone say to a reader."""

from __future__ import annotations

from ...sessions.events import Event
from ...sessions.events.solo import Analysis, Attempt, Estimate, Review, SoloResult
from ...sessions.export.block import Block, Tone, mark_closing, read_as, shared
from ...sessions.session import Session
from ...texts import t
from .plan import upcoming
from .state import RATED, setting

TONES: dict[str, Tone] = {"solver": "blue", "estimator": "violet"}

READ_OUT = frozenset({"estimator"})
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def task(session: Session) -> list[Block]:
    """What the session is about."""
    return [
        Block(kind="task", heading="", text=str(session.header.task.get("topic", "")))
    ]


def coming(session: Session) -> str | None:
    """The part of the session that the next event belongs to."""
    step = upcoming(session)
    if step is not None and step.what != "result" and _iterates(session):
        return t("block.iteration", n=step.iteration)
    return None


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    if not _iterates(session):
        block.part = None
    match event:
        case Attempt():
            block.prose = True
            block.remark = _numbered(event, session)
            mark_closing(block, event.answer)
        case Review():
            read_as(block, event.reason)
            block.prose = not block.unread
            if event.satisfied is not None:
                block.remark = t(
                    "solo.is_satisfied" if event.satisfied else "solo.not_satisfied"
                )
        case Analysis():
            block.prose, block.remark = True, t(f"solo.analysis_{event.about}")
        case Estimate():
            _estimate(block, event)
        case SoloResult():
            _result(block, event)
    return block


def _iterates(session: Session) -> bool:
    """True if each attempt is a part of its own, with its review."""
    return bool(setting(session, "strategy") == "reflect")


def _numbered(attempt: Attempt, session: Session) -> str:
    """Which sample or candidate an attempt is."""
    strategy = setting(session, "strategy")
    if attempt.based_on is not None:
        return t(
            "solo.candidate_on",
            n=attempt.iteration,
            about=t(f"solo.analysis_{attempt.based_on}"),
        )
    if strategy in RATED:
        return t("solo.candidate", n=attempt.iteration)
    if strategy == "sc":
        return t("solo.sample", n=attempt.iteration)
    return ""


def _estimate(block: Block, event: Estimate) -> None:
    read_as(block, event.reason)
    block.prose = not block.unread
    rows = zip(event.iterations, event.values, strict=False)
    block.scores = [
        (t("solo.candidate", n=number), f"{value:g}", "")
        for number, value in rows
        if value is not None
    ]


def _result(block: Block, event: SoloResult) -> None:
    """The answer, then how it was decided."""
    block.answer = event.answer or t("solo.no_answer")
    block.doubtful = event.answer is None
    match event.decided_by:
        case "majority":
            sizes = [len(group) for group in event.groups]
            block.notes = [
                t("solo.majority", n=sizes[0] if sizes else 0, of=event.attempts)
            ]
            if sizes[1:] and sizes[0] == sizes[1]:
                block.notes.append(t("solo.tie", n=sizes.count(sizes[0])))
            if sum(sizes) < event.attempts:
                block.notes.append(t("solo.without", n=event.attempts - sum(sizes)))
        case "estimator" if event.chosen is not None:
            block.notes = [t("solo.estimator", n=event.chosen, of=event.attempts)]
        case "estimator":
            block.notes = [t("solo.no_estimate")]
        case _:
            block.notes = [t(f"solo.{event.decided_by}", n=event.attempts)]

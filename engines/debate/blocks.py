"""How the events of a debate appear to a reader."""

from __future__ import annotations

from ...sessions.events import Event
from ...sessions.events.debate import (
    Baseline,
    Candidates,
    DebateResult,
    Resample,
    Speech,
    Stance,
    Verdict,
)
from ...sessions.export.block import (
    Block,
    Tone,
    last_line,
    mark_closing,
    read_as,
    shared,
)
from ...sessions.session import Session
from ...texts import t
from ...texts.roles import role_name
from . import moves
from .plan import upcoming
from .rounds import same

TONES: dict[str, Tone] = {
    "affirmative": "blue",
    "negative": "amber",
    "judge": "green",
    "observer": "violet",
    "baseline": "violet",
    "debater3": "teal",
    "debater4": "rose",
    "debater5": "violet",
    "debater6": "ink",
}

READ_OUT = frozenset({"judge", "observer"})
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def coming(session: Session) -> str | None:
    """Return the part of the session that the next event belongs to."""
    step = upcoming(session)
    if step is not None and step.round:
        return t("block.round", n=step.round)
    return None


def block(event: Event, session: Session) -> Block:
    """Return the block of one event."""
    block = shared(event)
    match event:
        case Speech():
            block.prose = True
            mark_closing(block, event.answer)
        case Baseline():
            block.remark = "" if block.unread else t("entry.baseline")
            block.answer = (
                None
                if event.answer is None or event.answer in last_line(event.text)
                else event.answer
            )
        case Stance():
            if event.value is None:
                block.unread = True
            else:
                read_as(block, "")
                block.remark = t("entry.stance", value=f"{event.value:.2f}")
        case Candidates():
            read_as(
                block,
                "\n".join(f"{n}. {item}" for n, item in enumerate(event.items, 1)),
            )
            block.remark = "" if block.unread else t("entry.candidates")
        case Verdict():
            _verdict(block, event)
        case Resample():
            read_as(block, event.reason)
            block.remark = "" if block.unread else t("entry.resample", n=event.sample)
            block.answer = event.answer or None
            if event.supported_side:
                block.facts = [(t("block.side"), _side(event.supported_side))]
        case DebateResult():
            _result(block, event)
            _check_credit(block, event, session)
            block.notes += moves.in_words(session)
    return block


def _verdict(block: Block, event: Verdict) -> None:
    read_as(block, event.reason)
    block.answer = event.answer or None
    if event.supported_side:
        block.facts = [(t("block.side"), _side(event.supported_side))]
    if block.unread:
        return
    block.prose = True
    if event.mode == "extractive":
        block.remark = t("entry.extracts" if event.round else "entry.alone")
    elif event.answer and event.preference is not True:
        block.remark, block.doubtful = t("entry.answer_without_preference"), True
    else:
        block.remark = t("entry.ends" if event.answer else "entry.goes_on")


def _side(role: str) -> str:
    if role == "tie":
        return t("result.tie")
    return role_name(role)


def _check_credit(block: Block, event: DebateResult, session: Session) -> None:
    """Report if the side credited with the answer last gave another one."""
    last = next(
        (
            one.answer
            for one in reversed(session.events)
            if isinstance(one, Speech)
            and one.role == event.supported_side
            and one.answer is not None
        ),
        None,
    )
    if last is not None and event.answer and not same(last, event.answer):
        block.notes.append(
            t("result.other_last", side=role_name(block.winner), answer=last)
        )


def _result(block: Block, event: DebateResult) -> None:
    """Show the answer, then how it was decided."""
    block.answer = event.answer or t("result.undecided")
    block.doubtful = event.decided_by == "undecided"
    if event.decided_by != "undecided":
        block.notes = (
            [t(f"result.{event.decided_by}", rounds=event.rounds)]
            if event.rounds
            else [t("result.blind")]
        )
    if event.supported_side == "tie":
        block.notes.append(t("result.tie"))
    elif not event.rounds:
        pass  # no debater spoke
    elif event.supported_side:
        block.winner = event.supported_side
        block.notes.append(
            t(
                f"result.side_{event.side_by or 'judge'}",
                side=role_name(event.supported_side),
            )
        )
    else:
        block.notes.append(t("result.no_side"))
    if event.adaptive_round is not None:
        block.notes.append(t("result.adaptive", n=event.adaptive_round))
    if event.resampled is not None:
        again = event.resampled
        key = "result.resampled" if event.rounds else "result.resampled_alone"
        block.notes.append(
            t(key, times=again.asked, answers=again.same_answer, sides=again.same_side)
        )
    measured = event.disagreement
    if measured is not None and measured.missing is not None:
        block.notes.append(
            t("result.not_measured", why=t(f"missing.{measured.missing}"))
        )
    elif measured is not None:
        block.notes.append(
            t(
                "result.disagreement",
                value=f"{measured.mean:.2f}",
                mode=t(f"mode.{measured.mode}"),
            )
        )
        by_round = ", ".join(
            "–" if value is None else f"{value:.2f}" for value in measured.per_round
        )
        left_out = (
            f" ({t('side.excluded', n=measured.excluded)})" if measured.excluded else ""
        )
        block.facts = [(t("block.per_round"), by_round + left_out)]

"""Says what comes next in a debate: a pure function of its events (MAD paper, section
2, Algorithm 1).
"""

from __future__ import annotations

from typing import Literal

import msgspec

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
from ...sessions.session import Session
from .settings import SETTINGS

DEBATERS = ("affirmative", "negative", "debater3", "debater4", "debater5", "debater6")
"""Debaters in speaking order."""

ROLES = (*DEBATERS, "judge", "observer", "baseline")

LEVELS = {
    0: "full_consensus",
    1: "mostly_disagree",
    2: "need_not_agree",
    3: "disagree_on_everything",
}
"""Names of the levels (Table 12); no ordered scale.

The names are keys of a prompt set's `levels`.
"""

What = Literal[
    "baseline",
    "speech",
    "stance",
    "verdict",
    "candidates",
    "extraction",
    "blind",
    "resample",
    "result",
]


class DebateStep(msgspec.Struct, frozen=True):
    """The next step. `role` is the role to call; "" for the result, which is
    computed.
    """

    what: What
    role: str
    round: int
    sample: int = 1
    """From 2: the judge's decision asked for again."""


setting = SETTINGS.in_force
"""Setting of a session, by name."""


def opposed(session: Session) -> bool:
    """Return whether the prompt tells the negative side to differ in its first speech.

    Never at level 0, where all debaters are to agree.
    """
    return bool(
        setting(session, "negative") == "differs" and setting(session, "level") != 0
    )


def speakers(control: str, count: int) -> tuple[str, ...]:
    """Return the roles that speak, in order: none before a blind judge, one side alone
    in a consultancy.
    """
    return DEBATERS[: {"judge-blind": 0, "consultancy": 1}.get(control, count)]


def debaters(session: Session) -> tuple[str, ...]:
    """Return the roles that debate, in order.

    The header sets their number: it cannot change during the debate.
    """
    return speakers(setting(session, "control"), setting(session, "debaters"))


def observed(session: Session) -> bool:
    """Return whether an observer rates each round."""
    return (
        bool(setting(session, "disagreement") == "stance")
        and len(debaters(session)) > 1
        and _seated(session, "observer")
    )


def breaks(verdict: Verdict | None) -> bool:
    """Return whether a verdict ends the debate: it must have a preference and an answer
    (the adaptive rule).
    """
    return verdict is not None and verdict.preference is True and bool(verdict.answer)


def verdict_of(session: Session, round_: int, mode: str) -> Verdict | None:
    """Return the verdict of a mode after a round; None if there is none yet."""
    for event in reversed(session.events):
        if isinstance(event, Verdict) and event.mode == mode and event.round == round_:
            return event
        if isinstance(event, Speech) and event.round < round_:
            break
    return None


def adaptive_round(session: Session) -> int | None:
    """Return the first round whose discriminative verdict ends the debate, or would."""
    for event in session.events:
        if (
            isinstance(event, Verdict)
            and event.mode == "discriminative"
            and breaks(event)
        ):
            return event.round
    return None


def upcoming(session: Session) -> DebateStep | None:
    """Return the next step; None when the debate is finished.

    Failures and notes are ignored. Changes apply with the values now in force.
    """
    order = debaters(session)
    made = _last_round(session)
    if any(isinstance(event, DebateResult) for event in made):
        return None
    if not order:
        if verdict_of(session, 0, "extractive"):
            return _ending(session, made, 0)
        return DebateStep("blind", "judge", 0)
    last = next((event.round for event in made if isinstance(event, Speech)), 0)
    if last == 0:
        seeded = setting(session, "opening") == "seeded"
        if seeded and not any(isinstance(event, Baseline) for event in made):
            return DebateStep("baseline", "" if defended(session) else "baseline", 0)
        return DebateStep("speech", order[0], 1)
    spoken = {
        event.role
        for event in made
        if isinstance(event, Speech) and event.round == last
    }
    for role in order:
        if role not in spoken:
            return DebateStep("speech", role, last)
    if observed(session) and not any(isinstance(event, Stance) for event in made):
        return DebateStep("stance", "observer", last)
    return _judged(session, made, last) or DebateStep("speech", order[0], last + 1)


def defended(session: Session) -> str | None:
    """Return the answer that the first debater defends, if the user gave one. No model
    is then asked for it.
    """
    given = session.header.task.get("defended")
    if isinstance(given, str):
        return given.strip() or None
    return None


def _last_round(session: Session) -> list[Event]:
    """Yield the events of the current round, newest first.

    It stops at the previous round, so that long sessions stay fast.
    """
    made = []
    last: int | None = None
    for event in reversed(session.events):
        if isinstance(event, Speech):
            if last is not None and event.round != last:
                break
            last = event.round
        elif last is not None and getattr(event, "round", last) != last:
            break
        made.append(event)
    return made


def _judged(session: Session, events: list[Event], last: int) -> DebateStep | None:
    """Return the step of the judge or the end that follows round `last`; None if the
    next round follows.
    """
    at_limit = last >= setting(session, "rounds")
    forced = setting(session, "stop") == "forced"
    verdict = verdict_of(session, last, "discriminative")
    if verdict is None and not (forced and adaptive_round(session) is not None):
        return DebateStep("verdict", "judge", last)
    broke = breaks(verdict) and not forced
    if forced or at_limit or broke:
        if not broke or setting(session, "extract") == "always":
            if not any(isinstance(event, Candidates) for event in events):
                return DebateStep("candidates", "judge", last)
            if verdict_of(session, last, "extractive") is None:
                return DebateStep("extraction", "judge", last)
        if at_limit or broke:
            return _ending(session, events, last)
    return None


def _ending(session: Session, events: list[Event], last: int) -> DebateStep:
    """The decision is final: it is requested again as often as configured, then the
    result follows.
    """
    samples = 1 + sum(isinstance(event, Resample) for event in events)
    if samples < setting(session, "resample_judge"):
        return DebateStep("resample", "judge", last, samples + 1)
    return DebateStep("result", "", last)


def asked_again(session: Session, step: DebateStep) -> DebateStep:
    """Return the step whose request a step repeats: the decision for another sample,
    otherwise the step itself.
    """
    if step.what != "resample":
        return step
    extracted = verdict_of(session, step.round, "extractive") is not None
    what: What = (
        "verdict" if not extracted else "extraction" if debaters(session) else "blind"
    )
    return DebateStep(what, step.role, step.round, step.sample)


def _seated(session: Session, role: str) -> bool:
    try:
        session.seat(role)
    except KeyError:
        return False
    return True

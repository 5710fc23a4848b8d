"""Debates played to their end with replies that a function gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.method import new_debate
from verifytui.engines.models.port import Part
from verifytui.prompts import load
from verifytui.sessions.events import Event
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.session import Seat, Session
from verifytui.tests.support import telling
from verifytui.tests.support.telling import Answering, Told, play_out

TOPIC = "How many legs has a spider?"


def begin(
    settings: Mapping[str, Any] | None = None,
    *,
    topic: str = TOPIC,
    prompts: str = "en",
    **given: Any,
) -> Session:
    given.setdefault("lineup", {})
    return Session(
        new_debate(topic=topic, settings=settings, prompts=load(prompts), **given), []
    )


async def step(session: Session, models: Told) -> list[Part | Event]:
    """One advance; its event is appended."""
    return await telling.step(session, models, DEBATE_ENGINE)


async def play(session: Session, answer: Answering | Told, limit: int = 200) -> Told:
    """Plays on to the end of the debate."""
    return await play_out(session, answer, DEBATE_ENGINE, limit)


def verdict(preference: bool = False, answer: str = "", side: str = "none") -> str:
    return json.dumps(
        {
            "preference": preference,
            "supported_side": side,
            "reason": "so",
            "answer": answer,
        }
    )


def choice(answer: str, side: str = "none") -> str:
    return json.dumps({"reason": "so", "supported_side": side, "answer": answer})


def listed(*items: str) -> str:
    return json.dumps({"candidates": items})


def seats(*roles: str) -> dict[str, Seat]:
    return {role: Seat(model=f"openai/{role}") for role in roles}


def kinds(session: Session) -> list[str]:
    """The events in short: speech affirmative 1, verdict discriminative 1, …"""
    made = []
    for event in session.events:
        tag = str(event.__struct_config__.tag)
        rest = [
            str(getattr(event, name))
            for name in ("mode", "round")
            if hasattr(event, name)
        ]
        made.append(
            " ".join([tag, *([event.role] if isinstance(event, Speech) else []), *rest])
        )
    return made

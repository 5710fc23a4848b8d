"""A small debate, as header and events."""

from __future__ import annotations

from verifytui.sessions.events import Event, Usage
from verifytui.sessions.events.debate import DebateResult, Disagreement, Speech, Verdict
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Header, Prompts, Seat


def make_header(title: str = "How fast was Alice?") -> Header:
    return new_header(
        workspace="debate",
        title=title,
        task={
            "kind": "question",
            "topic": "Up at 1 m/s, down at 3 m/s.\nHow fast on average?",
            "from": None,
            "to": None,
        },
        lineup={
            "affirmative": Seat(model="gpt-4", params={"temperature": 0}),
            "negative": Seat(model="m/b"),
            "judge": Seat(model="gpt-4"),
        },
        settings={"level": 2, "rounds": 3, "stop": "adaptive"},
        prompts=Prompts(
            set="en",
            hash="sha256:00",
            templates={"speak": "You are {{ name }}.\nArgue.\n"},
        ),
    )


def make_events() -> list[Event]:
    used = Usage(input=120, output=40)
    return [
        Speech(
            role="affirmative",
            model="gpt-4",
            text="The mean is 2 m/s.\nAnswer: 2 m/s",
            round=1,
            answer="2 m/s",
            usage=used,
            cost=0.001,
        ),
        Speech(
            role="negative",
            model="m/b",
            text="吃掉 🙂  \n---\n...\nAnswer: 1.5 m/s",
            reasoning="d/1 + d/3",
            round=1,
            answer="1.5 m/s",
        ),
        Verdict(
            role="judge",
            model="gpt-4",
            text='{"preference": true}',
            round=1,
            mode="discriminative",
            preference=True,
            supported_side="negative",
            reason="Times matter.",
            answer="1.5 m/s",
            read="json",
        ),
        DebateResult(
            answer="1.5 m/s",
            decided_by="discriminative",
            supported_side="negative",
            side_by="judge",
            rounds=1,
            disagreement=Disagreement(mode="answer", per_round=[1.0], mean=1.0),
        ),
    ]

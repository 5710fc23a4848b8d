"""The recorded debates play again through the live engine, the real desk and LiteLLM,
against a server that gives the recorded replies.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.importer import import_debates
from verifytui.engines.debate.verdicts import (
    VerdictReading,
    candidates,
    discriminative,
    extractive,
)
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.reading import Unread
from verifytui.engines.step import step
from verifytui.sessions.events import Event, Failure, ReplyEvent
from verifytui.sessions.events.debate import Candidates, DebateResult, Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Seat
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.playing import begin

SIDES = ("affirmative", "negative")
PLAYERS = {
    "affirmative": "Affirmative side",
    "negative": "Negative side",
    "judge": "Moderator",
}


def replies(record: dict[str, Any], player: str) -> list[str]:
    return [
        message["content"]
        for message in record["players"].get(player, [])
        if message["role"] == "assistant"
    ]


def reply(record: dict[str, Any], role: str, messages: list[dict[str, str]]) -> str:
    """What was recorded for this request: the seat is known by the model, the round by
    the count of its own earlier turns.
    """
    turn = sum(message["role"] == "assistant" for message in messages)
    if role == "baseline":
        return replies(record, "Affirmative side")[0]
    if role == "judge" and '"preference"' not in messages[-1]["content"]:
        return replies(record, "Judge")[turn]
    return replies(record, PLAYERS[role])[turn + (role == "affirmative")]


@pytest.fixture
def records(shared: Path) -> dict[str, dict[str, Any]]:
    lines = (
        (shared / "mad-transcripts" / "debates.jsonl").read_text("utf-8").splitlines()
    )
    return {record["id"]: record for record in map(json.loads, lines)}


def read_again(record: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """What is read of a record's verdicts, and of its lists of candidates, with the
    speeches as what was sent.
    """
    sent = [
        text
        for player in ("Affirmative side", "Negative side")
        for text in replies(record, player)
    ]
    ends = replies(record, "Judge")
    judged: list[VerdictReading | Unread] = [
        discriminative(text, SIDES, sent=sent) for text in replies(record, "Moderator")
    ]
    judged += [extractive(text, SIDES, sent=sent) for text in ends[1:]]
    listed = [candidates(text, sent=sent) for text in ends[:1]]
    values = [
        [one.preference, one.supported_side, one.reason, one.answer, one.read]
        if isinstance(one, VerdictReading)
        else "unread"
        for one in judged
    ]
    return values, ["unread" if isinstance(one, Unread) else [*one] for one in listed]


def digest(values: list[Any]) -> str:
    return hashlib.sha256(json.dumps(values, ensure_ascii=False).encode()).hexdigest()[
        :32
    ]


def test_recorded_replies_are_read_as_ever(records: dict[str, dict[str, Any]]) -> None:
    """The digests are those of what earlier versions read, which took any object for
    the reply's own. All 444 verdicts have a value.
    """
    read = [read_again(record) for record in records.values()]
    verdicts, lists = (
        [one for made, _ in read for one in made],
        [one for _, made in read for one in made],
    )
    assert (len(verdicts), verdicts.count("unread")) == (444, 0)
    assert (len(lists), lists.count("unread")) == (77, 1)
    assert digest(verdicts) == "3b9a9723bd7cd3ad812368baf8d1ba4b"
    assert digest(lists) == "7d3f3beffef8ca766cdf5f3c307badd1"


async def replay(record: dict[str, Any]) -> list[Event]:
    """The debate of this record, live, each seat a model of its own that bears the
    record's id.
    """
    seats = {
        role: Seat(model=f"openai/{record['id']}-{role}")
        for role in ("affirmative", "negative", "judge", "baseline")
    }
    header = begin(
        {"rounds": 4, "opening": "seeded"},
        topic=record["source"],
        kind="translation",
        lineup=seats,
    ).header
    journal, engine = Journal.create(None, header), DEBATE_ENGINE
    desk = Desk(journal.session, Config(retries=0), stream=False)
    for _ in range(30):
        if engine.finished(journal.session):
            return journal.session.events
        async with aclosing(step(journal, engine, desk)) as parts:
            async for part in parts:
                assert not isinstance(part, Failure), part
    raise AssertionError("the debate does not end")


@pytest.mark.slow
async def test_all_recorded_debates_play_again(
    records: dict[str, dict[str, Any]],
    shared: Path,
    loopback: Loopback,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")

    def answer(body: Body) -> Answer:
        if "response_format" in body:  # what was recorded was asked for as text
            return Answer(status=400, error="response_format is not supported")
        record, _, role = body["model"].rpartition("-")
        return Answer(text=reply(records[record], role, body["messages"]))

    loopback.answer = answer
    imported = dict(
        zip(
            records,
            import_debates(shared / "mad-transcripts" / "debates.jsonl"),
            strict=True,
        )
    )
    played = await asyncio.gather(*(replay(record) for record in records.values()))
    assert len(played) == 101
    for name, events in zip(records, played, strict=True):
        _, recorded = imported[name]
        assert essence(events) == essence(recorded), name
        ended, last = (
            events[-1],
            [event for event in events if isinstance(event, Verdict)][-1],
        )
        assert isinstance(ended, DebateResult)
        assert ended.answer == last.answer
        assert ended.answer
        assert all(
            event.usage is not None for event in events if isinstance(event, ReplyEvent)
        )


def essence(events: list[Event]) -> list[tuple[Any, ...]]:
    """All but who said it and what it cost."""
    names = (
        "round",
        "role",
        "text",
        "answer",
        "mode",
        "preference",
        "supported_side",
        "reason",
        "items",
        "read",
        "decided_by",
        "side_by",
        "rounds",
    )
    made = []
    for event in events:
        skipped = (
            ("text", "items", "read")
            if isinstance(event, Candidates) and event.read == "unread"
            else ()
        )
        made.append(
            (
                type(event).__name__,
                *(getattr(event, name, None) for name in names if name not in skipped),
            )
        )
    return made


async def test_the_server_is_asked_what_the_recorded_models_were_asked(
    records: dict[str, dict[str, Any]],
    loopback: Loopback,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each debater hears the other's recorded speeches as the recorded one did, and no
    judge.
    """
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    record = next(record for record in records.values() if "Judge" in record["players"])
    loopback.answer = lambda body: Answer(
        text=reply(record, body["model"].rpartition("-")[2], body["messages"])
    )
    events = await replay(record)
    assert len([event for event in events if isinstance(event, Speech)]) == 8
    asked = [
        body["messages"]
        for body in loopback.requests
        if body["model"].endswith("-negative")
    ]
    spoken = replies(record, "Affirmative side")[1:]
    for number, messages in enumerate(asked, 1):
        heard = [
            message["content"] for message in messages if message["role"] == "user"
        ]
        assert len(heard) == number
        assert all(
            text in content for text, content in zip(spoken, heard, strict=False)
        )
        assert not any(
            text in content
            for text in replies(record, "Moderator")
            for content in heard
        )

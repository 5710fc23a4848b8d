"""Recorded debates become sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.debate.importer import import_debates
from verifytui.engines.debate.plan import upcoming
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Event, ReplyEvent
from verifytui.sessions.events.debate import (
    Baseline,
    Candidates,
    DebateResult,
    Speech,
    Verdict,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Session

DIFFERENT = [
    "lex200-066",
    "lex200-068",
    "lex200-082",
    "lex200-095",
    "lex200-108",
    "lex200-120",
]
"""The record's own answer differs from its last verdict: five lost an apostrophe, one
verdict has a tab where it was escaped.
"""


def recorded(shared: Path) -> list[dict[str, Any]]:
    file = shared / "mad-transcripts" / "debates.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def of(events: list[Event], kind: type[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_every_recorded_debate_becomes_a_whole_session(shared: Path) -> None:
    records = recorded(shared)
    made = list(import_debates(shared / "mad-transcripts" / "debates.jsonl"))
    assert len(made) == len(records) == 101
    for (header, events), record in zip(made, records, strict=True):
        check(header, events, record)
    verdicts = [event for _, events in made for event in of(events, Verdict)]
    assert len(verdicts) == 367 + 77
    assert all(event.read in ("literal", "json") for event in verdicts)
    assert (
        sum(event.preference is False and bool(event.answer) for event in verdicts)
        == 69
    )
    assert [
        header.task["imported_id"]
        for header, _ in made
        if "imported_answer" in header.task
    ] == DIFFERENT


def check(header: Header, events: list[Event], record: dict[str, Any]) -> None:
    replies = {
        name: [one["content"] for one in said if one["role"] == "assistant"]
        for name, said in record["players"].items()
    }
    assert header.task["topic"] == record["source"].strip()
    assert (
        header.task["kind"],
        header.task["from"],
        header.task["to"],
        header.task["imported_id"],
    ) == (
        "translation",
        "zh",
        "en",
        record["id"],
    )
    assert header.task["answers"] == [record["correct reference"].strip()]
    assert header.task["wrong_answers"] == [record["incorrect reference"].strip()]
    assert (header.settings["rounds"], header.settings["opening"]) == (4, "seeded")
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    speeches = of(events, Speech)
    assert [event.text for event in of(events, Baseline)] == replies[
        "Affirmative side"
    ][:1]
    assert of(events, Baseline)[0].answer == record["base translation"].strip().strip(
        '"'
    )
    assert [event.text for event in speeches if event.role == "affirmative"] == replies[
        "Affirmative side"
    ][1:]
    assert [event.text for event in speeches if event.role == "negative"] == replies[
        "Negative side"
    ]
    judged = of(events, Verdict)
    assert [
        event.text for event in judged if event.mode == "discriminative"
    ] == replies["Moderator"]
    end = [
        event.text
        for event in events
        if isinstance(event, Candidates)
        or (isinstance(event, Verdict) and event.mode == "extractive")
    ]
    assert end == replies.get("Judge", [])
    ended = events[-1]
    assert isinstance(ended, DebateResult)
    assert ended.answer == judged[-1].answer
    assert ended.answer
    assert ended.decided_by == (
        "extractive" if "Judge" in replies else "discriminative"
    )
    assert (
        ended.answer == record["debate translation"]
        or header.task["imported_answer"] == record["debate translation"]
    )
    assert all(
        event.model == "gpt-3.5-turbo" and event.usage is None and event.cost is None
        for event in events
        if isinstance(event, ReplyEvent)
    )


def test_an_imported_session_goes_to_disk_and_comes_back(
    shared: Path, tmp_path: Path
) -> None:
    header, events = next(import_debates(shared / "mad-transcripts" / "debates.jsonl"))
    with Journal.create(tmp_path / "s.yaml", header) as journal:
        for event in events:
            journal.append(event)
    with Journal.open(tmp_path / "s.yaml") as again:
        assert [
            event for event in again.session.events if isinstance(event, ReplyEvent)
        ] == [event for event in events if isinstance(event, ReplyEvent)]
        assert upcoming(again.session) is None


def messages(*replies: str) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": "s"},
        *(
            one
            for text in replies
            for one in (
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": text},
            )
        ),
    ]


def question(**changes: Any) -> dict[str, Any]:
    verdict = {
        "Whether there is a preference": "Yes",
        "Supported Side": "Negative",
        "Reason": "r",
        "debate_answer": "8",
    }
    players = {
        "Affirmative side": messages("Six."),
        "Negative side": messages("Eight."),
        "Moderator": messages(json.dumps(verdict)),
    }
    return {
        "debate_topic": "How many legs?",
        "model_name": "gpt-4",
        "temperature": 0,
        "debate_answer": "8",
        "players": players,
        **changes,
    }


@pytest.mark.parametrize("form", ["object", "list"])
def test_a_single_file_with_a_question(tmp_path: Path, form: str) -> None:
    file = tmp_path / "0.json"
    file.write_text(
        json.dumps(question() if form == "object" else [question()]), "utf-8"
    )
    ((header, events),) = import_debates(file)
    assert (header.task["kind"], header.task["topic"], header.settings["opening"]) == (
        "question",
        "How many legs?",
        "free",
    )
    ended = events[-1]
    assert isinstance(ended, DebateResult)
    assert (ended.answer, ended.supported_side, ended.rounds) == ("8", "negative", 1)
    assert not {"imported_answer", "answers", "wrong_answers"} & set(header.task)


@pytest.mark.parametrize("known", [" ", None, 3, ["a"]])
def test_a_reference_that_is_no_text_is_none(tmp_path: Path, known: Any) -> None:
    file = tmp_path / "0.json"
    file.write_text(
        json.dumps(
            question() | {"correct reference": " 8 ", "incorrect reference": known}
        ),
        "utf-8",
    )
    ((header, _),) = import_debates(file)
    assert header.task["answers"] == ["8"]
    assert "wrong_answers" not in header.task


def test_a_debate_that_was_cut_short_can_go_on(tmp_path: Path) -> None:
    record = question()
    del record["players"]["Moderator"]
    file = tmp_path / "0.json"
    file.write_text(json.dumps(record), "utf-8")
    ((header, events),) = import_debates(file)
    step = upcoming(Session(header, events))
    assert step
    assert (step.what, step.round) == ("verdict", 1)


def test_a_limit_of_three_rounds_is_seen(tmp_path: Path) -> None:
    no = json.dumps(
        {
            "Whether there is a preference": "No",
            "Supported Side": "",
            "Reason": "",
            "debate_answer": "",
        }
    )
    players = {
        "Affirmative side": messages("a", "b", "c"),
        "Negative side": messages("d", "e", "f"),
        "Moderator": messages(no, no, no),
        "Judge": messages(
            "Affirmative: 6\nNegative: 8", '{"Reason": "r", "debate_answer": "8"}'
        ),
    }
    file = tmp_path / "0.json"
    file.write_text(json.dumps(question(players=players)), "utf-8")
    ((_, events),) = import_debates(file)
    assert isinstance(events[-1], DebateResult)
    assert (events[-1].answer, events[-1].rounds) == ("8", 3)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"{}",
        b'"x"',
        b"\xff",
        b'{"players": []}',
        b'{"players": {}}',
        b'{"players": {"Affirmative side": 3}}',
        b"[" * 100_000,
        json.dumps(question(players={"Affirmative side": ["x"]})).encode(),
        json.dumps(question(debate_topic=" ")).encode(),
        json.dumps(
            question(players={"Affirmative side": messages("x"), "Negative side": []})
        ).encode(),
    ],
)
def test_what_is_no_recorded_debate_is_said_in_one_sentence(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "0.json"
    file.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        list(import_debates(file))
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(question()) + "\n\n{}\n", "utf-8")
    made = import_debates(file)
    next(made)
    with pytest.raises(BadInput, match="line 3"):
        next(made)
    with pytest.raises(BadInput, match="cannot be read"):
        list(import_debates(tmp_path / "none.json"))

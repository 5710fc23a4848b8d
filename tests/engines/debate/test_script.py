"""The built-in script, through the real engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec
import pytest
from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.method import example
from verifytui.engines.debate.rounds import same
from verifytui.engines.debate.script import (
    SCRIPTS,
    DebateScript,
    ScriptedDebate,
    example_topics,
)
from verifytui.engines.models.port import (
    Delta,
    Message,
    ModelCall,
    ModelError,
    ModelReply,
    Part,
    Readable,
    Task,
)
from verifytui.sessions.events import Event, Failure, ReplyEvent, Usage
from verifytui.sessions.events.debate import DebateResult, Speech, Stance, Verdict
from verifytui.sessions.session import Seat, Session
from verifytui.tests.support.playing import begin, kinds
from verifytui.texts import speaking

EXAMPLES = {example.id: example for example in example_topics()}


class Scripted:
    """Implements `port.Models`: every seat is the script's."""

    def __init__(self) -> None:
        self.streamed = ""

    async def ask(
        self,
        role: str,
        task: Task,
        messages: list[Message],
        schema: dict[str, Any] | None = None,
        readable: Readable | None = None,
    ) -> AsyncGenerator[Part | ModelReply, None]:
        async for part in DebateScript().ask(
            ModelCall(
                role=role,
                seat=Seat(model="script"),
                task=task,
                messages=messages,
                schema=schema,
            )
        ):
            if isinstance(part, Delta):
                self.streamed += part.text
            yield part

    def panel(self, role: str) -> Seat | None:
        return None

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        return None

    def take_spent(self) -> Failure | None:
        return None


def start(
    example: ScriptedDebate, settings: Mapping[str, Any] | None = None, **given: Any
) -> Session:
    return begin(
        settings,
        topic=example.topic,
        kind=example.kind,
        source_lang=example.source,
        target_lang=example.target,
        **given,
    )


async def go_on(session: Session, steps: int = 99) -> Session:
    engine = DEBATE_ENGINE
    for _ in range(steps):
        if engine.finished(session):
            break
        models = Scripted()
        async for part in engine.advance(session, models):
            if isinstance(part, Event):
                part.number = len(session.events) + 1
                session.events.append(part)
                if isinstance(part, ReplyEvent):
                    assert models.streamed == part.text
    return session


def test_there_are_six_examples() -> None:
    assert list(EXAMPLES) == [
        "hill",
        "apples",
        "circle",
        "division",
        "liquor",
        "hill-zh",
    ]
    assert [example.kind for example in EXAMPLES.values()] == ["question"] * 3 + [
        "translation"
    ] * 2 + ["question"]
    for file in SCRIPTS.glob("*.yaml"):
        assert file.read_text("utf-8").startswith(
            "# Written by hand for this project; no language model said these lines.\n"
        )


ENDS = {
    "hill": (2, "discriminative", "3/2"),
    "apples": (1, "discriminative", "1/2 tons"),
    "circle": (3, "extractive", "4"),
    "division": (2, "discriminative", "Destroy an enemy division"),
    "liquor": (
        3,
        "discriminative",
        "He got hold of quite a lot of fine liquor through connections",
    ),
    "hill-zh": (2, "discriminative", "每秒1.5米"),
}


@pytest.mark.parametrize("name", EXAMPLES)
async def test_each_example_plays_to_its_end(name: str) -> None:
    session = await go_on(start(EXAMPLES[name]))
    ended = session.events[-1]
    assert isinstance(ended, DebateResult)
    rounds, by, answer = ENDS[name]
    assert (ended.rounds, ended.decided_by, ended.supported_side, ended.side_by) == (
        rounds,
        by,
        "negative",
        "judge",
    )
    assert ended.answer
    assert same(ended.answer, answer)
    for event in session.events:
        if isinstance(event, Speech):
            assert event.answer
        if isinstance(event, Verdict):
            assert event.read == "json"
        if isinstance(event, ReplyEvent):
            assert (event.model, event.cost, event.usage, event.finish) == (
                "script",
                0.0,
                Usage(input=0, output=0),
                "stop",
            )


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    "settings",
    [
        {"stop": "forced"},
        {"extract": "always"},
        {"rounds": 1},
        {"rounds": 2, "stop": "forced", "judge_history": "first-round"},
        {"opening": "seeded", "level": 0},
        {"disagreement": "stance", "level": 3},
    ],
    ids=str,
)
async def test_each_example_plays_under_other_settings(
    name: str, settings: dict[str, Any]
) -> None:
    session = await go_on(
        start(EXAMPLES[name], settings, lineup={"observer": Seat(model="script")})
    )
    ended = session.events[-1]
    assert isinstance(ended, DebateResult)
    assert ended.answer
    if settings.get("stop") == "forced":
        assert ended.rounds == settings.get("rounds", 3)
        assert ended.adaptive_round == (
            None if name == "circle" or ENDS[name][0] > ended.rounds else ENDS[name][0]
        )
    if "disagreement" in settings:
        assert (
            next(event.value for event in session.events if isinstance(event, Stance))
            == 1.0
        )
    assert kinds(session)[0] == (
        "baseline" if "opening" in settings else "speech affirmative 1"
    )


async def refused(session: Session) -> str:
    with pytest.raises(ModelError) as caught:
        await go_on(session, 1)
    assert caught.value.kind == "no-line"
    text = str(caught.value)
    assert "give the role to a person or a model" in text
    assert text.count(".") == 1
    return text


async def test_it_refuses_another_topic_and_another_kind() -> None:
    hill = EXAMPLES["hill"]
    assert "topic" in await refused(begin(topic=hill.topic + " Really?"))
    assert "topic" in await refused(
        begin(topic=hill.topic, kind="translation", source_lang="en", target_lang="zh")
    )
    assert "topic" in await refused(
        begin(
            topic=EXAMPLES["division"].topic,
            kind="translation",
            source_lang="zh",
            target_lang="de",
        )
    )


@pytest.mark.parametrize(
    ("events", "role"), [(1, "negative"), (2, "judge"), (3, "affirmative")]
)
async def test_it_refuses_to_answer_an_edited_speech(events: int, role: str) -> None:
    session = await go_on(start(EXAMPLES["hill"]), events)
    session.events[0] = msgspec.structs.replace(session.events[0], text="Edited.")
    text = await refused(session)
    assert "changed speech of affirmative in round 1" in text
    assert f"as {role}:" in text


@pytest.mark.parametrize("model", ["gpt-4", "human"])
async def test_it_refuses_to_answer_somebody_else(model: str) -> None:
    session = await go_on(start(EXAMPLES["hill"]), 2)
    session.events[1] = msgspec.structs.replace(session.events[1], model=model)
    assert f"what {model} said" in await refused(session)


async def test_it_refuses_to_defend_a_foreign_baseline() -> None:
    session = await go_on(start(EXAMPLES["hill"], {"opening": "seeded"}), 1)
    session.events[0] = msgspec.structs.replace(session.events[0], model="gpt-4")
    await refused(session)


async def test_it_has_no_lines_for_a_third_debater_or_a_fourth_round() -> None:
    session = await go_on(start(EXAMPLES["circle"], {"debaters": 3}), 2)
    assert "nothing written for debater3 in round 1" in await refused(session)
    session = await go_on(start(EXAMPLES["circle"], {"rounds": 4}), 9)
    assert "nothing written for affirmative in round 4" in await refused(session)


async def test_it_does_not_stream_where_nobody_watches() -> None:
    session = start(EXAMPLES["hill"])
    from verifytui.engines.debate.messages import task
    from verifytui.engines.debate.plan import DebateStep

    call = ModelCall(
        role="affirmative",
        seat=Seat(model="script"),
        task=task(session, DebateStep("speech", "affirmative", 1)),
        messages=[],
        stream=False,
    )
    parts = [part async for part in DebateScript().ask(call)]
    assert len(parts) == 1
    assert isinstance(parts[0], ModelReply)


@pytest.mark.parametrize(("language", "name"), [("en", "hill"), ("zh", "hill-zh")])
def test_the_first_example_is_in_the_language_of_the_interface(
    language: str, name: str
) -> None:
    with speaking(language):
        assert example().task["topic"] == EXAMPLES[name].topic

"""One event at a time: what is asked, what is kept, what is asked again."""

from __future__ import annotations

import pytest
from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.messages import (
    Choose,
    DebateTask,
    ListCandidates,
    OppositionTask,
    VerdictTask,
)
from verifytui.engines.models.port import Message, ModelError, ModelRemark, ModelReply
from verifytui.sessions.events import Event, Usage
from verifytui.sessions.events.debate import (
    Baseline,
    Candidates,
    DebateResult,
    Speech,
    Stance,
    Verdict,
)
from verifytui.sessions.session import Session
from verifytui.tests.support.playing import (
    begin,
    choice,
    listed,
    play,
    seats,
    step,
    verdict,
)
from verifytui.tests.support.telling import Told


def of(session: Session, kind: type[Event]) -> list[Event]:
    return [event for event in session.events if isinstance(event, kind)]


async def test_a_speech_is_kept_with_its_answer_and_what_it_cost() -> None:
    session = begin()
    reply = ModelReply(
        text="Eight.\n\nAnswer: 8",
        model="real-id",
        reasoning="hm",
        usage=Usage(input=3, output=4),
        cost=0.1,
        seconds=2.0,
        finish="stop",
        attempts=2,
        cached=True,
        altered=True,
        dropped=["seed"],
    )
    await step(session, Told(lambda *_: reply))
    assert session.events == [
        Speech(
            number=1,
            role="affirmative",
            round=1,
            model="real-id",
            text="Eight.\n\nAnswer: 8",
            reasoning="hm",
            usage=Usage(input=3, output=4),
            cost=0.1,
            seconds=2.0,
            finish="stop",
            attempts=2,
            cached=True,
            altered=True,
            dropped=["seed"],
            answer="8",
        )
    ]


async def test_reasoning_is_never_read_and_never_sent_on() -> None:
    session = begin({"rounds": 1})

    def answer(role: str, task: DebateTask, messages: list[Message]) -> ModelReply:
        return ModelReply(
            text="I say so." if role != "judge" else "no verdict",
            model="m",
            reasoning="SECRET\nAnswer: 6\n" + verdict(True, "6"),
        )

    models = await play(session, answer)
    assert "SECRET" not in str([messages for _, _, messages, _ in models.asked])
    assert all(
        event.answer is None
        for event in session.events
        if isinstance(event, Speech | Verdict | DebateResult)
    )


async def test_an_unread_verdict_is_asked_again_once_and_then_kept_as_it_is() -> None:
    session = begin({"rounds": 2})
    unread = ModelReply(
        text="Hard to say.",
        model="m",
        usage=Usage(input=10, output=5),
        cost=0.5,
        seconds=1.0,
        attempts=2,
        dropped=["seed"],
    )

    def answer(
        role: str, task: DebateTask, messages: list[Message]
    ) -> str | ModelReply:
        if role == "judge":
            return unread
        return "Eight."

    models = Told(answer)
    for _ in range(3):
        seen = await step(session, models)
    assert [part.kind for part in seen if isinstance(part, ModelRemark)] == ["again"]
    event = session.events[-1]
    assert isinstance(event, Verdict)
    assert (
        event.read,
        event.preference,
        event.supported_side,
        event.answer,
        event.text,
    ) == ("unread", None, None, None, "Hard to say.")
    assert (event.usage, event.cost, event.seconds, event.attempts, event.dropped) == (
        Usage(input=20, output=10),
        1.0,
        2.0,
        4,
        ["seed"],
    )
    first, second = (
        messages for role, _, messages, _ in models.asked if role == "judge"
    )
    assert second[: len(first)] == first
    assert [message["role"] for message in second[len(first) :]] == [
        "assistant",
        "user",
    ]
    assert second[len(first)]["content"] == "Hard to say."
    await step(session, models)
    assert isinstance(session.events[-1], Speech)


async def test_a_faulty_template_for_asking_again_is_a_failure() -> None:
    session = begin()
    session.header.prompts.templates = {
        **session.header.prompts.templates,
        "again": "{{ nothing }}",
    }
    with pytest.raises(ModelError, match="`again`") as caught:
        await play(session, lambda role, *_: "?" if role == "judge" else "Eight.")
    assert (caught.value.kind, caught.value.role) == ("internal", "judge")


async def test_a_verdict_read_at_the_second_asking_counts() -> None:
    session = begin()
    replies = iter(["Eight, clearly.", verdict(True, "8", "negative")])
    await play(session, lambda role, *_: next(replies) if role == "judge" else "Eight.")
    ended = session.events[-1]
    assert isinstance(ended, DebateResult)
    assert (ended.answer, ended.decided_by) == ("8", "discriminative")


async def test_a_verdict_with_an_answer_but_no_preference_is_not_asked_again() -> None:
    session = begin({"rounds": 1})
    models = await play(
        session,
        lambda role, task, _: {
            VerdictTask: verdict(False, "8"),
            ListCandidates: listed("8"),
            Choose: choice("8"),
        }.get(type(task), "Eight."),
    )
    assert sum(isinstance(task, VerdictTask) for _, task, _, _ in models.asked) == 1
    kept = of(session, Verdict)[0]
    assert isinstance(kept, Verdict)
    assert (kept.preference, kept.answer) == (False, "8")


async def test_an_unread_extractive_judge_leaves_the_debate_undecided() -> None:
    session = begin({"rounds": 1})
    models = await play(session, lambda role, *_: "I cannot say.")
    ended = session.events[-1]
    assert isinstance(ended, DebateResult)
    assert (ended.answer, ended.decided_by) == (None, "undecided")
    # twice each: verdict, candidates, choice
    assert [type(task) for _, task, _, _ in models.asked][2:] == [
        VerdictTask,
        VerdictTask,
        ListCandidates,
        ListCandidates,
        Choose,
        Choose,
    ]
    kept = of(session, Candidates)[0]
    assert isinstance(kept, Candidates)
    assert (kept.items, kept.read, kept.text) == ([], "unread", "I cannot say.")


async def test_an_unread_rating_is_kept_without_a_value() -> None:
    session = begin({"rounds": 1, "disagreement": "stance"}, lineup=seats("observer"))
    models = await play(
        session,
        lambda role, task, _: (
            "a lot"
            if isinstance(task, OppositionTask)
            else verdict(True, "8")
            if role == "judge"
            else "Eight."
        ),
    )
    kept = of(session, Stance)[0]
    assert isinstance(kept, Stance)
    assert (kept.value, kept.read) == (None, "unread")
    assert sum(isinstance(task, OppositionTask) for _, task, _, _ in models.asked) == 2
    ended = session.events[-1]
    assert isinstance(ended, DebateResult)
    assert ended.disagreement
    assert (
        ended.disagreement.mode,
        ended.disagreement.mean,
        ended.disagreement.excluded,
    ) == ("stance", None, 1)


async def test_unknown_costs_stay_unknown_when_something_is_asked_again() -> None:
    session = begin()
    replies = iter(
        [
            ModelReply(text="?", model="m", usage=Usage(input=1), cost=None),
            ModelReply(
                text=verdict(), model="m", usage=Usage(input=1, output=1), cost=1.0
            ),
        ]
    )
    for _ in range(3):
        await step(
            session,
            Told(lambda role, *_: next(replies) if role == "judge" else "Eight."),
        )
    kept = session.events[-1]
    assert isinstance(kept, Verdict)
    assert (kept.usage, kept.cost, kept.preference) == (
        Usage(input=2, output=None),
        None,
        False,
    )


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("translation", "It rains.", "It rains."),
        ("translation", "It rains.\nOr does it?", None),
        ("question", "Let me see.\nAnswer: 8", "8"),
        ("question", "I refuse.", None),
    ],
)
async def test_the_baselines_answer(kind: str, text: str, wanted: str | None) -> None:
    session = begin({"opening": "seeded"}, kind=kind)
    await step(session, Told(lambda *_: text))
    made = session.events[0]
    assert isinstance(made, Baseline)
    assert (made.answer, made.read) == (wanted, "sliced" if wanted else "unread")


async def test_a_faulty_template_of_a_session_from_elsewhere_is_a_failure() -> None:
    for templates in (
        {},
        {"debater_system": "{{ nothing }}", "levels": 3, "names": "x", "languages": []},
    ):
        session = begin()
        session.header.prompts.templates = templates
        with pytest.raises(ModelError) as caught:
            await step(session, Told(lambda *_: "Eight."))
        assert caught.value.kind == "internal"
        assert session.events == []


async def test_a_finished_debate_yields_nothing() -> None:
    session = begin()
    await play(
        session, lambda role, *_: verdict(True, "8") if role == "judge" else "Eight."
    )
    before = list(session.events)
    assert await step(session, Told(lambda *_: "more")) == []
    assert session.events == before
    assert DEBATE_ENGINE.finished(session)

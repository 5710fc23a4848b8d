"""What comes next."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.debate.messages import (
    Choose,
    DebateTask,
    ListCandidates,
    OppositionTask,
    VerdictTask,
)
from verifytui.engines.debate.plan import DebateStep, upcoming
from verifytui.engines.models.port import Message
from verifytui.sessions.events import Change, Failure, Note
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.session import Session
from verifytui.tests.support.playing import (
    begin,
    choice,
    kinds,
    listed,
    play,
    seats,
    verdict,
)
from verifytui.tests.support.telling import add


def says(*, breaks_in: int | None = None) -> Any:
    def answer(role: str, task: DebateTask, messages: list[Message]) -> str:
        match task:
            case VerdictTask():
                return verdict(
                    breaks_in is not None and task.round >= breaks_in,
                    "eight" if breaks_in == task.round else "six",
                )
            case ListCandidates():
                return listed("eight", "six")
            case Choose():
                return choice("eight")
            case OppositionTask():
                return '{"disagreement": 0.5}'
        return f"I am {role}.\n\nAnswer: eight"

    return answer


def rounds(count: int, *between: str, start: int = 1) -> list[str]:
    made = []
    for number in range(start, start + count):
        made += [
            f"speech affirmative {number}",
            f"speech negative {number}",
            *(f"{name} {number}" for name in between),
        ]
    return made


EXTRACTED = ("candidates", "verdict extractive")


async def test_a_break_ends_the_debate_in_its_round() -> None:
    session = begin()
    await play(session, says(breaks_in=2))
    assert kinds(session) == [*rounds(2, "verdict discriminative"), "result"]


async def test_without_a_break_the_extractive_judge_is_asked_at_the_limit() -> None:
    session = begin({"rounds": 2})
    await play(session, says())
    assert kinds(session) == [
        *rounds(2, "verdict discriminative"),
        "candidates 2",
        "verdict extractive 2",
        "result",
    ]


async def test_extract_always_asks_after_a_break_too() -> None:
    session = begin({"extract": "always"})
    await play(session, says(breaks_in=1))
    assert kinds(session) == [
        *rounds(1, "verdict discriminative", *EXTRACTED),
        "result",
    ]


async def test_forced_runs_all_rounds_and_asks_the_adaptive_judge_until_it_would_have_stopped() -> (
    None
):
    session = begin({"stop": "forced"})
    await play(session, says(breaks_in=2))
    assert kinds(session) == [
        *rounds(2, "verdict discriminative", *EXTRACTED),
        *rounds(1, *EXTRACTED, start=3),
        "result",
    ]
    result = session.events[-1]
    assert isinstance(result, DebateResult)
    assert (result.adaptive_round, result.rounds, result.decided_by) == (
        2,
        3,
        "extractive",
    )


async def test_the_seeded_opening_asks_the_baseline_first() -> None:
    session = begin({"opening": "seeded", "rounds": 1})
    await play(session, says(breaks_in=1))
    assert kinds(session) == [
        "baseline",
        *rounds(1, "verdict discriminative"),
        "result",
    ]


async def test_the_observer_rates_each_round_before_the_judge() -> None:
    session = begin({"rounds": 2, "disagreement": "stance"}, lineup=seats("observer"))
    await play(session, says(breaks_in=2))
    assert kinds(session) == [*rounds(2, "stance", "verdict discriminative"), "result"]


async def test_without_an_observer_nobody_rates() -> None:
    session = begin({"disagreement": "stance"})
    await play(session, says(breaks_in=1))
    assert kinds(session) == [*rounds(1, "verdict discriminative"), "result"]


async def test_six_debaters_speak_in_their_order() -> None:
    session = begin({"debaters": 6, "rounds": 1})
    await play(session, says(breaks_in=1))
    order = ["affirmative", "negative", "debater3", "debater4", "debater5", "debater6"]
    assert [
        event.role for event in session.events if isinstance(event, Speech)
    ] == order


@pytest.mark.parametrize("events", [2, 3, 5, 6])
async def test_rounds_lowered_in_mid_debate_end_it_after_the_round_that_has_begun(
    events: int,
) -> None:
    session = begin({"rounds": 5})
    whole = Session(session.header, [])
    await play(whole, says())
    for event in whole.events[:events]:
        add(session, event)
    add(session, Change(field="settings.rounds", old=5, new=1))
    await play(session, says())
    begun = 1 if events < 4 else 2
    assert session.events[-1] == DebateResult(
        number=len(session.events),
        answer="eight",
        decided_by="extractive",
        supported_side="tie",
        side_by="match",
        rounds=begun,
        disagreement=session.events[-1].disagreement,  # type: ignore[attr-defined]
    )


async def test_rounds_raised_at_the_limit_let_it_go_on() -> None:
    session = begin({"rounds": 1})
    while upcoming(session) != DebateStep("result", "", 1):
        await play_one(session)
    add(session, Change(field="settings.rounds", old=1, new=2))
    await play(session, says())
    assert kinds(session)[-6:] == [
        "speech affirmative 2",
        "speech negative 2",
        "verdict discriminative 2",
        "candidates 2",
        "verdict extractive 2",
        "result",
    ]


async def play_one(session: Session) -> None:
    from verifytui.tests.support.playing import Told, step

    await step(session, Told(says()))


async def test_failures_notes_and_other_changes_do_not_matter() -> None:
    session = begin({"rounds": 2})
    while upcoming(session) is not None:
        before = upcoming(session)
        for event in (
            Failure(role="judge", kind="server", message="m"),
            Note(text="n"),
            Change(field="title", new="t"),
        ):
            add(session, event)
        assert upcoming(session) == before
        await play_one(session)
    assert [
        name for name in kinds(session) if name.startswith(("speech", "verdict"))
    ] == [
        *rounds(2, "verdict discriminative"),
        "verdict extractive 2",
    ]


async def test_a_preference_without_an_answer_or_an_answer_without_a_preference_goes_on() -> (
    None
):
    for one in (
        Verdict(
            role="judge",
            round=1,
            mode="discriminative",
            preference=True,
            answer=None,
            read="json",
        ),
        Verdict(
            role="judge",
            round=1,
            mode="discriminative",
            preference=False,
            answer="eight",
            read="json",
        ),
        Verdict(role="judge", round=1, mode="discriminative", read="unread"),
    ):
        session = begin()
        for role in ("affirmative", "negative"):
            add(session, Speech(role=role, round=1))
        add(session, one)
        assert upcoming(session) == DebateStep("speech", "affirmative", 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rounds", "three"),
        ("rounds", -1),
        ("rounds", None),
        ("debaters", 99),
        ("debaters", "two"),
        ("level", 7),
        ("stop", []),
        ("opening", 3),
    ],
)
async def test_a_file_with_a_setting_that_cannot_be_is_played_with_the_default(
    name: str, value: object
) -> None:
    session = begin()
    session.header.settings[name] = value
    await play(session, says())
    assert kinds(session) == [
        *rounds(3, "verdict discriminative"),
        "candidates 3",
        "verdict extractive 3",
        "result",
    ]


def test_nothing_follows_a_result() -> None:
    session = begin()
    add(session, DebateResult(answer="eight", decided_by="discriminative"))
    assert upcoming(session) is None

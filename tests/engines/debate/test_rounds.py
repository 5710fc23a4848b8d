"""The rounds of a debate as a table: who answered what, who moved, what the judge
ruled.
"""

from __future__ import annotations

from verifytui.engines.debate.rounds import Ruling, SeatAnswer, rounds
from verifytui.sessions.events.debate import Speech, Verdict
from verifytui.sessions.session import Session
from verifytui.tests.support.playing import begin
from verifytui.tests.support.telling import add

SIDES = ("affirmative", "negative", "debater3")


def said(session: Session, number: int, *answers: str | None) -> None:
    for role, answer in zip(SIDES, answers, strict=False):
        add(session, Speech(role=role, round=number, answer=answer))


def judged(
    session: Session, number: int, preference: bool | None, **more: object
) -> None:
    made = {
        "mode": "discriminative",
        "read": "json" if preference is not None else "unread",
        **more,
    }
    add(session, Verdict(role="judge", round=number, preference=preference, **made))  # type: ignore[arg-type]


def three() -> Session:
    session = begin({"debaters": 3})
    said(session, 1, "2", "1.5", None)
    judged(session, 1, None)
    said(session, 2, "2.0", None, "1.5")
    judged(session, 2, False, supported_side="negative")
    said(session, 3, "1.5", "2", "1.5")
    judged(session, 3, True, supported_side="tie", answer="1.5")
    return session


def test_a_seat_has_moved_where_it_says_something_else_than_it_said_last() -> None:
    first, second, third = rounds(three())
    assert first.stated == {
        "affirmative": SeatAnswer("2"),
        "negative": SeatAnswer("1.5"),
        "debater3": SeatAnswer(None),
    }
    assert second.stated == {
        "affirmative": SeatAnswer("2.0"),
        "negative": SeatAnswer(None),
        "debater3": SeatAnswer("1.5"),
    }
    assert third.stated == {
        "affirmative": SeatAnswer("1.5", "2.0"),
        "negative": SeatAnswer("2", "1.5"),
        "debater3": SeatAnswer("1.5"),
    }


def test_an_unread_verdict_is_unread_and_an_early_end_an_end() -> None:
    assert [row.ruling for row in rounds(three())] == [
        Ruling("unread"),
        Ruling("goes_on", "negative"),
        Ruling("ends", "tie", "1.5"),
    ]


def test_disagreement_stands_in_whole_rounds_alone() -> None:
    session = three()
    said(session, 4, "1.5", "1.5")
    assert [(row.whole, row.disagreement) for row in rounds(session)] == [
        (True, 1.0),
        (True, 1.0),
        (True, 2 / 3),
        (False, None),
    ]
    assert "debater3" not in rounds(session)[-1].stated


def test_the_newest_rounds_are_those_of_the_whole_table() -> None:
    session = three()
    for last in (1, 2, 3, 9):
        assert rounds(session, last) == rounds(session)[-last:]


def test_a_forced_debate_would_have_ended_and_its_extractions_decide() -> None:
    session = begin({"rounds": 2, "stop": "forced"})
    said(session, 1, "2", "1.5")
    judged(session, 1, False)
    judged(session, 1, True, mode="extractive", supported_side="negative", answer="1.5")
    said(session, 2, "1.5", "1.5")
    judged(session, 2, True, supported_side="negative", answer="1.5")
    judged(session, 2, None, mode="extractive")
    assert [row.ruling for row in rounds(session)] == [
        Ruling("extracts", "negative", "1.5"),
        Ruling("would_end", "negative", "1.5"),
    ]

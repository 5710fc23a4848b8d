"""How a debate ends, and how far the debaters disagreed."""

from __future__ import annotations

import pytest
from verifytui.engines.debate.engine import result
from verifytui.engines.debate.rounds import disagreement
from verifytui.sessions.events.debate import Disagreement, Speech, Stance, Verdict
from verifytui.sessions.session import Session
from verifytui.tests.support.playing import begin, seats
from verifytui.tests.support.telling import add


def said(session: Session, number: int, *answers: str | None) -> None:
    for role, answer in zip(
        ("affirmative", "negative", "debater3", "debater4"), answers, strict=False
    ):
        add(session, Speech(role=role, round=number, answer=answer))


def judged(
    session: Session,
    number: int,
    *,
    answer: str | None,
    side: str | None = None,
    mode: str = "discriminative",
    preference: bool = True,
) -> None:
    add(
        session,
        Verdict(
            role="judge",
            round=number,
            mode=mode,
            preference=preference,
            answer=answer,
            supported_side=side,
            read="json",
        ),
    )  # type: ignore[arg-type]


def test_the_breaking_verdict_decides() -> None:
    session = begin()
    said(session, 1, "2", "1.5")
    judged(session, 1, answer="3/2", side="negative")
    ended = result(session)
    assert (
        ended.answer,
        ended.decided_by,
        ended.supported_side,
        ended.side_by,
        ended.rounds,
    ) == (
        "3/2",
        "discriminative",
        "negative",
        "judge",
        1,
    )
    assert ended.adaptive_round is None


def test_the_extractive_verdict_decides_at_the_limit_and_after_a_break() -> None:
    session = begin({"rounds": 1, "extract": "always"})
    said(session, 1, "2", "1.5")
    judged(session, 1, answer="2", side="affirmative")
    judged(session, 1, answer="1.5", side="negative", mode="extractive")
    assert (result(session).answer, result(session).decided_by) == ("1.5", "extractive")


def test_a_break_that_the_extractive_judge_leaves_open_stands() -> None:
    session = begin({"rounds": 1, "extract": "always"})
    said(session, 1, "2", "1.5")
    judged(session, 1, answer="2", side="affirmative")
    judged(session, 1, answer=None, mode="extractive")
    assert (result(session).answer, result(session).decided_by) == (
        "2",
        "discriminative",
    )


@pytest.mark.parametrize("stop", ["adaptive", "forced"])
def test_with_no_answer_it_is_undecided(stop: str) -> None:
    session = begin({"rounds": 1, "stop": stop})
    said(session, 1, "2", "1.5")
    judged(session, 1, answer="2", preference=stop == "forced")
    judged(session, 1, answer=None, mode="extractive")
    ended = result(session)
    assert (ended.answer, ended.decided_by, ended.supported_side, ended.side_by) == (
        None,
        "undecided",
        None,
        None,
    )
    assert ended.adaptive_round == (1 if stop == "forced" else None)


@pytest.mark.parametrize(
    ("answers", "side", "by"),
    [
        (("2", "1.5"), "negative", "match"),
        (("3/2 m/s", "150 %"), "tie", "match"),
        (("2", "3"), "tie", "match"),
        ((None, "1.5"), "negative", "match"),
        ((None, "2"), None, None),
        ((None, None), None, None),
    ],
)
def test_a_side_that_the_judge_did_not_name_is_matched_by_its_last_answer(
    answers: tuple[str | None, str | None], side: str | None, by: str | None
) -> None:
    session = begin({"rounds": 2})
    said(session, 1, "1.5", "1.5")
    said(session, 2, *answers)
    judged(session, 2, answer="1.5", mode="extractive")
    assert (result(session).supported_side, result(session).side_by) == (side, by)


def test_disagreement_of_answers_is_the_share_of_pairs_that_differ() -> None:
    session = begin({"debaters": 4})
    said(session, 1, "2", "1.5", "3/2", None)
    said(session, 2, "2", "2.0", "2 m/s", "200 %")
    said(session, 3, None, None, None, "2")
    said(session, 4, "2", "3")
    found = disagreement(session)
    assert found == Disagreement(
        mode="answer", per_round=[2 / 3, 0.0, None], mean=1 / 3, excluded=3 + 6
    )


def test_disagreement_of_stance_is_the_observers_rating() -> None:
    session = begin({"disagreement": "stance"}, lineup=seats("observer"))
    for number, value in ((1, 1.0), (2, None), (3, 0.5)):
        said(session, number, "2", "3")
        add(session, Stance(role="observer", round=number, value=value))
    assert disagreement(session) == Disagreement(
        mode="stance", per_round=[1.0, None, 0.5], mean=0.75, excluded=1
    )


def test_without_an_observer_stance_is_not_measured() -> None:
    session = begin({"disagreement": "stance"})
    said(session, 1, "2", "3")
    assert disagreement(session) == Disagreement(mode="none")

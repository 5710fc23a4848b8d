"""What is counted of one debate."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.debate.batch import answers, measures
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.sessions.session import Seat, Session
from verifytui.tests.support.playing import begin, choice, listed, play, verdict

ITEM = Item("spider", "spider", "", {"kind": "question", "answers": ["8"]})


def found(name: str, session: Session, item: Item = ITEM) -> list[MeasuredValue]:
    return list(measures()[name].of(session, item))


async def debate(
    settings: dict[str, Any], said: dict[str, list[str]], judge: list[str], **given: Any
) -> Session:
    """Each seat states its answers in turn, the judge says what is left of `judge`."""
    session = begin(settings, **given)
    told = {role: iter(texts) for role, texts in {**said, "judge": judge}.items()}

    def answer(role: str, *_: object) -> str:
        text = next(told[role])
        if role == "judge":
            return text
        return f"So it is.\n\nAnswer: {text}"

    await play(session, answer)
    return session


async def test_after_its_end_a_debate_keeps_its_answer_and_before_it_is_undecided() -> (
    None
):
    said = {"affirmative": ["6", "8"], "negative": ["8", "8"]}
    session = await debate({}, said, [verdict(), verdict(True, "8", "negative")])
    assert found("accuracy_by_round", session) == [
        MeasuredValue(0.0, "undecided", 1),
        MeasuredValue(1.0, "right", 2),
        MeasuredValue(1.0, "right", 3),
    ]
    assert [one.answer for one in answers(session)] == [None, "8", "8"]
    assert found("disagreement", session) == [
        MeasuredValue(0.5, "measured"),
        MeasuredValue(1.0, "measured", 1),
        MeasuredValue(0.0, "measured", 2),
        MeasuredValue(0.0, "measured", 3),
    ]
    assert found("rounds", session) == [MeasuredValue(2.0, "measured")]


async def test_a_judge_that_ends_a_debate_does_not_make_its_sides_agree() -> None:
    said = {"affirmative": ["6"], "negative": ["8"]}
    session = await debate({}, said, [verdict(True, "8", "negative")])
    assert [(one.value, one.round) for one in found("disagreement", session)] == [
        (1.0, None),
        (1.0, 1),
        (1.0, 2),
        (1.0, 3),
    ]
    running = session.prefix(len(session.events) - 1)
    assert [one.round for one in found("disagreement", running)] == [None, 1]


async def test_a_forced_debate_has_the_answer_extracted_after_each_round() -> None:
    said = {"affirmative": ["6", "8"], "negative": ["8", "8"]}
    judge = [
        verdict(),
        listed("6", "8"),
        choice("6"),
        verdict(),
        listed("8"),
        choice("8"),
    ]
    session = await debate({"stop": "forced", "rounds": 2}, said, judge)
    assert found("accuracy_by_round", session) == [
        MeasuredValue(0.0, "wrong", 1),
        MeasuredValue(1.0, "right", 2),
    ]


async def test_a_debate_that_is_not_finished_has_failed_in_the_rounds_that_it_lacks() -> (
    None
):
    said = {"affirmative": ["8", "8"], "negative": ["8", "8"]}
    whole = await debate({}, said, [verdict(), verdict(True, "8")])
    session = whole.prefix(3)
    assert [one.state for one in found("accuracy_by_round", session)] == [
        "undecided",
        "failed",
        "failed",
    ]
    assert found("disagreement", session)[0] == MeasuredValue(None, "failed")
    assert found("wins_affirmative", session) == found("rounds", session) == []


@pytest.mark.parametrize(
    ("judges", "wins"),
    [
        ("openai/a", [MeasuredValue(0.0, "wrong")]),
        ("openai/b", [MeasuredValue(1.0, "right")]),
        ("openai/c", []),
    ],
)
async def test_the_side_that_won_and_whether_it_has_the_judges_model(
    judges: str, wins: list[MeasuredValue]
) -> None:
    lineup = {
        "affirmative": Seat(model="openai/a"),
        "negative": Seat(model="openai/b"),
        "judge": Seat(model=judges),
    }
    said = {"affirmative": ["6"], "negative": ["8"]}
    session = await debate({}, said, [verdict(True, "8", "negative")], lineup=lineup)
    assert found("wins_negative", session) == [MeasuredValue(1.0, "right")]
    assert (
        found("wins_affirmative", session)
        == found("wins_none", session)
        == [MeasuredValue(0.0, "wrong")]
    )
    assert found("wins_debater3", session) == []
    assert found("wins_judge_model", session) == wins


async def test_a_translation_has_chrf_by_round_and_no_accuracy() -> None:
    said = {"affirmative": ["A dog barks."], "negative": ["The dog barks."]}
    session = await debate(
        {"disagreement": "answer"},
        said,
        [verdict(True, "The dog barks.")],
        kind="translation",
        topic="狗叫了。",
    )
    item = Item(
        "dog", "dog", "", {"kind": "translation", "answers": ["The dog barks."]}
    )
    assert [round(one.value or 0) for one in found("chrf_by_round", session, item)] == [
        100,
        100,
        100,
    ]
    assert found("accuracy_by_round", session, item) == []

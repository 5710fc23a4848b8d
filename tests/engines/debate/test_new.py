"""A new debate: what is given is checked, what is not gets its default."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.debate.method import new_debate, roles_needed
from verifytui.engines.debate.settings import SETTINGS
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.session import Seat
from verifytui.tests.support.playing import TOPIC, seats


def make(**given: Any) -> Any:
    return new_debate(
        **{"topic": TOPIC, "lineup": {}, "settings": {}, "prompts": load("en"), **given}
    )


def test_the_defaults() -> None:
    header = make()
    assert header.workspace == "debate"
    assert header.task == {"kind": "question", "topic": TOPIC, "from": None, "to": None}
    assert header.lineup == {
        role: Seat(model="script") for role in ("affirmative", "negative", "judge")
    }
    assert header.settings == {
        "debaters": 2,
        "level": 2,
        "rounds": 3,
        "opening": "free",
        "negative": "differs",
        "stop": "adaptive",
        "extract": "limit",
        "judge_history": "full",
        "disagreement": "answer",
        "control": "none",
        "resample_judge": 1,
        "hints": "none",
    }
    assert header.prompts.set == "en"
    assert header.prompts.templates == load("en").templates
    assert header.title == TOPIC


@pytest.mark.parametrize(
    "given", [{}, {"negative": "differs"}, {"negative": "unprompted"}]
)
def test_at_level_0_the_negative_side_is_never_told_to_differ(
    given: dict[str, Any],
) -> None:
    assert make(settings={"level": 0, **given}).settings["negative"] == "unprompted"
    assert make(settings={"level": 1, **given}).settings["negative"] == given.get(
        "negative", "differs"
    )


def test_a_translation_goes_from_chinese_to_english_and_is_measured_by_stance() -> None:
    header = make(topic="吃掉敌人一个师。", kind="translation")
    assert (header.task["from"], header.task["to"]) == ("zh", "en")
    assert header.settings["disagreement"] == "stance"
    assert "observer" not in header.lineup


def test_what_is_given_is_kept() -> None:
    header = make(
        lineup=seats("judge", "baseline", "observer", "debater3"),
        settings={"debaters": 3, "opening": "seeded", "rounds": 20},
        answers=["8"],
        wrong_answers=["6"],
        title="Legs",
    )
    assert list(header.lineup) == [
        "affirmative",
        "negative",
        "debater3",
        "judge",
        "observer",
        "baseline",
    ]
    assert header.lineup["debater3"].model == "openai/debater3"
    assert header.settings["rounds"] == 20
    assert (header.task["answers"], header.task["wrong_answers"], header.title) == (
        ["8"],
        ["6"],
        "Legs",
    )


def test_two_headers_share_nothing_that_can_change() -> None:
    one, other = make(), make()
    one.settings["rounds"] = 9
    one.lineup["judge"].params["seed"] = 1
    assert other.settings["rounds"] == 3
    assert other.lineup["judge"].params == {}
    assert make().lineup["negative"].params == {}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"topic": ""}, "topic is empty"),
        ({"topic": " \n\t"}, "topic is empty"),
        ({"topic": "x" * 100_001}, "100,000"),
        ({"topic": "漫" * 102_400}, "100,000"),
        ({"kind": "poem"}, "question or translation"),
        ({"source_lang": "zh"}, "languages"),
        (
            {"kind": "translation", "source_lang": "en", "target_lang": "en"},
            "two different",
        ),
        ({"kind": "translation", "source_lang": "z\nh"}, "is not a language"),
        ({"settings": {"debaters": 1}}, "from 2 to 6"),
        ({"settings": {"debaters": 7}}, "from 2 to 6"),
        ({"settings": {"rounds": 0}}, "from 1 to 20"),
        ({"settings": {"rounds": 21}}, "from 1 to 20"),
        ({"settings": {"rounds": "3"}}, "from 1 to 20"),
        ({"settings": {"level": 4}}, "from 0 to 3"),
        ({"settings": {"level": True}}, "from 0 to 3"),
        ({"settings": {"opening": "late"}}, "free or seeded"),
        ({"settings": {"negative": "agrees"}}, "differs or unprompted"),
        ({"settings": {"stop": "never"}}, "adaptive or forced"),
        ({"settings": {"extract": "never"}}, "limit or always"),
        ({"settings": {"judge_history": "none"}}, "full or first-round"),
        ({"settings": {"disagreement": "feeling"}}, "answer or stance"),
        ({"settings": {"tempo": 3}}, "tempo"),
        ({"lineup": seats("jury")}, "jury"),
        ({"lineup": seats("debater3")}, "debater3"),
        ({"answers": "8"}, "answers"),
        ({"wrong_answers": [""]}, "wrong_answers"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        make(**given)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_longest_topic_is_taken() -> None:
    assert len(make(topic="x" * 100_000).title) <= 80


def test_roles_needed() -> None:
    assert roles_needed(SETTINGS.defaults()) == ["affirmative", "negative", "judge"]
    assert roles_needed({"debaters": 4, "opening": "seeded"}) == [
        "affirmative",
        "negative",
        "debater3",
        "debater4",
        "judge",
        "baseline",
    ]

"""What a reader of cases is shown beside them: phrases that two cases share, and titles
that tell cases apart.
"""

from __future__ import annotations

import pytest
from verifytui.engines.relevance.phrases import shared
from verifytui.engines.relevance.titles import titles


def words(one: str, other: str) -> tuple[list[str], list[str]]:
    found = shared(one, other)
    return [one[start:end] for start, end in found.one], [
        other[start:end] for start, end in found.other
    ]


def test_shared_phrases_are_the_longest_runs_that_mean_something() -> None:
    one = "公诉机关指控，被告人张三酒后驾驶小型轿车，撞伤行人后逃离现场。"
    other = "公诉机关指控，李四酒后驾驶小型轿车被查获；被告人王五逃离现场。"
    assert words(one, other) == (["酒后驾驶小型轿车", "逃离现场"],) * 2
    assert words(
        "被告人对公诉机关指控的事实无异议。", "被告人对公诉机关指控的事实无异议。"
    ) == ([], [])


def test_shared_phrases_of_words() -> None:
    one, other = words(
        "He took a gold watch from the house at night.",
        "From the house they TOOK A GOLD WATCH, at night.",
    )
    assert (one, other) == (["took a gold watch"], ["TOOK A GOLD WATCH"])
    assert words("It was about the victim.", "It was about the victim.") == ([], [])


@pytest.mark.parametrize(
    "unit", ["盗窃", "the defendant struck him hard. ", "\u200b\x1b[31m", ""]
)
def test_what_repeats_itself_is_no_burden(unit: str) -> None:
    text = unit * (20_000 // max(len(unit), 1))
    found = shared(text, text)
    assert all(
        0 <= start < end <= len(text) for start, end in (*found.one, *found.other)
    )


CASES = {
    "a": "公诉机关指控：2018年4月17日，被告人莫某冒充飞行员身份，诈骗被害人6200元，以诈"
    "骗罪提起公诉。",
    "b": "公诉机关指控：2019年1月3日23时许，在本市铁路二村旅社，被告人魏某趁住客外出之"
    "际，进入房间。",
    "c": "诈骗罪。经审理查明，2017年3月9日14时许，被告人朱某以借车为名，把车开走。",
}


def test_a_title_is_the_first_clause_of_a_cases_own() -> None:
    title = titles(CASES)
    assert [title(id_) for id_ in CASES] == [
        "莫某冒充飞行员身份",
        "魏某趁住客外出之际",
        "朱某以借车为名",
    ]


def test_what_most_cases_say_is_no_title_and_no_charge_is() -> None:
    many = {
        str(n): f"The accused was tried at Leeds. He was convicted of burglary. Victim "
        f"{n} lost a {what}."
        for n, what in enumerate("xyz")
    }
    title = titles(
        {**many, "own": "The accused was tried at Leeds. He forged three cheques."}
    )
    assert title("own") == "He forged three cheques"
    assert "burglary" not in "".join(map(title, many))
    assert titles({"x": "盗窃罪。"})("x") == ""
    assert titles({})("unknown") == ""

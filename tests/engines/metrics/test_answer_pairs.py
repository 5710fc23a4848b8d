"""Answers that say the same and that do not, and where replies put their answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.metrics.containment import accepted_step
from verifytui.engines.metrics.equivalence import same
from verifytui.engines.metrics.stated_answer import closing

PAIRS = Path(__file__).parent / "pairs"


def _pairs(kind: str) -> list[tuple[str, str]]:
    """All pairs of a kind, one JSON list a line."""
    return [
        tuple(json.loads(line))
        for path in sorted(PAIRS.glob(f"{kind}_*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


RIGHT, WRONG = _pairs("right"), _pairs("wrong")


def test_there_are_enough_pairs_each_once() -> None:
    assert len(RIGHT) > 300
    assert len(WRONG) > 300
    assert len({*RIGHT, *WRONG}) == len(RIGHT) + len(WRONG)


def test_95_per_cent_of_the_right_pairs_are_accepted() -> None:
    rejected = [pair for pair in RIGHT if not same(*pair)]
    assert len(rejected) <= 0.05 * len(RIGHT), rejected


def test_no_more_than_half_a_per_cent_of_the_wrong_pairs_are_accepted() -> None:
    accepted = [pair for pair in WRONG if same(*pair)]
    assert len(accepted) <= 0.005 * len(WRONG), accepted


def test_the_order_of_a_pair_says_nothing() -> None:
    turned = [pair for pair in RIGHT + WRONG if same(*pair) != same(*reversed(pair))]
    assert turned == []


ENDINGS = (
    "Answer: {}",
    "Answer: {}.",
    "**Answer:** {}",
    "**Final answer: {}**",
    "### Answer\n{}",
    "I checked it twice. Answer: {}.",
    "The answer is {}.",
    "So the final answer is **{}**.",
    "Therefore, the answer (arabic numerals) is {}.",
    "The final answer is $\\boxed{{{}}}$.",
    "$\\boxed{{{}}}$",
    "\\[\\boxed{{{}}}\\]",
    "\\[\n\\boxed{{{}}}\n\\]",
    "$$\\boxed{{{}}}$$",
    "#### {}",
    "<answer>{}</answer>",
    "<answer>\n{}\n</answer>",
    '{{"answer": "{}"}}',
    '```json\n{{"reason": "3 steps",\n "answer": "{}"}}\n```',
    "So they have in total: **{}**",
    "因此，一共是{}",
    "所以答案是{}。",
    "答：{}",
    "最终答案：{}",
)
WORKED = "First 3 x 4 = 12.\nThen we add what is left.\n"


@pytest.fixture
def problems(shared: Path) -> list[str]:
    """The answers of 100 problems of GSM8K."""
    path = shared / "gsm8k-sample" / "gsm8k.jsonl"
    if not path.is_file():
        pytest.skip("needs the sample of GSM8K in ../shared/data/gsm8k-sample")
    lines = path.read_text("utf-8").splitlines()[:100]
    return [json.loads(line)["answer"] for line in lines]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_right_answer_is_found_at_every_ending(
    problems: list[str], ending: str
) -> None:
    missed = [
        gold for gold in problems if not _accepted(WORKED + ending.format(gold), gold)
    ]
    assert missed == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_answer_near_by_is_wrong_at_every_ending(
    problems: list[str], ending: str
) -> None:
    taken = [
        (near, gold)
        for gold in problems
        for near in _near(gold)
        if _accepted(WORKED + ending.format(near), gold)
    ]
    assert taken == []


def _accepted(reply: str, gold: str) -> bool:
    answer = closing(reply)
    return answer is not None and accepted_step(answer, [gold]) is not None


def _near(gold: str) -> list[str]:
    value = gold.replace(",", "")
    if value == "0":  # -0, 00 and 0 % are 0
        return ["1", "10", "0.5"]
    near = [f"{value}0", f"-{value}", f"{value}%", f"{value}.5"]
    if value.isdecimal():
        return [*near, str(int(value) + 1)]
    return near


@pytest.mark.parametrize(
    "text",
    [
        "The answer is not \\boxed{24}.",
        "My opponent says \\boxed{24}.",
        "> <answer>24</answer>\nThat is wrong.",
        '{"answer": "24", "final answer": "25"}',
        "#### 24\nI disagree with that.",
        "They did not have in total: **24**",
        "If so, the total is 24.",
        "\\boxed{24}\nWait, that is a mistake.",
    ],
)
def test_an_answer_that_is_denied_or_anothers_is_none(text: str) -> None:
    assert closing(WORKED + text) is None


def test_of_several_forms_the_last_counts() -> None:
    assert closing("\\boxed{3}\nNo.\nAnswer: 4") == "4"
    assert closing("Answer: 3\nOnce more.\n\\[\\boxed{4}\\]") == "4"
    assert closing("<answer>3</answer>\n#### 4") == "4"
    assert closing("#### 1\nWe compute.\nThe answer is 4.") == "4"

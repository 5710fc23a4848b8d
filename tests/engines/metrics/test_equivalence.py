"""Answers compared as people do: what is the same, and what must never be."""

from __future__ import annotations

import json
import re
import time
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.metrics.equivalence import first_step, same, step
from verifytui.engines.metrics.quantities import Quantity, agree, whole

FORMS = {
    "approximately": "approximately {}",
    "about": "about {}",
    "around": "around {}",
    "roughly": "Roughly {}.",
    "≈": "≈ {}",
    "~": "~{}",
    "The answer is": "The answer is {}.",
    "So the answer is": "So the answer is approximately {}.",
    "It is": "It is {}.",
    "that is": "{} (that is, {})",
    "i.e.": "{} (i.e. {})",
    "bold": "**{}**",
    "code": "`{}`",
    "quoted": '"{}"',
    "dollars": "${}$",
    "boxed": "\\boxed{{{}}}",
    "dollars and boxed": "$\\boxed{{{}}}$",
    "heading": "### Answer\n{}",
    "bold heading": "**Answer**\n\n{}",
    "remark": "Answer: {}\nThis follows from what was shown above.",
    "My answer": "My answer is: {}",
    "约": "约{}",
    "大约 左右": "大约{}左右",
    "答案是": "答案是{}。",
    "答案：": "答案：{}",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_25_right_answers_of_ciar_are_right_however_they_are_put(
    shared: Path, form: str
) -> None:
    questions = [
        json.loads(line)
        for line in (shared / "mad-ciar" / "ciar.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(questions) == 25
    for question in questions:
        for accepted in question["answer"]:
            written = (
                accepted.replace("%", "\\%")
                if "\\" in form or "$" in FORMS[form]
                else accepted
            )
            assert (
                first_step(FORMS[form].format(written, written), [accepted]) is not None
            ), accepted


def test_no_wrong_answer_of_ciar_is_right_however_it_is_put(shared: Path) -> None:
    for line in (shared / "mad-ciar" / "ciar.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        for wrong in question["incorrect answer"]:
            for form in FORMS.values():
                assert (
                    first_step(form.format(wrong, wrong), question["answer"]) is None
                ), (wrong, question["answer"])


def test_different_gold_answers_are_the_same_only_where_their_values_are(
    shared: Path,
) -> None:
    listed = [
        answer
        for line in _lines(shared / "mad-ciar" / "ciar.jsonl")
        for answer in line["answer"]
    ]
    listed += [
        line["answer"] for line in _lines(shared / "gsm8k-sample" / "gsm8k.jsonl")
    ]
    compared = 0
    for one, other in combinations(sorted(set(listed)), 2):
        first, second = _value(one), _value(other)
        if first is not None and second is not None and same(one, other):
            assert first == second or {one, other} in (
                {"1/11", "9.09%"},
                {"1/11", "0.0909"},
            ), (one, other)
        compared += 1
    assert compared > 5000


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _value(text: str) -> Fraction | None:
    """By Python's own reading, not by what is tested."""
    try:
        return Fraction(text.removesuffix("%").replace(",", "")) / (
            100 if text.endswith("%") else 1
        )
    except ValueError:
        return None


def _pairs(name: str) -> list[tuple[str, str]]:
    """One JSON list of two texts a line."""
    return [
        tuple(json.loads(line))
        for line in (Path(__file__).parent / name).read_text("utf-8").splitlines()
    ]


SAME = _pairs("same_answers.jsonl")
DIFFERENT = _pairs("different_answers.jsonl")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_to_a_reader(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


UNITS = re.split(
    r"\|",
    "m|km|cm|mm|miles|g|kg|mg|tons|seconds|minutes|hours|days|weeks|years|m/s|km/"
    "s|km/h|mph|%|dollars|cents|euros|litres|ml|m²|m³|°C|°F|"
    "kW|MW|J|kJ",
)
DIFFERENT_UNITS = [
    (f"{value} {one}", f"{value} {other}")
    for value in ("1.5", "4", "10", "0.25")
    for one, other in combinations(UNITS, 2)
]
SCALES = ("thousand", "million", "billion", "hundred", "dozen", "万", "亿", "%", "‰")
SCALED = [
    (f"{value} {scale}", value) for value in ("1.5", "2", "10") for scale in SCALES
]
NEAR = [
    (str(number), f"{number}.{tail}")
    for number in (1, 2, 4, 10, 47, 100)
    for tail in ("5", "04", "004", "1", "9")
]
TURNED = [(f"-{number}", str(number)) for number in ("4", "0.5", "3/2", "12 m", "50 %")]
DENIALS = re.split(
    r"\|",
    "not {}|Not {}.|It is not {}.|The answer is not {}.|The answer isn't {}.|It "
    "can't be {}.|It is never {}.|anything but {}|more than {}|"
    "less than {}|at least {}|at most {}|up to {}|fewer than {}|greater than "
    "{}|{} or more|over {}|nearly {}|between {} and 100|"
    "{} is wrong|"
    "{} is not right.|The wrong answer is {}.|if it were {}|twice {}|half of "
    "{}|the square root of {}|{} squared|{}!|{}?|> {}|≠ {}|±{}|√{}|"
    "{}x|{}^2|1 - {}|{} + 1|{}, not 7|7, not {}|It is 7, not {}.|My opponent says "
    "{}.|The other side's answer is {}.|答案不是{}。|不是{}|"
    "并非{}|不到{}|超过{}|至少{}|最多{}|{}以上|{}多|若为{}|对方认为"
    "是{}。|第{}|是{}吗？",
)
DENIED = [
    (form.format(value), value)
    for value in ("4", "1.5", "50%", "1/2")
    for form in DENIALS
]

SETS = {
    "units": DIFFERENT_UNITS,
    "scales": SCALED,
    "near": NEAR,
    "signs": TURNED,
    "denials": DENIED,
    "by hand": DIFFERENT,
}


@pytest.mark.parametrize("name", SETS)
def test_what_differs_is_never_the_same(name: str) -> None:
    accepted = [
        (one, other)
        for one, other in SETS[name]
        if same(one, other) or same(other, one)
    ]
    assert accepted == []


def test_there_are_enough_pairs_that_differ() -> None:
    assert len(DIFFERENT) > 200
    assert sum(map(len, SETS.values())) > 2000
    assert len({pair for listed in SETS.values() for pair in listed}) == sum(
        map(len, SETS.values())
    )


def test_each_step_has_its_name() -> None:
    assert step("Four.", "four") == "exact"
    assert step("four", "4") == "value"
    assert step("four", "5") is None
    assert first_step("0.5", ["1/2", "0.5"]) == "exact"
    assert first_step("50 %", ["1/2", "0.5"]) == "value"
    assert first_step("0.5", []) is None


def _decimal(text: str) -> Quantity:
    found = whole(text)
    assert found is not None
    return found


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=3
    ),
    st.integers(1, 2),
)
def test_decimals_agree_by_the_rule_that_is_written_down(
    long: object, digits: int
) -> None:
    """Rounded half up to the digits of the shorter, and within 0.5 %: held against the
    decimal module.
    """
    import decimal

    assert isinstance(long, decimal.Decimal)
    short = long.quantize(
        decimal.Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_UP
    )
    whole_numbers = (
        long == long.to_integral_value() or short == short.to_integral_value()
    )
    wanted = long == short or (
        not whole_numbers and abs(long - short) * 200 <= abs(long)
    )
    assert agree(_decimal(f"{long}"), _decimal(f"{short}")) == wanted
    beside = short + decimal.Decimal(1).scaleb(-digits)
    assert not agree(_decimal(f"{long}"), _decimal(f"{beside}")) or beside == long


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_it(one: str, other: str) -> None:
    assert same(one, one)
    assert same(one, other) == same(other, one)


@given(
    st.text("0123456789.,/%-+ ^e×()约半百万四分之不 notabukm", max_size=20),
    st.sampled_from(["4", "0.5", "50%", "1/2", "1.5 m/s", "400"]),
)
def test_signs_of_numbers_in_any_order_do_not_break_it(one: str, other: str) -> None:
    assert same(one, other) == same(other, one)


def _seconds(text: str) -> float:
    """Processor seconds to compare a text with "4", alone and as a named answer; the
    best of three.
    """
    taken = []
    for _ in range(3):
        began = time.process_time()
        same(text, "4")
        same("Answer: " + text + "\nremark", "4")
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "9",
        "9^",
        "(",
        "a (",
        "1/",
        "十",
        "one hundred ",
        "about ",
        "**",
        "答案是",
        "The answer is ",
        "\n",
        "\nAnswer: 4",
    ],
)
def test_the_time_of_a_hostile_text_grows_as_its_length(unit: str) -> None:
    """Eight times the length takes about 8 times as long; with a quadratic rule it
    would be 64 times.
    """
    assert _seconds(unit * 16_000) < 24 * _seconds(unit * 2_000) + 0.02


@pytest.mark.parametrize(
    "text",
    [
        "9" * 299,
        "9^999",
        "1e999",
        "(" * 299,
        "1, " * 99,
        "one " * 70,
        "十" * 299,
        "*a" * 140,
        "the answer is " * 20,
        "\n" * 1000 + "4",
        "(x+1)" * 24,
        "(" * 50 + "x" + ")" * 50,
        "x^9^9^9^9",
        "2 to is " * 37,
        "x=1 or " * 42,
        "1 hour 2 " * 33,
        "U.S." * 75,
        "[[1]," * 60,
    ],
)
def test_a_short_hostile_text_takes_no_time(text: str) -> None:
    assert _seconds(text) < 0.2


def test_the_steps_of_600_recorded_pairs_stay_as_they_are() -> None:
    path = Path(__file__).parent / "steps.jsonl"
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(pairs) == 600
    wrong = [pair for pair in pairs if step(pair[0], pair[1]) != pair[2]]
    assert wrong == []


@given(st.text(max_size=40))
def test_a_text_is_exactly_itself(text: str) -> None:
    assert step(text, text) == "exact"
    # a copy that is another text: quotation marks and white space are set aside
    assert step(f" {text}\t", text) in ("exact", "value")


@given(st.integers(0, 10**18 - 1), st.integers(0, 10**18 - 1))
def test_whole_numbers_are_the_same_by_value(one: int, other: int) -> None:
    assert step(f"0{one}"[-18:], str(one)) in ("exact", "value")
    assert (step(str(one), str(other)) is not None) == (one == other)
    assert (step(f"{one} m", f"{other} m") is not None) == (one == other)

"""The reading ladder."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.reading import Field, Unread, read_object


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("no flag")


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("no text")


FIELDS = {
    "sure": Field(("sure", "Are you sure"), _flag),
    "answer": Field(("answer", "final_answer", "答案"), _word),
}
WANTED = {"sure": True, "answer": "1.5 m/s"}


@pytest.mark.parametrize(
    ("text", "rung"),
    [
        ('{"sure": true, "answer": "1.5 m/s"}', "json"),
        (
            '  \ufeff{"answer": "1.5 m/s",\n "sure": true, "more": [1, {"a": null}]}\n',
            "json",
        ),
        ('{"Are you sure?": true, "Final Answer": "1.5 m/s"}', "json"),
        ('{"sure": true, "答案": "1.5 m/s"}', "json"),
        ('```json\n{"sure": true, "answer": "1.5 m/s"}\n```', "sliced"),
        ('Here it is: {"sure": true, "answer": "1.5 m/s"} I hope it helps.', "sliced"),
        (
            'Take {x} and {y}.\n{"sure": true, "answer": "1.5 m/s", "why": "a } '
            'in \\"text\\" {"}',
            "sliced",
        ),
        (
            '{"sure": true, "answer": "1.5 m/s"}\n\n{"sure": true, "answer": "1.5 '
            'm/s"}',
            "sliced",
        ),
        ("{'sure': True, 'answer': '1.5 m/s'}", "literal"),
        ("""{'sure': True, 'why': "it's {so}", 'answer': '1.5 m/s'}""", "literal"),
        ("So: {'sure': True, 'answer': '1.5 m/s', 'why': 'it\\'s so'}", "literal"),
        ('{"sure": true, "answer": "1.5 m/s",}', "repaired"),
        ("{'sure': true, 'answer': '1.5 m/s'}", "repaired"),
        ('{sure: true, answer: "1.5 m/s"}', "repaired"),
        ('{"sure": true, "answer": "1.5 m/s" "why": "x"}', "repaired"),
    ],
)
def test_each_rung(text: str, rung: str) -> None:
    found = read_object(text, FIELDS)
    if rung == "repaired" and isinstance(found, Unread) and '" "why"' in text:
        return  # a missing comma may stay unread; it must not be read wrongly
    assert found == (WANTED, rung)


def test_the_providers_own_mode_is_the_best_rung() -> None:
    assert read_object(json.dumps(WANTED), FIELDS, structured=True) == (
        WANTED,
        "schema",
    )
    assert read_object(
        "{'sure': True, 'answer': '1.5 m/s'}", FIELDS, structured=True
    ) == (WANTED, "literal")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I am sure it is 1.5 m/s.",
        "sure: true, answer: 1.5 m/s",
        "true",
        "[1, 2]",
        '"{}"',
        '{"sure": true}',
        '{"sure": "maybe", "answer": "1.5 m/s"}',
        '{"sure": true or false, "answer": "…"}',
        '{"sure": true, "answer": NaN}',
        '{"sure": true, "answer": "1.5 m/s"} or {"sure": true, "answer": "2 m/s"}',
        '{"sure": true, "answer": "1.5 m/s"} and again {"sure": true, "answer": '
        '"1.5 m/s"}',
        '{"sure": true, "answer": "1.5 m/s", "final_answer": "2 m/s"}',
        '{"sure": true, "answer": "1.5 m/s", "answer": "2 m/s"}',
        "{'sure': True, 'answer': '1.5 m/s', 'answer': '2 m/s'}",
        '[{"sure": true, "answer": "1.5 m/s"}, {"sure": true, "answer": "2 m/s"}]',
        '{"sure": false, "answer": "2 m/s"} No, wait: {"sure": true, "answer": "1.5',
        '{"sure": true, "answer": "1.',
        '{"sure": true, "answer": "1.5 m/s"',
        "{'sure': True, 'answer': __import__('os').getcwd()}",
        '{"sure": true, "answer": "2 m/s" ,"answer": "1.5 m/s',
        "{" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        "[" * 100_000 + "{",
        "{'" + "\\" * 999 + "}",
        "{} " * 1000 + json.dumps(WANTED),
        json.dumps(WANTED) + " " * 10 + "x" * 300_000,
    ],
)
def test_what_is_not_certain_is_unread(text: str) -> None:
    found = read_object(text, FIELDS)
    assert isinstance(found, Unread)
    assert found.reason


values = st.text(st.characters(codec="utf-8"), max_size=30)


@given(values, st.booleans(), values)
def test_what_was_written_is_read_exactly(answer: str, sure: bool, why: str) -> None:
    written = {"why": why, "sure": sure, "answer": answer}
    wanted = {"sure": sure, "answer": answer}
    assert read_object(json.dumps(written), FIELDS) == (wanted, "json")
    assert read_object(json.dumps(written, ensure_ascii=False), FIELDS) == (
        wanted,
        "json",
    )
    assert read_object(repr(written), FIELDS) in [(wanted, "literal"), (wanted, "json")]
    prose = read_object(
        f"My reply:\n```json\n{json.dumps(written)}\n```\nThank you.", FIELDS
    )
    assert isinstance(prose, Unread) or prose == (wanted, "sliced")


@settings(max_examples=300)
@given(values, values, st.data())
def test_a_damaged_reply_is_never_read_wrongly(
    answer: str, why: str, data: st.DataObject
) -> None:
    """Whatever quotation mark, comma or brace is lost: the value is the right one or
    none.
    """
    whole = json.dumps({"sure": True, "answer": answer, "why": why}, ensure_ascii=False)
    signs = [number for number, sign in enumerate(whole) if sign in '",{}:']
    # Signs inside the answer belong to the value: without them it is another text.
    inside = range(whole.index('"answer"') + 10, whole.rindex('"why"') - 2)
    lost = data.draw(
        st.sampled_from([number for number in signs if number not in inside[1:-1]])
    )
    found = read_object(whole[:lost] + whole[lost + 1 :], FIELDS)
    if not isinstance(found, Unread):
        assert found[0] == {"sure": True, "answer": answer}


@settings(max_examples=300)
@given(st.text(st.sampled_from("{}[]\"':,\\ \nsureanswertrue1.5`")))
def test_no_text_breaks_it(text: str) -> None:
    read_object(text, FIELDS)


def test_an_escape_that_the_repair_leaves_standing_is_no_value() -> None:
    assert isinstance(
        read_object(r'{sure": true, "answer": "a\fb", "why": ""}', FIELDS), Unread
    )


@pytest.mark.filterwarnings("error")
def test_an_odd_escape_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert read_object(r"{'sure': True, 'answer': 'a\d'}", FIELDS) == (
        {"sure": True, "answer": r"a\d"},
        "literal",
    )
    assert capsys.readouterr() == ("", "")

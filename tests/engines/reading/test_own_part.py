"""Which part of a reply is its own, with the mark and without it, and why none is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from verifytui.engines.reading import LARGEST
from verifytui.engines.reading.fields import Doubt
from verifytui.engines.reading.marked_lines import marked_lines
from verifytui.engines.reading.marks import follows, own_part, unmarked

MARK = "kjhgwqrt"
SCHEMA: dict[str, Any] = {
    "properties": {
        "reason": {"type": "string"},
        "preference": {"type": "boolean"},
        "supported_side": {"type": "string", "enum": ["negative", "none"]},
        "grade": {"type": "integer"},
        "facts": {"type": "array"},
        "mark": {"type": "string"},
    }
}
VALUE = {"reason": "A gap.", "preference": True}
WRITTEN = json.dumps(VALUE)
MARKED = json.dumps({**VALUE, "mark": MARK})

MORE = "the reply has text besides its object and lacks the mark of the call"
QUOTES = "the object with the mark seems to be a quotation"
SENT = "the object is a copy of text in the prompt"
OTHERWISE = "the text of the reply contradicts its object"


def own(text: str, *sent: str, schema: dict[str, Any] = SCHEMA) -> str:
    """The part, or the doubt in angle brackets."""
    try:
        return own_part(text, MARK, schema, sent)
    except Doubt as doubt:
        return f"<{doubt}>"


def fenced(value: Any) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False)}\n```"


# ---------------------------------------------------------------- with the mark


@pytest.mark.parametrize(
    "text",
    [
        f"I have read both.\n\n{MARKED}",
        f"{MARKED}\n\nThat is my verdict.",
        f"I say:\n```json\n{MARKED}\n```",
        f"{MARKED}\n{MARKED}",
        MARKED.replace(MARK, MARK.upper()) + "\nDone.",
        MARKED.replace(f'"{MARK}"', f'" `{MARK}`. "') + "\nDone.",
        f"Well: {MARKED.replace('mark', 'Mark')}",
        f"Well: {MARKED.replace('mark', '标记')}",
        f'Well: {{"verdict": {MARKED}}}',
        f'[{{"name": "decide", "mark": "{MARK}", "arguments": {WRITTEN}}}] it is',
        f'Call: {{"name": "decide", "arguments": {MARKED}}}',
        "Call: " + json.dumps({"name": "decide", "mark": MARK, "input": WRITTEN}),
        "Call: " + json.dumps({"name": "decide", "parameters": MARKED}),
        f"Well: [1, {MARKED}]",
        f"Well: {MARKED[:-1]} // my mark\n}}",
        f"Well: {{'reason': 'A gap.', 'preference': True, /* x */ 'mark': '{MARK}'}}",
    ],
)
def test_an_object_with_the_mark_is_the_reply(text: str) -> None:
    part = own(text)
    body = part.removeprefix("```json\n").removesuffix("\n```")
    if "'reason'" in text:
        assert body == str(VALUE)
    else:
        assert json.loads(body) == VALUE
    assert part == f"```json\n{body}\n```"


def test_a_reply_that_is_the_marked_object_alone_is_not_cut_out() -> None:
    assert own(MARKED) == WRITTEN
    assert own(f" {MARKED} ") == WRITTEN
    assert own(f"<s>{MARKED}</s>") == WRITTEN
    assert own(f"<|im_start|>assistant\n{MARKED}<|im_end|><|eot_id|>") == WRITTEN
    assert own(f"<think>Hm. {{}}</think>{MARKED}") == WRITTEN


def test_a_broken_object_with_the_mark_is_left_to_the_reader() -> None:
    broken = f'{{"mark": "{MARK}", "reason": "A "gap".", "preference": true}}'
    wanted = ' "reason": "A "gap".", "preference": true}'
    assert own(f"So: {broken}") == f"```json\n{{{wanted}\n```"
    assert own("So: {" + MARK + ": }, } {") == f"<{MORE}>"


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        (
            f"{MARKED}\n{MARKED.replace('true', 'false')}",
            "the reply contains two different objects with its mark",
        ),
        (f"The negative wants me to say: {MARKED}", QUOTES),
        (f"{MARKED}\n\npreference: false", OTHERWISE),
        (f"preference is no\n\n{MARKED}", OTHERWISE),
        (f"x {MARKED.replace(MARK, 'other')}", MORE),
        ("x" * (LARGEST + 1), "the reply is too long to be the requested object"),
    ],
)
def test_why_no_marked_part_is_its_own(text: str, doubt: str) -> None:
    assert own(text) == f"<{doubt}>"


@pytest.mark.parametrize(
    "prose",
    [
        "preference: yes",
        "preference: TRUE.",
        "> preference: false",
        'They say "preference: false".',
        '{"preference": false}',
        "```\npreference: false\n```",
        "reason: another one",
        "facts: none",
        "",
    ],
)
def test_prose_that_contradicts_nothing(prose: str) -> None:
    part = own(f"I begin.\n\n{prose}\n\n{MARKED}\n\nI end.")
    assert part == fenced(VALUE)


@pytest.mark.parametrize(
    ("key", "value", "prose"),
    [
        ("grade", 2, "grade: 3"),
        ("grade", "2", "grade = 3"),
        ("supported_side", "negative", "supported side: none"),
        ("preference", "no", "preference: yes"),
        ("preference", False, "preference: 是"),
        ("preference", "true", "preference: 否"),
    ],
)
def test_prose_that_contradicts_a_decisive_value(
    key: str, value: Any, prose: str
) -> None:
    marked = json.dumps({key: value, "mark": MARK})
    assert own(f"{prose}\n\n{marked}") == f"<{OTHERWISE}>"
    same = prose.partition(":")[0].partition(" =")[0] + f": {value}"
    assert own(f"{same}\n\n{marked}") == fenced({key: value})


def test_a_value_of_many_words_decides_nothing() -> None:
    marked = json.dumps({"grade": "two or three", "mark": MARK})
    assert own(f"grade: 3\n\n{marked}") == fenced({"grade": "two or three"})


# ---------------------------------------------------------------- without it


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (WRITTEN, WRITTEN),
        (f"```json\n{WRITTEN}\n```", f"```json\n{WRITTEN}\n```"),
        (json.dumps({**VALUE, "mark": "…"}), WRITTEN),
        (f"```\n{json.dumps({**VALUE, 'mark': 'x'})}\n```", fenced(VALUE)),
        (f'{{"verdict": {WRITTEN}}}', fenced(VALUE)),
        (f"{WRITTEN[:-1]} /* why */ }}", WRITTEN),
        (f"My verdict:\n{WRITTEN}", fenced(VALUE)),
        (f"**My final ruling:**\n\n{WRITTEN}", fenced(VALUE)),
        (f"我的裁决：\n{WRITTEN}", fenced(VALUE)),
        ("{'preference': True}", "{'preference': True}"),
        ("{'grade': 1, 'mark': 'x'}", "```json\n{'grade': 1}\n```"),
        ("[1, 2]", "[1, 2]"),
        (f"{WRITTEN}\n{WRITTEN}", f"{WRITTEN}\n{WRITTEN}"),
        ('{"preference": true, "reason": "A "gap"."}',) * 2,
        ('"A text."', '"A text."'),
        ("Yes.", "Yes."),
        ("候选答案：\n1. 八\n2. 六",) * 2,
        ("**My list:**\n- one\n- two",) * 2,
        ("- one\n- two", "- one\n- two"),
        ("My answer:\n1. one\n2) two", "1. one\n2) two"),
        ("正方：八\n反方：六", "正方：八\n反方：六"),
    ],
)
def test_a_reply_that_is_nothing_else(text: str, part: str) -> None:
    assert own(text) == part


@pytest.mark.parametrize(
    "text",
    [
        f"I say: {WRITTEN}",
        f"{WRITTEN} That is all.",
        f"{WRITTEN} and {WRITTEN}",
        f"I say:\n```\n{WRITTEN}\n```",
        f"```\n{WRITTEN}\n```\nThat is all.",
        f"```\n{WRITTEN}\n```\n```\n{WRITTEN}\n```",
        '{"preference": true',
        "A sentence of more than forty signs, which is no value.",
        "One line.\nAnother line.",
        "- one\nand prose\n- two",
        "The negative's list:\n- one",
    ],
)
def test_a_reply_that_is_more(text: str) -> None:
    assert own(text) == f"<{MORE}>"


def test_an_object_under_a_key_of_somebody_else_is_none() -> None:
    doubt = "<the key of the object does not present it as the reply>"
    assert own(f'{{"quoted": {WRITTEN}}}') == doubt
    assert own('{"preference": true}') == '{"preference": true}'


def test_without_a_list_asked_for_items_are_prose() -> None:
    schema = {"properties": {"grade": {"type": "integer"}, "why": {"type": "string"}}}
    assert own("- one\n- two", schema=schema) == f"<{MORE}>"
    assert own("- one\n- two", schema={}) == f"<{MORE}>"


@pytest.mark.parametrize(
    "sent",
    [
        WRITTEN,
        f"The negative says {WRITTEN} and so on",
        '{"other": "A gap.", "keys": "yes"}',
        "{'reason': 'A gap.', 'preference': True}",
        '{"reason": "A gap.", "preference": true',
        "{}" * 30 + WRITTEN,
    ],
)
def test_what_was_sent_is_not_its_own(sent: str) -> None:
    value = "{'reason': 'A gap.', 'preference': True}"
    for text in (WRITTEN, f"```\n{WRITTEN}\n```", f"{WRITTEN}\n{WRITTEN}", value):
        if not sent.endswith("true"):
            assert own(text, "x", sent) == f"<{SENT}>"
        assert own(text, "x") != f"<{SENT}>"
    assert own(MARKED, sent) == WRITTEN


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2.0),
        ("**2**", 2.0),
        ("Grade: 2", 2.0),
        ("Final score: 2.", 2.0),
        ("Score: 2/4", 2.0),
        ("等级：2。", 2.0),
        ("2 / 4", 2.0),
        ("2/5", None),
        ("Page: 2", None),
        ("2 or 3", None),
        ("-2", None),
        ("1234", None),
    ],
)
def test_the_only_number(text: str, value: float | None) -> None:
    schema = {
        "properties": {
            "reason": {"type": "string"},
            "grade": {"type": "integer", "maximum": 4},
            "mark": {},
        }
    }
    assert own(text, schema=schema) == (
        text if value is None else fenced({"grade": value})
    )
    two = {"properties": {"grade": {"type": "integer"}, "other": {"type": "number"}}}
    assert own(text, schema=two) == text
    assert own(text, schema={"properties": {"grade": {"type": "string"}}}) == text


# ---------------------------------------------------------------- lines with the mark

PROPERTIES = SCHEMA["properties"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"preference: true\nmark: {MARK}", {"preference": "true"}),
        (
            f"preference: true\nreason: 'A gap.'\nmark: {MARK}",
            {"preference": "true", "reason": "A gap."},
        ),
        (f"- **Preference**: yes\n- **Mark**: `{MARK}`", {"preference": "yes"}),
        (f"1. preference = yes\n2. mark = {MARK}", {"preference": "yes"}),
        (f'reason: "A \\"gap\\"."\nmark: {MARK}', {"reason": 'A "gap".'}),
        (f"preference -> yes\nmark -> {MARK}", {"preference": "yes"}),
        (
            f"mark: {MARK}, preference: yes; grade: 2",
            {"preference": "yes", "grade": "2"},
        ),
        (f"偏好：是\n标记：{MARK}", {"preference": "是"}),
        (f"| preference | yes |\n|---|---|\n| mark | {MARK} |", {"preference": "yes"}),
        (f"| Preference | Mark |\n|---|---|\n| yes | {MARK} |", {"preference": "yes"}),
        (f"<preference>yes</preference><mark>{MARK}</mark>", {"preference": "yes"}),
        (f"verdict:\n  preference: true\n  mark: {MARK}", {"preference": "true"}),
        (f"My verdict:\npreference: no\nmark: {MARK}", {"preference": "no"}),
        (f"mark: {MARK}\nfacts:\n- one\n- two", {"facts": ["one", "two"]}),
        (f'mark: {MARK}\nfacts: ["one", "two"]', {"facts": ["one", "two"]}),
        (f"mark: {MARK}\n- one\n- two", {"facts": ["one", "two"]}),
        (f"- one\n- two\nmark: {MARK}", {"facts": ["one", "two"]}),
        (
            f"Said so.\nreason: A gap\n  in the proof.\nmark: {MARK}",
            {"reason": "A gap in the proof."},
        ),
        (
            f"Said so.\nreason: |\n  A gap\n  in it.\nmark: {MARK}",
            {"reason": "A gap in it."},
        ),
        (f"Said so.\nreason: >\n  A gap.\nmark: {MARK}", {"reason": "A gap."}),
        (f"Said so.\ngrade: 85/100\nmark: {MARK}", {"grade": "85/100"}),
        (f"Said so.\nScore: 85\nmark: {MARK}", {"grade": "85"}),
        (f"Said so.\nfinal score: **3**\nmark: {MARK}", {"grade": "3"}),
        (f"Score: high\nmark: {MARK}", {"grade": "high"}),
        (f"preference: yes\npreference: no\nmark: {MARK}", {}),
        (f"preference: yes\npreference: yes\nmark: {MARK}", {"preference": "yes"}),
        (f"preference: yes\nProse between.\nmark: {MARK}", {}),
        (f"> preference: yes\nmark: {MARK}", {}),
        (f"对方的：是\nmark: {MARK}", {}),
        (
            f"preference: yes\n\nmark: {MARK}\n\nreason: A gap.",
            {"preference": "yes", "reason": "A gap."},
        ),
        (f"Prose.\nmark: {MARK}\npreference: no\nMore prose.", {"preference": "no"}),
        (f"---\npreference: yes\nmark: {MARK}\n---", {"preference": "yes"}),
    ],
)
def test_lines_beside_the_mark(text: str, value: dict[str, Any]) -> None:
    found = marked_lines(text, MARK, PROPERTIES)
    assert (found.value if found is not None else {}) == value


def test_an_object_with_another_mark_is_not_its_own() -> None:
    assert (
        own(json.dumps({**VALUE, "mark": "tok-7719"}))
        == "<the object has a different mark>"
    )
    for typed in (MARK[:-1], MARK[1:], MARK.upper()):
        assert (
            json.loads(own(json.dumps({**VALUE, "mark": typed})).strip("`json\n"))
            == VALUE
        )


@pytest.mark.parametrize(("maximum", "grade"), [(100, "85"), (3, "85/100")])
def test_a_scale_is_left_off_where_it_is_the_one_asked_for(
    maximum: int, grade: str
) -> None:
    schema = {"properties": {"grade": {"type": "integer", "maximum": maximum}}}
    text = f"Said so.\ngrade: 85/100\nmark: {MARK}"
    assert own(text, schema=schema) == fenced({"grade": grade})


@pytest.mark.parametrize(
    "text",
    [
        "preference: yes\nmark: other",
        "preference: yes",
        f"preference: yes\nremark: {MARK}",
        f"| preference | word |\n|---|---|\n| yes | {MARK} |",
        f"<preference>yes</preference><word>{MARK}</word>",
        "",
    ],
)
def test_lines_without_the_mark(text: str) -> None:
    assert marked_lines(text, MARK, PROPERTIES) is None


def test_where_the_lines_stand() -> None:
    text = f"Prose.\npreference: no\nmark: {MARK}\nMore prose."
    found = marked_lines(text, MARK, PROPERTIES)
    assert found is not None
    assert text[found.start : found.end] == f"preference: no\nmark: {MARK}"
    table = f"Prose.\n| Preference | Mark |\n|---|---|\n| yes | {MARK} |\nEnd."
    found = marked_lines(table, MARK, PROPERTIES)
    assert found is not None
    assert table[found.start : found.end] == table[7:-5]
    tags = f"Well <preference>yes</preference> <mark>{MARK}</mark>."
    found = marked_lines(tags, MARK, PROPERTIES)
    assert found is not None
    assert tags[found.start : found.end] == tags[5:-1]


def test_a_long_line_is_prose() -> None:
    long = f"reason: {'x' * 20_000}"
    found = marked_lines(
        f"Prose.\npreference: no\n{long}\nmark: {MARK}", MARK, PROPERTIES
    )
    assert found is None


def test_an_alias_of_yaml_is_not_resolved() -> None:
    text = f"reason: &a A gap.\nfacts: *a\nmark: {MARK}"
    found = marked_lines(text, MARK, PROPERTIES)
    assert found is not None
    assert found.value["facts"] != "A gap."


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"I decide:\n\npreference: no\nmark: {MARK}", {"preference": "no"}),
        (
            f"I decide:\n```yaml\npreference: no\nmark: {MARK}\n```\nEnd.",
            {"preference": "no"},
        ),
        (
            f"```\npreference: yes\n```\nI decide:\n\npreference: no\nmark: {MARK}",
            {"preference": "no"},
        ),
    ],
)
def test_lines_become_the_object_of_the_reply(text: str, value: dict[str, Any]) -> None:
    assert own(text) == fenced(value)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        (f"The negative wants me to say:\n\npreference: no\nmark: {MARK}", QUOTES),
        (f"The negative wants this:\n```\npreference: no\nmark: {MARK}\n```", QUOTES),
        (f"My preference is yes.\n\nSo:\npreference: no\nmark: {MARK}", OTHERWISE),
        (f"So:\npreference: no\nmark: {MARK}\n\nI say: preference: yes", OTHERWISE),
        (f"My mark is {MARK} and my preference is yes, as you have asked.", MORE),
    ],
)
def test_why_no_lines_are_its_own(text: str, doubt: str) -> None:
    assert own(text) == f"<{doubt}>"


# ---------------------------------------------------------------- the mark taken out


@pytest.mark.parametrize(
    ("text", "without"),
    [
        (f'{{"a": 1, "mark": "{MARK}"}}', '{"a": 1}'),
        (f'{{"mark": "{MARK}", "a": 1}}', '{"a": 1}'),
        (f'{{\n  "mark": "{MARK}",\n  "a": 1\n}}', '{\n  "a": 1\n}'),
        (f'{{"mark": "{MARK}"}}', "{}"),
        (f"a: 1\nmark: {MARK}\nb: 2", "a: 1\nb: 2"),
        (f"a: 1\n- **mark**: `{MARK}`", "a: 1\n"),
        (f"| a | 1 |\n| mark: {MARK} |\n| b | 2 |", "| a | 1 |\n| b | 2 |"),
        (f"<a>1</a>\n<mark> {MARK} </mark>\n<b>2</b>", "<a>1</a>\n<b>2</b>"),
        (f"a: 1, MARK = {MARK.upper()}; b: 2", "a: 1; b: 2"),
        (f"Said: mark: {MARK} so.", "Said: so."),
        (f"The word {MARK} stays.", f"The word {MARK} stays."),
        ("mark: other", "mark: other"),
    ],
)
def test_a_reply_without_its_mark(text: str, without: str) -> None:
    assert unmarked(text, MARK) == without


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ({"a": "x", "b": True}, True),
        ({"a": "x", "b": True, "c": 1, "d": 1.5, "e": [], "f": {}}, True),
        ({"a": "x", "b": True, "d": 1}, True),
        ({"a": "x"}, False),
        ({"a": "x", "b": True, "z": 1}, False),
        ({"a": "y", "b": True}, False),
        ({"a": "x", "b": 1}, False),
        ({"a": "x", "b": True, "c": True}, False),
        ({"a": "x", "b": True, "c": 1.5}, False),
        ({"a": "x", "b": True, "d": "1"}, False),
        ({"a": "x", "b": True, "e": "x"}, False),
        ({"a": "x", "b": True, "g": [1]}, True),
        ({"a": "x", "b": True, "h": {}}, True),
        (["a"], False),
    ],
)
def test_a_reply_follows_its_schema_or_not(value: Any, holds: bool) -> None:
    schema = {
        "properties": {
            "a": {"type": "string", "enum": ["x"]},
            "b": {"type": "boolean"},
            "c": {"type": "integer"},
            "d": {"type": "number"},
            "e": {"type": "array"},
            "f": {"type": "object"},
            "g": {"type": ["array", "null"]},
            "h": {"type": "unheard of"},
        },
        "required": ["a", "b"],
    }
    assert follows(json.dumps(value), schema) is holds
    assert not follows(json.dumps(value) + " That is all.", schema)
    assert follows("{}", {})


SCORE: dict[str, Any] = {
    "properties": {"score": {"type": "number", "maximum": 100}, "mark": {}}
}


def test_what_stands_in_what_was_sent_is_in_doubt() -> None:
    said = f"My score is 90. Mark: {MARK}"
    assert own(said, "the score is 9", schema=SCORE) == fenced({"score": "90"})
    assert own(said, "the score is 90, they say", schema=SCORE) == f"<{SENT}>"
    assert own("score: 90", "it has score: 91", schema=SCORE) == fenced({"score": 90.0})
    assert own("score: 90", "it has score: 90", schema=SCORE) == f"<{SENT}>"
    assert own("90", '{"score": 90}', schema=SCORE) == f"<{SENT}>"
    translated = "the object may be a translation of text in the prompt"
    assert own(WRITTEN, '{"理由": "漏洞", "偏好": "是的"}') == f"<{translated}>"
    assert own(WRITTEN, '{"理由": "漏洞 7", "偏好": "是的"}') == WRITTEN
    assert own(WRITTEN, '{"理由": "漏洞", "preference": "是的"}') == WRITTEN

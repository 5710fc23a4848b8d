"""What an extractor may say, and the lists read of it. None: nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.reading import Unread
from verifytui.engines.relevance.extraction import MOST, FactsReading, once, read_facts

A, B, C = "He climbed in.", "He took a ring.", "She slept."
ZH_A, ZH_B = (
    "\u5468\u67d0\u7ffb\u7a97\u5165\u5ba4",
    "\u53d6\u8d70\u73b0\u91d16200\u5143",
)

REPLIES: list[tuple[str, list[str] | None]] = [
    (json.dumps({"facts": [A, B]}), [A, B]),
    (json.dumps([A, B]), [A, B]),
    (json.dumps({"material_facts": [A]}), [A]),
    (json.dumps({"\u5b9e\u8d28\u4e8b\u5b9e": [ZH_A, ZH_B]}), [ZH_A, ZH_B]),
    (json.dumps({"case": "A", "facts": [A]}), [A]),
    (json.dumps({"notes": ["x"], "facts": [A]}), [A]),
    (json.dumps({"result": {"facts": [A, B]}}), [A, B]),
    (json.dumps([{"fact": A}, {"fact": B, "span": "x"}]), [A, B]),
    (json.dumps({"facts": [{"\u4e8b\u5b9e": ZH_A}]}), [ZH_A]),
    (json.dumps({"facts": []}), []),
    ("[]", []),
    ('{"facts": ["", "  "]}', []),
    (json.dumps({"facts": [A, A, "he climbed in", B]}), [A, B]),
    (f"['{A}', '{B}']", [A, B]),
    (f"```json\n{json.dumps([A, B])}\n```", [A, B]),
    (f"These are the facts:\n{json.dumps({'facts': [A, B]})}\nThat is all.", [A, B]),
    (f"The facts (see [1]) are {json.dumps([A])}", [A]),
    ("```json\n[]\n```", []),
    ('["a \\"quoted\\" fact", "b, c"]', ['a "quoted" fact', "b, c"]),
    (
        '{"facts": ["\u8c0e\u79f0"\u4ee3\u529e"\u8d37\u6b3e",'
        '\n"\u6536\u53d6\u4fdd\u8bc1\u91d1"]}',
        ['\u8c0e\u79f0"\u4ee3\u529e"\u8d37\u6b3e', "\u6536\u53d6\u4fdd\u8bc1\u91d1"],
    ),
    (
        '["\u8c0e\u79f0"\u4ee3\u529e"\u8d37\u6b3e", "\u6536\u53d6\u4fdd\u8bc1\u91d1"]',
        None,
    ),
    (
        '{"facts": [\n"\u8c0e\u79f0"\u4ee3\u529e"\u8d37\u6b3e",'
        '\n"\u6536\u53d6\u4fdd\u8bc1\u91d1"\n]}',
        ['\u8c0e\u79f0"\u4ee3\u529e"\u8d37\u6b3e', "\u6536\u53d6\u4fdd\u8bc1\u91d1"],
    ),
    (f"1. {A}\n2. {B}\n3. {C}", [A, B, C]),
    (f"1) {A}\n2) {B}", [A, B]),
    (f"1\u3001{ZH_A}\uff1b\n2\u3001{ZH_B}\u3002", [f"{ZH_A}\uff1b", f"{ZH_B}\u3002"]),
    (f"\uff081\uff09{ZH_A}\n\uff082\uff09{ZH_B}", [ZH_A, ZH_B]),
    (f"\uff08\u4e00\uff09{ZH_A}\n\uff08\u4e8c\uff09{ZH_B}", [ZH_A, ZH_B]),
    (f"\u2460{ZH_A}\n\u2461{ZH_B}", [ZH_A, ZH_B]),
    (f"- {A}\n- {B}", [A, B]),
    (f"* {A}\n* {B}", [A, B]),
    (f"\u2022 {A}\n\u2022 {B}", [A, B]),
    (f"Material facts:\n\n- {A}\n- {B}", [A, B]),
    (f"- {A}\n- {B}\n\nI hope this helps.", [A, B]),
    (f"1. {A}\n   It was night.\n2. {B}", [f"{A} It was night.", B]),
    (f"1. **Course**: {A}\n2. **Outcome**: {B}", [f"Course: {A}", f"Outcome: {B}"]),
    (f"1. Parties:\n   - {A}\n   - {B}\n2. Outcome:\n   - {C}", [A, B, C]),
    (f'- "{A}"\n- "{B}"', [A, B]),
    ("- 3 rings of gold\n- 2 coins", ["3 rings of gold", "2 coins"]),
    ("1. 900.50 in cash\n2. a ring", ["900.50 in cash", "a ring"]),
    ("- (none)", []),
    ('{"facts": ["\u65e0"]}', []),
    ('{"facts": ["None of the doors was locked."]}', ["None of the doors was locked."]),
    # nothing can be said
    ("", None),
    ("None.", None),
    ("\u65e0", None),
    ("The accused climbed in and took a ring.", None),
    (f"{A}\n{B}", None),
    ('{"facts": "He climbed in."}', None),
    ('{"facts": [1, 2]}', None),
    ('{"facts": ["a", null]}', None),
    ('{"facts": [["a"], ["b"]]}', None),
    ('{"material": ["a"], "legal": ["b"]}', None),
    ('{"facts": ["a", "b"', None),
    ('["a", "b", "He cli', None),
    ('Here: ["a", "b", "He cli', None),
    ('["a"]\nand\n["b"]', None),
    ('{"facts": ["a"]} {"facts": ["b"]}', None),
    (f"1. {A}\n3. {B}", None),
    (f"2. {A}\n3. {B}", None),
    (f"Material:\n1. {A}\n2. {B}\nLegal:\n1. {C}", None),
    (f"Material:\n- {A}\nLegal:\n- {B}", None),
    (json.dumps({"facts": [f"fact {n}" for n in range(MOST + 1)]}), None),
    (json.dumps({"facts": ["x" * 5000]}), None),
    ("{}", None),
    ("true", None),
]


@pytest.mark.parametrize(
    ("text", "wanted"), REPLIES, ids=[repr(text)[:60] for text, _ in REPLIES]
)
def test_replies(text: str, wanted: list[str] | None) -> None:
    found = read_facts(text)
    if wanted is None:
        assert isinstance(found, Unread), found
        assert found.reason
    else:
        assert not isinstance(found, Unread), found
        assert found[0] == wanted


def test_how_it_was_read() -> None:
    whole = json.dumps({"facts": [A]})
    assert read_facts(whole, structured=True)[:2] == ([A], "schema")
    assert read_facts(whole)[:2] == ([A], "json")
    assert read_facts(f"```\n{whole}\n```")[:2] == ([A], "sliced")
    assert read_facts(f"['{A}']")[:2] == ([A], "literal")
    assert read_facts(f"- {A}", structured=True)[:2] == ([A], "sliced")
    assert read_facts('["\u79f0"\u4ee3\u529e"\u7684"\n]')[:2] == (
        ['\u79f0"\u4ee3\u529e"\u7684'],
        "repaired",
    )
    assert isinstance(read_facts(f"- {A}" + " " * 300_000), tuple)
    assert isinstance(read_facts("- a\n" * 100_000), Unread)


SECONDARY: list[tuple[str, list[str], list[str]]] = [
    (json.dumps({"facts": [A, B], "secondary": [C]}), [A, B, C], [C]),
    (json.dumps({"facts": [A, B], "secondary": []}), [A, B], []),
    (
        json.dumps({"facts": [ZH_A], "\u91cf\u5211\u60c5\u8282": ["\u5766\u767d"]}),
        [ZH_A, "\u5766\u767d"],
        ["\u5766\u767d"],
    ),
    (json.dumps({"facts": [ZH_A], "secondary": ["\u65e0"]}), [ZH_A], []),
    (json.dumps({"facts": [A, C], "secondary": ["she slept"]}), [A, C], [C]),
    (json.dumps({"facts": [{"fact": A}, {"fact": C, "secondary": True}]}), [A, C], [C]),
    (f"```json\n{json.dumps({'facts': [A], 'secondary': [C]})}\n```", [A, C], [C]),
    (f"Here: {json.dumps({'secondary': [C], 'facts': [A]})}", [A, C], [C]),
    (
        f'{{"facts": [\n"He said "come in"",\n"{B}"\n], "secondary": ["{C}"]}}',
        ['He said "come in"', B, C],
        [C],
    ),
    (
        '{"facts": [\n"He said "come in""\n],\n"secondary": []\n}',
        ['He said "come in"'],
        [],
    ),
]


@pytest.mark.parametrize(
    ("text", "facts", "secondary"),
    SECONDARY,
    ids=[repr(text)[:60] for text, _, _ in SECONDARY],
)
def test_circumstances_of_sentencing(
    text: str, facts: list[str], secondary: list[str]
) -> None:
    found = read_facts(text)
    assert isinstance(found, FactsReading), found
    assert found.facts == facts
    assert found.secondary == set(secondary)


def test_each_fact_once() -> None:
    assert once([ZH_A, f"{ZH_A}\u3002", " ".join(ZH_A), ZH_B, "?!", "..."]) == [
        ZH_A,
        ZH_B,
        "?!",
        "...",
    ]


@given(
    st.lists(
        st.text(min_size=1, max_size=60).filter(lambda text: text.split() != []),
        max_size=8,
    )
)
def test_what_is_written_as_json_is_read_back(facts: list[str]) -> None:
    found = read_facts(json.dumps({"facts": facts}))
    wanted = once([" ".join(fact.split()) for fact in facts])
    assert isinstance(found, FactsReading)
    assert found.read == "json"
    assert found.facts == wanted or (found.facts == [] and len(wanted) == 1)


@given(st.text(alphabet=st.sampled_from('[]{}",\\:\n1.- ab\u76f8'), max_size=80))
def test_any_text_is_read_or_not(text: str) -> None:
    found = read_facts(text)
    assert isinstance(found, Unread) or all(
        isinstance(fact, str) and fact.strip() for fact in found[0]
    )

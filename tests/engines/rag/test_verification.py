"""What verifiers say, well and badly: never a value that is not there."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from verifytui.engines.rag.verification import VerificationReading, read, read_query

APPENDIX_E = (
    '{ "1": { "reference_correctness": 0.21 }, "2": { "correctness": 0.21, '
    '"citation_accuracy": 0.81, "truthfulness": 0.91, "bias": 0.82, '
    '"conciseness":0.89 }, "3": "false", "4": "Which college football teams have '
    'the most national championships?" }'
)
SECTION_2 = (
    '{ "RefCorrect": 0.99, "Answer-Score": { "Correctness": 0.51, "CitationAcc": '
    '0.0, "Truthfulness": 0.01, "Bias": 0.97, '
    '"Conciseness": 0.89 }, "Judgment": "false", "RevisedQuery": "How do devices '
    'know the amount of charge left in a battery?" }'
)
FLAT: dict[str, Any] = {
    "reference_correctness": 0.9,
    "correctness": 0.8,
    "citation_accuracy": 0.7,
    "truthfulness": 0.6,
    "bias": 0.1,
    "conciseness": 0.5,
    "judgement": "true",
    "revised_query": "",
}
WHOLE = VerificationReading(**FLAT, read="json")


def values(verified: VerificationReading) -> dict[str, Any]:
    """What was read, without what was not."""
    return {
        name: value for name in FLAT if (value := getattr(verified, name)) is not None
    }


def but(**changes: Any) -> str:
    return json.dumps(FLAT | changes)


def test_the_forms_of_the_paper() -> None:
    assert read(APPENDIX_E) == VerificationReading(
        reference_correctness=0.21, correctness=0.21, citation_accuracy=0.81, truthfulness=0.91, bias=0.82, conciseness=0.89,
        judgement="false", revised_query="Which college football teams have the most national championships?", read="json",
    )  # fmt: skip
    assert read(SECTION_2) == VerificationReading(
        reference_correctness=0.99, correctness=0.51, citation_accuracy=0.0, truthfulness=0.01, bias=0.97, conciseness=0.89,
        judgement="false", revised_query="How do devices know the amount of charge left in a battery?", read="json",
    )  # fmt: skip


@pytest.mark.parametrize("key", ["reason", "Reason", "理由"])
def test_a_reason_is_read_and_decides_nothing(key: str) -> None:
    assert read(json.dumps({key: " It holds. ", **FLAT})) == VerificationReading(
        **FLAT, reason="It holds.", read="json"
    )
    assert read(json.dumps({**FLAT, key: "It holds."})).reason == "It holds."
    assert (
        read(json.dumps({**json.loads(APPENDIX_E), key: "It holds."})).reason
        == "It holds."
    )
    assert (
        read_query(json.dumps({key: "It holds.", "revised_query": "Who?"})).reason
        == "It holds."
    )


@pytest.mark.parametrize("reason", [7, None, ["It holds."], {"a": 1}])
def test_a_reason_that_is_no_text_is_none_and_no_fault(reason: object) -> None:
    assert read(but(reason=reason)) == WHOLE


def test_a_reason_alone_is_no_verification() -> None:
    found = read(json.dumps({"reason": "It holds."}))
    assert (found.read, found.judgement, len(found.problems)) == ("unread", None, 8)
    assert read_query(json.dumps({"reason": "It holds."})).read == "unread"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (json.dumps(FLAT), "json"),
        (f"```json\n{json.dumps(FLAT, indent=1)}\n```", "sliced"),
        (
            f"Let me see. The references hold it.\n\n{json.dumps(FLAT)}\n\nI hope "
            f"this helps.",
            "sliced",
        ),
        (f"{json.dumps(FLAT)}\n{json.dumps(FLAT)}", "sliced"),
        (json.dumps([FLAT]), "sliced"),
        (str(FLAT), "literal"),
        (json.dumps({"verification": FLAT}), "json"),
        (
            json.dumps(
                {
                    "1": 0.9,
                    "2": {key: FLAT[key] for key in list(FLAT)[1:6]},
                    "3": True,
                    "4": "",
                }
            ),
            "json",
        ),
        (
            json.dumps(
                {
                    "1": {"RefCorrect": 0.9},
                    "2": FLAT,
                    "3": {"judgement": "True."},
                    "4": {"revised_query": ""},
                }
            ),
            "json",
        ),
        (json.dumps(FLAT)[:-1] + ",}", "literal"),
        (
            json.dumps(FLAT).replace('"revised_query": ""', 'revised_query: ""'),
            "repaired",
        ),
        (json.dumps(FLAT).replace('0.9, "', '0.9 "').replace('"true"', "'true'"), None),
        ("\ufeff" + json.dumps(FLAT | {"reason": "because", "confidence": 7}), "json"),
        (
            json.dumps(
                {key.upper().replace("_", " "): value for key, value in FLAT.items()}
            ),
            "json",
        ),
    ],
)
def test_the_same_in_other_clothes(text: str, how: str | None) -> None:
    found = read(text)
    if how is None:  # a value before a missing comma may be lost, but never changed
        assert values(found).items() <= FLAT.items()
    else:
        assert values(found) == FLAT
        assert found.read == how
        assert found.problems == []


def test_a_provider_schema_is_said_to_be_one() -> None:
    assert read(json.dumps(FLAT), True).read == "schema"
    assert read(f"Here: {json.dumps(FLAT)}", True).read == "sliced"


SCORES = [
    (1, 1.0), (0, 0.0), (1.0, 1.0), (-0.0, 0.0), ("0.8", 0.8), (" 1 ", 1.0), (".5", 0.5), ("\uff10\uff0e\uff18", 0.8), ("+0.5", 0.5),
    (7, "not between"), (-0.1, "not between"), (1.0001, "not between"), (10**400, "not between"),
    ("7", "not between"), ("-0.5", "not between"), (100, "not between"),
    ("70%", "not a number"), ("0.9 out of 1", "not a number"), ("7 out of 10", "not a number"),
    ("7/10", "not a number"), ("high", "not a number"),
    ("", "not a number"), ("0,8", "not a number"), ("1e-1", "not a number"), ("\u00b9", "not a number"), ("\u00bd", "not a number"),
    ("0.8.1", "not a number"),
    ("\u96f6\u70b9\u516b", "not a number"),
    ("0x1", "not a number"), ("nan", "not a number"), ("Infinity", "not a number"), ("\u0661", "not a number"),
    (True, "not a number"), (False, "not a number"), (None, "not a number"), ([0.9], "not a number"), ({"score": 0.9}, "not a number"),
    ("[0.9]", "not a number"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "wanted"), SCORES, ids=[f"{given!r:.20}" for given, _ in SCORES]
)
@pytest.mark.parametrize("name", ["bias", "reference_correctness"])
def test_scores(name: str, given: object, wanted: float | str) -> None:
    found = read(but(**{name: given}))
    assert (
        values(found) == {**FLAT, name: wanted}
        if isinstance(wanted, float)
        else values(found) == {key: value for key, value in FLAT.items() if key != name}
    )
    assert found.read == "json"
    if isinstance(wanted, str):
        assert [
            name in problem and wanted in problem for problem in found.problems
        ] == [True]


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_no_such_numbers(constant: str) -> None:
    found = read(json.dumps(FLAT).replace("0.1", constant))
    assert values(found) == {key: value for key, value in FLAT.items() if key != "bias"}
    assert len(found.problems) == 1
    assert found.problems[0].startswith("bias: ")


JUDGEMENTS = [
    (True, "true"), (False, "false"), ("True", "true"), ("FALSE.", "false"), ("unclear", "unclear"), ("\u6b63\u786e", "true"),
    ("\u9519\u8bef\u3002", "false"), ("\u4e0d\u6b63\u786e", "false"), ("\u4e0d\u6e05\u695a", "unclear"),
    ("\u65e0\u6cd5\u5224\u65ad", "unclear"),
    ("partially true", None), ("not true", None), ("true or false", None), (1, None), (0.9, None), ("", None), (None, None),
    (["true"], None),
]  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), JUDGEMENTS)
def test_judgements(given: object, wanted: str | None) -> None:
    found = read(but(judgement=given))
    assert found.judgement == wanted
    assert len(found.problems) == (wanted is None)
    assert (
        values(found).items()
        >= {key: value for key, value in FLAT.items() if key != "judgement"}.items()
    )


QUERIES = [
    ("", ""), ("  ", ""), ("Who\n turns  into a bear?", "Who turns into a bear?"), ("\u8c01\uff1f", "\u8c01\uff1f"),
    (None, None), ("None", None), ("n/a", None), ("\u65e0", None), ("?", None), ("...", None), (True, None), (4, None), (["Who?"], None),
    ("No revision needed.", None), ("\u65e0\u9700\u4fee\u6539", None), ("Not necessary?", "Not necessary?"),
    ({"query": "Who?"}, None), ("who " * 1000, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "wanted"), QUERIES, ids=[f"{given!r:.20}" for given, _ in QUERIES]
)
def test_revised_queries(given: object, wanted: str | None) -> None:
    found = read(but(revised_query=given))
    assert found.revised_query == wanted
    assert len(found.problems) == (wanted is None)


UNREAD = [
    "",
    "The answer is right and all of it is in the references.",
    "reference_correctness: 0.9, correctness: 0.8, bias: 0.1, judgement: true",
    "[0.9, 0.8, 0.7, 0.6, 0.1, 0.5]",
    '["0.9", "0.8", "0.7", "0.6", "0.1", "0.5"]',
    "{}",
    '{"answer": "Beorn", "score": 0.9}',
    json.dumps(json.dumps(FLAT)),
    json.dumps({"verification": json.dumps(FLAT)}),
    json.dumps({"2": "correctness 0.8, bias 0.1"}),
    json.dumps({"1": {"correctness": 0.9}}),
    json.dumps({"1": [0.9], "2": [0.8, 0.7, 0.6, 0.1, 0.5]}),
    json.dumps(FLAT)[:-20],
    APPENDIX_E[:90],
    APPENDIX_E[:-2],
    f"{json.dumps(FLAT)}\n{but(bias=0.9)}",
    json.dumps([FLAT, FLAT | {"judgement": "false"}]),
    f'{json.dumps(FLAT)} or rather {{"bias": 0.9, "judgement": ',
    '{"bias": 0.1, "bias": 0.9, "judgement": "true"}',
    "{" * 5000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "{} " * 30 + json.dumps(FLAT),
    json.dumps(FLAT) + " " * 10 + "x" * 200_001,
    json.dumps(dict.fromkeys(FLAT)),
    json.dumps({key: "very good" for key in FLAT if key != "revised_query"}),
    json.dumps({key: {"value": value} for key, value in FLAT.items()}),
]


@pytest.mark.parametrize("text", UNREAD, ids=[f"{text:.24}" for text in UNREAD])
def test_unread_is_unread(text: str) -> None:
    found = read(text)
    assert values(found) == {}
    assert found.read == "unread"
    assert found.problems


def test_six_strings_leave_what_can_be_read() -> None:
    found = read(
        json.dumps(
            dict.fromkeys(list(FLAT)[:6], "very good")
            | {"judgement": "true", "revised_query": ""}
        )
    )
    assert values(found) == {"judgement": "true", "revised_query": ""}
    assert len(found.problems) == 6


def test_a_value_given_twice_and_differently_is_none_of_both() -> None:
    found = read(
        json.dumps(
            {
                "correctness": 0.1,
                "2": {"correctness": 0.9, "bias": 0.5},
                "bias": "0.5",
                "4": "",
            }
        )
    )
    assert values(found) == {"bias": 0.5, "revised_query": ""}
    assert any(
        "correctness" in problem and "twice" in problem for problem in found.problems
    )


def test_broken_objects_give_only_what_stands_in_them() -> None:
    text = (
        '{"reference_correctness": 0.9, "bias": 0.9 out of 1, "judgement": "true", '
        '"revised_query": "Who "really" is it?",}'
    )
    found = read(text)
    assert found.bias is None
    assert (
        values(found).items()
        <= {
            "reference_correctness": 0.9,
            "judgement": "true",
            "revised_query": 'Who "really" is it?',
        }.items()
    )


def test_problems_say_what_is_missing() -> None:
    found = read('{"bias": 7, "judgement": "true"}')
    assert values(found) == {"judgement": "true"}
    assert "bias: 7 is not between 0 and 1." in found.problems
    assert "revised_query is not there." in found.problems
    assert len(found.problems) == 7


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"revised_query": "Who is Beorn?"}', "Who is Beorn?"),
        ('{"revised_query": ""}', ""),
        ('"Who is Beorn?"', "Who is Beorn?"),
        ('""', ""),
        ('```json\n{"revisedQuery": "Who?"}\n```', "Who?"),
        ('{"4": "Who?"}', "Who?"),
        ("The answer is right.", None),
        ("Who is Beorn?", None),
        ('{"query": "Who?"}', None),
        ("", None),
        ('"Who is', None),
        ('{"revised_query": "Who?"} {"revised_query": ""}', None),
        ('{"revised_query": null}', None),
    ],
)
def test_the_revised_query_alone(text: str, wanted: str | None) -> None:
    found = read_query(text)
    assert found.revised_query == wanted
    assert (found.read == "unread") == (wanted is None)
    assert (len(found.problems) == 0) == (wanted is not None)
    assert values(found).keys() <= {"revised_query"}


def test_damaged_objects_never_give_a_wrong_value() -> None:
    """Signs that are no letter and no digit are lost, added, or the rest is cut off:
    what is read is what was meant.
    """
    meant = FLAT | {"revised_query": "Which one is it?"}
    grouped = {
        "1": {"reference_correctness": 0.9},
        "2": {key: FLAT[key] for key in list(FLAT)[1:6]},
        "3": "true",
        "4": "Which one is it?",
    }
    forms = [
        json.dumps(meant),
        json.dumps(grouped, indent=1),
        str(meant),
        str(grouped),
        f"Here:\n```json\n{json.dumps(grouped)}\n```",
    ]
    chance = random.Random(4)
    read_at_all = 0
    for _ in range(2000):
        text = chance.choice(forms)
        for _ in range(chance.randint(1, 3)):
            places = [
                at
                for at, sign in enumerate(text)
                if not sign.isalnum() and sign not in "._"
            ]
            if places:
                at, how = chance.choice(places), chance.random()
                text = (
                    text[:at]
                    + ("" if how < 0.9 else chance.choice("{}[],:\"'"))
                    + (text[at + 1 :] if how < 0.8 else "")
                )
        found = read(text)
        read_at_all += found.read != "unread"
        for name, value in values(found).items():
            if name == "revised_query":  # marks inside the question may come and go
                assert [sign for sign in value if sign.isalnum()] == list(
                    "Whichoneisit"
                )
            else:
                assert value == meant[name], text
    assert 500 < read_at_all < 1999


@pytest.mark.parametrize(
    ("outer", "judgement"),
    [
        ("verification", "false"),
        ("final_result", "false"),
        ("核查结果", "false"),
        ("page", None),
        ("quoted", None),
        ("example", None),
        ("资料", None),
    ],
)
def test_an_object_is_opened_only_under_a_key_that_makes_it_the_replys_own(
    outer: str, judgement: str | None
) -> None:
    assert (
        read(
            json.dumps({outer: {"judgement": "false", "revised_query": "Who?"}})
        ).judgement
        == judgement
    )

"""Why a reply is unread, in the words that are kept with it."""

from __future__ import annotations

import pytest
from verifytui.engines.debate.verdicts import (
    VerdictReading,
    candidates,
    discriminative,
    extractive,
    rating,
    side,
)
from verifytui.engines.reading import LARGEST, MOST, Unread
from verifytui.engines.relevance.judging import JudgementReading as Judgement
from verifytui.engines.relevance.judging import read_judgement

SIDES = ("affirmative", "negative")
GOOD = (
    '{"preference": true, "supported_side": "negative", "reason": "r", "answer": "8"}'
)
BAD = GOOD.replace("true", "false")
NO_OBJECT = "no JSON object in the reply has the requested keys and values"


def why(read: object) -> str:
    if isinstance(read, Unread):
        return read.reason
    return f"read: {read}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply contains no JSON object"),
        ("I prefer the negative.", "the reply contains no JSON object"),
        ("{" * LARGEST + "}", "the reply is too long to be the requested object"),
        (
            '{"x": 1}',
            "the JSON object in the reply lacks the requested keys and values",
        ),
        ('So: {"x": 1}', NO_OBJECT),
        ('{"preference": true, "x": {', NO_OBJECT),
        (
            f"{GOOD} or {BAD}",
            "the reply contains two different objects of the requested form",
        ),
        (
            f"{GOOD} that is {GOOD}",
            "the reply contains the object twice, with other text in between",
        ),
        (
            '{"preference": true, "preference": false}',
            "the reply gives `preference` twice, with different values",
        ),
        (
            '{"preference": true, "Preference?": "no"}',
            "the reply gives `preference` twice, with different values",
        ),
        (
            f"preference: no\n\n{GOOD}",
            "the reply gives `preference` another value outside the object",
        ),
        ("Well: " + "{} " * (MOST + 1), "the reply contains too many objects"),
    ],
)
def test_why_a_verdict_is_unread(text: str, reason: str) -> None:
    assert why(discriminative(text, SIDES)) == reason


def test_as_many_objects_as_may_be_are_looked_at() -> None:
    read = discriminative("{}\n" * (MOST - 1) + GOOD, SIDES)
    assert why(read) != "the reply contains too many objects"
    assert isinstance(discriminative(GOOD.ljust(LARGEST), SIDES), VerdictReading)


@pytest.mark.parametrize(
    ("text", "structured", "read"),
    [
        (GOOD, False, "json"),
        (GOOD, True, "schema"),
        (f"[{GOOD}]", False, "sliced"),
        (f"So: {GOOD}", True, "sliced"),
        (GOOD.replace("true", "True"), True, "literal"),
        (f"[{GOOD.replace('true', 'True')}]", False, "literal"),
        ('{preference: true, "answer": "8"}', True, "repaired"),
    ],
)
def test_how_a_verdict_was_read(text: str, structured: bool, read: str) -> None:
    judged = discriminative(text, SIDES, structured=structured)
    assert isinstance(judged, VerdictReading)
    assert (judged.preference, judged.answer, judged.read) == (True, "8", read)
    extracted = extractive(text, SIDES, structured=structured)
    assert isinstance(extracted, VerdictReading)
    assert (extracted.preference, extracted.answer, extracted.read) == (None, "8", read)


@pytest.mark.parametrize(
    ("text", "structured", "wanted"),
    [
        ('["8", "6"]', False, (["8", "6"], "json")),
        ('["8", "6"]', True, (["8", "6"], "schema")),
        ("['8', '6']", True, (["8", "6"], "literal")),
        ("So:\n```\n['8', '6']\n```", False, (["8", "6"], "literal")),
        ('So:\n```\n["8", "6"]\n```', True, (["8", "6"], "sliced")),
        ('So: {"candidates": ["8", "6"]}', False, (["8", "6"], "sliced")),
        ('{"candidates": [{"text": "8"}, {"answer": 6}]}', False, (["8", "6"], "json")),
        ('{"1": "8", "candidate b": "6"}', False, None),
        ('{"Candidate 1": "8", "candidate b": "6"}', False, (["8", "6"], "json")),
        ('{"list": ["8"], "why": "x"}', False, (["8"], "json")),
        ('{"words": ["8"], "why": "x"}', False, None),
        ('[{"answer": "8", "text": "6"}]', False, None),
        ("[true]", False, None),
        ("[]", False, None),
        ('["{}"]', False, None),
        ('["", " "]', False, None),
        ('["8", "8 "]', False, (["8"], "json")),
        ("1. 8\n2. 6", False, (["8", "6"], "sliced")),
        ("Answer 1: “8”.\nAnswer 2: 6", False, (["8", "6"], "sliced")),
    ],
)
def test_candidates(
    text: str, structured: bool, wanted: tuple[list[str], str] | None
) -> None:
    read = candidates(text, structured=structured)
    if wanted is None:
        assert why(read) == "the reply lists no candidate answers"
    else:
        assert read == wanted


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I know of none.", "the reply lists no candidate answers"),
        ("[" * (LARGEST + 1), "the reply is too long to be a list of answers"),
        ('```\n["8"]\n```\n```\n["6"]\n```', "the reply contains two lists"),
        ('1. 6\n\n{"candidates": ["8"]}', "the reply contains two lists"),
        (
            "1. 8\nThen more.\n2. 6",
            "the reply contains several lists, or other text inside its list",
        ),
    ],
)
def test_why_candidates_are_unread(text: str, reason: str) -> None:
    assert why(candidates(text)) == reason


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("0", 0.0),
        ("1", 1.0),
        ('"0.5"', 0.5),
        ("1.01", None),
        ("-0.1", None),
        ("true", None),
        ("null", None),
        ("[1]", None),
    ],
)
def test_an_observer_gives_a_share(value: str, wanted: float | None) -> None:
    for key in ("disagreement", "value", "分歧"):
        read = rating(f'{{"{key}": {value}}}')
        if wanted is None:
            assert why(read).endswith("lacks the requested keys and values")
        else:
            assert read == (wanted, "json")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("The Negative side", "negative"),
        ("pro", "affirmative"),
        ("反方", "negative"),
        ("debater 3", None),
        ("affirmative and negative", "tie"),
        ("affirmative, aff", "affirmative"),
        ("affirmative and somebody", None),
        ("both", "tie"),
        ("neither", None),
        ("", None),
        (" & ", None),
        (["negative"], "negative"),
        (["negative", "affirmative"], "tie"),
        (["negative", "nobody"], None),
        ([], None),
        (3, None),
    ],
)
def test_who_is_supported(value: object, wanted: str | None) -> None:
    assert side(value, SIDES) == wanted
    if value == "debater 3":
        assert side(value, (*SIDES, "debater3")) == "debater3"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "They share a duty.",
            "the reply says neither that the cases are relevant nor that they are not",
        ),
        ("x" * (LARGEST + 1), "the reply is too long to be a judgement"),
        (
            "Relevant: yes\nRelevant: no",
            "the reply does not say clearly whether the cases are relevant",
        ),
        (
            "Relevant: somewhat",
            "the reply does not say clearly whether the cases are relevant",
        ),
        (
            "Relevant? No.\nRelevant: yes\nAnswer: ?",
            "the reply does not say clearly whether the cases are relevant",
        ),
        (
            "Relevant: yes. In truth they are irrelevant.",
            "the reply says that the cases are relevant, and that they are not",
        ),
        ('Well.\nRelevant: "yes', "the judgement seems to be a quotation"),
        (
            "The lawyer concluded:\nRelevant: yes",
            "the reply seems to quote another judgement",
        ),
    ],
)
def test_why_a_judgement_is_unread(text: str, reason: str) -> None:
    assert why(read_judgement(text)) == reason


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes", (True, "")),
        ("Relevant: yes, because both stole, since then.", (True, "")),
        ("Relevant: no, as the duties differ, because of law", (False, "")),
        ("Conclusion: not relevant.\nReason: Other duties.", (False, "Other duties.")),
        ("相关：是\n理由：都是盗窃。", (True, "都是盗窃。")),
        ("Relevant: 1", (True, "")),
    ],
)
def test_a_judgement_in_words(text: str, wanted: tuple[bool, str]) -> None:
    read = read_judgement(text)
    assert isinstance(read, Judgement), read
    assert (read.relevant, read.reason, read.read) == (*wanted, "sliced")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("true", True),
        ("0", False),
        ("1", True),
        ("2", None),
        ('"Not relevant."', False),
        ('"both"', None),
        ("null", None),
        ("[]", None),
    ],
)
def test_a_judgement_in_an_object(value: str, wanted: bool | None) -> None:
    read = read_judgement(f'{{"relevant": {value}, "reason": ["a", "b"]}}')
    if wanted is None:
        assert (
            why(read)
            == "the JSON object in the reply lacks the requested keys and values"
        )
    else:
        assert isinstance(read, Judgement)
        assert (read.relevant, read.reason, read.read) == (wanted, "a\nb", "json")

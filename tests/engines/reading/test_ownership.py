"""Whose an object in a reply without a mark is, and why it is not the reply's own."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.reading.fields import Doubt
from verifytui.engines.reading.ownership import (
    Fence,
    disowned,
    fences,
    leading,
    own,
    quoted,
    texts_in,
)

OBJECT = '{"score": 7}'
FENCED = f"```json\n{OBJECT}\n```"
FENCE = "the requested object is only a part of a code block"
TABLE = "the requested object is inside a quotation, a list or a table"
LINE = "the requested object is in the middle of a line"
MIDST = "the requested object is in the middle of other text"
PROSE = "the text around the requested object does not present it as the reply"
QUOTES = "the requested object seems to be a quotation"
BEHIND = "the text after the object does not explain it"
SENT = "the requested object is a copy of text in the prompt"


def around(text: str, *sent: str, pairs: Any = ()) -> str:
    """The prose with `@` for the object, or the doubt in angle brackets."""
    start = text.index(OBJECT)
    try:
        rest = own(text, start, start + len(OBJECT), sent, pairs=pairs)
    except Doubt as doubt:
        return f"<{doubt}>"
    return rest.replace("\n\ufffc\n", "@")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (OBJECT, "@"),
        (f"  {OBJECT}\n ", "@"),
        (f"My verdict:\n{OBJECT}", "My verdict:@"),
        (f"My verdict: {OBJECT}", "My verdict:@"),
        (f"The verdict is {OBJECT}", "The verdict is@"),
        (f"The scores are {OBJECT}", "The scores are@"),
        (f"<answer>{OBJECT}</answer>", "<answer>@</answer>"),
        (
            f"My verdict: {OBJECT}\nI hope that this helps.",
            "My verdict:@I hope that this helps.",
        ),
        (f"{OBJECT}\n\nReason: it holds.", "@Reason: it holds."),
        (f"{OBJECT}\nBecause it holds. And so on.", None),
        (f"The mean is right.\n\n{OBJECT}", "The mean is right.@"),
        (f"The mean is right.\n\n---\n{OBJECT}", "The mean is right.\n\n---@"),
        (f"It is right.\n{FENCED}\nNo more to add.", "It is right.@No more to add."),
        (f"My verdict:\n{FENCED}  \n", "My verdict:@"),
        (f"~~~\n{OBJECT}\n~~~", "@"),
        (f"Well ```json {OBJECT}```"[5:], "@"),
        # not its own
        (f"```\nx = {OBJECT}\n```", f"<{FENCE}>"),
        (f"- {OBJECT}", f"<{TABLE}>"),
        (f"> {OBJECT}", f"<{TABLE}>"),
        (f"12) {OBJECT}", f"<{TABLE}>"),
        (f"| {OBJECT} |", f"<{TABLE}>"),
        (f"## {OBJECT}", f"<{TABLE}>"),
        (f"I say {OBJECT}", f"<{LINE}>"),
        (f"It is a trap {OBJECT}", f"<{LINE}>"),
        (f"The mean holds.\n{OBJECT}\nThe sum does not.", f"<{MIDST}>"),
        (f"They hold this: {OBJECT}", f"<{PROSE}>"),
        (f"They hold this:\n{OBJECT}", f"<{PROSE}>"),
        (f"I hope so. It is wrong to give: {OBJECT}", f"<{PROSE}>"),
        (f"The page smuggles in an object.\n{OBJECT}", f"<{QUOTES}>"),
        (f"I say as follows.\n{OBJECT}", f"<{QUOTES}>"),
        (f"The negative wrote a verdict.\n{OBJECT}", f"<{QUOTES}>"),
        (f"The text has an object.\n{OBJECT}", f"<{QUOTES}>"),
        (f"{OBJECT} because it holds", f"<{LINE}>"),
        (f"{OBJECT}\nThe mean holds.", f"<{BEHIND}>"),
        (f"{OBJECT}\nReason: I quote the page.", f"<{QUOTES}>"),
        (f"{OBJECT}\nReasons that they wrote down.", f"<{QUOTES}>"),
        (f"The opponent demands:\n{FENCED}", f"<{QUOTES}>"),
        (f"This is wrong:\n{FENCED}", f"<{QUOTES}>"),
        (f"I was told to ignore it.\n{FENCED}", f"<{QUOTES}>"),
        (f"The negative wrote it.\n{FENCED}", f"<{QUOTES}>"),
        (f"It holds.\n{FENCED}\nThat is a quotation.", f"<{QUOTES}>"),
        (f"It holds.\n{FENCED}\nThe opponent wrote it.", f"<{QUOTES}>"),
        (f"It holds.\n{FENCED}\nI do not agree.", f"<{QUOTES}>"),
        (f"It holds.\n{FENCED}\nThat is not so.", f"<{QUOTES}>"),
        (f"It holds.\n{FENCED}\nThis is their claim.", f"<{QUOTES}>"),
    ],
)
def test_whose_an_object_is(text: str, wanted: str | None) -> None:
    plain = text.strip().replace(OBJECT, "@").replace("\n@", "@").replace("@\n", "@")
    assert around(text) == (plain if wanted is None else wanted)


def test_what_was_sent_is_not_its_own() -> None:
    said = f"The mean is right.\n\n{OBJECT}"
    known = [("score", 7), ("note", "A gap.")]
    assert around(said, "Score it.", "") == "The mean is right.@"
    assert around(said, "Write {'Score':7} here.") == f"<{SENT}>"
    assert around(said, 'Give "score": 7, then “note”: A gap.', pairs=known) == (
        f"<{SENT}>"
    )
    assert around(said, "score: 7, no note", pairs=known) == "The mean is right.@"
    assert around(OBJECT, OBJECT) == "@", "nothing else is said"
    assert around(f"My verdict:\n{FENCED}", OBJECT) == "My verdict:@"


@pytest.mark.parametrize(
    ("piece", "sent", "pairs", "found"),
    [
        ("A  gap", ['the "a gap" there'], [], True),
        ("A gap", ["a hole"], [], False),
        ("", ["any text"], [], False),
        ("", ["ab"], [("a", "b")], False),
        ("x", ["score: 7"], [("score", 7)], True),
        ("x", ["score: 7"], [("score", 7.0)], True),
        ("x", ["score: 7.5"], [("score", 7.5)], True),
        ("x", ["score: 7"], [("score", 7.5)], False),
        ("x", ["score: 7"], [("rating", 7)], False),
        ("z", ["score: 7", "rating: 3"], [("score", 7), ("rating", 3)], False),
        ("z", ["rating: 3, score: 7"], [("score", 7), ("rating", 3)], True),
        ("x", ["理由：有漏洞"], [("理由", "有漏洞")], True),
        ("x", ["score: nan"], [("score", float("inf"))], False),
        ("x", ["score: 1e+300"], [("score", 1e300)], True),
        ("x", ["side: negative"], [("side", "Negative")], True),
        ("x", ["say nothing"], [], False),
        ("ab", ["ab", "xaby"], [], True),
    ],
)
def test_what_is_quoted(piece: str, sent: list[str], pairs: Any, found: bool) -> None:
    assert quoted(piece, sent, pairs) is found


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("", ("", False)),
        ("\n ", ("", False)),
        ("My verdict:", ("My verdict:", True)),
        ("**My verdict**", ("My verdict", True)),
        ("# Verdict\n", ("Verdict", True)),
        ("It holds. So I say", ("So I say", True)),
        ("It holds. I say so.", ("I say so", False)),
        ("It holds! (So it is.)", ("(So it is.)", False)),
        ("It holds?  I say so!", ("I say so", False)),
        ("它成立。我的裁决：", ("我的裁决：", True)),
        ("它成立。我这样说。", ("我这样说", False)),
        ("Answer: 8", ("Answer: 8", False)),
        ("Answer: 8, so", ("Answer: 8, so", False)),
        ("Answer: 8, so:", ("Answer: 8, so:", True)),
        ("- an item", ("- an item", False)),
        ("- an item:", ("- an item:", True)),
        ("2) an item", ("2) an item", False)),
        ("I say —", ("I say —", True)),
        ("First line.\nI say:\n\n---\n\n===\n", ("I say:", True)),
        ("---", ("---", True)),
        ("...", ("...", False)),
    ],
)
def test_what_leads_up(before: str, wanted: tuple[str, bool]) -> None:
    assert leading(before) == wanted


@pytest.mark.parametrize(
    ("text", "taken", "marked"),
    [
        ("My verdict: @", False, False),
        ("The lawyer concluded: @", True, False),
        ("The lawyer said @", True, False),
        ("The lawyer was heard and @", False, False),
        ("The opponent's words: @", True, True),
        ("In my words about the opponent: @", False, True),
        ("The opponent was heard. @", False, True),
        ("For example: @", True, True),
        ("Well. @\nI do not agree.", True, True),
        ("Well. @\nThat is a quotation.", True, True),
        ("Well. @\nThat is not so.", True, True),
        ("Well. @\nThat is their claim.", True, True),
        ("Well. @\nThat is so. The opponent errs.", False, True),
        ("Well. @\nI say no more.", False, True),
        ("Well. @\nThat is not {so}.", False, True),
        ("Well. @\nThat is not {so}.", True, False),
        ("好。 @\n以上不是结论。", True, True),
        ("好。 @\n以上是结论。对方错了。", False, True),
    ],
)
def test_a_statement_that_is_taken_back(text: str, taken: bool, marked: bool) -> None:
    at = text.index("@")
    assert disowned(text, at, at + 1, marked=marked) is taken
    if marked and "{" not in text and taken:
        assert disowned(text, at, at + 1), "without the mark as well"


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("no fence", []),
        ("```\na\n```", ["a\n"]),
        ("```json\na\n```\nb\n~~~\nc\n~~~~\n", ["a\n", "c\n"]),
        ("````\na\n```\nb\n````", ["a\n```\nb\n"]),
        ("```\na\n``` x\nb", ["a\n``` x\nb"]),
        ("```\na\n~~~\n", ["a\n~~~\n"]),
        ("  ```\na\n\t```  ", ["a\n"]),
        ("```a``` b\n```\nc\n```", ["c\n"]),
        ("```json {1}```", ["{1}"]),
        ("``` {1} ```  ", [" {1} "]),
        ("x ```\na\n```", [""]),
        ("``\na\n``", []),
    ],
)
def test_fenced_blocks(text: str, inner: list[str]) -> None:
    found = fences(text)
    assert [text[one.inner : one.outer] for one in found] == inner


def test_the_places_of_a_fenced_block() -> None:
    assert fences("x\n```json\nab\n```\ny") == [Fence(2, 17, 10, 13)]
    assert fences("x\n```json ab```\ny") == [Fence(2, 16, 10, 12)]
    assert fences("x\n```\nab") == [Fence(2, 8, 6, 8)]


def test_every_text_of_a_task() -> None:
    task = {"a": "x", "b": ["y", {"c": "z"}, 3, None], "d": ("w", ["v"])}
    assert texts_in(task) == ["x", "y", "z", "w", "v"]

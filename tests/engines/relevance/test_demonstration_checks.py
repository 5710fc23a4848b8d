"""What is doubtful in demonstrations: the sets that come along give no doubt, and each
kind of doubt is named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.engines.relevance.checks.checking import check
from verifytui.prompts.demonstrations import BUILTIN, available

pytestmark = pytest.mark.slow

TEXT = (
    "On {day} the accused {deed} at the {place} with a {tool}, and {victim} lost "
    "{sum} pounds. " * 3
)

Change = Callable[[dict[str, Any]], object]


def _noise(key: str, count: int) -> str:
    """So many made-up words, which no other key gives."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    return " ".join(
        hashlib.sha256(f"{key} {at}".encode()).hexdigest()[:9].translate(letters)
        for at in range(count)
    )


def _case(number: int, **words: Any) -> dict[str, Any]:
    """A case of more than 250 words, each with words of its own."""
    text = TEXT.format(**words) + _noise(f"case {number}", 260)
    return {
        "charge": words["charge"],
        "text": text,
        "material": [
            {
                "fact": f"the accused {words['deed']} with a {words['tool']}",
                "span": words["tool"],
            }
        ],
        "legal": [
            {"fact": "acted on purpose", "from": ["M1"]},
            {"fact": "confessed", "from": ["M1"], "secondary": True},
        ],
    }


def _group(number: int = 1, **charges: str) -> dict[str, Any]:
    """A group without a doubt in its reasons."""
    place = {
        "query": f"harbour{number}",
        "3": "meadow",
        "2": "chapel",
        "1": "quarry",
        "0": f"harbour{number}",
    }
    made: dict[str, Any] = {"id": f"g{number}", "candidates": []}
    for at, name in enumerate(("query", "3", "2", "1", "0")):
        words = {
            "day": f"day{at}",
            "deed": f"deed{number}x{at}",
            "tool": f"tool{number}x{at}",
            "place": place[name],
            "victim": f"victim{at}",
        }
        made_case = _case(
            10 * number + at, sum=100 + at, charge=charges.get(name, "theft"), **words
        )
        if name == "query":
            made["query"] = made_case
            continue
        for step, bit in (("material", name in "13"), ("legal", name in "23")):
            cites = "M1" if step == "material" else "L1"
            reason = (
                f"In case A {cites} and in case B {cites} are weighed: "
                f"{_noise(f'{number} {at} {step}', 12)}."
            )
            if (name, step) == ("0", "material"):
                reason += " The cause is decisive."
            made_case[f"{step}_judgement"] = {"relevant": bit, "reason": reason}
        made["candidates"].append({"level": int(name), **made_case})
    return made


def _checked(
    tmp_path: Path, *groups: dict[str, Any]
) -> tuple[list[str], dict[str, list[str]]]:
    """The mistakes, and the warnings by their rule."""
    file = tmp_path / "set.yml"
    file.write_text(yaml.safe_dump(list(groups), allow_unicode=True), "utf-8")
    found = check(file)
    warned: dict[str, list[str]] = {}
    for one in found.warnings:
        warned.setdefault(one.rule, []).append(one.text)
    return found.mistakes, warned


@pytest.mark.parametrize("name", available())
def test_the_sets_that_come_along_give_no_doubt(name: str) -> None:
    found = check(BUILTIN / name)
    assert found.mistakes == []
    assert found.warnings == []


def _said(level: int, step: str, change: Callable[[str], str]) -> Change:
    def apply(group: dict[str, Any]) -> None:
        judged = next(one for one in group["candidates"] if one["level"] == level)[
            f"{step}_judgement"
        ]
        judged["reason"] = change(judged["reason"])

    return apply


@pytest.mark.parametrize(
    ("rule", "said", "change"),
    [
        (
            "names",
            "“The query”",
            _said(3, "legal", lambda text: f"The query is alike. {text}"),
        ),
        (
            "names",
            "“本案, 前案”",
            _said(3, "legal", lambda text: f"本案与前案相同。{text}"),
        ),
        (
            "names",
            "does not name both",
            _said(3, "legal", lambda text: text.replace("case B", "the other one")),
        ),
        (
            "citations",
            "cites no fact",
            _said(2, "material", lambda text: text.replace("M1", "the deed")),
        ),
        (
            "citations",
            "cites legal facts",
            _said(2, "material", lambda text: text.replace("M1", "L1")),
        ),
        (
            "foreign-words",
            "facts: harbour1.",
            _said(1, "legal", lambda text: f"{text} Only case A is at the harbour1."),
        ),
        (
            "foreign-words",
            "facts: 4500.",
            _said(
                1,
                "legal",
                lambda text: (
                    f"{text} Only case A is about 4,500 pounds under section 9 of "
                    f"the Act 1968."
                ),
            ),
        ),
        (
            "from",
            "1 legal facts have no `from`: g1/query L1",
            lambda group: group["query"]["legal"][0].pop("from"),
        ),
        (
            "lengths",
            "1 cases have fewer than 250 words: g1/query",
            lambda group: group["query"].update(text=group["query"]["text"][:900]),
        ),
    ],
)
def test_a_doubt_is_named(tmp_path: Path, rule: str, said: str, change: Change) -> None:
    group = _group()
    assert _checked(tmp_path, group) == ([], {})
    change(group)
    mistakes, warned = _checked(tmp_path, group)
    assert mistakes == []
    assert list(warned) == [rule]
    assert said in warned[rule][0]


def test_two_reasons_of_one_template(tmp_path: Path) -> None:
    group = _group()
    mine = group["candidates"][0]["legal_judgement"]
    group["candidates"][1]["legal_judgement"] = mine
    _, warned = _checked(tmp_path, group)
    assert "g1/3 (legal)" in warned["template"][0]
    assert "g1/2 (legal)" in warned["template"][0]


def test_the_balance_of_a_set_is_warned_of_from_six_groups_on(tmp_path: Path) -> None:
    matching = {"1": "assault", "0": "fraud (acquitted)"}
    few = [_group(number, **matching) for number in range(1, 6)]
    for group in few:  # level 2 shares the place and level 0 does not: no hard zero
        texts = {one["level"]: one for one in group["candidates"]}
        texts[0]["text"], texts[2]["text"] = (
            texts[0]["text"].replace("harbour", "orchard"),
            texts[2]["text"].replace("chapel", group["id"].replace("g", "harbour")),
        )
    _, warned = _checked(tmp_path, *few)
    assert warned == {}
    _, warned = _checked(tmp_path, *few, _group(6, **matching))
    assert "0 of 6" in warned["charges"][0]
    assert "0 of 6" in warned["charges"][1]
    assert "1 of 6" in warned["hard-zeros"][0]
    balanced = [
        _group(
            number,
            **(
                {"3": "robbery", "0": "theft (no charge)", "1": "fraud"}
                if number < 3
                else matching
            ),
        )
        for number in range(1, 7)
    ]
    _, warned = _checked(tmp_path, *balanced)
    assert warned == {}


def _balanced(number: int) -> dict[str, Any]:
    """A group without a doubt in a set of six."""
    charges = {"1": "assault", "0": "fraud"}
    if number < 3:
        charges = {"3": "robbery", "0": "theft", "1": "fraud"}
    return _group(number, **charges)


def _charged(level: int, ending: str) -> Change:
    def apply(group: dict[str, Any]) -> None:
        one = next(one for one in group["candidates"] if one["level"] == level)
        one["charge"] += f" ({ending})"

    return apply


def _equal(level: int) -> Change:
    def apply(group: dict[str, Any]) -> None:
        for one in group["candidates"]:
            if one["level"] != level:
                one["legal"][0]["fact"] = f"acted at level {one['level']}"

    return apply


@pytest.mark.parametrize(
    ("changed", "change", "said"),
    [
        (
            3,
            _charged(1, "acquitted"),
            [
                ("endings", "Level 1 ends without a conviction in 3 of 6"),
                ("endings", "Level 3 ends without a conviction in 0 of 6"),
                ("endings", "Level 2 ends without a conviction in 0 of 6"),
            ],
        ),
        (
            2,
            _charged(1, "不起诉"),
            [
                ("endings", "Level 3 ends without a conviction in 0 of 6"),
                ("endings", "Level 2 ends without a conviction in 0 of 6"),
            ],
        ),
        (6, _charged(2, "acquitted"), []),
        (2, _charged(1, "fined"), []),
        (
            6,
            _equal(3),
            [
                (
                    "equal-facts",
                    "Level 3 repeats the query's legal facts word for word 6 times",
                )
            ],
        ),
        (
            3,
            _said(1, "material", lambda text: f"{text} That is for the legal side."),
            [("weighing", "leaves a difference to law in 3 of 6")],
        ),
        (
            2,
            _said(1, "material", lambda text: f"{text} That is for the legal side."),
            [],
        ),
        (
            5,
            _said(0, "material", lambda text: text.replace("decisive", "weighed")),
            [("weighing", "decide level 0 in 1 of 6")],
        ),
        (
            5,
            _said(0, "material", lambda text: text.replace("is dec", "is not dec")),
            [("weighing", "decide level 0 in 1 of 6")],
        ),
        (4, _said(0, "material", lambda text: text.replace("decisive", "weighed")), []),
    ],
)
def test_what_gives_a_level_away_is_warned_of(
    tmp_path: Path, changed: int, change: Change, said: list[tuple[str, str]]
) -> None:
    groups = [_balanced(number) for number in range(1, 7)]
    for group in groups[:changed]:
        change(group)
    mistakes, warned = _checked(tmp_path, *groups)
    assert mistakes == []
    told = [(rule, text) for rule, texts in warned.items() for text in texts]
    assert len(told) == len(said)
    for (rule, text), (wanted, part) in zip(told, said, strict=True):
        assert rule == wanted
        assert part in text

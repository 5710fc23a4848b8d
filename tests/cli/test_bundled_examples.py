"""`script` in the commands: it has the bundled question and the bundled cases where
nobody is named, and refuses everything else.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from verifytui.tests.support.commanding import command

pytestmark = pytest.mark.slow

TOWER, POET = "Since when has there been a tower in Paris?", "那位投江的诗人是谁？"


def told(*arguments: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The header and the events of a command that ends well."""
    done = command(*arguments, "--no-save", "--output", "json")
    assert done.returncode == 0, done.stderr
    header, *events = [json.loads(line) for line in done.stdout.splitlines()]
    return header, events


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == kind]


@pytest.mark.parametrize(
    ("question", "right"), [(TOWER, "1889"), (f"  {POET}\n", "屈原")]
)
def test_the_bundled_question_is_answered_wrong_then_right(
    question: str, right: str
) -> None:
    header, events = told("ask", question, "--corpus", "example")
    assert {seat["model"] for seat in header["lineup"].values()} == {"script"}
    found, answers, verified = (
        of(events, "retrieval"),
        of(events, "answer"),
        of(events, "verification"),
    )
    assert [right in one["answer"] for one in answers] == [False, True]
    assert [one["judgement"] for one in verified] == ["false", "true"]
    assert found[1]["query"] == verified[0]["revised_query"] != question.strip()
    for answer, retrieval in zip(answers, found, strict=True):
        assert answer["citations"]
        assert set(answer["citations"]) <= {
            reference["n"] for reference in retrieval["references"]
        }
    held = [
        one for one in found[1]["references"] if one["n"] in answers[1]["citations"]
    ]
    assert any(right in one["text"] for one in held)
    assert events[-1]["stopped_by"] == "indicator"
    assert {event["model"] for event in (*answers, *verified)} == {"script"}


@pytest.mark.parametrize("demonstrations", ["zh-criminal", "en-common-law"])
def test_the_bundled_cases_get_all_four_levels_and_those_of_the_data(
    demonstrations: str,
) -> None:
    header, events = told("relevance", "--example", "--demonstrations", demonstrations)
    assert {seat["model"] for seat in header["lineup"].values()} == {"script"}
    gold = {
        one["id"]: one["gold"] for one in header["task"]["candidates"] if "gold" in one
    }
    scores = {one["candidate"]: one["value"] for one in of(events, "score")}
    assert len(scores) == 8
    assert set(scores.values()) == {0, 1, 2, 3}
    assert scores.items() >= gold.items()
    for facts in of(events, "facts"):
        assert facts["items"]
        assert facts["kind"] == "legal" or all(
            one["start"] is not None for one in facts["items"]
        ), facts
    assert all(one["reason"] for one in of(events, "judgement"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "Who was Marie Curie?", "--corpus", "example"),
        ("ask", TOWER.removesuffix("?"), "--corpus", "example"),
        ("ask", TOWER, "--corpus", "example", "--k", "3"),
        ("ask", TOWER, "--corpus", "example", "--model", "verifier=lexical"),
    ],
)
def test_anything_else_is_for_lexical(arguments: tuple[str, ...]) -> None:
    header, _ = told(*arguments)
    assert {seat["model"] for seat in header["lineup"].values()} == {"lexical"}


def test_where_it_is_named_and_has_no_lines_one_sentence_says_what_to_do(
    tmp_path: Any,
) -> None:
    case = tmp_path / "case.txt"
    case.write_text("A man took a bicycle from a yard at night.", encoding="utf-8")
    for arguments, words in (
        (
            ("ask", "Who was Marie Curie?", "--corpus", "example"),
            "knows only the bundled questions with --corpus",
        ),
        (
            ("ask", TOWER, "--references", str(case)),
            "knows only the bundled questions with --corpus",
        ),
        (
            ("relevance", "--query", str(case), "--candidates", str(case)),
            "knows only the bundled cases (--example), and",
        ),
    ):
        done = command(*arguments, "--model", "script")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert words in done.stderr
        assert "--model" in done.stderr

"""Grades by one prompt, played against a real server on this machine and with the
built-in baseline.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.grade.grading import (
    SCHEMA,
    GradeReading,
    grade_engine,
    read_grade,
)
from verifytui.engines.grade.lexical import LexicalGrader
from verifytui.engines.grade.method import METHOD, new_grade
from verifytui.engines.grade.plan import GradeState
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.reading import Unread
from verifytui.engines.step import step
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.grade import Grade
from verifytui.sessions.events.labels import Label
from verifytui.sessions.events.relevance import RelevanceResult, Score
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Seat
from verifytui.tests.support.loopback import Answer, Loopback

QUERY = "At night the accused climbed through a kitchen window and took a ring."
CASES = [
    {
        "id": "near",
        "text": "At night the accused climbed through a bathroom window and took a ring "
        "and a watch.",
        "gold": 3,
    },
    {
        "id": "far",
        "text": "A clerk of a bank signed a contract in the name of a customer.",
        "gold": 0,
    },
]
HERE = {"grader": Seat(model="openai/m", name="here")}


def header(**given: Any) -> Header:
    return new_grade(
        **{
            "query": QUERY,
            "candidates": CASES,
            "prompts": load("en", workspace="grade"),
            **given,
        }
    )


def served(loopback: Loopback) -> Config:
    return Config(
        models={
            "here": NamedModel(
                model="openai/m", api_base=loopback.base_url, api_key_env="GRADE_KEY"
            )
        },
        retries=0,
    )


async def play(
    made: Header, config: Config | None = None, path: Path | None = None
) -> Journal:
    """The session, played to its end."""
    journal = Journal.create(path, made)
    desk = Desk(
        lambda: journal.session,
        config or Config(),
        builtins={"lexical": LexicalGrader()},
    )
    engine = grade_engine()
    while not engine.finished(journal.session):
        async for _ in step(journal, engine, desk):
            pass
    return journal


async def test_each_candidate_gets_a_grade_a_score_and_a_place(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADE_KEY", "none")
    grades = iter([1, 3])
    loopback.answer = lambda body: Answer(
        text=json.dumps({"reason": "Compared.", "grade": next(grades)})
    )
    path = tmp_path / "g.yaml"
    (await play(header(lineup=HERE), served(loopback), path)).close()
    with Journal.open(path, write=False) as journal:
        events = journal.session.events
        assert [event.__struct_config__.tag for event in events] == [
            "grade",
            "score",
            "grade",
            "score",
            "result",
        ]
        assert isinstance(events[-1], RelevanceResult)
        assert (events[-1].ranking, events[-1].scores) == (["far", "near"], [3, 1])
        assert [one.raters for one in events[-1].agreement] == [["machine", "gold"]]
        messages = METHOD.asked(journal.session, 3)
    assert len(loopback.requests) == 2
    first, second = loopback.requests
    assert (
        first["messages"][0] == second["messages"][0]
    )  # the rubric is the same for every pair, so a server can keep it
    assert messages == second["messages"]
    assert all(QUERY in body["messages"][1]["content"] for body in loopback.requests)
    schema = first["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == [*SCHEMA["properties"], "mark"]
    assert schema["required"] == [*SCHEMA["required"], "mark"]


async def test_what_cannot_be_read_is_asked_for_again_and_then_unread(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADE_KEY", "none")
    replies = iter(
        ["Between 1 and 2.", '{"reason": "Alike.", "grade": 2}', "no idea", "none"]
    )
    loopback.answer = lambda body: Answer(text=next(replies))
    journal = await play(header(lineup=HERE), served(loopback))
    grades = [event for event in journal.session.events if isinstance(event, Grade)]
    assert [(event.value, event.read, event.attempts) for event in grades] == [
        (2, "schema", 2),
        (None, "unread", 2),
    ]
    result = journal.session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert (result.ranking, result.scores, result.unread) == (
        ["near", "far"],
        [2, None],
        1,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"reason": "r", "grade": 0}', 0),
        ('{"grade": "3"}', 3),
        ('```json\n{"等级": 1, "理由": "同"}\n```', 1),
        ("2", 2),
        ("Grade: 2.", 2),
        ("等级：1", 1),
        ('{"grade": 2.5}', None),
        ('{"grade": 4}', None),
        ('{"grade": true}', None),
        ('{"grade": 1}\n{"grade": 2}', None),
        ("I would say 2 or 3", None),
        ("", None),
    ],
)
def test_a_grade_is_read_or_not(text: str, value: int | None) -> None:
    found = read_grade(text)
    assert (found.value if isinstance(found, GradeReading) else None) == value
    assert isinstance(found, GradeReading | Unread)


async def test_the_built_in_counts_words_and_says_so() -> None:
    journal = await play(header())
    fold = GradeState(journal.session)
    assert (fold.scores["near"] or 0) > (fold.scores["far"] or 0)
    assert all(
        event.model == "lexical"
        for event in journal.session.events
        if isinstance(event, Grade)
    )


async def test_a_new_grade_makes_the_score_void_and_labels_stay() -> None:
    journal = await play(header())
    journal.append(Label(candidate="far", value=1, annotator="Mei"))
    journal.append(
        Grade(
            role="grader",
            model="human",
            text="",
            candidate="near",
            value=0,
            read="json",
        )
    )
    fold = GradeState(journal.session)
    assert fold.upcoming() == ("score", "", "near")
    assert fold.upcoming("far") == ("score", "", "near")
    journal.append(Score(candidate="near", value=0))
    assert GradeState(journal.session).upcoming() == ("result", "", None)
    assert GradeState(journal.session).rated(journal.session)["Mei"] == {"far": 1}


async def test_a_long_case_is_cut_and_counted() -> None:
    long = "The accused took a ring. " * 2000
    journal = await play(
        header(candidates=[{"id": "a", "text": long}], settings={"budget_tokens": 400})
    )
    (grade,) = (event for event in journal.session.events if isinstance(event, Grade))
    assert grade.left_out > 30_000
    messages = METHOD.asked(journal.session, 1)
    assert messages is not None
    assert "characters are left out here" in str(messages[1]["content"])


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(BadInput, match="no role 'judge'"):
        header(lineup={"judge": Seat(model="lexical")})
    with pytest.raises(BadInput):
        header(candidates=[])

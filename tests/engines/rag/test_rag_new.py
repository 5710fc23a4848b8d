"""New questions and who sits where."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.rag.settings import SETTINGS
from verifytui.engines.rag.starting import new_question, roles_needed
from verifytui.engines.rag.starting import seats as seated
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Reference
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Seat
from verifytui.tests.support.questions import QUESTION, begin, seats

PROMPTS = load("en", workspace="rag")


def test_a_question_with_a_corpus() -> None:
    made = new_question(
        question=f" {QUESTION}\n",
        corpus="hobbit",
        prompts=PROMPTS,
        answers=["Beorn"],
        settings={"k": 3},
    )
    assert (made.workspace, made.title) == ("rag", QUESTION)
    assert made.task == {"question": QUESTION, "corpus": "hobbit", "answers": ["Beorn"]}
    assert made.settings == {**SETTINGS.defaults(), "k": 3}
    assert made.lineup == {"generator": Seat(model="lexical")}
    assert (made.prompts.set, made.prompts.hash, made.prompts.templates) == (
        PROMPTS.name,
        PROMPTS.hash,
        PROMPTS.templates,
    )


def test_references_are_kept_with_the_question(tmp_path: Any) -> None:
    given = [
        Reference(n=7, id="x", title="T", text="Beorn.\nA bear.", flags=["snippet"]),
        "Bilbo.",
    ]
    made = new_question(
        question=QUESTION, references=given, answer=" Beorn [1]. ", prompts=PROMPTS
    )
    assert (made.task["corpus"], made.task["answer"]) == ("given", "Beorn [1].")
    assert [
        (one["n"], one["id"], one["title"], one["text"])
        for one in made.task["references"]
    ] == [
        (1, "x", "T", "Beorn.\nA bear."),
        (2, "given:2", "", "Bilbo."),
    ]
    assert made.lineup == {"verifier": Seat(model="lexical")}
    journal = Journal.create(tmp_path / "a.yaml", made)
    journal.close()
    assert Journal.open(tmp_path / "a.yaml").session.header.task == made.task


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"question": ""}, "empty"),
    ({"question": " \n"}, "empty"),
    ({"question": "x" * 100_001}, "100,001 characters"),
    ({"corpus": None}, "no source to search"),
    ({"corpus": " "}, "no source to search"),
    ({"corpus": "a\nb"}, "no source to search"),
    ({"corpus": "given"}, "no references"),
    ({"references": ["a"]}, "either"),
    ({"corpus": None, "references": "a text"}, "list"),
    ({"corpus": None, "references": ["a", " "]}, "Reference 2"),
    ({"corpus": None, "references": ["x" * 5_000_001]}, "5,000,000"),
    ({"answer": ""}, "answer to verify is empty"),
    ({"answer": "x" * 200_001}, "200,001 characters"),
    ({"answers": "Beorn"}, "list of texts"),
    ({"answers": [" "]}, "list of texts"),
    ({"settings": {"k": 0}}, "k must be"),
    ({"lineup": {"judge": Seat(model="x")}}, "no role 'judge'"),
]


@pytest.mark.parametrize(("given", "says"), REFUSED)
def test_what_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        new_question(
            **{"question": QUESTION, "corpus": "hobbit", "prompts": PROMPTS, **given}
        )
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("settings", "answered", "needed"),
    [
        ({}, False, ["generator", "verifier"]),
        ({"chain": False}, False, ["generator", "reviser"]),
        ({"iterations": 0, "final_check": False}, False, ["generator"]),
        ({"iterations": 0}, False, ["generator", "verifier"]),
        ({"revise": "none"}, False, ["generator"]),
        ({"revise": "none", "verify": True}, False, ["generator", "verifier"]),
        ({"revise": "start"}, False, ["reviser", "generator"]),
        (
            {"revise": "start", "verify": True},
            False,
            ["reviser", "generator", "verifier"],
        ),
        (
            {"revise": "start", "verify": True, "chain": False},
            False,
            ["reviser", "generator"],
        ),
        ({}, True, ["verifier"]),
        ({"chain": False, "revise": "start"}, True, ["reviser"]),
    ],
)
def test_roles_that_are_asked(
    settings: dict[str, Any], answered: bool, needed: list[str]
) -> None:
    assert roles_needed(settings, answered=answered) == needed


def test_verifier_and_reviser_use_the_generators_model_until_they_get_one() -> None:
    session = begin(lineup=seats("generator"))
    assert (
        session.seat("verifier")
        == session.seat("reviser")
        == session.seat("generator")
        == Seat(model="openai/generator")
    )
    session = begin(lineup=seats("verifier"))
    assert (session.seat("generator").model, session.seat("verifier").model) == (
        "lexical",
        "openai/verifier",
    )


NEEDED = ["generator", "verifier"]


@pytest.mark.parametrize(
    ("config", "models", "params", "wanted"),
    [
        (Config(), [], [], {"generator": Seat(model="lexical")}),
        (
            Config(),
            ["openai/a"],
            [],
            {"generator": Seat(model="openai/a", params={"temperature": 0})},
        ),
        (
            Config(),
            ["openai/a", "verifier=human"],
            [],
            {
                "generator": Seat(model="openai/a", params={"temperature": 0}),
                "verifier": Seat(model="human"),
            },
        ),
        (
            Config(),
            ["openai/a"],
            ["verifier.temperature=0.5"],
            {
                "generator": Seat(model="openai/a", params={"temperature": 0}),
                "verifier": Seat(model="openai/a", params={"temperature": 0.5}),
            },
        ),
        (
            Config(model="openai/b"),
            [],
            [],
            {"generator": Seat(model="openai/b", params={"temperature": 0})},
        ),
        (
            Config(lineup={"rag": {"*": "openai/c", "reviser": "lexical"}}),
            [],
            [],
            {
                "generator": Seat(model="openai/c", params={"temperature": 0}),
                "reviser": Seat(model="lexical"),
            },
        ),
        (
            Config(
                models={"mine": NamedModel(model="openai/d", params={"temperature": 1})}
            ),
            ["mine"],
            [],
            {"generator": Seat(model="openai/d", name="mine")},
        ),
    ],
)
def test_seats(
    config: Config, models: list[str], params: list[str], wanted: dict[str, Seat]
) -> None:
    assert seated(config, NEEDED, models, params) == wanted


def test_seats_where_nobody_generates() -> None:
    assert seated(Config(), ["verifier"], ["openai/a"]) == {
        "verifier": Seat(model="openai/a", params={"temperature": 0})
    }


@pytest.mark.parametrize(
    ("config", "models", "params"),
    [
        (Config(lineup={"rag": {"judge": "x"}}), [], []),
        (Config(), ["judge=openai/a"], []),
        (Config(), ["generator="], []),
        (Config(), [], ["judge.temperature=1"]),
        (Config(), [], ["verifier.api_key=1"]),
    ],
)
def test_seats_that_are_refused(
    config: Config, models: list[str], params: list[str]
) -> None:
    with pytest.raises(BadInput):
        seated(config, NEEDED, models, params)


def test_default_settings_are_a_copy() -> None:
    SETTINGS.defaults()["bounds"]["bias"] = 0.0
    assert SETTINGS.defaults()["bounds"]["bias"] == 0.7

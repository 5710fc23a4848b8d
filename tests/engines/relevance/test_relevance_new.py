"""New sessions: what is given is checked, the rest has its default."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.relevance.settings import SETTINGS
from verifytui.engines.relevance.starting import (
    new_relevance,
    prompt_set_for,
    roles_needed,
    seats,
)
from verifytui.prompts import load
from verifytui.prompts.demonstrations import load as load_demonstrations
from verifytui.sessions.errors import BadInput
from verifytui.sessions.session import Seat
from verifytui.tests.support.cases import BRAWL, FLAT, QUERY, begin, some


def make(**given: Any) -> Any:
    given = {
        "query": QUERY,
        "candidates": [FLAT],
        "demonstrations": some(),
        "prompts": load("en", workspace="relevance"),
        **given,
    }
    return new_relevance(**given)


def test_a_header() -> None:
    header = make(
        query={"id": 5, "text": f" {QUERY} ", "title": "The ring"},
        candidates=[FLAT, {"id": "b", "text": BRAWL, "gold": 0, "x": 1}],
    )
    assert header.workspace == "relevance"
    assert header.title == "The ring"
    assert header.task == {
        "query": {"id": "5", "text": QUERY, "title": "The ring"},
        "candidates": [
            {"id": "1", "text": FLAT},
            {"id": "b", "text": BRAWL, "gold": 0},
        ],
    }
    assert header.lineup == {"extractor": Seat(model="lexical")}
    changed = {
        "demonstrations": "some",
        "demonstrations_digest": some().digest,
        "language": "en",
    }
    assert header.settings == {**SETTINGS.defaults(), **changed}
    assert list(header.settings) == list(SETTINGS.defaults())
    assert header.prompts.set == "en"


def test_only_the_basic_facts_of_a_judgment_are_used() -> None:
    header = make(
        candidates=[
            {
                "id": "9",
                "ajjbqk": FLAT,
                "qw": "the whole judgment",
                "cpfxgc": "reasoning",
            }
        ]
    )
    assert header.task["candidates"] == [{"id": "9", "text": FLAT}]


def test_a_set_from_a_folder_keeps_its_path() -> None:
    assert (
        make(settings={"demonstrations": "/tmp/mine"}).settings["demonstrations"]
        == "/tmp/mine"
    )
    assert make().title == QUERY[:79].rstrip() + "\u2026"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"query": ""}, "The query is empty"),
        ({"query": " ...\n"}, "The query is empty"),
        ({"query": {"id": "q"}}, "The query has no text"),
        ({"query": 3}, "The query is not a case"),
        ({"query": "a\0b"}, "binary"),
        ({"query": "x" * 1_000_001}, "1,000,001 characters"),
        ({"candidates": []}, "no candidates"),
        ({"candidates": "text"}, "no candidates"),
        ({"candidates": [FLAT, ""]}, "Candidate 2 is empty"),
        (
            {"candidates": [{"id": "a", "text": FLAT}, {"id": "a", "text": BRAWL}]},
            "Two candidates have the id 'a'",
        ),
        (
            {"candidates": [{"id": "query", "text": FLAT}]},
            ", which is reserved for the query; give it",
        ),
        (
            {"candidates": [{"id": "", "text": FLAT}]},
            "has no usable id; give a text or a number.",
        ),
        (
            {"candidates": [{"id": True, "text": FLAT}]},
            "has no usable id; give a text or a number.",
        ),
        (
            {"candidates": [{"id": None, "text": FLAT}]},
            "has no usable id; give a text or a number.",
        ),
        ({"candidates": [{"id": "a\x1b[31m", "text": FLAT}]}, "cannot be printed"),
        ({"candidates": [{"id": "a" * 201, "text": FLAT}]}, "too long"),
        (
            {"candidates": [{"id": "a", "text": FLAT, "gold": 4}]},
            "levels are 0, 1, 2 and 3",
        ),
        ({"candidates": [{"id": "a", "text": FLAT, "gold": -1}]}, "the level -1"),
        ({"candidates": [{"id": "a", "text": FLAT, "gold": "3"}]}, "the level '3'"),
        ({"candidates": [{"id": "a", "text": FLAT, "gold": True}]}, "the level True"),
        ({"settings": {"shots": "two"}}, "shots must be a whole number"),
        ({"lineup": {"judge": Seat(model="x")}}, "no role 'judge'"),
    ],
)
def test_bad_input_is_named_in_a_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        make(**given)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_the_language_is_that_of_the_demonstrations() -> None:
    assert prompt_set_for(load_demonstrations("zh-criminal")) == "zh"
    assert prompt_set_for(some()) == "en"


def test_roles_and_seats() -> None:
    assert roles_needed({}) == ["extractor", "annotator"]
    assert roles_needed({"extraction": False}) == ["annotator"]
    assert make(settings={"extraction": False}).lineup == {
        "annotator": Seat(model="lexical")
    }
    lineup = {"annotator": Seat(model="openai/x")}
    assert make(lineup=lineup).lineup == {"extractor": Seat(model="lexical"), **lineup}
    session = begin(lineup={"extractor": Seat(model="openai/x")})
    assert session.seat("annotator").model == "openai/x"
    needed = roles_needed({})
    assert seats(Config(), needed) == {"extractor": Seat(model="lexical")}
    made = seats(
        Config(model="openai/big"),
        needed,
        ["annotator=openai/small"],
        ["annotator.temperature=0.7"],
    )
    assert made["extractor"] == Seat(model="openai/big", params={"temperature": 0})
    assert made["annotator"] == Seat(model="openai/small", params={"temperature": 0.7})
    assert list(seats(Config(), ["annotator"])) == ["annotator"]
    with pytest.raises(BadInput, match="no role “judge” in relevance"):
        seats(Config(), needed, ["judge=openai/x"])
    with pytest.raises(BadInput, match="names a role “judge”"):
        seats(Config(lineup={"relevance": {"judge": "openai/x"}}), needed)

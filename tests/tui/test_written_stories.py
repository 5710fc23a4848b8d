"""The stories of docs/stories.md: exactly the keys that stand there are pressed, and
the words that stand there are waited for.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from verifytui.tests.support.key_stories import Story, pressed, told
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.pairs import folder_of, labelled
from verifytui.tests.support.saved import documents, saved

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "stories.md"


def story(number: int) -> Story:
    """The story of this number, from 1."""
    return told(PAGE.read_text("utf-8").split("\n## ")[number])


def reply(body: Body) -> Answer:
    """A judge who is content with the first round; a debater who gives the model's
    name.
    """
    if '"preference"' in body["messages"][-1]["content"]:
        judged = {
            "reason": "The second side is right.",
            "preference": True,
            "supported_side": "negative",
            "answer": "yes",
        }
        return Answer(json.dumps(judged))
    return Answer(f"So says {body['model']}.\n\nAnswer: yes")


@pytest.fixture(autouse=True)
def _home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = reply


def test_there_are_three() -> None:
    assert PAGE.read_text("utf-8").count("\n## ") == 3


def test_a_researcher_swaps_in_mid_debate_and_runs_the_twin(home: Path) -> None:
    pressed(story(1))
    first, twin = (
        documents(path)
        for path in sorted(saved(home), key=lambda path: path.stat().st_mtime_ns)
    )
    speakers = {
        one["role"]: one["model"] for one in first[1:] if one["event"] == "speech"
    }
    assert speakers == {"affirmative": "gpt-4o-mini", "negative": "gpt-4o"}
    exchanged = {
        one["role"]: one["model"] for one in twin[1:] if one["event"] == "speech"
    }
    assert exchanged == {"affirmative": "gpt-4o", "negative": "gpt-4o-mini"}
    assert twin[0]["parent"]["id"] == first[0]["id"]


def test_an_engineer_drops_a_reference(home: Path) -> None:
    pressed(story(2))
    fork = next(made for path in saved(home) if (made := documents(path))[0]["parent"])
    assert fork[1]["dropped"]
    answers = [one["answer"] for one in fork[1:] if one["event"] == "answer"]
    assert answers
    assert not any("1976" in one for one in answers)


def test_an_annotator_gives_twenty_labels(tmp_path: Path) -> None:
    (tmp_path / "query.txt").write_text(
        "The defendant forced the rear door of a house at night and left with a "
        "watch and £300 in cash.",
        "utf-8",
    )
    (tmp_path / "candidates").mkdir()
    for n in range(1, 21):
        text = (
            f"Case {n}. The defendant climbed through a window of a flat and took a "
            f"laptop worth £{n}00 while nobody was at home."
        )
        (tmp_path / "candidates" / f"{n:02}.txt").write_text(text, "utf-8")
    pressed(story(3))
    said = documents(tmp_path / "cases.yaml.labels" / "Anna.yaml")[1:]
    labels = {one["candidate"]: one for one in said if one["event"] == "label"}
    assert len(labels) == 20
    assert {one["annotator"] for one in labels.values()} == {"Anna"}
    assert {one["value"] for one in labels.values()} == {0, 1, 2, 3}
    assert not any(one["seen_machine"] for one in labels.values())
    assert [len(one.get("facts", [])) for one in labels.values()].count(1) == 1


def test_two_people_label_and_a_third_decides(home: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "pairs", 6)
    labelled(folder, "Bert", {1: 0, 2: 1, 3: 0, 4: 1, 5: 0, 6: 1})
    parts = {
        part.partition("\n")[0]: part
        for part in re.split(r"\n##+ ", (DOCS / "relevance.md").read_text("utf-8"))
    }
    pressed(told(parts["Anna labels"]))
    labels = [
        one
        for one in documents(folder / "labels" / "Anna.yaml")[1:]
        if one["event"] == "label"
    ]
    last = {one["candidate"]: one for one in labels}
    assert len(last) == 6
    assert [
        one
        for one in last.values()
        if one.get("reasons") == {"material": "same deed", "legal": "same motive"}
    ]
    assert [one["facts"][0]["kind"] for one in last.values() if "facts" in one] == [
        "material"
    ]
    pressed(told(parts["Dr. Wu decides"]))
    (gold,) = [
        one
        for one in documents(folder / "labels" / "gold.yaml")[1:]
        if one["value"] is not None
    ]
    assert (gold["value"], gold["by"], gold["reason"]) == (
        3,
        "Dr. Wu",
        "the motive decides",
    )
    assert {vote["annotator"] for vote in gold["from"]} == {"Anna", "Bert"}

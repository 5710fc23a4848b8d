"""Items of a study: read, sampled and made into the lines of a method's batch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.settings import settings_of
from verifytui.engines.studies.items import item_of, line_of, read_items
from verifytui.sessions.errors import BadInput


def items_in(folder: Path, n: int = 40) -> Path:
    path = folder / "items.jsonl"
    rows = [
        {
            "id": f"q{i}",
            "topic": f"What is {i}?",
            "answers": [str(i)],
            "pair": i // 2,
            "level": 1,
        }
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_smaller_sample_is_part_of_a_larger_one_and_takes_clusters_whole(
    tmp_path: Path,
) -> None:
    items_in(tmp_path)
    spec = {"file": "items.jsonl", "cluster": "pair"}
    small, large = (
        read_items({**spec, "take": {"n": n, "seed": 7}}, tmp_path) for n in (10, 20)
    )
    assert {item.id for item in small} < {item.id for item in large}
    assert [
        len([other for other in small if other.cluster == item.cluster])
        for item in small
    ] == [2] * 10
    assert [item.id for item in large] == sorted(
        (item.id for item in large), key=lambda name: int(name[1:])
    )


def test_what_the_condition_says_is_not_taken_from_the_item(tmp_path: Path) -> None:
    items_in(tmp_path)
    item = read_items({"file": "items.jsonl"}, tmp_path)[3]
    declared = settings_of("debate")
    line = line_of(item, declared, "topics", without=["level"])
    assert line == {"id": "q3", "topic": "What is 3?", "answers": ["3"]}
    assert line_of(item, declared, "topics")["level"] == 1
    assert line_of(item, settings_of("rag"), "questions") == {
        "id": "q3",
        "question": "What is 3?",
        "answers": ["3"],
    }


def test_an_item_keeps_what_a_question_is_measured_by() -> None:
    fields = {
        "question": "What is 3?",
        "gold": ["a.md"],
        "nuggets": [{"text": "An odd number", "vital": False}],
    }
    for many in ("questions", "answers"):
        assert line_of(item_of("q3", fields), settings_of("rag"), many) == {
            "id": "q3",
            **fields,
        }


def test_items_without_the_field_of_their_cluster_are_refused(tmp_path: Path) -> None:
    items_in(tmp_path)
    with pytest.raises(BadInput, match="q0 has no “author”"):
        read_items({"file": "items.jsonl", "cluster": "author"}, tmp_path)

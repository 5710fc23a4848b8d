"""Pairs of LeCaRD in a folder, the labels that people gave there, and figures about
them that other code works out.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.tests.support.commanding import command

PAIRS = 60

Levels = dict[str, dict[tuple[str, str], int]]
"""Annotator to pair to level."""


def lecard_folder(shared: Path, tmp_path: Path) -> Path:
    """The sessions of 60 pairs of LeCaRD; the test is skipped, saying so, where it is
    absent.
    """
    if not (shared / "lecard").is_dir():
        pytest.skip("LeCaRD is not in ../shared/data")
    (tmp_path / "pairs.jsonl").write_text(_pairs(shared / "lecard"), "utf-8")
    done = command(
        "relevance",
        "--pairs",
        tmp_path / "pairs.jsonl",
        "--into",
        tmp_path / "cases",
        "--model",
        "lexical",
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "cases"


def level_by(name: str, candidate: str) -> int:
    """The level that a person gives: often that of the others."""
    level = random.Random(candidate).randrange(4)
    chance = random.Random(candidate + name)
    if chance.random() < 0.6:
        return level
    return chance.randrange(4)


def _pairs(folder: Path) -> str:
    queries = {row["qid"]: row["fact"] for row in _rows(folder / "queries.jsonl")}
    texts = {row["did"]: row["text"] for row in _rows(folder / "docs.jsonl")}
    made = []
    for row in _rows(folder / "pairs_with_text.jsonl")[:PAIRS]:
        query, candidate = (
            {"id": row["qid"], "text": queries[row["qid"]][:600]},
            {"id": row["did"], "text": texts[row["did"]][:600]},
        )
        known = {} if row["label"] is None else {"label": row["label"]}
        made.append(
            json.dumps(
                {
                    "id": f"{row['qid']}-{row['did']}",
                    "query": query,
                    "candidate": candidate,
                }
                | known
            )
        )
    return "\n".join(made)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def own_levels(folder: Path) -> Levels:
    """Annotator to pair to last level, read with a general reader of YAML."""
    sessions = {}
    for path in folder.glob("*.yaml"):
        header = next(yaml.safe_load_all(path.read_text("utf-8")))
        sessions[header["id"]] = header["task"]["query"]["id"]
    found: Levels = {}
    for path in (folder / "labels").glob("*.yaml"):
        header, *events = yaml.safe_load_all(path.read_text("utf-8"))
        for event in events:
            if event["event"] == "label":
                found.setdefault(header["annotator"], {})[
                    sessions[event["session"]], event["candidate"]
                ] = event["value"]
    return found


def alpha(levels: Levels) -> float:
    """Krippendorff's alpha, ordinal: observed over expected distance, rating by rating
    (Krippendorff 2011).
    """
    pairs = {pair for own in levels.values() for pair in own}
    units = [
        values
        for pair in pairs
        if len(values := [own[pair] for own in levels.values() if pair in own]) > 1
    ]
    count = Counter(value for unit in units for value in unit)
    total = sum(count.values())

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        between = sum(count[level] for level in range(low, high + 1))
        return float(between - (count[low] + count[high]) / 2) ** 2

    observed = (
        sum(
            sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1)
            for unit in units
        )
        / total
    )
    expected = sum(
        count[a] * count[b] * distance(a, b) for a in count for b in count
    ) / (total * (total - 1))
    return 1 - observed / expected


def check_agreement(folder: Path, levels: Levels) -> None:
    """Asserts that `agreement` says what other code works out of the same labels."""
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    found = json.loads(command("agreement", folder, "--output", "json").stdout)
    assert sorted(one["name"] for one in found["raters"]) == sorted(levels)
    for one in found["comparisons"]:
        first, second = (levels[name] for name in one["raters"])
        both = sorted(first.keys() & second.keys())
        assert one["pairs"] == len(both)
        mine, theirs = [first[pair] for pair in both], [second[pair] for pair in both]
        figures: dict[str, tuple[list[int], list[int], str | None]] = {
            "levels": (mine, theirs, None),
            "levels_quadratic": (mine, theirs, "quadratic"),
            "material": (
                [level % 2 for level in mine],
                [level % 2 for level in theirs],
                None,
            ),
            "legal": (
                [level // 2 for level in mine],
                [level // 2 for level in theirs],
                None,
            ),
        }
        for name, (ones, others, weights) in figures.items():
            assert one["kappa"][name]["value"] == pytest.approx(
                cohen_kappa_score(ones, others, weights=weights)
            )
            assert (
                one["kappa"][name]["low"]
                <= one["kappa"][name]["value"]
                <= one["kappa"][name]["high"]
            )
    assert found["alpha"]["levels"]["value"] == pytest.approx(alpha(levels))
    for one in found["by_query"]:
        pairs = {
            pair for own in levels.values() for pair in own if pair[0] == one["query"]
        }
        rated = [
            [own[pair] for own in levels.values() if pair in own] for pair in pairs
        ]
        couples = [couple for ratings in rated for couple in combinations(ratings, 2)]
        assert one["raw"]["levels"] == pytest.approx(
            sum(a == b for a, b in couples) / len(couples)
        )
